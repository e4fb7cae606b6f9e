package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

func (a *app) copyCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "copy", Usage: "migrate a source without a job file", ArgsUsage: "SRC DST",
		Description: "SRC and DST are paths or URLs. SRC is a Zarr hierarchy, or NetCDF, HDF5, Arrow or Parquet files.\n\n" + exitTable,
		Flags: append(slices.Concat(jobFlags(), runFlags(), metricsFlags()),
			&cli.StringFlag{Name: "concat", Usage: "join several files along a `DIMENSION` that they have"},
			&cli.StringFlag{Name: "stack", Usage: "join several files along a new `DIMENSION`, which gets this name"},
			&cli.StringFlag{Name: "join", Usage: "`HOW` to treat differences between files: exact or override"},
			&cli.StringFlag{Name: "order", Usage: "`COORDINATE` by which several files are sorted; or name, for the natural order of their names; or allow, for that order even if the coordinate repeats values"},
			&cli.StringSliceFlag{Name: "codec", Usage: "a `CODEC` of the chain, such as gzip or zstd:level=3,checksum=true; repeat for each codec; lossy codecs apply to floating-point data only"},
			&cli.StringFlag{Name: "chunks", Usage: "chunk `SHAPE` of arrays of that rank, such as 12,90,180; or extents by dimension, such as time=365,lat=90; or auto or keep"},
			&cli.StringFlag{Name: "access", Usage: "`USE` that chunks are chosen for: map, time-series or both"},
			&cli.StringFlag{Name: "shards", Usage: "shard `SHAPE` of arrays of that rank, such as 12,90,180; or extents by dimension, such as time=365"},
			&cli.StringSliceFlag{Name: "include", Usage: "migrate only arrays whose paths match the `PATTERN`; may be repeated"},
			&cli.StringSliceFlag{Name: "exclude", Usage: "leave out arrays whose paths match the `PATTERN`; may be repeated"},
			&cli.StringSliceFlag{Name: "select", Usage: "migrate only a `PART` of a dimension, such as time=2020-01-01/2020-12-31, lat=30,60 or x=0:100:2; may be repeated"},
			&cli.BoolFlag{Name: "no-coordinates", Usage: "leave out coordinates that --include and --exclude do not select"},
			&cli.StringFlag{Name: "unsupported", Usage: "`WHAT` to do with arrays that Zarr or this program does not know: error or skip"},
			&cli.StringFlag{Name: "references", Usage: "write a table of references to the chunks of the source, and no hierarchy, in this `FORM`: json or parquet"},
			&cli.StringFlag{Name: "existing", Usage: "`WHAT` to do with an existing target: resume, fail, overwrite or append"},
			&cli.StringFlag{Name: "append", Usage: "with --existing append: the `DIMENSION` to append along"},
			yesFlag(), verifyFlag(), &cli.BoolFlag{Name: "dry-run", Usage: "show the plan, write nothing"}, sampleFlag()),
		Action: func(c *cli.Context) error {
			if c.NArg() > 2 {
				return invalid(fmt.Errorf("copy takes one source and one target, not %d places: several sources stand in one glob with quotes, such as 'data/*.nc'", c.NArg()))
			}
			if c.NArg() < 2 {
				return invalid(errors.New("copy needs a source and a target: zmigrate copy SRC DST"))
			}
			if c.Args().Get(1) == "-" {
				return invalid(errors.New("-: standard output cannot be a target, because a target has many objects: name a folder or a URL"))
			}
			a.flags = true
			driver, err := jobs.DriverOf(c.Context, c.Args().Get(0), a.env)
			if err != nil {
				return err
			}
			text, err := copyJob(c, driver)
			if err != nil {
				return invalid(err)
			}
			j, err := jobs.Parse("copy", text, ".", a.env, a.overrides(c)...)
			if err != nil {
				return err
			}
			problems := j.Check(a.env.Codecs)
			if err := problems.Err(); err != nil {
				return err
			}
			a.warn(problems)
			if n, err := sampleSize(c); err != nil {
				return err
			} else if c.Bool("dry-run") || n > 0 {
				return a.plan(c.Context, j, planShows{sample: n})
			}
			return a.measured(c, func() error { return a.observed(c, j, a.run) })
		},
	})
}

// copyJob returns the job file that a command line stands for, as JSON.
func copyJob(c *cli.Context, driver string) ([]byte, error) {
	source := map[string]any{"driver": driver, "url": literal(c.Args().Get(0))}
	for _, flag := range []string{"include", "exclude"} {
		if globs := c.StringSlice(flag); len(globs) > 0 {
			source[flag] = globs
		}
	}
	for _, flag := range []string{"concat", "stack", "join", "order", "unsupported"} {
		if word := c.String(flag); word != "" {
			source[flag] = word
		}
	}
	if parts := c.StringSlice("select"); len(parts) > 0 {
		selected, err := selections(parts)
		if err != nil {
			return nil, err
		}
		source["select"] = selected
	}
	if c.Bool("no-coordinates") {
		source["coordinates"] = false
	}
	target := map[string]any{"url": literal(c.Args().Get(1))}
	if existing := c.String("existing"); existing != "" {
		target["existing"] = existing
	}
	if form := c.String("references"); form != "" {
		target["references"] = form
	}
	if dim := c.String("append"); dim != "" {
		target["append"] = dim
	}
	defaults := map[string]any{}
	if chain := c.StringSlice("codec"); len(chain) > 0 {
		specs, err := copyCodecs(chain)
		if err != nil {
			return nil, err
		}
		defaults["codecs"] = specs
	}
	for _, flag := range []string{"chunks", "shards"} {
		switch text := c.String(flag); text {
		case "":
		case "auto", "keep":
			defaults[flag] = text
		default:
			shape, err := extents(text)
			if strings.Contains(text, "=") {
				defaults[flag], err = namedExtents(text)
				if err != nil {
					return nil, fmt.Errorf("--%s %s: %w", flag, text, err)
				}
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("--%s %s: %w", flag, text, err)
			}
			defaults[flag] = shape
		}
	}
	if use := c.String("access"); use != "" {
		defaults["access"] = use
	}
	name := c.Args().Get(1)
	if store.Far(name) {
		name, _, _ = strings.Cut(name, "?")
	}
	return json.Marshal(map[string]any{
		"zmigrate": jobfile.Version, "name": filepath.Base(name),
		"source": source, "target": target, "defaults": defaults,
	})
}

