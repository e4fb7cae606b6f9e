package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/advise"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

func (a *app) adviseCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "advise", Usage: "try codec chains and chunk shapes on samples, and say which are best", ArgsUsage: "JOB",
		Description: jobOptions + ".\n\nChains are lossless unless --max-error allows an error. Nothing is written but what --html and --write name.",
		Flags: append(slices.Concat(jobFlags(), runFlags(), adviceFlags("")),
			&cli.IntFlag{Name: "sample", Usage: "try `N` chunks of each array; default: until the size is certain to 1%, or 64 MiB"},
			&cli.StringFlag{Name: "html", Usage: "also make a page with charts, in this `FILE`"},
			&cli.BoolFlag{Name: "write", Usage: "put the best chains into the job file, and with --access the chunks"}),
		Action: func(c *cli.Context) error {
			names, err := files(c)
			if err != nil {
				return err
			}
			if len(names) > 1 {
				return invalid(errors.New("advise takes one job file"))
			}
			request, err := newAdviceRequest(c)
			if err != nil {
				return invalid(err)
			}
			j, err := a.checked(c, names[0])
			if err != nil {
				return err
			}
			file := c.String("html")
			if err := inFolder(file); err != nil { // before anything is measured
				return fmt.Errorf("--html %s: %w", file, err)
			}
			list, err := a.adviseOnJob(c.Context, j, request)
			if err != nil {
				return err
			}
			if file != "" {
				page, err := advise.Page(j.Title(), list)
				if err == nil {
					err = replaceFile(file, page)
				}
				if err != nil {
					return err
				}
			}
			if a.json {
				a.printJSON(map[string]any{"job": j.Title(), "arrays": list})
			} else {
				for _, one := range list {
					a.printAdvice(one, request.all)
				}
			}
			if c.Bool("write") {
				return a.writeAdvice(c, names[0], j, list, request.Access != "")
			}
			return nil
		},
	})
}

// adviceFlags returns the flags that say what advice is wanted. Their usage texts begin with
// prefix.
func adviceFlags(prefix string) []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "array", Usage: prefix + "advise on arrays whose paths match the `PATTERN`; may be repeated; default: arrays of at least 256 KiB"},
		&cli.StringSliceFlag{Name: "max-error", Usage: prefix + "the `ERROR` that floating-point values may have: 0.01 or abs:0.01 is a difference, rel:0.001 a part of each value; SST=0.01 is for one array, and the last one for an array counts; may be repeated"},
		&cli.StringFlag{Name: "access", Usage: prefix + "`USE` that chunks are chosen for: map, time-series or both; default: the chunks of the job"},
		&cli.StringFlag{Name: "goal", Value: string(advise.Balanced), Usage: prefix + "`GOAL` of the choice: small, balanced or fast"},
		&cli.StringSliceFlag{Name: "reader", Usage: prefix + "a `PROGRAM` that has to read the chosen chain; may be repeated; default: target.readers, or else xarray"},
		&cli.BoolFlag{Name: "all", Usage: prefix + "list all chains that were tried, not only the best ones"},
	}
}

// adviceRequest is what a command line asks for.
type adviceRequest struct {
	advise.Options
	all        bool // print every chain that was tried
	globs      []string
	tolerances []arrayTolerance
}

// An arrayTolerance is the error that the arrays of a glob may have.
type arrayTolerance struct {
	glob string
	standard.Tolerance
}

