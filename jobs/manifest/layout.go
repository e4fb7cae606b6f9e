package manifest

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zmigrate/zmigrate/sources"
)

// MarshalJSON writes the layout that [Files] describes.
func (f Files) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := f.listing().write(&b, io.Discard)
	return b.Bytes(), err
}

func (f Files) listing() Listing {
	urls := make([]string, len(f))
	for i := range f {
		urls[i] = f[i].URL
	}
	return Listing{BaseOf(slices.Values(urls)), slices.Values(f)}
}

// Listing is files, one after another, that are written in the layout of [Files].
type Listing struct {
	Base string // of all URLs
	All  iter.Seq[sources.File]
}

// write writes files to text. To lasting, it writes them without the change time and the
// digest of the head, which may change although the content of a file does not.
func (f Listing) write(text, lasting io.Writer) error {
	row, err := appendString([]byte(`{"base":`), f.Base)
	if err != nil {
		return err
	}
	row = append(row, `,"files":[`...)
	first := true
	for x := range f.All {
		if !first {
			row = append(row, ',')
		}
		first = false
		if row, err = appendString(append(row, '['), x.URL[len(f.Base):]); err != nil {
			return err
		}
		row = strconv.AppendInt(append(row, ','), x.Size, 10)
		if row, err = x.ModTime.UTC().AppendText(append(row, ',', '"')); err != nil {
			return err
		}
		row = append(row, '"')
		if _, err = lasting.Write(row); err == nil {
			_, err = text.Write(row)
		}
		err = errors.Join(err, writeMore(lasting, x.ETag, x.Query, "", ""))
		changed := ""
		if !x.Changed.IsZero() {
			changed = x.Changed.UTC().Format(time.RFC3339Nano)
		}
		if err = errors.Join(err, writeMore(text, x.ETag, x.Query, changed, x.Head)); err != nil {
			return err
		}
		row = row[:0]
	}
	row = append(row, ']', '}')
	_, err = lasting.Write(row)
	if err == nil {
		_, err = text.Write(row)
	}
	return err
}

// writeMore ends the list of a file with texts. It leaves out empty texts at the end.
func writeMore(w io.Writer, texts ...string) (err error) {
	for len(texts) > 0 && texts[len(texts)-1] == "" {
		texts = texts[:len(texts)-1]
	}
	var more []byte
	for _, text := range texts {
		if more, err = appendString(append(more, ','), text); err != nil {
			return err
		}
	}
	_, err = w.Write(append(more, ']'))
	return err
}

// appendString appends a string as JSON, spelled as json.Marshal does.
func appendString(b []byte, s string) ([]byte, error) {
	plain := func(c byte) bool {
		return c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&'
	}
	for i := range len(s) {
		if !plain(s[i]) {
			text, err := json.Marshal(s)
			return append(b, text...), err
		}
	}
	return append(append(append(b, '"'), s...), '"'), nil
}

// MarshalJSON writes a manifest as json.Marshal would.
func (m *Manifest) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := m.Write(&b, io.Discard, m.Files.listing(), m.arrays(), func() string { return m.Hash })
	return b.Bytes(), err
}

// Write writes a manifest with the given files and arrays to text. To hashed, it writes the
// bytes that the hash covers. It calls hash when all these bytes are written.
func (m *Manifest) Write(text, hashed io.Writer, files Listing, arrays iter.Seq2[Array, error], hash func() string) error {
	lasting := bufio.NewWriter(hashed)
	both := io.MultiWriter(text, lasting)
	var failed error
	raw := func(s string) {
		if failed == nil {
			_, failed = io.WriteString(both, s)
		}
	}
	part := func(w io.Writer, v any) {
		var value []byte
		if failed == nil {
			value, failed = json.Marshal(v)
		}
		if failed == nil {
			_, failed = w.Write(value)
		}
	}
	rows := func(files Listing) {
		if failed == nil {
			failed = files.write(text, lasting)
		}
	}
	raw(`{"version":`)
	part(both, m.Version)
	raw(`,"job":`)
	part(both, m.Job)
	raw(`,"files":`)
	rows(files)
	raw(`,"arrays":[`)
	separator := ""
	for a, err := range arrays {
		if failed = errors.Join(failed, err); failed != nil {
			return failed
		}
		raw(separator)
		part(both, a)
		separator = ","
	}
	raw("]")
	if m.Append != "" {
		raw(`,"append":`)
		part(both, m.Append)
	}
	if len(m.Earlier) > 0 {
		raw(`,"earlier_files":`)
		rows(m.Earlier.listing())
	}
	raw(`,"hash":`)
	part(lasting, "")
	_ = lasting.WriteByte('}') // Flush returns the error
	failed = errors.Join(failed, lasting.Flush())
	part(text, hash())
	if failed == nil {
		_, failed = text.Write([]byte{'}'})
	}
	return failed
}