// ofFlags returns problems of the job that the command line of copy stands for as problems of the
// command line: nobody sees that job, so places in it say nothing. Other jobs' problems stay as
// they are.
func (a *app) ofFlags(list jobs.Problems) jobs.Problems {
	list = a.overridden(list)
	if !a.flags {
		return list
	}
	flags := []struct{ field, flag string }{
		{"defaults.codecs", "--codec"}, {"defaults.chunks", "--chunks"}, {"defaults.shards", "--shards"}, {"defaults.access", "--access"},
		{"source.url", "SRC"}, {"target.url", "DST"}, {"target.existing", "--existing"}, {"target.append", "--append"}, {"target.references", "--references"},
		{"source.concat", "--concat"}, {"source.stack", "--stack"}, {"source.join", "--join"}, {"source.order", "--order"},
		{"source.include", "--include"}, {"source.exclude", "--exclude"}, {"source.select", "--select"}, {"source.unsupported", "--unsupported"},
	}
	for i, p := range list {
		if p.File != "copy" {
			continue // of --set
		}
		list[i].Line, list[i].Column = 0, 0
		for _, f := range flags {
			if rest, of := strings.CutPrefix(p.Field, f.field); of && (rest == "" || strings.ContainsAny(rest[:1], ".[")) {
				list[i].File, list[i].Field = "copy", f.flag+rest
			}
		}
	}
	return list
}

// withFlags returns the text of an error. If the command is copy, a way out by target.existing
// names the flag: nobody sees the job that has the field.
func (a *app) withFlags(text string) string {
	if !a.flags {
		return text
	}
	return strings.ReplaceAll(text, "target.existing: ", "--existing ")
}

// literal protects text from the expansion of variables: the shell has already expanded the
// variables of the command line.
func literal(text string) string { return strings.ReplaceAll(text, "${", "$${") }

// selections reads --select flags. Two numbers are separated by a comma; one of them may be
// missing.
func selections(flags []string) (map[string]any, error) {
	parts := map[string]any{}
	for _, flag := range flags {
		dim, part, ok := strings.Cut(flag, "=")
		if !ok || dim == "" {
			return nil, fmt.Errorf("--select %s: want DIMENSION=PART", flag)
		}
		if _, twice := parts[dim]; twice {
			return nil, fmt.Errorf("--select %s: the dimension is selected twice", flag)
		}
		if parts[dim] = literal(part); !strings.Contains(part, ",") {
			continue
		}
		var values []any
		for bound := range strings.SplitSeq(part, ",") {
			var value any
			if bound = strings.TrimSpace(bound); bound != "" {
				if _, err := strconv.ParseFloat(bound, 64); err != nil {
					return nil, fmt.Errorf("--select %s: %q is no number", flag, bound)
				}
				value = json.Number(strings.TrimPrefix(bound, "+"))
			}
			values = append(values, value)
		}
		parts[dim] = values
	}
	return parts, nil
}

func extents(text string) ([]int, error) {
	var shape []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return nil, errors.New("want positive numbers with commas between")
		}
		shape = append(shape, n)
	}
	return shape, nil
}

// namedExtents reads extents by the names of dimensions, such as time=365,lat=90.
func namedExtents(text string) (map[string]any, error) {
	by := map[string]any{}
	for part := range strings.SplitSeq(text, ",") {
		name, extent, _ := strings.Cut(part, "=")
		name, extent = strings.TrimSpace(name), strings.TrimSpace(extent)
		n, err := strconv.Atoi(extent)
		switch {
		case name == "" || extent != "auto" && (err != nil || n < 1):
			return nil, errors.New("want DIMENSION=NUMBER with commas between")
		case by[name] != nil:
			return nil, fmt.Errorf("%s is given twice", name)
		case extent == "auto":
			by[name] = extent
		default:
			by[name] = n
		}
	}
	return by, nil
}

// copyCodecs reads --codec flags.
func copyCodecs(flags []string) ([]any, error) {
	var chain []any
	for _, flag := range flags {
		spec, err := codecs.ParseSpec(flag)
		if err != nil {
			return nil, fmt.Errorf("--codec %s: %w", flag, err)
		}
		if spec.Configuration == nil {
			spec.Configuration = json.RawMessage("{}") // as jobs of older checkpoints have it
		}
		chain = append(chain, spec)
	}
	return chain, nil
}
