package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
)

// Touched counts the source files that differ from those of an earlier manifest, was, in
// their change time alone; see [sources.File.Touched] and [FileChange]. name is the first of
// these files, or "" if there is none.
func (m *Manifest) Touched(was *Manifest) (name string, count int) {
	before := map[string]sources.File{}
	for _, f := range was.Files {
		before[NameOf(f)] = f
	}
	for _, f := range m.Files {
		if old := before[NameOf(f)]; f.Touched(old) && FileChange(old, f) == "" {
			count++
			name = cmp.Or(name, NameOf(f))
		}
	}
	return name, count
}

// Differences lists, for people, what has changed from the manifest was, that of a
// checkpoint, to m. The list is empty if nothing has changed.
func (m *Manifest) Differences(was *Manifest) []string {
	added := m.added(was)
	list := m.otherInputs(was, added)
	if m.Hash == was.Hash {
		return list
	}
	for _, array := range added {
		list = append(list, fmt.Sprintf("array %q of the source is read, and was not", array))
	}
	if m.Append != was.Append {
		list = append(list, growthChange(was.Append, m.Append))
	}
	if len(m.Arrays) == len(was.Arrays) && len(list) == 0 {
		for i, a := range m.Arrays {
			if a.Digest != was.Arrays[i].Digest || a.Target != was.Arrays[i].Target {
				list = append(list, fmt.Sprintf("the metadata of array %q", a.Target))
			}
		}
	}
	if len(list) == 0 {
		// The job and the files are the same, and the plan is another one: another
		// version of the program has made it.
		list = append(list, "the plan, made by another version of zmigrate")
	}
	return list
}

// SameInputs reports whether job and source files are those of the manifest was, so that only
// another version of the program can have made another plan.
func (m *Manifest) SameInputs(was *Manifest) bool {
	return m.Append == was.Append && len(m.OtherInputs(was)) == 0
}

// growthChange says how two plans differ in what they do to the target. was and is are the
// dimensions along which they append rows; "" stands for a plan that makes a new target.
func growthChange(was, is string) string {
	switch {
	case is == "":
		return fmt.Sprintf("rows were appended along %q, and this run would make the target anew", was)
	case was == "":
		return fmt.Sprintf("the target was to be made anew, and this run would append along %q", is)
	default:
		return fmt.Sprintf("rows were appended along %q, and this run would append along %q", was, is)
	}
}

// added returns the arrays of the source that the manifest was does not have: they are new, or the job
// left them out, such as because an earlier version of the program did not read them.
func (m *Manifest) added(was *Manifest) []string {
	before := map[string]bool{}
	for _, a := range was.Arrays {
		before[a.Source] = true
	}
	var list []string
	for _, a := range m.Arrays {
		if !before[a.Source] {
			list = append(list, a.Source)
		}
	}
	return list
}

// OtherInputs lists the differences in the job and in the source files.
func (m *Manifest) OtherInputs(was *Manifest) []string { return m.otherInputs(was, nil) }

// otherInputs is OtherInputs without the new files in the folders of some arrays.
func (m *Manifest) otherInputs(was *Manifest, arrays []string) []string {
	within := func(f sources.File) bool {
		return slices.ContainsFunc(arrays, func(a string) bool { return strings.Contains(f.URL, "/"+a+"/") })
	}
	list := jobfile.Differences(was.Job, m.Job)
	before := map[string]sources.File{}
	for _, f := range was.Files {
		before[NameOf(f)] = f
	}
	for _, f := range m.Files {
		old, known := before[NameOf(f)]
		delete(before, NameOf(f))
		switch change := FileChange(old, f); {
		case !known && within(f):
		case !known:
			list = append(list, fmt.Sprintf("source file %s is new", NameOf(f)))
		case change != "":
			list = append(list, change)
		}
	}
	for _, f := range was.Files {
		if _, gone := before[NameOf(f)]; gone {
			list = append(list, fmt.Sprintf("source file %s is gone", NameOf(f)))
		}
	}
	return list
}

// NameOf returns the name by which plans recognise a file: its URL and, if the URL has a
// query, the digest of the query.
func NameOf(f sources.File) string {
	if f.Query == "" {
		return f.URL
	}
	return f.URL + " (query " + f.Query + ")"
}

// FileChange says how a file has changed; "" if it has not.
func FileChange(was, is sources.File) string {
	switch {
	case was.Size != is.Size:
		return fmt.Sprintf("source file %s had %d bytes, has %d", is.URL, was.Size, is.Size)
	case !was.ModTime.Equal(is.ModTime):
		return fmt.Sprintf("source file %s was last changed %s, now %s", is.URL, was.ModTime.UTC().Format(timeFormat), is.ModTime.UTC().Format(timeFormat))
	case was.ETag != is.ETag:
		return fmt.Sprintf("source file %s had the ETag %s, has %s", is.URL, was.ETag, is.ETag)
	case is.Edited(was):
		return fmt.Sprintf("source file %s was edited %s and had its time put back: its first 64 KiB differ", is.URL, is.Changed.UTC().Format(timeFormat))
	}
	return ""
}

// AllFiles returns the files behind a target after a run. A file that was read by the run,
// and by an earlier one, is there once.
func (m *Manifest) AllFiles() []sources.File {
	read := make(map[string]sources.File, len(m.Files))
	for _, f := range m.Files {
		read[NameOf(f)] = f
	}
	list := make([]sources.File, 0, len(m.Earlier)+len(m.Files))
	for _, f := range m.Earlier {
		if again, ok := read[NameOf(f)]; !ok || FileChange(f, again) != "" {
			list = append(list, f)
		}
	}
	return append(list, m.Files...)
}

const timeFormat = "2006-01-02T15:04:05.999999999Z07:00"
