package manifest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// Version is the version of the layout that this program writes. Version 1 had
// the metadata of each array as a whole, and is read, see [manifestV1].
const Version = 2

// Manifest is the plan as a checkpoint records it. A run can go on where another one stopped
// if the hashes of their manifests are equal.
type Manifest struct {
	Version int             `json:"version"`
	Job     json.RawMessage `json:"job"`
	Files   Files           `json:"files"`
	Arrays  []Array         `json:"arrays"`
	// Append is the dimension along which the arrays grow; "": the arrays are new. Earlier
	// are the files from which the existing rows came, as far as they are known.
	Append  string `json:"append,omitempty"`
	Earlier Files  `json:"earlier_files,omitempty"`
	Hash    string `json:"hash"` // SHA-256 of all the above, without Changed and Head of files

	byTarget map[string]int // indexes of arrays by Target; nil until Array is called
}

// Files are the files of a source in a manifest. In JSON, base is the beginning of
// all URLs, and each file is a list: the rest of its URL, its size in bytes, its
// modification time, its ETag, the digest of its query, its change time, and the digest of
// its head. Empty texts at the end of the list are left out.
//
//	{"base": "data/", "files": [["a.nc", 812, "2026-01-02T03:04:05Z"], …]}
type Files []sources.File

// Array returns the array at a path in the target, or nil. Only one goroutine may call
// it.
func (m *Manifest) Array(target string) *Array {
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

// Array is an array of a manifest. Receipts name it by its index.
type Array struct {
	Source string `json:"source"`
	Target string `json:"target"`
	Chunks int    `json:"chunks"`
	Digest string `json:"digest"`          // of the metadata, see [MetadataDigest]
	Shape  []int  `json:"shape,omitempty"` // that of the metadata at the end of the run
	// Carried says that the source's objects become the target's as they are.
	Carried bool `json:"carried,omitempty"`
	Rows    int  `json:"rows_before,omitempty"` // of an array that grows, before the run
	// Undigested says that the checkpoint does not have the digests of some of these rows,
	// because another program has written them, or an earlier version of this one.
	Undigested bool `json:"undigested_rows,omitempty"`
	// Removed are attributes of the source that say what values mean, and that the job
	// removes. The target does not have them.
	Removed zarr.Attributes `json:"removed_attributes,omitempty"`
	// Rebased are the units to which times of the source were brought.
	Rebased string `json:"rebased,omitempty"`
}

// RowsAfter returns the number of rows of the array along an axis at the end of the run.
func (m *Array) RowsAfter(axis int) (int, error) {
	if len(m.Shape) <= axis {
		return 0, fmt.Errorf("the plan in the checkpoint is damaged, because it lacks the shape of the array: delete the checkpoint to begin anew")
	}
	return m.Shape[axis], nil
}

// arrays yields the arrays of a manifest.
func (m *Manifest) arrays() iter.Seq2[Array, error] {
	return func(yield func(Array, error) bool) {
		for _, a := range m.Arrays {
			if !yield(a, nil) {
				return
			}
		}
	}
}

// MetadataDigest returns the digest of the metadata document of an array: 128 bits of its
// SHA-256. A manifest only has to tell whether two documents are the same.
func MetadataDigest(document []byte) string {
	sum := sha256.Sum256(document)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// DocumentDigest returns the digest of a stored document, however the document is spaced.
func DocumentDigest(text []byte) string {
	plain, err := json.Marshal(json.RawMessage(text)) // as the metadata of a plan are written
	if err != nil {
		return ""
	}
	return MetadataDigest(plain)
}