// BaseOf returns the beginning that all URLs share, up to its last slash; "" if there are
// fewer than two URLs.
func BaseOf(urls iter.Seq[string]) string {
	base, count := "", 0
	for x := range urls {
		if count++; count == 1 {
			base = x
		}
		for !strings.HasPrefix(x, base) {
			base = base[:strings.LastIndexByte(base[:max(len(base)-1, 0)], '/')+1]
		}
	}
	if count < 2 {
		return ""
	}
	return base[:strings.LastIndexByte(base, '/')+1]
}

// UnmarshalJSON reads the layout that [Files] describes, and the list of objects that manifests of
// version 1 have.
func (f *Files) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] != '{' {
		return json.Unmarshal(text, (*[]sources.File)(f))
	}
	var list struct {
		Base  string    `json:"base"`
		Files []fileRow `json:"files"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*f = make(Files, len(list.Files))
	for i, x := range list.Files {
		(*f)[i] = sources.File(x)
		(*f)[i].URL = list.Base + x.URL
	}
	return nil
}

// fileRow is a file in its list.
type fileRow sources.File

// UnmarshalJSON reads what Files writes for one file.
func (f *fileRow) UnmarshalJSON(text []byte) error {
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

// MarshalJSON leaves out the path in the target if it equals the path in the source.
func (a Array) MarshalJSON() ([]byte, error) {
	type plain Array
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
func (a *Array) UnmarshalJSON(text []byte) error {
	type plain Array
	short := struct {
		plain
		Target *string `json:"target"`
	}{}
	if err := json.Unmarshal(text, &short); err != nil {
		return err
	}
	*a = Array(short.plain)
	if a.Target = a.Source; short.Target != nil {
		a.Target = *short.Target
	}
	return nil
}

// manifestV1 is a manifest of version 1.
type manifestV1 struct {
	Manifest
	Arrays []arrayV1 `json:"arrays"`
}

type arrayV1 struct {
	Array
	Meta json.RawMessage
}

// UnmarshalJSON reads an array of version 1, with its metadata.
func (a *arrayV1) UnmarshalJSON(text []byte) error {
	var own struct {
		Meta json.RawMessage `json:"metadata"`
	}
	err := errors.Join(a.Array.UnmarshalJSON(text), json.Unmarshal(text, &own))
	a.Meta = own.Meta
	return err
}

// Parse reads a manifest of any version. It turns a manifest of version 1 into the
// one that this program would have written for the same plan, with that one's hash.
func Parse(text []byte) (*Manifest, error) {
	var header struct{ Version int }
	if err := json.Unmarshal(text, &header); err != nil {
		return nil, err
	}
	switch header.Version {
	case Version:
		m := &Manifest{}
		return m, json.Unmarshal(text, m)
	case 1:
		var was manifestV1
		if err := json.Unmarshal(text, &was); err != nil {
			return nil, err
		}
		m := &was.Manifest
		m.Version, m.Arrays = Version, make([]Array, len(was.Arrays))
		for i, a := range was.Arrays {
			m.Arrays[i] = a.Array
			m.Arrays[i].Digest = MetadataDigest(a.Meta)
			var meta struct{ Shape []int }
			if err := json.Unmarshal(a.Meta, &meta); err != nil {
				return nil, fmt.Errorf("array %q: %w", a.Target, err)
			}
			m.Arrays[i].Shape = meta.Shape
		}
		return m, m.seal()
	default:
		return nil, fmt.Errorf("it has the layout %d, which only a later version of zmigrate reads: use that version", header.Version)
	}
}

// Read reads the manifest of a checkpoint of a job that is under way.
func Read(text []byte) (*Manifest, error) {
	m, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: the plan: %w", err)
	}
	return m, nil
}

// HashOf returns the hash of a plan from the text of its manifest.
func HashOf(text []byte) (string, error) {
	m, err := Read(text)
	if err != nil {
		return "", err
	}
	return m.Hash, nil
}

// ReadCompleted reads the manifest in the record that a completed job leaves in its
// checkpoint.
func ReadCompleted(record []byte) (*Manifest, error) {
	var done struct {
		Manifest json.RawMessage `json:"manifest"`
	}
	err := json.Unmarshal(record, &done)
	if err == nil {
		var m *Manifest
		if m, err = Parse(done.Manifest); err == nil {
			return m, nil
		}
	}
	return nil, fmt.Errorf("checkpoint: the record of completion: %w", err)
}

// seal sets the hash.
func (m *Manifest) seal() error {
	sum := sha256.New()
	err := m.Write(io.Discard, sum, m.Files.listing(), m.arrays(), func() string { return "" })
	m.Hash = hex.EncodeToString(sum.Sum(nil))
	return err
}
