package app

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/engines"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs"
)

// engine is a scheduler that does campaigns.
type engine struct {
	name  string
	needs string     // the flag without which it cannot work, "": none
	hint  string     // where the value of that flag comes from
	flags []cli.Flag // of its own
	// prepare refuses flags that are wrong, before anything is written. The campaign has no plan and
	// no parts yet. What prepare returns hands a campaign to the scheduler. With --dry-run, it prints
	// what it would hand over.
	prepare func(*app, *cli.Context, *engines.Campaign) (submit func(*engines.Campaign) error, err error)
}

// schedulers returns the engines that submit knows.
func schedulers() []engine {
	return []engine{
		slurmEngine(),
		daskEngine(),
		kubernetesEngine(),
	}
}

func (a *app) submitCommand() *cli.Command {
	known := schedulers()
	var names []string
	flags := append(append(jobFlags(), runFlags()...), bundleFlags()...)
	for _, e := range known {
		names = append(names, e.name)
	}
	flags = append(flags, yesFlag(), verifyLevelFlag("verify the target of a complete job instead, with this `LEVEL`"),
		&cli.StringFlag{Name: "engine", Usage: "the `SCHEDULER`: " + strings.Join(names, ", ")},
		&cli.StringFlag{Name: "program", DefaultText: "the path of this program", Usage: "how the machines of the scheduler call zmigrate: a `PATH`, or a name on their PATH"},
		&cli.BoolFlag{Name: "dry-run", Usage: "print what would be handed to the scheduler, and hand over nothing; the plan is saved all the same"})
	flags = append(flags,
		&cli.IntFlag{Name: "slots", DefaultText: "as many as the scheduler has room for; kubernetes: 10", Usage: "have this `NUMBER` of processes work at the same time, at most"},
		&cli.IntFlag{Name: "retries", Value: 3, Usage: "slurm, dask: try a part that has failed this `NUMBER` of times again"})
	for _, e := range known {
		flags = append(flags, e.flags...)
	}
	return a.subcommand(&cli.Command{
		Name: "submit", Usage: "save the plan of a job, and have a scheduler do it on many machines", ArgsUsage: "JOB",
		Description: "Does what plan --save does, and hands the parts to a scheduler that is there. If some parts are done\n" +
			"already, the scheduler does the others. " + jobOptions + ".\n\n" + exitTable,
		Flags: flags,
		Action: func(c *cli.Context) error {
			i := slices.IndexFunc(known, func(e engine) bool { return e.name == c.String("engine") })
			if i < 0 {
				return invalid(fmt.Errorf("--engine %s: want one of %s", c.String("engine"), strings.Join(names, ", ")))
			}
			if need := known[i].needs; need != "" && c.String(need) == "" && !c.Bool("dry-run") {
				return invalid(fmt.Errorf("--engine %s: --%s is missing: %s", known[i].name, need, known[i].hint))
			}
			if c.IsSet("slots") && c.Int("slots") < 1 {
				return invalid(fmt.Errorf("--slots %d: want 1 or more", c.Int("slots")))
			}
			if c.Int("retries") < 0 {
				return invalid(fmt.Errorf("--retries %d: want 0 or more", c.Int("retries")))
			}
			if c.Args().First() == standardInput {
				return invalid(errors.New("submit: other machines cannot read this standard input: write the job into a file"))
			}
			j, err := a.oneJob(c)
			if err != nil {
				return err
			}
			campaign, err := newCampaign(c, j)
			if err != nil {
				return err
			}
			submit, err := known[i].prepare(a, c, campaign)
			if err != nil {
				return err
			}
			of := a.campaignOf
			if c.IsSet("verify") {
				of = a.verifyCampaignOf
			}
			if campaign, err = of(c, j); err != nil || campaign == nil {
				return err
			}
			return submit(campaign)
		},
	})
}

// campaignOf saves the plan of a job. It returns nil, and says so, if the job is complete.
func (a *app) campaignOf(c *cli.Context, j *jobs.Job) (*engines.Campaign, error) {
	saved, err := a.savePlan(c, j, nil)
	if err != nil {
		return nil, err
	}
	if saved.Complete {
		a.noWork(j)
		return nil, nil
	}
	out, err := newCampaign(c, j, "--plan", saved.Plan)
	if err != nil {
		return nil, err
	}
	out.Plan, out.Count = saved.Plan, saved.count
	for _, b := range saved.Bundles {
		if b.Left > 0 {
			out.Parts = append(out.Parts, fmt.Sprintf("%d-%d", b.First, b.End))
		}
	}
	return out, nil
}

// newCampaign returns a campaign without its parts. which are the arguments that its commands have in
// common, besides those of the job.
func newCampaign(c *cli.Context, j *jobs.Job, which ...string) (*engines.Campaign, error) {
	program := c.String("program")
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	files, err := absolute(append([]string{j.File}, j.Included...))
	if err != nil {
		return nil, err
	}
	rest := slices.Concat([]string{files[0]}, which, passedOn(c, "set"))
	return &engines.Campaign{
		Name: j.Name, Program: program, JobFile: files[0],
		Work:   slices.Concat([]string{"work"}, rest, passedOn(c, "memory", "workers")),
		Finish: append([]string{"finish"}, rest...),
		Files:  files, Folders: localPlaces(j), Memory: j.Run.Memory + overhead, Variables: j.Variables, Version: jobs.Program(),
	}, nil
}

// absolute returns the absolute forms of paths, each once.
func absolute(paths []string) (out []string, err error) {
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out, nil
}

// localPlaces returns the absolute paths of source, target and checkpoint that lie in the file system
// of this machine.
func localPlaces(j *jobs.Job) (paths []string) {
	var urls []string
	for _, l := range j.Source.AllLocations() {
		urls = append(urls, l.URL)
	}
	urls = append(urls, j.Target.URL)
	if url, err := j.CheckpointURL(); err == nil {
		urls = append(urls, url)
	}
	for _, url := range urls {
		if path, ok := store.LocalPath(url); ok && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// passedOn returns flags of this command line, for the command line of another process.
func passedOn(c *cli.Context, names ...string) (args []string) {
	for _, name := range names {
		switch {
		case !c.IsSet(name):
		case name == "set":
			for _, value := range c.StringSlice(name) {
				args = append(args, "--"+name, value)
			}
		default:
			args = append(args, "--"+name, cmp.Or(c.String(name), fmt.Sprint(c.Int(name))))
		}
	}
	return args
}
