package plan

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"path/filepath"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
)

// manifestVersion is the version of the layout that this program writes. Version 1 had
// the metadata of each array as a whole, and is read, see [manifestV1].
const manifestVersion = 2

// Manifest is the plan as a checkpoint remembers it: what has to be the same
// for a run to go on where another one stopped.
type Manifest struct {
	Version int             `json:"version"`
	Job     json.RawMessage `json:"job"`
	Files   manifestFiles   `json:"files"`
	Arrays  []ManifestArray `json:"arrays"`
	// Append is the dimension that the arrays grow along, "" for new arrays, and
	// Earlier are the files behind what is there, as far as that is known.
	Append  string        `json:"append,omitempty"`
	Earlier manifestFiles `json:"earlier_files,omitempty"`
	Hash    string        `json:"hash"` // SHA-256 of all the above, without Changed and Head of files

	byTarget map[string]int // indexes of arrays, once one was asked for
}

// array returns the array at a path in the target, nil where there is none. It is for
// one goroutine.
func (m *Manifest) array(target string) *ManifestArray {
	if m.byTarget == nil {
		m.byTarget = make(map[string]int, len(m.Arrays))
		for i := range m.Arrays {
			m.byTarget[m.Arrays[i].Target] = i
		}
	}
	if i, ok := m.byTarget[target]; ok {
		return &m.Arrays[i]
	}
	return nil
}

// ManifestArray is an array of a manifest. Receipts name it by its index.
type ManifestArray struct {
	Source string `json:"source"`
	Target string `json:"target"`
	Chunks int    `json:"chunks"`
	Digest string `json:"digest"`          // of the metadata, see [metadataDigest]
	Shape  []int  `json:"shape,omitempty"` // that of the metadata: how far an array that grows has come
	// Carried says that the source's objects become the target's as they are.
	Carried bool `json:"carried,omitempty"`
	Rows    int  `json:"rows_before,omitempty"` // of an array that grows
	// Removed are attributes of the source that say what values mean, and that the
	// job removes, so that the target does not tell.
	Removed zarr.Attributes `json:"removed_attributes,omitempty"`
}

// Manifest returns the text of the plan's manifest. The same job over the same sources
// gives the same one. It is made array by array, because the parts of very many would
// take much more memory than the text.
func (p *Plan) Manifest() (json.RawMessage, error) {
	m := &Manifest{Version: manifestVersion, Job: p.Job.Normalised()}
	p.target.describe(m)
	var urls []string
	size := len(m.Job) + len(p.Arrays)*arrayText
	for f := range p.files() {
		urls = append(urls, f.URL)
		size += len(f.URL) + fileText
	}
	files := manifestRows{baseOf(urls), func(yield func(sources.File) bool) {
		at := 0
		for f := range p.source.Files() {
			f.URL = urls[at]
			if at++; !yield(f) {
				return
			}
		}
	}}
	arrays := func(yield func(ManifestArray, error) bool) {
		for i := range p.Arrays {
			if !yield(p.Arrays[i].recorded()) {
				return
			}
		}
	}
	text, sum := bytes.NewBuffer(make([]byte, 0, size)), sha256.New()
	err := m.write(text, sum, files, arrays, func() string { return hex.EncodeToString(sum.Sum(nil)) })
	return text.Bytes(), err
}

// arrayText and fileText are about as many bytes as an array and a file, but for its
// URL, have in the text of a manifest.
const (
	arrayText = 128
	fileText  = 64
)

// recorded is what the manifest has of an array.
func (a *Array) recorded() (ManifestArray, error) {
	meta, err := json.Marshal(a.Meta)
	if err != nil {
		return ManifestArray{}, fmt.Errorf("array %q: %w", a.Source, err)
	}
	m := ManifestArray{Source: a.Source, Target: a.Target, Chunks: a.Chunks(), Digest: metadataDigest(meta), Shape: a.Meta.Grid.Shape, Carried: a.stored != nil, Removed: a.removed}
	if a.Append != nil {
		m.Rows = a.Append.Rows
	}
	return m, nil
}

// seal sets the hash.
func (m *Manifest) seal() error {
	sum := sha256.New()
	err := m.write(io.Discard, sum, m.Files.rows(), m.arrays(), func() string { return "" })
	m.Hash = hex.EncodeToString(sum.Sum(nil))
	return err
}

