package plan

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
)

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
	m := ManifestArray{Source: a.Source, Target: a.Target, Chunks: a.Chunks(), Digest: metadataDigest(meta), Shape: a.Meta.Grid.Shape, Carried: a.stored != nil, Removed: a.removed, Rebased: a.rebased}
	if a.Append != nil {
		m.Rows = a.Append.Rows
	}
	return m, nil
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
