package jobfile

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/drivers"
)

// LoadOptions change how a job file is read.
type LoadOptions struct {
	// Set holds path.to.field=value arguments that replace or add fields. The
	// value is YAML; the path is as [Job.Problem] reads it.
	Set []string
	// LookupEnv finds environment variables; nil means os.LookupEnv.
	LookupEnv func(string) (string, bool)
	// Now tells the time of ${date:…}; nil means time.Now. It is asked once.
	Now func() time.Time
	// Drivers are the formats that source.driver may name; nil means
	// drivers.Standard().
	Drivers sources.Drivers
}

// Load reads a job file in YAML 1.2 or JSON. If the content of the file is at fault, the
// error is Problems, with everything that is wrong. The job then holds what could be read,
// so that [Job.Check] can add its problems; it is nil if nothing could be read.
func Load(path string, opt LoadOptions) (*Job, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the job file: %w", err)
	}
	return Parse(path, text, folderOf(path), opt)
}

// folderOf returns the folder in which relative paths of a job file begin. For a pipe, such as
// <(…) of a shell, and for standard input, that is the working directory.
func folderOf(path string) string {
	folder := filepath.Dir(path)
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() || path == "/dev/stdin" || folder == "/dev/fd" {
		return "."
	}
	return folder
}

// Parse is Load for text that was read already. name is the file's name, for
// messages and for the default of the job's name; dir is the folder or URL
// that relative references are resolved against.
func Parse(name string, text []byte, dir string, opt LoadOptions) (*Job, error) {
	lookup := opt.LookupEnv
	if lookup == nil {
		lookup = os.LookupEnv
	}
	now := opt.Now
	if now == nil {
		now = time.Now
	}
	formats := opt.Drivers
	if formats == nil {
		formats = drivers.Standard()
	}
	asked := map[string]bool{}
	problems := &collector{}
	r := &reader{file: name, inFile: true, lookup: func(name string) (string, bool) { asked[name] = true; return lookup(name) }, now: now().UTC(), formats: formats, problems: problems}
	root := r.read(text)
	if root == nil && len(problems.list) == 0 || root != nil && root.kind != mapKind {
		problems.add(Problem{
			File: name, Line: 1, Column: 1, Message: "a job file is a mapping that begins with zmigrate: 1",
		})
		return nil, problems.result(name)
	}
	if root == nil {
		return nil, problems.result(name)
	}
	root = r.includes(root, dir, []string{filepath.Join(dir, filepath.Base(name))})
	for _, argument := range opt.Set {
		r.set(root, argument)
	}
	base := filepath.Base(name)
	j := &Job{Name: strings.TrimSuffix(base, filepath.Ext(base)), File: name, Dir: dir, root: root, hidden: root.secrets(nil), Included: r.included, Variables: slices.Sorted(maps.Keys(asked))}
	p := &parser{job: j, problems: problems, drivers: formats}
	if !p.version() {
		return nil, p.problems.result(name)
	}
	p.parse()
	j.rules = indexRules(j.Arrays)
	if ps := problems.result(name); ps != nil {
		return j, ps
	}
	return j, nil
}
