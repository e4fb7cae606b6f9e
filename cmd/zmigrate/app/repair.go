package app

import (
	"errors"
	"fmt"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/jobs"
)

// repairCommand writes again what a verification finds.
func (a *app) repairCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "repair", Usage: "verify a target and write again what differs", ArgsUsage: "JOB…",
		Description: "Verifies the target of a completed job, writes the objects that differ again from the source, and\n" +
			"verifies the target once more. The source must be as it was. If the target has grown, only the rows of\n" +
			"the last run can be repaired.\n" +
			jobFolders + ".\n" +
			"Exit status: that of run; 4 something still differs.",
		Flags: append(append(jobFlags(), runFlags()...), levelFlag(), keepGoingFlag(),
			&cli.IntFlag{Name: "parts", DefaultText: "verify here", Usage: "add up this `NUMBER` of parts that work --verify has read, instead of reading the target here"},
			&cli.BoolFlag{Name: "save", Usage: "verify, and save the plan of what is to be written again, so that the command work does it on many machines"},
			&cli.IntFlag{Name: "bundles", DefaultText: "by --bundle-bytes", Usage: "with --save: divide the plan into this `NUMBER` of bundles"},
			&cli.StringFlag{Name: "bundle-bytes", Value: defaultBundle, Usage: "with --save: divide the plan into bundles of about this `SIZE` of array elements"}),
		Action: func(c *cli.Context) error {
			opt, err := verifyOptions(c)
			if err != nil {
				return invalid(err)
			}
			if err := onlyWith(c, "save", "bundles", "bundle-bytes"); err != nil {
				return err
			}
			list, err := a.checkedApart(c)
			if err != nil {
				return err
			}
			if opt.Gather = c.Int("parts"); c.IsSet("parts") && opt.Gather < 1 {
				return invalid(fmt.Errorf("--parts %d: want 1 or more", opt.Gather))
			}
			return a.inTurn(list, turns{goOn: c.Bool("keep-going")}, func(j *jobs.Job) error {
				return a.observed(c, j, func(c *cli.Context, j *jobs.Job) error { return a.repair(c, j, opt) })
			})
		},
	})
}

// repair verifies the target of a job, and repairs it.
func (a *app) repair(c *cli.Context, j *jobs.Job, opt jobs.VerifyOptions) error {
	var mu sync.Mutex
	keys := []string{}
	opt.Each = func(d jobs.Difference) {
		mu.Lock()
		defer mu.Unlock()
		if d.Chunk != nil {
			keys = append(keys, d.Key)
		}
	}
	err := a.verify(c, j, opt)
	if !errors.Is(err, errDiffers) {
		return err
	}
	if c.Bool("save") {
		out, err := a.savePlan(c, j, keys)
		if err == nil {
			a.showSaved(j, out)
		}
		return err
	}
	if _, err := a.migrate(c, j, keys); err != nil {
		return err
	}
	opt.Each, opt.Gather = nil, 0
	return a.verify(c, j, opt)
}