// arrays yields the arrays of a manifest.
func (m *Manifest) arrays() iter.Seq2[ManifestArray, error] {
	return func(yield func(ManifestArray, error) bool) {
		for _, a := range m.Arrays {
			if !yield(a, nil) {
				return
			}
		}
	}
}

// metadataDigest stands for the document of an array: 128 bits of its SHA-256. A
// manifest needs to know no more of it than whether it is the same.
func metadataDigest(document []byte) string {
	sum := sha256.Sum256(document)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// Touched names a source file that something was done to since the manifest was
// written, of which nothing else tells, and counts those; "" is none.
func (m *Manifest) Touched(was *Manifest) (name string, count int) {
	before := map[string]sources.File{}
	for _, f := range was.Files {
		before[nameOf(f)] = f
	}
	for _, f := range m.Files {
		if f.Touched(before[nameOf(f)]) {
			count++
			name = cmp.Or(name, nameOf(f))
		}
	}
	return name, count
}

// files yields the files of the source with the URLs that the manifest has.
func (p *Plan) files() iter.Seq[sources.File] {
	return func(yield func(sources.File) bool) {
		var places store.Places
		for f := range p.source.Files() {
			f.URL = relative(&places, p.Job.Dir, f.URL)
			if !yield(f) {
				return
			}
		}
	}
}

// relative returns the path of a local file below a folder as seen from there,
// so that a folder with job, data and target can move as a whole. A file has one
// path, however it is spelled.
func relative(places *store.Places, dir, file string) string {
	if !store.Local(file) {
		return file
	}
	file = places.Resolved(file)
	if short, err := filepath.Rel(places.Resolved(cmp.Or(dir, ".")), file); err == nil && filepath.IsLocal(short) {
		return filepath.ToSlash(short)
	}
	return file
}

// Differences names what has changed between the manifest of a checkpoint and
// this one.
func (m *Manifest) Differences(was *Manifest) []string {
	list := m.otherInputs(was)
	if m.Hash == was.Hash {
		return list
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
		// The same job over the same files came to another plan: only another
		// version of the program does that.
		list = append(list, "the plan, made by another version of zmigrate")
	}
	return list
}

// growthChange says how a run grows a target otherwise than another one did; "" is
// that it makes a new one.
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

// otherInputs is Differences in job and source files.
func (m *Manifest) otherInputs(was *Manifest) []string {
	list := jobfile.Differences(was.Job, m.Job)
	before := map[string]sources.File{}
	for _, f := range was.Files {
		before[nameOf(f)] = f
	}
	for _, f := range m.Files {
		old, known := before[nameOf(f)]
		delete(before, nameOf(f))
		if !known {
			list = append(list, fmt.Sprintf("source file %s is new", nameOf(f)))
		} else if change := fileChange(old, f); change != "" {
			list = append(list, change)
		}
	}
	for _, f := range was.Files {
		if _, gone := before[nameOf(f)]; gone {
			list = append(list, fmt.Sprintf("source file %s is gone", nameOf(f)))
		}
	}
	return list
}

// nameOf is what a file is recognised by. Of the query of its URL there is a digest
// at most.
func nameOf(f sources.File) string {
	if f.Query == "" {
		return f.URL
	}
	return f.URL + " (query " + f.Query + ")"
}

// fileChange says how a file is another one than it was; "" where it is not.
func fileChange(was, is sources.File) string {
	switch {
	case was.Size != is.Size:
		return fmt.Sprintf("source file %s had %d bytes, has %d", is.URL, was.Size, is.Size)
	case !was.ModTime.Equal(is.ModTime):
		return fmt.Sprintf("source file %s was last changed %s, now %s", is.URL, was.ModTime.UTC().Format(timeFormat), is.ModTime.UTC().Format(timeFormat))
	case was.ETag != is.ETag:
		return fmt.Sprintf("source file %s had the ETag %s, has %s", is.URL, was.ETag, is.ETag)
	case is.Edited(was):
		return fmt.Sprintf("source file %s was edited %s and had its time put back: its first 64 KiB are others", is.URL, is.Changed.UTC().Format(timeFormat))
	}
	return ""
}

const timeFormat = "2006-01-02T15:04:05.999999999Z07:00"
