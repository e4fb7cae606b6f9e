package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

const jobOptions = "JOB is a job file in YAML or JSON, or - for standard input"

// standardInput is the name by which a command line names standard input. Relative paths of such
// a job begin in the working directory.
const standardInput = "-"

// mostInput is more than a job file may have, in bytes.
const mostInput = 16 << 20

const jobFolders = jobOptions + ", or a folder: it stands for its files *.yaml, *.yml and *.json\n" +
	"in natural order of their names, without the folders below it"

// files returns what follows the name and the flags of a command: job files or targets, at least one.
func files(c *cli.Context) ([]string, error) {
	if !c.Args().Present() {
		return nil, invalid(fmt.Errorf("%s needs a job file: zmigrate %s JOB", c.Command.Name, c.Command.Name))
	}
	return c.Args().Slice(), nil
}

// jobFiles returns the job files that the command line names, at least one and each of them
// once. A folder stands for the job files in it.
func jobFiles(c *cli.Context) ([]string, error) {
	names, err := files(c)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, name := range names {
		found := []string{name}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			if found, err = jobFilesIn(name); err != nil {
				return nil, invalid(err)
			}
		}
		list = append(list, found...)
	}
	return list, once(list)
}

// once refuses a job file, or a target, that is named twice.
func once(names []string) error {
	places := map[string]string{}
	for _, name := range names {
		// A link to a job file is another job: its paths are relative to the folder of the link.
		at := name
		if !store.Far(name) {
			var err error
			if at, err = filepath.Abs(name); err != nil {
				return err
			}
		}
		if earlier, twice := places[at]; twice {
			return invalid(fmt.Errorf("%s names the same as %s: name each job once", store.Shown(name), store.Shown(earlier)))
		}
		places[at] = name
	}
	return nil
}

// targetOf returns the target whose checkpoint is a folder of this machine, in the place where
// checkpoints are by default, or "" if the folder is something else.
func targetOf(folder string) string {
	target, named := strings.CutSuffix(strings.TrimRight(filepath.ToSlash(folder), "/"), ".zmigrate")
	if _, err := os.Stat(filepath.Join(folder, "zarr.json")); !named || err == nil {
		return ""
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return ""
	}
	return target
}

// farTargetOf is targetOf for the URL of a folder that is not of this machine. It goes by the name
// alone.
func farTargetOf(url string) string {
	name, query, _ := strings.Cut(url, "?")
	target, named := strings.CutSuffix(strings.TrimRight(name, "/"), ".zmigrate")
	switch {
	case !named || !store.Far(url):
		return ""
	case query != "":
		return target + "?" + query
	}
	return target
}

// notHere is the error about a job file that is named by the URL of another machine.
func notHere(url string) error {
	if target := farTargetOf(url); target != "" {
		return fmt.Errorf("%s is the checkpoint of %s, and no job file: name the job that wrote it (verify, report and inspect also take the target)", store.Shown(url), store.Shown(target))
	}
	return fmt.Errorf("%s: a job file must be on this machine: name the job that writes the target, or copy a job file to this machine first (verify, report and inspect also take a target)", store.Shown(url))
}

