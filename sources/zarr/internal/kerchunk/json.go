package kerchunk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
)

// ErrNoTable is the cause of an error about a JSON text that is not a table of references.
var ErrNoTable = errors.New("not a table of references")

// mostValue bounds the text of one value, except for refs.
const mostValue = 64 << 20

// ParseJSON reads a table in JSON, of version 0 or 1. The text may be compressed by gzip or
// Zstandard. bytes is the memory that the table takes.
func ParseJSON(in io.Reader) (_ store.ReferenceTable, bytes int, err error) {
	text, done, err := expanded(in, mostExpanded)
	if err != nil {
		return nil, 0, err
	}
	defer done()
	bound := &bounded{in: text, most: mostValue}
	p := &parser{in: json.NewDecoder(bound), bound: bound, table: &memory{numbers: map[string]int{}}}
	if err := p.parse(); err != nil {
		return nil, 0, err
	}
	p.table.complete()
	return p.table, p.table.used, nil
}

// bounded is a reader that returns an error instead of bytes behind a place in the stream.
type bounded struct {
	in   io.Reader
	at   int64 // how many bytes were read
	most int64 // how many may be
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.at >= b.most {
		return 0, fmt.Errorf("%w: a value of more than %d MiB", store.ErrTooLarge, mostValue>>20)
	}
	// The decoder looks at spaces again after each read, so it gets as many bytes as it has room for.
	n, err := io.ReadFull(b.in, p[:min(int64(len(p)), b.most-b.at)])
	b.at += int64(n)
	if n > 0 {
		err = nil // it comes again
	}
	return n, err
}

// parser reads a table from a stream.
type parser struct {
	in        *json.Decoder
	bound     *bounded
	table     *memory
	version   *int
	templates map[string]string
	gen       []generated
	wrapped   bool   // there is a field refs
	loose     string // a field that is no entry; "": none
}

func (p *parser) parse() error {
	token, err := p.in.Token()
	if errors.Is(err, store.ErrTooLarge) {
		return err
	}
	if err != nil || token != json.Delim('{') {
		return fmt.Errorf("%w: it is not a JSON object", ErrNoTable)
	}
	if err := p.fields(p.field); err != nil {
		return err
	}
	switch {
	case p.version != nil && *p.version != 0 && *p.version != 1:
		return fmt.Errorf("a table of references of version %d; 0 and 1 are read: %w", *p.version, errors.ErrUnsupported)
	case !p.wrapped && p.version != nil && *p.version == 1:
		return damaged("version 1 without refs")
	case !p.wrapped && p.loose != "":
		return fmt.Errorf("%w: the field %.60q is not a reference", ErrNoTable, p.loose)
	case len(p.table.entries) == 0 && len(p.gen) == 0:
		return fmt.Errorf("%w: it has no references", ErrNoTable)
	}
	if _, err := p.in.Token(); !errors.Is(err, io.EOF) {
		return damaged("text behind its end")
	}
	return p.expand()
}

// fields calls f for each field of the object whose beginning has been read.
func (p *parser) fields(f func(name string) error) error {
	for p.in.More() {
		token, err := p.in.Token()
		if err != nil {
			return unreadable(err)
		}
		name, _ := token.(string)
		p.bound.most = p.in.InputOffset() + mostValue
		if err := f(name); err != nil {
			return err
		}
	}
	if _, err := p.in.Token(); err != nil {
		return unreadable(err)
	}
	return nil
}

// unreadable returns the error about a text that ends, or is no JSON.
func unreadable(err error) error {
	if errors.Is(err, store.ErrTooLarge) {
		return err
	}
	return damaged("%v", err)
}

