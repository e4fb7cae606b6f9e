package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/zarr"
)

// Completion is the record that a completed job leaves in its checkpoint.
type Completion struct {
	Manifest json.RawMessage  `json:"manifest,omitempty"` // see [manifest.Read]
	Arrays   []CompletedArray `json:"arrays,omitempty"`   // those of the manifest, in its order
	Result   Result           `json:"result"`
	Finished time.Time        `json:"finished"`
	// Groups has, by the paths of the groups that the run wrote, the digests of their
	// documents without the nodes in consolidated metadata.
	Groups map[string]string `json:"groups,omitempty"`
	// Overtaken tells that a run of this target has lost its lock to another one.
	Overtaken bool `json:"overtaken,omitempty"`
}

// manifestFirst is how the text of a record begins.
const manifestFirst = `{"manifest":`

// Describes reports whether text is the document of array i of the manifest, however the
// text is spaced. Nothing is known about the documents of arrays that have grown if the
// record is of an earlier version of this program; Describes reports true then.
func (c *Completion) Describes(m *manifest.Manifest, i int, text []byte) bool {
	want := m.Arrays[i].Digest
	if m.Append != "" {
		want = ""
	}
	if i < len(c.Arrays) {
		want = cmp.Or(c.Arrays[i].Document, want)
	}
	return want == "" || manifest.DocumentDigest(text) == want
}

// DescribesGroup reports whether a group has the attributes on record, and consolidated
// metadata or none as on record. Groups that the run did not write are not on record;
// DescribesGroup reports true for them.
func (c *Completion) DescribesGroup(path string, g *zarr.Group) (bool, error) {
	want, ok := c.Groups[path]
	if !ok {
		return true, nil
	}
	digest, err := groupDigest(g.Attributes, g.Consolidated != nil)
	return digest == want, err
}

// groupDigest returns the digest of the document of a group, whose consolidated metadata are
// empty or absent.
func groupDigest(attributes zarr.Attributes, consolidated bool) (string, error) {
	g := zarr.Group{Attributes: attributes}
	if consolidated {
		g.Consolidated = map[string]json.RawMessage{}
	}
	text, err := g.MarshalJSON()
	return manifest.DocumentDigest(text), err
}

// text returns the record as JSON. It begins with the text begins, which ends with the
// manifest. If there is room behind it, the record shares its memory.
func (c Completion) text(begins []byte) ([]byte, error) {
	c.Manifest = nil
	rest, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	return append(append(begins, ','), rest[1:]...), nil
}

// readCompletion reads a record of completion. The manifest may be long. If the recorded
// manifest equals the run's manifest, as it mostly does, the JSON decoder skips it.
func (r *run) readCompletion(text []byte) (*Completion, error) {
	n := len(r.manifest)
	rest, ok := bytes.CutPrefix(text, []byte(manifestFirst))
	if !ok || len(rest) <= n || rest[n] != ',' || !bytes.Equal(rest[:n], r.manifest) {
		return readCompletion(text)
	}
	done, err := readCompletion(slices.Concat([]byte{'{'}, rest[n+1:]))
	if err == nil {
		done.Manifest = r.manifest
	}
	return done, err
}

// ReadCompletion reads a record of completion, and the manifest in it.
func ReadCompletion(record []byte) (*Completion, *manifest.Manifest, error) {
	done, err := readCompletion(record)
	if err != nil {
		return nil, nil, err
	}
	m, err := manifest.ReadCompleted(record)
	return done, m, err
}

// readCompletion reads a record of completion. The manifest stays a text.
func readCompletion(text []byte) (*Completion, error) {
	done := &Completion{}
	if err := json.Unmarshal(text, done); err != nil {
		return nil, fmt.Errorf("checkpoint: the record of completion: %w", err)
	}
	return done, nil
}