// jobFilesIn returns the job files in a folder, at least one. Like the globs of a shell, it
// leaves out names that begin with a dot.
func jobFilesIn(folder string) ([]string, error) {
	if target := targetOf(folder); target != "" {
		return nil, fmt.Errorf("%s is the checkpoint of %s, and no folder of job files: name the job that wrote it (verify, report and inspect also take %s)", folder, target, target)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("cannot read the folder of job files: %w", err)
	}
	var files []string
	for _, e := range entries {
		if slices.Contains([]string{"zarr.json", ".zgroup", ".zarray"}, e.Name()) {
			return nil, fmt.Errorf("%s is a Zarr hierarchy, and no folder of job files: name the job that wrote it (verify, report and inspect also take a hierarchy)", folder)
		}
		if !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		file := filepath.Join(folder, e.Name())
		if info, err := os.Stat(file); err != nil || !info.IsDir() { // a link that leads to nothing is an error later
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: the folder has no job file *.yaml, *.yml or *.json: name job files, or a folder that has some (folders below it do not count)", folder)
	}
	slices.SortFunc(files, store.CompareNatural)
	return files, nil
}

// load reads a job file with the overrides of the command line. problems are all errors
// and warnings about the job. err is about a file that cannot be read at all.
func (a *app) load(c *cli.Context, file string) (*jobs.Job, jobs.Problems, error) {
	var j *jobs.Job
	var err error
	if store.Far(file) {
		return nil, nil, invalid(notHere(file))
	}
	if file == standardInput {
		var text []byte
		if text, err = io.ReadAll(io.LimitReader(os.Stdin, mostInput)); err == nil {
			j, err = jobs.Parse("standard input", text, ".", a.env, a.overrides(c)...)
		}
	} else {
		j, err = jobs.Load(file, a.env, a.overrides(c)...)
	}
	var problems jobs.Problems
	if err != nil && !errors.As(err, &problems) {
		return nil, nil, invalid(err)
	}
	if j != nil {
		problems = append(problems, j.Check(a.env.Codecs)...)
		problems.Sort()
	}
	return j, problems, nil
}

// checked loads a job, and refuses a job that has errors. Warnings go to standard error.
func (a *app) checked(c *cli.Context, file string) (*jobs.Job, error) {
	list, err := a.checkedAll(c, []string{file})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// checkedAll is checked for several jobs. It refuses them all if one of them has errors. Their
// titles tell them apart.
func (a *app) checkedAll(c *cli.Context, files []string) ([]*jobs.Job, error) {
	var list []*jobs.Job
	var all jobs.Problems
	for _, file := range files {
		j, problems, err := a.load(c, file)
		if err != nil {
			return nil, err
		}
		list, all = append(list, j), append(all, problems...)
	}
	if err := all.Err(); err != nil {
		return nil, err
	}
	a.warn(all)
	return jobfile.Titled(list), nil
}

// checkedApart is checkedAll for the jobs of a command that writes, or that shows what would be
// written. It refuses jobs that would get into each other's way.
func (a *app) checkedApart(c *cli.Context) ([]*jobs.Job, error) {
	names, err := jobFiles(c)
	if err != nil {
		return nil, err
	}
	list, err := a.checkedAll(c, names)
	if err != nil {
		return nil, err
	}
	if err := apart(list).Err(); err != nil {
		return nil, err
	}
	return list, nil
}

// apart returns what is wrong with jobs that are done one after the other: the files of two of
// them give them one name, so nobody could tell their messages and metrics apart, or they write to one place.
func apart(list []*jobs.Job) (problems jobs.Problems) {
	type taken struct {
		by    *jobs.Job
		what  string
		place store.Place
	}
	var all []taken
	var places store.Places
	names := map[string]*jobs.Job{}
	for _, j := range list {
		if first := names[j.Title()]; first != nil {
			problems = append(problems, j.Problem("name", fmt.Sprintf("%s has the name %q, too", first.File, j.Title()), "messages and metrics tell jobs apart by their names: take another one, or leave it out"))
		} else {
			names[j.Title()] = j
		}
		own := []taken{{j, "target", places.Place(j.Target.URL)}}
		if url, err := j.CheckpointURL(); err == nil { // an error is found when the checkpoint is opened
			own = append(own, taken{j, "checkpoint", places.Place(url)})
		}
		fields := map[string]string{"target": "target.url", "checkpoint": "run.checkpoint.url"}
		for _, x := range own {
			at := slices.IndexFunc(all, func(y taken) bool { return x.place.Inside(y.place) && y.place.Inside(x.place) })
			if at < 0 {
				continue
			}
			problems = append(problems, j.Problem(fields[x.what], fmt.Sprintf("this %s is the %s of %s", x.what, all[at].what, all[at].by.File),
				"two jobs of one command need places of their own; if the second appends to what the first writes, take a command for each"))
			break // the place of a checkpoint may follow from that of the target
		}
		all = append(all, own...)
	}
	return problems
}
