package jobfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// maxIncludes bounds how deep files include each other, and maxIncluded how many files there are.
const (
	maxIncludes = 10
	maxIncluded = 100
)

// includes returns the tree of a job with the files that it includes: what the job says wins, and
// of several files, a later one. Mappings are merged; lists and other values are replaced. dir is
// the folder of the file, and open has the files that are being read, the outermost first.
func (r *reader) includes(root *node, dir string, open []string) *node {
	at := root.index("include")
	if at < 0 {
		return root
	}
	list := root.members[at].value
	root.members = slices.Delete(slices.Clone(root.members), at, at+1)
	field := (*trail)(nil).key("include")
	files := []*node{list}
	switch list.kind {
	case nullKind:
		return root
	case listKind:
		files = list.items
	}
	below := &node{kind: mapKind, at: root.at}
	for i, f := range files {
		where := field
		if list.kind == listKind {
			where = field.item(i)
		}
		if f.kind != stringKind || f.text == "" {
			r.report(f.at, where, "want a file, or a list of files", "")
			continue
		}
		below = merged(below, r.include(f, where, dir, open))
	}
	return merged(below, root)
}

// include reads one file. After a problem it returns an empty mapping.
func (r *reader) include(f *node, field *trail, dir string, open []string) *node {
	nothing := &node{kind: mapKind, at: f.at}
	name := f.text
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	r.count++
	switch {
	case slices.Contains(open, name):
		r.report(f.at, field, name+" includes itself, directly or through other files", "")
		return nothing
	case len(open) > maxIncludes:
		r.report(f.at, field, fmt.Sprintf("files include each other more than %d levels deep", maxIncludes), "")
		return nothing
	case r.count > maxIncluded:
		r.report(f.at, field, fmt.Sprintf("more than %d files are included", maxIncluded), "")
		return nothing
	}
	text, err := readRegular(name)
	if err != nil {
		r.report(f.at, field, "cannot be read: "+err.Error(), "the path is relative to the file that includes it")
		return nothing
	}
	r.included = append(r.included, name)
	inside := *r
	inside.file, inside.inFile = name, true
	root := inside.read(text)
	r.weight, r.tooLarge, r.count = inside.weight, inside.tooLarge, inside.count
	switch {
	case root == nil:
		return nothing
	case root.kind != mapKind:
		r.report(f.at, field, name+" is no mapping", "an included file has fields of a job file")
		return nothing
	}
	root = inside.includes(root, filepath.Dir(name), append(slices.Clone(open), name))
	r.weight, r.tooLarge, r.count, r.included = inside.weight, inside.tooLarge, inside.count, inside.included
	return root
}

// merged returns a mapping with the members of both. Where both have one, that of over wins, and
// two mappings are merged.
func merged(below, over *node) *node {
	made := *over
	made.members = slices.Clone(below.members)
	for _, m := range over.members {
		i := slices.IndexFunc(made.members, func(b member) bool { return b.name == m.name })
		switch {
		case i < 0:
			made.members = append(made.members, m)
		case m.value.kind == mapKind && made.members[i].value.kind == mapKind:
			made.members[i] = member{m.name, m.at, merged(made.members[i].value, m.value)}
		default:
			made.members[i] = m
		}
	}
	return &made
}

// readRegular is readFile for a file that is no pipe and no device.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	return readFile(path)
}

// readFile reads a file that is no larger than a job file may be, and a byte.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	return text, errors.Join(err, f.Close())
}
