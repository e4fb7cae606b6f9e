package kerchunk

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strconv"
)

// jsonTable is a table in JSON. It implements [Table].
type jsonTable struct {
	w     *bufio.Writer
	array string
	some  bool // whether there is an entry
	// quoted is the URL of the last chunk as JSON: chunks of one file follow each other.
	last   string
	quoted []byte
}

// JSON returns a table in JSON that is written to w.
func JSON(w io.Writer) Table {
	t := &jsonTable{w: bufio.NewWriterSize(w, 64<<10)}
	_, _ = t.w.WriteString(`{"version":1,"refs":{`) // Close reports an error
	return t
}

// Document implements [Table].
func (t *jsonTable) Document(key string, text json.RawMessage) error {
	return t.entry(key, func(b []byte) []byte { return append(b, quote(string(text))...) })
}

// Array implements [Table].
func (t *jsonTable) Array(at string, _ int) error {
	t.array = at
	return nil
}

// Chunk implements [Table].
func (t *jsonTable) Chunk(c Chunk) error {
	if c.Unstored {
		return nil
	}
	return t.entry(path.Join(t.array, c.Key), func(b []byte) []byte {
		if c.URL == "" {
			b = append(b, `"base64:`...)
			b = base64.StdEncoding.AppendEncode(b, c.Inline)
			return append(b, '"')
		}
		if c.URL != t.last {
			t.last, t.quoted = c.URL, quote(c.URL)
		}
		b = append(append(b, '['), t.quoted...)
		b = strconv.AppendInt(append(b, ','), c.Offset, 10)
		b = strconv.AppendInt(append(b, ','), c.Length, 10)
		return append(b, ']')
	})
}

// entry writes an entry, whose value is what value appends.
func (t *jsonTable) entry(key string, value func([]byte) []byte) error {
	b := t.w.AvailableBuffer()
	if t.some {
		b = append(b, ',')
	}
	t.some = true
	b = append(append(append(b, '\n'), quote(key)...), ':')
	_, err := t.w.Write(value(b))
	return err
}

// Close implements [Table].
func (t *jsonTable) Close() error {
	_, _ = t.w.WriteString("\n}}\n") // Flush returns the error
	return t.w.Flush()
}

// quote returns a text as JSON.
func quote(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(fmt.Sprintf("kerchunk: a text does not encode: %v", err))
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