func newAdviceRequest(c *cli.Context) (*adviceRequest, error) {
	r := &adviceRequest{all: c.Bool("all"), globs: c.StringSlice("array")}
	for _, glob := range r.globs {
		if _, err := path.Match(glob, ""); err != nil {
			return nil, fmt.Errorf("--array %s: not a valid glob", glob)
		}
	}
	for _, text := range c.StringSlice("max-error") {
		glob, bound, named := strings.Cut(text, "=")
		if !named {
			bound = text
		}
		t, err := tolerance(bound)
		if err != nil {
			return nil, fmt.Errorf("--max-error %s: %w", text, err)
		}
		if named {
			r.tolerances = append(r.tolerances, arrayTolerance{glob, t})
		} else {
			r.Tolerance = t
		}
	}
	if r.Access = c.String("access"); r.Access != "" {
		if err := checkAccess(r.Access); err != nil {
			return nil, fmt.Errorf("--access %s: %w", r.Access, err)
		}
	}
	switch r.Goal = advise.Goal(c.String("goal")); r.Goal {
	case advise.Small, advise.Balanced, advise.Fast:
	default:
		return nil, fmt.Errorf("--goal %s: want small, balanced or fast", r.Goal)
	}
	if r.Chunks = c.Int("sample"); r.Chunks < 0 {
		return nil, errors.New("--sample: want the number of chunks of each array, at least 1")
	}
	r.Readers = c.StringSlice("reader")
	return r, nil
}

// tolerance reads the error that --max-error allows.
func tolerance(text string) (t standard.Tolerance, err error) {
	into := &t.Absolute
	if number, ok := strings.CutPrefix(text, "rel:"); ok {
		text, into = number, &t.Relative
	}
	*into, err = strconv.ParseFloat(strings.TrimPrefix(text, "abs:"), 64)
	if err != nil || !(*into > 0) || math.IsInf(*into, 0) || t.Relative >= 1 {
		return t, errors.New("want a number above 0, such as 0.01, abs:0.01 or rel:0.001")
	}
	return t, nil
}

// adviseOnJob advises on the arrays of a job.
func (a *app) adviseOnJob(ctx context.Context, j *jobs.Job, r *adviceRequest) (list []*jobs.Advice, err error) {
	defer forPlanning(j)()
	p, err := jobs.NewPlan(ctx, j, a.env)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if err := r.unmatched(p); err != nil {
		return nil, invalid(err)
	}
	if list, err = a.adviseOn(ctx, p, r); err == nil && list == nil {
		err = errors.New(r.noArray(p))
		if r.globs != nil {
			err = invalid(err)
		}
	}
	return list, err
}