// field reads a field of the whole table.
func (p *parser) field(name string) error {
	var raw json.RawMessage
	var err error
	switch name {
	case "refs":
		token, err := p.in.Token()
		if err != nil {
			return damaged("%v", err)
		}
		if token != json.Delim('{') {
			return damaged("refs is not an object")
		}
		if !p.wrapped { // what came before were no entries
			p.table = &memory{numbers: map[string]int{}}
		}
		p.wrapped = true
		return p.fields(p.entry)
	case "version":
		err = p.decode(name, &p.version)
	case "templates":
		err = p.decode(name, &p.templates)
	case "gen":
		err = p.decode(name, &p.gen)
	default:
		if p.wrapped {
			return p.decode(name, &raw)
		}
		if raw, err = p.value(name); err != nil {
			return err
		}
		if err := p.take(name, raw); err != nil {
			p.loose = name
			if errors.Is(err, store.ErrTooLarge) || strings.Contains(name, "/") {
				return err
			}
		}
		return nil
	}
	return err
}

// decode reads a value that is part of the table itself.
func (p *parser) decode(name string, v any) error {
	err := p.in.Decode(v)
	switch {
	case errors.Is(err, store.ErrTooLarge):
		return fmt.Errorf("%.60q: %w", name, err)
	case err != nil:
		return damaged("%.60q: %v", name, err)
	}
	return nil
}

// entry reads an entry of refs.
func (p *parser) entry(key string) error {
	raw, err := p.value(key)
	if err != nil {
		return err
	}
	return p.take(key, raw)
}

func (p *parser) value(key string) (raw json.RawMessage, err error) {
	return raw, p.decode(key, &raw)
}

// take adds an entry, by the JSON of its value.
func (p *parser) take(key string, raw json.RawMessage) error {
	switch raw[0] {
	case '"':
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return damaged("%.60q: %v", key, err)
		}
		return p.table.hold(key, text)
	case '{':
		var document bytes.Buffer
		if err := json.Compact(&document, raw); err != nil {
			return damaged("%.60q: %v", key, err)
		}
		return p.table.hold(key, document.String())
	case '[':
		return p.takeRange(key, raw)
	}
	return damaged("%.60q: %.20s is neither a text nor a list", key, raw)
}

// takeRange adds an entry [URL] or [URL, offset, length].
func (p *parser) takeRange(key string, raw json.RawMessage) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return damaged("%.60q: %v", key, err)
	}
	var name string
	if len(parts) != 1 && len(parts) != 3 || json.Unmarshal(parts[0], &name) != nil || name == "" {
		return damaged("%.60q: %.60s is not [URL] or [URL, offset, length]", key, raw)
	}
	if len(parts) == 1 {
		return p.table.refer(key, name, 0, -1)
	}
	var off, length int64
	if json.Unmarshal(parts[1], &off) != nil || json.Unmarshal(parts[2], &length) != nil {
		return damaged("%.60q: %.60s: offset and length are integers", key, raw)
	}
	if err := checkRange(off, length); err != nil {
		return fmt.Errorf("%.60q: %w", key, err)
	}
	return p.table.refer(key, name, off, length)
}

// expand replaces templates in the names of files, and adds what gen makes.
func (p *parser) expand() error {
	s := newScope(p.templates)
	if len(p.templates) > 0 {
		for i, name := range p.table.names {
			if !strings.Contains(name, "{{") {
				continue
			}
			full, err := template(name).expand(s)
			if err != nil {
				return fmt.Errorf("%w: %w", ErrDamaged, err)
			}
			if err := p.table.use(len(full)); err != nil {
				return err
			}
			p.table.names[i] = full
		}
		clear(p.table.numbers) // by what they were before
	}
	for i := range p.gen {
		err := p.gen[i].each(s, func(key, url string, off, length int64) error {
			if url == "" {
				return damaged("%.60q has no URL", key)
			}
			if length >= 0 {
				if err := checkRange(off, length); err != nil {
					return err
				}
			}
			return p.table.refer(key, url, off, length)
		})
		if err != nil {
			return fmt.Errorf("%w: gen[%d]: %w", ErrDamaged, i, err)
		}
	}
	return nil
}
