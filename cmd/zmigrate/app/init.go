package app

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/zarr"
)

func (a *app) initCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "init", Usage: "write a commented job file for a source", ArgsUsage: "URL…",
		Description: "URL is a file, a glob, a folder of files, or a Zarr hierarchy; several URLs are files that become one.\n" +
			"The job file goes to standard output, or to the file of --output.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "target", Usage: "`URL` of the target; default: the name of the source with .zarr"},
			&cli.StringFlag{Name: "name", Usage: "`NAME` of the job; default: from the source"},
			&cli.StringFlag{Name: "access", Usage: "`USE` that chunks are chosen for: map, time-series or both"},
			&cli.StringFlag{Name: "max-error", Usage: "the `ERROR` that floating-point values may have, such as 0.01 or rel:0.001; default: none"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the job to this `FILE`, which must not exist"},
			&cli.IntFlag{Name: "trials", Value: 12, Usage: "try codecs on samples of `N` arrays; 0: none"},
			&cli.BoolFlag{Name: "interactive", Aliases: []string{"i"}, Usage: "ask for the target, the use and the error"}},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return invalid(errors.New("init needs a source: zmigrate init URL"))
			}
			answers := map[string]string{}
			if c.Bool("interactive") {
				if err := a.ask(c, os.Stdin, answers); err != nil {
					return err
				}
			}
			opt, err := draftOptions(c, answers)
			if err != nil {
				return invalid(err)
			}
			out := c.String("output")
			if out != "" {
				opt.Dir = filepath.Dir(out)
				if _, err := os.Lstat(out); err == nil {
					return fmt.Errorf("%s: the file exists: choose another name, or remove it", out)
				}
			}
			text, err := jobs.Draft(c.Context, c.Args().Slice(), a.env, opt)
			if err != nil {
				return err
			}
			if out == "" {
				a.printf("%s", text)
				if c.Bool("interactive") && a.terminalWidth() > 0 {
					_, _ = fmt.Fprintln(a.err, "nothing is written; with -o job.yaml, the job goes to that file")
				}
				return nil
			}
			if err := os.WriteFile(out, []byte(text), 0o644); err != nil {
				return err
			}
			_, _ = fmt.Fprintf(a.err, "%s written; next: zmigrate plan %s\n", out, out)
			return nil
		},
	})
}

// draftOptions reads the options of a draft from flags and answers.
func draftOptions(c *cli.Context, answers map[string]string) (opt jobs.DraftOptions, err error) {
	value := func(flag string) string {
		if answer := answers[flag]; answer != "" {
			return answer
		}
		return c.String(flag)
	}
	opt = jobs.DraftOptions{Target: value("target"), Name: c.String("name"), Access: value("access"), Trials: c.Int("trials")}
	if opt.Access != "" {
		if err := checkAccess(opt.Access); err != nil {
			return opt, fmt.Errorf("--access %s: %w", opt.Access, err)
		}
	}
	if text := value("max-error"); text != "" {
		if opt.Tolerance, err = tolerance(text); err != nil {
			return opt, fmt.Errorf("--max-error %s: %w", text, err)
		}
	}
	return opt, nil
}

// ask asks the questions that flags have not answered. An empty line takes the default. If an
// answer is wrong, ask says why and asks again, until there are no more answers.
func (a *app) ask(c *cli.Context, from io.Reader, answers map[string]string) error {
	lines := bufio.NewReader(from)
	for _, q := range []struct {
		flag, question string
		check          func(answer string) error
	}{
		{"target", "Where should the result go? A folder, or a place such as s3://bucket/name.zarr\n(default: a folder here, with the name of the source): ", store.CheckURL},
		{"access", "How will it be read? map, time-series, both, or nothing special (default): ", checkAccess},
		{"max-error", "May values be rounded? The largest error, such as 0.01, or no (default): ", func(answer string) error {
			_, err := tolerance(answer)
			return err
		}},
	} {
		for asked := c.IsSet(q.flag); !asked; {
			_, _ = fmt.Fprint(a.err, q.question)
			line, err := lines.ReadString('\n')
			ended := errors.Is(err, io.EOF)
			if err != nil && !ended {
				return err
			}
			answer := strings.TrimSpace(line)
			if asked = answer == "" || answer == "no" || answer == "nothing special"; asked {
				continue
			}
			switch err := q.check(answer); {
			case err == nil:
				answers[q.flag], asked = answer, true
			case ended:
				return invalid(fmt.Errorf("%s: %w", answer, err))
			default:
				_, _ = fmt.Fprintf(a.err, "  %s: %v\n", printable(answer), err)
			}
		}
	}
	return nil
}

// checkAccess returns an error if a text is no use of data.
func checkAccess(text string) error {
	switch text {
	case zarr.AccessMap, zarr.AccessTimeSeries, zarr.AccessBoth:
		return nil
	}
	return errors.New("want map, time-series or both")
}
