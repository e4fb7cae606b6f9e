package input

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
)

// Fault returns an error as a problem of the job if the job asks the source for what it
// does not have, such as a dimension to join files along.
func Fault(j *jobfile.Job, err error) error {
	var asked *sources.JoinError
	if !errors.As(err, &asked) {
		return err
	}
	return jobfile.Problems{j.Problem("source."+asked.Field, err.Error(), "")}
}

// arrayFault is why an array of the source cannot be opened.
type arrayFault struct {
	path string
	err  error
}

func (f arrayFault) error() error {
	return fmt.Errorf("array %q: %w", f.path, sources.WithoutArray(f.err, f.path))
}

// unlisted returns an error if the job may migrate arrays of a group that nobody can list.
func unlisted(j *jobfile.Job, source sources.Source) error {
	for _, g := range source.Groups() {
		if g.Unlisted && j.SelectedBelow(g.Path) {
			return fmt.Errorf("group %q: %w (source.exclude: [%q] leaves the group out)", g.Path, g.Err, g.Path+"/**")
		}
	}
	return nil
}

// unsupported adds the way out to the error of an array that this program does not support.
func (f arrayFault) unsupported(j *jobfile.Job) arrayFault {
	way := "exclude it, or leave all such arrays out with source.unsupported: skip"
	switch {
	case f.path == "": // the source is this array
		way = "write it again in a form that zmigrate reads"
	case j.Source.Unsupported == "skip":
		way = "it is not left out, because the job names it: exclude it"
	}
	return f.withWay(way)
}

// withWay adds a way out to the error.
func (f arrayFault) withWay(way string) arrayFault {
	return arrayFault{f.path, fmt.Errorf("%w (%s)", sources.WithoutArray(f.err, f.path), way)}
}

// mostFaults is how many errors of arrays are spelled out. If foldedFrom arrays or more have
// the same fault, one error stands for all of them.
const (
	mostFaults = 20
	foldedFrom = 4
)

// folded returns one error for all faults, or nil. Faults that differ only in the array
// are reported once, with the names of some of the arrays.
func folded(faults []arrayFault) error {
	if len(faults) == 0 {
		return nil
	}
	row := regexp.MustCompile(`\b(rows?|batch|bytes?|chunk) \[?\d+(, ?\d+)*\]?( to \d+)?`)
	same := map[string][]arrayFault{}
	keys := make([]string, len(faults))
	for i, f := range faults {
		text := f.err.Error()
		for _, what := range []string{"array", "column", "variable"} {
			text = strings.ReplaceAll(text, fmt.Sprintf("%s %q", what, f.path), what)
		}
		keys[i] = row.ReplaceAllString(strings.ReplaceAll(text, f.path+"/", "/"), "$1")
		same[keys[i]] = append(same[keys[i]], f)
	}
	var told []error
	left := 0
	for i, f := range faults {
		all := same[keys[i]]
		switch {
		case len(all) == 0: // told before
		case len(told) == mostFaults:
			left++
		case len(all) < foldedFrom:
			told = append(told, f.error())
		default:
			told = append(told, fmt.Errorf("%w\n  and %d more arrays: %s", f.error(), len(all)-1, SomeNames(pathsOf(all[1:]))))
			same[keys[i]] = nil
		}
	}
	if left > 0 {
		told = append(told, fmt.Errorf("and %d arrays more", left))
	}
	return errors.Join(told...)
}

// pathsOf returns the paths of the first few arrays, and of one more.
func pathsOf(faults []arrayFault) []string {
	var paths []string
	for _, f := range faults[:min(MostNames+1, len(faults))] {
		paths = append(paths, f.path)
	}
	return paths
}

// MostNames is how many arrays SomeNames names.
const MostNames = 5

// SomeNames lists the first few arrays by their paths.
func SomeNames(paths []string) string {
	names := make([]string, 0, MostNames)
	for _, p := range paths[:min(MostNames, len(paths))] {
		names = append(names, fmt.Sprintf("%q", path.Clean(p)))
	}
	if len(paths) > MostNames {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}
