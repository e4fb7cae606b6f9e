package jobs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/zmigrate/zmigrate/sources"
)

// manifestFiles are the files of a source, in a manifest. As JSON they are what their
// URLs begin with, once, and a list for each file: the rest of its URL, its size, its
// time, and where they are not empty its ETag, the digest of its query, its change time
// and the digest of its head.
//
//	{"base": "data/", "files": [["a.nc", 812, "2026-01-02T03:04:05Z"], …]}
type manifestFiles []sources.File

// MarshalJSON writes the layout above.
func (f manifestFiles) MarshalJSON() ([]byte, error) {
	base := f.base()
	rows := make([][]any, len(f))
	for i, x := range f {
		changed := ""
		if !x.Changed.IsZero() {
			changed = x.Changed.UTC().Format(time.RFC3339Nano)
		}
		rows[i] = []any{x.URL[len(base):], x.Size, x.ModTime.UTC(), x.ETag, x.Query, changed, x.Head}
		for n := len(rows[i]); rows[i][n-1] == ""; n-- {
			rows[i] = rows[i][:n-1]
		}
	}
	return json.Marshal(struct {
		Base  string  `json:"base"`
		Files [][]any `json:"files"`
	}{base, rows})
}

// base returns the folders that all files are in, up to the last slash.
func (f manifestFiles) base() string {
	if len(f) < 2 {
		return ""
	}
	base := f[0].URL
	for _, x := range f {
		for !strings.HasPrefix(x.URL, base) {
			base = base[:strings.LastIndexByte(base[:max(len(base)-1, 0)], '/')+1]
		}
	}
	return base[:strings.LastIndexByte(base, '/')+1]
}

// UnmarshalJSON reads the layout above, and the list of objects that manifests of
// version 1 have.
func (f *manifestFiles) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] != '{' {
		return json.Unmarshal(text, (*[]sources.File)(f))
	}
	var list struct {
		Base  string         `json:"base"`
		Files []manifestFile `json:"files"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*f = make(manifestFiles, len(list.Files))
	for i, x := range list.Files {
		(*f)[i] = sources.File(x)
		(*f)[i].URL = list.Base + x.URL
	}
	return nil
}

// manifestFile is a file in its list.
type manifestFile sources.File

// UnmarshalJSON reads what manifestFiles writes for one file.
func (f *manifestFile) UnmarshalJSON(text []byte) error {
	var changed string
	fields := []any{&f.URL, &f.Size, &f.ModTime, &f.ETag, &f.Query, &changed, &f.Head}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return errors.Join(err, errors.New("a file of the manifest is not a list"))
	}
	for i := 0; d.More(); i++ {
		if i == len(fields) {
			return fmt.Errorf("a file of the manifest has more than %d fields", len(fields))
		}
		if err := d.Decode(fields[i]); err != nil {
			return err
		}
	}
	if changed == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, changed)
	f.Changed = at
	return err
}

// MarshalJSON leaves out the path in the target where that is the one in the source.
func (a ManifestArray) MarshalJSON() ([]byte, error) {
	type plain ManifestArray
	short := struct {
		plain
		Target *string `json:"target,omitempty"`
	}{plain: plain(a)}
	if a.Target != a.Source {
		short.Target = &a.Target
	}
	return json.Marshal(short)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (a *ManifestArray) UnmarshalJSON(text []byte) error {
	type plain ManifestArray
	short := struct {
		plain
		Target *string `json:"target"`
	}{}
	if err := json.Unmarshal(text, &short); err != nil {
		return err
	}
	*a = ManifestArray(short.plain)
	if a.Target = a.Source; short.Target != nil {
		a.Target = *short.Target
	}
	return nil
}

// manifestV1 is a manifest of version 1.
type manifestV1 struct {
	Manifest
	Arrays []manifestArrayV1 `json:"arrays"`
}

type manifestArrayV1 struct {
	ManifestArray
	Meta json.RawMessage
}

// UnmarshalJSON reads the metadata beside all else.
func (a *manifestArrayV1) UnmarshalJSON(text []byte) error {
	var own struct {
		Meta json.RawMessage `json:"metadata"`
	}
	err := errors.Join(a.ManifestArray.UnmarshalJSON(text), json.Unmarshal(text, &own))
	a.Meta = own.Meta
	return err
}

// readManifest reads a manifest of any version. One of version 1 becomes what this
// program would have written: what it says is the same, and so is then its hash.
func readManifest(text []byte) (*Manifest, error) {
	var header struct{ Version int }
	if err := json.Unmarshal(text, &header); err != nil {
		return nil, err
	}
	switch header.Version {
	case manifestVersion:
		m := &Manifest{}
		return m, json.Unmarshal(text, m)
	case 1:
		var was manifestV1
		if err := json.Unmarshal(text, &was); err != nil {
			return nil, err
		}
		m := &was.Manifest
		m.Version, m.Arrays = manifestVersion, make([]ManifestArray, len(was.Arrays))
		for i, a := range was.Arrays {
			m.Arrays[i] = a.ManifestArray
			m.Arrays[i].Digest = metadataDigest(a.Meta)
			var meta struct{ Shape []int }
			if err := json.Unmarshal(a.Meta, &meta); err != nil {
				return nil, fmt.Errorf("array %q: %w", a.Target, err)
			}
			m.Arrays[i].Shape = meta.Shape
		}
		return m, m.seal()
	default:
		return nil, fmt.Errorf("it has the layout %d, which only a later version of zmigrate reads", header.Version)
	}
}

// Completion is the record that a completed job leaves in its checkpoint.
type Completion struct {
	Manifest *Manifest        `json:"manifest"`
	Arrays   []CompletedArray `json:"arrays,omitempty"` // those of the manifest, in its order
	Result   Result           `json:"result"`
	Finished time.Time        `json:"finished"`
	// Overtaken tells that a run of this target has lost its lock to another one.
	Overtaken bool `json:"overtaken,omitempty"`
}

// CompletedArray is how an array has come out.
type CompletedArray struct {
	Empty    int   `json:"empty_chunks,omitempty"`
	BytesOut int64 `json:"bytes_out,omitempty"`
}

// readCompletion reads a record of completion.
func readCompletion(text []byte) (*Completion, error) {
	var done struct {
		Completion
		Manifest json.RawMessage `json:"manifest"`
	}
	err := json.Unmarshal(text, &done)
	if err == nil {
		done.Completion.Manifest, err = readManifest(done.Manifest)
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint: the record of completion: %w", err)
	}
	return &done.Completion, nil
}

// readPlan reads the manifest of a checkpoint of a job that is under way.
func readPlan(text []byte) (*Manifest, error) {
	m, err := readManifest(text)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: the plan: %w", err)
	}
	return m, nil
}
