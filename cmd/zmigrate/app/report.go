package app

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/report"
)

func (a *app) reportCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "report", Usage: "make a page about a migration, for whoever signs it off", ArgsUsage: "JOB|TARGET",
		Description: "Makes one HTML page of what the runs and verifications of a job have left in its checkpoint: what came\n" +
			"from where, what each array became, every lossy step, every decision, and what was proved. The page\n" +
			"has pictures of slices of the target, and loads nothing from elsewhere. With --json, prints the report as JSON.\n" +
			"Instead of a job file, the folder or URL of a target may be named.\n" +
			jobOptions + ".",
		Flags: append(jobFlags(),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the page to `FILE`"},
			&cli.IntFlag{Name: "pictures", Value: 100, Usage: "draw pictures of the first `NUMBER` arrays"}),
		Action: func(c *cli.Context) error {
			names, err := files(c)
			if err != nil {
				return err
			}
			if len(names) > 1 {
				return invalid(errors.New("report takes one job file or target"))
			}
			output, pictures := c.String("output"), c.Int("pictures")
			switch {
			case output == "" && !a.json:
				return invalid(errors.New("report needs a file for the page: -o report.html; or --json prints the report"))
			case pictures < 0:
				return invalid(fmt.Errorf("--pictures %d: want a number from 0 on", pictures))
			}
			j, _, err := a.jobOrTarget(c, names[0])
			if err != nil {
				return err
			}
			return a.writeReport(c, j, output, pictures)
		},
	})
}

// writeReport writes the page of a job, or prints the report as JSON if there is no file.
func (a *app) writeReport(c *cli.Context, j *jobs.Job, output string, pictures int) error {
	d, err := jobs.ReadReport(c.Context, j, a.env)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: the checkpoint has no report yet; zmigrate run or zmigrate verify %s makes one: %w", j.Title(), shown(c.Args().First()), err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", j.Title(), err)
	}
	if output == "" {
		a.printJSON(d)
		return nil
	}
	var page bytes.Buffer
	if err := report.WritePage(c.Context, &page, d, j, a.env, report.PageOptions{Pictures: pictures}); err != nil {
		return fmt.Errorf("%s: %w", j.Title(), err)
	}
	if err := replaceFile(output, page.Bytes()); err != nil {
		return err
	}
	if a.json {
		a.printJSON(map[string]any{"event": "report", "job": j.Title(), "file": output, "bytes": page.Len()})
		return nil
	}
	a.printf("%s: %s in %s\n", j.Title(), words.Size(int64(page.Len())), output)
	return nil
}
