package slurm

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/zmigrate/zmigrate/engines"
)

// Options say how a campaign is done by Slurm.
type Options struct {
	Slots    int      // the most tasks; 0: as many as the partition has cores for
	Cores    int      // of a task; 0: 4
	Attempts int      // how often a task tries its parts; 0: 3
	Folder   string   // of the scripts, and of what the tasks print; an absolute path
	Site     []string // more options of sbatch, such as --account=a; each is one word
}

// What Options mean if they say nothing.
const (
	usualCores    = 4
	usualAttempts = 3
)

func (o Options) cores() int { return cmp.Or(o.Cores, usualCores) }

// Request is what a campaign asks of Slurm.
type Request struct {
	Plan   string
	Tasks  int    // of the array job; 0 if all parts are done
	Parts  int    // of the campaign, which the tasks do
	Folder string // as in Options
	Work   *Job   // the array job; nil if all parts are done
	Finish *Job
}

// Job is a job of Slurm.
type Job struct {
	Name    string
	File    string   // the path of its script
	Script  string   // the text of the file
	Options []string // of sbatch
}

// prepare returns the request for a campaign whose array job has the given number of tasks.
func prepare(c *engines.Campaign, opt Options, tasks int) (*Request, error) {
	if strings.ContainsAny(opt.Folder, "\\\n") {
		return nil, fmt.Errorf("folder %q: sbatch takes no path with a backslash or a line break: set another folder", opt.Folder)
	}
	attempts := cmp.Or(opt.Attempts, usualAttempts)
	r := &Request{Plan: c.Plan, Tasks: tasks, Parts: len(c.Parts), Folder: opt.Folder}
	if tasks > 0 {
		name := jobName(c, "work")
		r.Work = &Job{
			Name: name, File: filepath.Join(opt.Folder, "work.sh"), Script: workScript(c, tasks, attempts),
			Options: options(c, opt, "work-%A_%a.out", name, fmt.Sprintf("--array=0-%d", tasks-1)),
		}
	}
	name := jobName(c, "finish")
	r.Finish = &Job{
		Name: name, File: filepath.Join(opt.Folder, "finish.sh"), Script: finishScript(c, attempts),
		Options: options(c, opt, "finish-%j.out", name),
	}
	return r, nil
}

// options returns the options of sbatch for a job. Options of the site may replace those before
// them. Those after them are the ones that the campaign depends on: the last of several counts.
func options(c *engines.Campaign, opt Options, out, name string, more ...string) []string {
	const mebibyte = 1 << 20
	list := []string{
		fmt.Sprintf("--cpus-per-task=%d", opt.cores()),
		fmt.Sprintf("--mem=%dM", (c.Memory+mebibyte-1)/mebibyte),
		"--requeue",
		"--export=ALL",
		"--open-mode=append", // a task that is requeued writes to the same file
		"--output=" + strings.ReplaceAll(opt.Folder, "%", "%%") + "/" + out,
	}
	list = append(list, opt.Site...)
	return append(append(list, "--parsable", "--job-name="+name), more...)
}

// after returns options of sbatch that begin a job after all tasks of an array job have succeeded.
// If a task fails, Slurm removes the job. Without the last option it could be pending forever.
func after(id string) []string {
	return []string{"--dependency=afterok:" + id, "--kill-on-invalid-dep=yes"}
}

// jobName returns a name for a job of Slurm, by which a later call finds the jobs of a plan.
func jobName(c *engines.Campaign, what string) string {
	const most, hash = 40, 16
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.", r) {
			return r
		}
		return '-'
	}, c.Name)
	return fmt.Sprintf("zmigrate-%s-%s-%s", name[:min(len(name), most)], what, c.Plan[:min(len(c.Plan), hash)])
}

// CheckSite refuses options of sbatch that other commands would have to know of.
func CheckSite(site []string) error {
	for _, o := range site {
		name, _, _ := strings.Cut(o, "=")
		switch {
		case !strings.HasPrefix(o, "-"):
			return fmt.Errorf("%q is no option of sbatch: write each option as one word, such as --slurm --partition=long", o)
		case strings.HasPrefix(o, "-M") || strings.HasPrefix("--clusters", name) && len(name) > 3:
			return errors.New("jobs are submitted to the cluster of this machine only: call zmigrate on a machine of the other cluster")
		case strings.HasPrefix(o, "-W") || name == "--wait" || name == "--test-only" || name == "--wrap":
			return fmt.Errorf("%s cannot be used here", name)
		}
	}
	if os.Getenv("SBATCH_CLUSTERS") != "" {
		return errors.New("SBATCH_CLUSTERS is set: jobs are submitted to the cluster of this machine only; call zmigrate on a machine of the other cluster")
	}
	return nil
}

// Text returns the request as a script of the shell, which does what Submit does.
func (r *Request) Text() string {
	var s strings.Builder
	s.WriteString("#!/bin/sh\n# Submits a campaign of zmigrate to Slurm. Change what you like, and run this with sh.\nset -e\n")
	fmt.Fprintf(&s, "mkdir -p %s\n\n", engines.ShellWord(r.Folder))
	if r.Work != nil {
		s.WriteString(hereDocument(r.Work.File, r.Work.Script))
		fmt.Fprintf(&s, "work=$(sbatch%s)\nwork=${work%%%%;*}\n\n", r.Work.words(nil))
	}
	s.WriteString(hereDocument(r.Finish.File, r.Finish.Script))
	if r.Work == nil {
		fmt.Fprintf(&s, "sbatch%s\n", r.Finish.words(nil))
		return s.String()
	}
	fmt.Fprintf(&s, "sbatch%s\n", r.Finish.words(after(`"$work"`)))
	return s.String()
}

// words spells options and script of a job for a shell, one a line. The last options are for the
// shell already.
func (j *Job) words(last []string) string {
	var s strings.Builder
	for _, o := range j.Options {
		s.WriteString(" \\\n\t" + engines.ShellWord(o))
	}
	for _, o := range last {
		s.WriteString(" \\\n\t" + o)
	}
	s.WriteString(" \\\n\t" + engines.ShellWord(j.File))
	return s.String()
}
