package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/dtype/ndarray/deviation"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/verify"
	"github.com/zmigrate/zmigrate/stages"
	"github.com/zmigrate/zmigrate/zarr"
)

// errDiffers is the cause of the exit status of a verification that found a difference.
var errDiffers = errors.New("the target is not what was written")

// errOtherValues is errDiffers if all objects are as they were written.
var errOtherValues error = otherValues{}

type otherValues struct{}

func (otherValues) Error() string {
	return "elements of the target are not those of the source, although the objects are as they were written"
}

func (otherValues) Unwrap() error { return errDiffers }

// shownDifferences is how many differences are printed.
const shownDifferences = 20

func (a *app) verifyCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "verify", Usage: "read a target back and compare it with what was written", ArgsUsage: "JOB|TARGET…",
		Description: "Compares the target of a completed job with the record in the job's checkpoint. Opens no source and\n" +
			"never writes to the target. Instead of a job file, the folder or URL of a target may be named.\n" +
			"Goes on where the same verification was interrupted.\n" +
			jobOptions + ". Several jobs or targets are verified one after the other.\n" +
			"Exit status: 0 the target is as it was written; 4 something differs; 1 it could not be verified;\n" +
			"2 the job or the command line is invalid; 5 the target is being written.",
		Flags: append(slices.Concat(jobFlags(), runFlags(), metricsFlags()),
			levelFlag(),
			&cli.StringFlag{Name: "sample", Usage: "read only a `PART` of the objects, such as 5%"},
			&cli.Uint64Flag{Name: "seed", Usage: "`NUMBER` that chooses the objects of --sample"},
			&cli.BoolFlag{Name: "restart", Usage: "forget how far an interrupted verification came"}),
		Action: func(c *cli.Context) error {
			names, err := files(c)
			if err != nil {
				return err
			}
			opt, err := verifyOptions(c)
			if err != nil {
				return invalid(err)
			}
			if err := once(names); err != nil {
				return err
			}
			var list []*jobs.Job
			targets := map[*jobs.Job]bool{}
			for _, name := range names {
				j, target, err := a.jobOrTarget(c, name)
				if err != nil {
					return err
				}
				list, targets[j] = append(list, j), target
			}
			return a.measured(c, func() error {
				return a.inTurn(list, turns{goOn: true}, func(j *jobs.Job) error {
					opt := opt
					opt.AnyJob = targets[j]
					o := a.identify(j, verifies)
					err := a.metrics.add(o)
					if err == nil {
						err = a.verify(c, j, opt)
					}
					a.ended(c.Context, o, err)
					return err
				})
			})
		},
	})
}

// levelFlag is the flag with the level of a verification.
func levelFlag() cli.Flag {
	var levels []string
	for _, level := range verify.Levels() {
		levels = append(levels, string(level))
	}
	return &cli.StringFlag{Name: "level", Value: string(verify.Decoded), Usage: "`LEVEL` at which to look: " + strings.Join(levels, ", ")}
}

// verifyFlag is the flag of commands that verify at their end.
func verifyFlag() cli.Flag {
	return &cli.BoolFlag{Name: "verify", Usage: "at the end, do what the command verify does"}
}

// verifyOptions reads the flags of verify.
func verifyOptions(c *cli.Context) (opt jobs.VerifyOptions, err error) {
	opt.Level, opt.Seed, opt.Restart = verify.Level(c.String("level")), c.Uint64("seed"), c.Bool("restart")
	known := false
	for _, level := range verify.Levels() {
		known = known || opt.Level == level
	}
	if !known {
		return opt, fmt.Errorf("--level %s: want one of %v", opt.Level, verify.Levels())
	}
	text := c.String("sample")
	if text == "" {
		return opt, nil
	}
	number, percent := strings.CutSuffix(text, "%")
	opt.Sample, err = strconv.ParseFloat(number, 64)
	if percent {
		opt.Sample /= 100
	}
	if err != nil || !(opt.Sample > 0 && opt.Sample <= 1) {
		return opt, fmt.Errorf("--sample %s: want a part such as 5%% or 0.05", text)
	}
	if opt.Level == verify.Quick {
		return opt, errors.New("--sample: the level quick reads no objects")
	}
	return opt, nil
}

