package plan

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// Manifest returns the text of the plan's manifest. The same job over the same sources gives
// the same text. The text is made array by array: the values for very many arrays would take
// much more memory than the text.
func (p *Plan) Manifest() (json.RawMessage, error) {
	return p.ManifestAfter("", nil)
}

// ManifestAfter returns a text that begins with first, and the manifest behind it. If known
// begins with the same text, the result shares the memory of known. Otherwise there is
// room behind the manifest for some bytes of each array.
func (p *Plan) ManifestAfter(first string, known []byte) ([]byte, error) {
	m := &manifest.Manifest{Version: manifest.Version, Job: p.Job.Normalised()}
	begun := p.target.describe(m)
	digests, files := make([]string, len(p.Arrays)), fileSummary{}
	parts := []func() error{
		func() error { return p.digest(digests, begun) },
		func() error { files = p.summary(); return nil },
	}
	if err := sources.InParallel(context.Background(), len(parts), func(_ context.Context, i int) error { return parts[i]() }); err != nil {
		return nil, err
	}
	size := len(first) + len(m.Job) + files.urls + files.count*(fileText-len(files.base))
	for f := range p.source.Files() { // the texts of all files are about as long as those of the first
		size += files.count * (len(f.ETag) + len(f.Query) + len(f.Head))
		break
	}
	for i := range p.Arrays {
		size += len(p.Arrays[i].Source) + arrayText
	}
	arrays := func(yield func(manifest.Array, error) bool) {
		for i := range p.Arrays {
			if !yield(p.Arrays[i].recorded(digests[i]), nil) {
				return
			}
		}
	}
	text, sum := &sharedText{known: known, size: size}, sha256.New()
	_, _ = text.Write([]byte(first))
	err := m.Write(text, sum, manifest.Listing{Base: files.base, All: p.Files()}, arrays, func() string { return hex.EncodeToString(sum.Sum(nil)) })
	return text.bytes(), err
}

// sharedText is a text that is written piece by piece. It takes no memory as long as it is
// the beginning of known.
type sharedText struct {
	known []byte
	same  int    // if own is nil, the text is so many bytes of known
	own   []byte // nil: the text is the beginning of known
	size  int    // the room for own
}

func (t *sharedText) Write(piece []byte) (int, error) {
	if t.own == nil {
		if bytes.HasPrefix(t.known[t.same:], piece) {
			t.same += len(piece)
			return len(piece), nil
		}
		t.own = append(make([]byte, 0, max(t.size, t.same+len(piece))), t.known[:t.same]...)
	}
	t.own = append(t.own, piece...)
	return len(piece), nil
}

func (t *sharedText) bytes() []byte {
	if t.own == nil {
		return t.known[:t.same:t.same]
	}
	return t.own
}

// arrayText and fileText are about the numbers of bytes that an array and a file take in the
// text of a manifest, without their names. arrayText has some more, for the text that follows
// the manifest in a record.
const (
	arrayText = 112
	fileText  = 48
)

// digest sets the digests of the metadata of all arrays. begun is what describe returns.
func (p *Plan) digest(digests []string, begun *manifest.Manifest) error {
	for i := range p.Arrays {
		var err error
		if digests[i], err = p.Arrays[i].digest(begun); err != nil {
			return fmt.Errorf("array %q: %w", p.Arrays[i].Source, err)
		}
	}
	return nil
}

// digest returns the digest of the metadata of the array. The digest of the values of an array
// that grows is no part of the metadata then, because the run that begun records changes it.
// Earlier versions of this program took it for a part: if begun says so, it is one.
func (a *Array) digest(begun *manifest.Manifest) (string, error) {
	text, err := json.Marshal(a.Meta)
	if err != nil {
		return "", err
	}
	whole := manifest.MetadataDigest(text)
	if a.Append == nil || a.Meta.Attributes.Get(zarr.DigestAttribute) == nil {
		return whole, nil
	}
	if begun != nil {
		if was := begun.Array(a.Target); was != nil && was.Digest == whole {
			return whole, nil
		}
	}
	plain := *a.Meta
	plain.Attributes = plain.Attributes.With(zarr.DigestAttribute, nil)
	text, err = json.Marshal(&plain)
	return manifest.MetadataDigest(text), err
}

// recorded returns the entry of the array in the manifest, given the digest of its metadata.
func (a *Array) recorded(digest string) manifest.Array {
	m := manifest.Array{Source: a.Source, Target: a.Target, Chunks: a.Chunks(), Digest: digest, Shape: a.Meta.Grid.Shape, Carried: a.stored != nil, Removed: a.removed, Rebased: a.rebased}
	if a.Append != nil {
		m.Rows, m.Undigested = a.Append.Rows, a.Append.Undigested
	}
	return m
}

// fileSummary is what a manifest needs to know of all files before it lists them.
type fileSummary struct {
	base  string // what all URLs begin with
	count int
	urls  int // bytes of all URLs
}

// summary looks at the URLs that the manifest has. There may be very many, so no list is
// made of them.
func (p *Plan) summary() fileSummary {
	var all fileSummary
	all.base = manifest.BaseOf(func(yield func(string) bool) {
		for f := range p.Files() {
			all.count++
			all.urls += len(f.URL)
			if !yield(f.URL) {
				return
			}
		}
	})
	if p.plain != nil && all.count != len(p.plain) { // the source has other files since
		p.plain = nil
		return p.summary()
	}
	return all
}

// Opened yields the files of the source with the URLs by which they were opened.
func (p *Plan) Opened() iter.Seq[sources.File] { return p.source.Files() }

// Files yields the files of the source with the URLs that the manifest has. A local file
// below the folder of the job has a path relative to that folder, so that a folder with job,
// data and target can move as a whole. Links are resolved, so a file has one path however
// the job spells it.
func (p *Plan) Files() iter.Seq[sources.File] {
	return func(yield func(sources.File) bool) {
		var places store.Places
		at, inside := 0, strings.TrimSuffix(places.Resolved(cmp.Or(p.Job.Dir, ".")), string(filepath.Separator))+string(filepath.Separator)
		for f := range p.source.Files() {
			if store.Local(f.URL) {
				if at >= len(p.plain) || !p.plain[at] {
					f.URL = places.Resolved(f.URL)
				}
				if short, ok := strings.CutPrefix(f.URL, inside); ok && short != "" {
					f.URL = filepath.ToSlash(short)
				}
			}
			if at++; !yield(f) {
				return
			}
		}
	}
}
