package codecs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// gzipDefinition is the codec "gzip" of Zarr v3 core: RFC 1952 members.
func gzipDefinition() Definition {
	return Definition{
		Name: "gzip", Kind: KindBytesToBytes,
		Summary: "DEFLATE in a gzip member, with a CRC-32",
		Fields: []Field{{
			Name: "level", Type: "integer 0…9", Default: "5",
			Doc: "0 stores, 1 is fastest, 9 smallest",
		}},
		Parse: func(text json.RawMessage) (Codec, error) {
			c := struct {
				Level int `json:"level"`
			}{Level: 5}
			if err := configuration(text, &c); err != nil {
				return nil, err
			}
			if c.Level < 0 || c.Level > 9 {
				return nil, field("level", "%d: want 0 to 9", c.Level)
			}
			return gzipCodec{c.Level}, nil
		},
	}
}

type gzipCodec struct{ level int }

func (c gzipCodec) BindBytesToBytes(in Size) (BytesToBytes, error) {
	b := &gzipBound{in: in, level: c.level}
	b.writers.New = func() any {
		w, err := gzip.NewWriterLevel(nil, deflateLevel(c.level))
		if err != nil {
			panic(err) // the level was checked
		}
		return w
	}
	return b, nil
}

// deflateLevel is the level that compresses best within what a level of zlib may
// cost. The encoder's own level 9 is about a hundred times slower than its
// level 8 on long runs and leaves them several times as large; on other data the
// two differ by a percent.
func deflateLevel(level int) int { return min(level, 8) }

type gzipBound struct {
	in      Size
	level   int
	writers sync.Pool // of *gzip.Writer
	readers sync.Pool // of *gzip.Reader
}

func (b *gzipBound) Spec() Spec {
	return Spec{Name: "gzip", Configuration: fmt.Appendf(nil, `{"level":%d}`, b.level)}
}

// Size allows for stored blocks, five bytes each, the shortest that the
// encoder emits being 16 KiB, and for the member's header and trailer.
func (b *gzipBound) Size() Size { return Size{Max: b.in.Max + (b.in.Max>>14+1)*5 + 32} }

func (b *gzipBound) AppendEncode(dst, src []byte) ([]byte, error) {
	w := b.writers.Get().(*gzip.Writer)
	defer b.writers.Put(w)
	out := appender{dst}
	w.Reset(&out) // a zero header: no name, no time, so the same input gives the same bytes
	if _, err := w.Write(src); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.b, nil
}

func (b *gzipBound) AppendDecode(dst, src []byte) ([]byte, error) {
	in := bytes.NewReader(src)
	r, ok := b.readers.Get().(*gzip.Reader)
	var err error
	if ok {
		err = r.Reset(in)
	} else {
		r, err = gzip.NewReader(in)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	defer b.readers.Put(r)
	return appendRead(dst, r, b.in)
}

// appender collects what is written to it.
type appender struct{ b []byte }

func (a *appender) Write(p []byte) (int, error) {
	a.b = append(a.b, p...)
	return len(p), nil
}

// appendRead appends all that r gives to dst, want at the most.
func appendRead(dst []byte, r io.Reader, want Size) ([]byte, error) {
	from := len(dst)
	for {
		room := want.Max - (len(dst) - from)
		if room > 0 && len(dst) == cap(dst) {
			// Grow with what arrives: a short input gets no large buffer.
			dst = grow(dst, min(room, max(len(dst)-from, 64<<10)))
		}
		p := dst[len(dst):min(cap(dst), len(dst)+room)]
		if room == 0 {
			p = make([]byte, 1) // only to see whether there is more
		}
		n, err := r.Read(p)
		if n > 0 && room == 0 {
			return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, want.Max)
		}
		dst = dst[:len(dst)+n]
		if errors.Is(err, io.EOF) {
			return dst, decodedSize(want, len(dst)-from)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
	}
}

// decodedSize refuses a decoded length that is not what was bound to.
func decodedSize(want Size, n int) error {
	switch {
	case n > want.Max:
		return fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, n, want.Max)
	case want.Fixed && n < want.Max:
		return fmt.Errorf("%w: decodes to %d bytes, not %d", ErrCorrupt, n, want.Max)
	}
	return nil
}