// jobOrTarget returns the job of a job file. If the name is that of a target, it returns a job
// that says only where the target is.
func (a *app) jobOrTarget(c *cli.Context, name string) (j *jobs.Job, target bool, err error) {
	owner := targetOf(name)
	if far := farTargetOf(name); far != "" && !a.holdsDocument(c.Context, name) {
		owner = far
	}
	if owner != "" {
		return nil, false, invalid(fmt.Errorf("%s is the checkpoint of a target: name the target, %s", store.Shown(name), store.Shown(owner)))
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() || store.Far(name) {
		place := map[string]any{"driver": "zarr", "url": literal(name)}
		text, err := json.Marshal(map[string]any{"zmigrate": jobfile.Version, "name": name, "source": place, "target": map[string]any{"url": place["url"]}})
		if err != nil {
			return nil, true, err
		}
		j, err = jobs.Parse(c.Command.Name, text, ".", a.env, a.overrides(c)...)
		return j, true, err
	}
	if _, err := os.Stat(name); name != standardInput && errors.Is(err, fs.ErrNotExist) {
		return nil, false, invalid(fmt.Errorf("%s: no such job file or target", name))
	}
	j, err = a.checked(c, name)
	return j, false, err
}

// holdsDocument reports whether there is a Zarr v3 document at a URL, or whether that cannot be
// told, because the place cannot be read.
func (a *app) holdsDocument(ctx context.Context, url string) bool {
	st, err := store.Open(ctx, url, a.env.Stores(limits.New(0)))
	if err != nil {
		return true
	}
	defer st.Close() //nolint:errcheck // nothing was written
	_, err = st.Stat(ctx, zarr.MetadataKey)
	return !errors.Is(err, fs.ErrNotExist)
}

// verify verifies the target of a job and prints the result.
func (a *app) verify(c *cli.Context, j *jobs.Job, opt jobs.VerifyOptions) error {
	show := a.newProgress(j.Title(), func() jobs.Requests { return jobs.Requests{} }, func(int) string { return "" })
	seen := a.seen.Load()
	seen.verification(func(v *verified) { *v = verified{begun: true} })
	opt.Begin = func(parts int, bytes int64) {
		show.end()
		show.begin(jobs.Progress{Chunks: parts, Bytes: bytes})
		seen.verification(func(v *verified) { v.objects += parts })
	}
	opt.Observe = func(bytes int64) {
		show.observe(stages.Event{Read: bytes})
		seen.verification(func(v *verified) { v.read, v.bytes = v.read+1, v.bytes+bytes })
	}
	each := opt.Each
	opt.Each = func(d jobs.Difference) {
		if each != nil {
			each(d)
		}
		seen.verification(func(v *verified) { v.differences++ })
	}
	done := forRunning(j)
	r, err := jobs.Verify(c.Context, j, a.env, opt)
	done()
	show.end()
	if errors.Is(err, context.Canceled) {
		return &interruptedError{j.Title() + ": the verification was interrupted; the same command goes on from there", err}
	}
	if err != nil {
		return err
	}
	a.verification(j, r)
	if r.Count > 0 && r.OnlyOtherValues() {
		return fmt.Errorf("%s: %w: %s", r.Target, errOtherValues, words.Count(r.Count, "difference"))
	}
	if r.Count > 0 {
		return fmt.Errorf("%s: %w: %s", r.Target, errDiffers, words.Count(r.Count, "difference"))
	}
	return nil
}

// verification prints the result of a verification.
func (a *app) verification(j *jobs.Job, r *jobs.Verification) {
	if a.json {
		a.printJSON(struct {
			Event string `json:"event"`
			Job   string `json:"job"`
			Run   string `json:"run"`
			*jobs.Verification
		}{"verified", j.Title(), a.seen.Load().id, r})
		return
	}
	word := "verified"
	if r.Count > 0 {
		word = "differs"
	}
	a.printf("%s: %s\n", j.Title(), word)
	rows := [][]string{
		{"target", r.Target},
		{"migrated", r.Migrated.Format(time.RFC3339)},
		{"level", string(r.Level)},
		{"arrays", fmt.Sprint(r.Arrays)},
		{"objects", fmt.Sprintf("%d on record, %d read (%s), %s with only the fill value", r.Objects, r.Read, words.Size(r.Bytes), words.Count(r.Empty, "chunk"))},
		{"proved", fmt.Sprintf("%d by the digests of their values, %d by their checksums", r.ByValues, r.ByChecksums)},
	}
	if r.Level == verify.Source {
		rows = append(rows, []string{"compared", words.Count(int(r.Elements), "element") + " with the source"})
	}
	rows = append(rows, [][]string{
		{"differences", fmt.Sprint(r.Count)},
		{"time", fmt.Sprintf("%s (%s/s)", r.Time.Round(time.Millisecond), words.Size(int64(float64(r.Bytes)/max(r.Time.Seconds(), 1e-9))))},
	}...)
	if r.Sample < 1 {
		rows = append(rows, []string{"sample", fmt.Sprintf("%g%% of the objects, seed %d", 100*r.Sample, r.Seed)})
	}
	if r.Resumed > 0 {
		rows = append(rows, []string{"resumed", fmt.Sprintf("%d of the objects were read before the verification was interrupted", r.Resumed)})
	}
	a.table(rows)
	for _, d := range r.Deviations {
		a.printf("  %s: %s\n", printable("/"+d.Array), deviationText(d))
	}
	for i, d := range r.Differences {
		if i == shownDifferences {
			a.printf("  … and %d more; --json lists them\n", r.Count-shownDifferences)
			break
		}
		a.printf("  %s: %s\n", d.Kind, d)
	}
}

// deviationText tells how far the values of a lossy array are from those of the source.
func deviationText(d deviation.Deviation) string {
	if d.Elements == 0 {
		return "no value could be compared with the source"
	}
	if d.At == nil {
		return "all values are those of the source"
	}
	bound := "no bound is known beforehand"
	if d.Bound > 0 {
		bound = fmt.Sprintf("the codecs may change a value by %g", d.Bound)
	}
	return fmt.Sprintf("%d of %d values differ, at most by %g (element %v: %s, in the source %s), root mean square %g; %s",
		d.Unequal, d.Elements, d.Max, d.At, d.Target, d.Source, d.RMS, bound)
}