// adviseOn advises on the arrays of a plan. It returns nil if the request means none of them.
func (a *app) adviseOn(ctx context.Context, p *jobs.Plan, r *adviceRequest) (list []*jobs.Advice, err error) {
	for i := range p.Arrays {
		array := &p.Arrays[i]
		if !r.means(array) {
			continue
		}
		opt := r.Options
		for _, t := range r.tolerances { // the last one counts
			if named(array, t.glob) {
				opt.Tolerance = t.Tolerance
			}
		}
		one, err := jobs.Advise(ctx, p, array, a.env, opt)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// named reports whether a glob of the command line stands for an array.
func named(array *jobs.PlannedArray, glob string) bool {
	ok, _ := path.Match(glob, array.Source)
	return ok || glob == array.Target
}

// unmatched returns an error if --max-error names an array that a plan does not have: the chains of
// the array that is meant would be lossless without a word.
func (r *adviceRequest) unmatched(p *jobs.Plan) error {
	var names []string
	for i := range p.Arrays {
		names = append(names, p.Arrays[i].Source)
	}
	for _, t := range r.tolerances {
		if slices.ContainsFunc(p.Arrays, func(x jobs.PlannedArray) bool { return named(&x, t.glob) }) {
			continue
		}
		text := fmt.Sprintf("--max-error %s=…: no array has this name", t.glob)
		if hint := jobfile.DidYouMean(t.glob, names); hint != "" {
			text += " (" + hint + ")"
		}
		return errors.New(text)
	}
	return nil
}

// noArray says why there is advice on no array of a plan.
func (r *adviceRequest) noArray(p *jobs.Plan) string {
	if r.globs != nil {
		text := "no array matches --array " + strings.Join(r.globs, " or --array ")
		var names []string
		for i := range p.Arrays {
			names = append(names, p.Arrays[i].Source)
		}
		for _, glob := range r.globs {
			if hint := jobfile.DidYouMean(glob, names); hint != "" {
				return text + " (" + hint + ")"
			}
		}
		return text
	}
	return "no array is large enough for advice: --array names arrays of any size"
}

// means reports whether advice is wanted on an array.
func (r *adviceRequest) means(array *jobs.PlannedArray) bool {
	if r.globs == nil {
		const small = 256 << 10
		return array.Bytes() >= small
	}
	return slices.ContainsFunc(r.globs, func(glob string) bool { return named(array, glob) })
}

// printAdvice prints the advice on one array.
func (a *app) printAdvice(x *jobs.Advice, all bool) {
	a.printf("%s: %s, %s of %s, %s in chunks of %s; %d of %s tried\n", printable("/"+x.Array), words.Size(x.Bytes), words.Shape(x.Shape), x.Type,
		words.Count(x.Of, "chunk"), words.Shape(x.Chunks), x.Tried, words.Count(x.Of, "chunk"))
	rows := [][]string{{"", "codecs", "ratio", "encode", "decode", "max error", "read by"}}
	for i := range x.Rows {
		if r := &x.Rows[i]; r.Front || r.Current || all {
			rows = append(rows, adviceRow(r))
		}
	}
	a.table(rows)
	if chosen := x.Chosen(); chosen != nil {
		a.printf("  codecs: %s\n", chosen.CodecsText())
	}
	if len(x.Shapes) > 1 {
		rows = [][]string{{"chunks for", "shape", "size", "chunks", "of a map", "of a time series", "ratio"}}
		for _, s := range x.Shapes {
			rows = append(rows, []string{
				s.Use(), words.Shape(s.Chunks), words.Size(int64(s.Bytes)), strconv.Itoa(s.Objects), strconv.Itoa(s.MapChunks), strconv.Itoa(s.SeriesChunks), fmt.Sprintf("%.3g", s.Ratio),
			})
		}
		a.table(rows)
	}
}

// adviceRow is a line of the table of chains.
func adviceRow(r *advise.Row) []string {
	if r.Refused != "" {
		return []string{r.Mark(), chainText(r.Codecs), "refused: " + r.Refused}
	}
	return []string{r.Mark(), chainText(r.Codecs), r.RatioText(), words.Size(int64(r.EncodeSpeed)) + "/s", words.Size(int64(r.DecodeSpeed)) + "/s", r.ErrorText(), r.ReadByText()}
}

// writeAdvice puts the chosen chains into a job file, and the chunks, too, if they were chosen.
// The file is replaced only if it then says what it is to say.
func (a *app) writeAdvice(c *cli.Context, file string, j *jobs.Job, list []*jobs.Advice, chunks bool) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	changed := 0
	for _, one := range list {
		chosen := one.Chosen()
		if chosen == nil {
			continue
		}
		if _, field := j.Options(one.Source); field != "defaults" && field != jobfile.FieldPath("arrays", one.Source) {
			return fmt.Errorf("%s: --write: %s stands for several arrays, of which %s is one: give %s an entry of its own, with codecs: %s", file, field, one.Source, one.Source, chosen.CodecsText())
		}
		fields := []jobfile.Field{{Name: "codecs", Value: chosen.CodecsText()}}
		if chunks && !one.Sharded {
			fields = append([]jobfile.Field{{Name: "chunks", Value: strings.ReplaceAll(fmt.Sprint(one.Chunks), " ", ", ")}}, fields...)
		}
		if text, err = jobfile.SetArray(text, one.Source, fields...); err != nil {
			return fmt.Errorf("%s: --write: %w: the file cannot be changed in place; the entry of %s needs codecs: %s", file, err, one.Source, chosen.CodecsText())
		}
		changed++
	}
	written, err := jobs.Parse(file, text, filepath.Dir(file), a.env, a.overrides(c)...)
	if err == nil {
		problems := written.Check(a.env.Codecs)
		err = problems.Err()
	}
	if err != nil {
		return fmt.Errorf("%s: --write: the file was not changed, because it would be invalid: %w", file, err)
	}
	if err := replaceFile(file, text); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(a.err, "%s: codecs of %s written\n", file, words.Count(changed, "array"))
	return nil
}
