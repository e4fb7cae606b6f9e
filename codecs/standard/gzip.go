package standard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/inflate"
)

// gzipName is the name of the codec of Zarr v3.
const gzipName = "gzip"

// gzipDefinition is the codec "gzip" of Zarr v3 core: members of RFC 1952.
func gzipDefinition() codecs.Definition {
	d := gzipNamed(gzipName, 5)
	d.V2 = gzipName
	return d
}

// numcodecsGzipDefinition is the codec "numcodecs.gzip". It makes the bytes of "gzip",
// but has another default level.
func numcodecsGzipDefinition() codecs.Definition { return gzipNamed("numcodecs.gzip", 1) }

func gzipNamed(name string, level int) codecs.Definition {
	return codecs.Definition{
		Name: name, Kind: codecs.KindBytesToBytes,
		Summary: "DEFLATE in a gzip member, with a CRC-32",
		Fields: []codecs.Field{{
			Name: "level", Type: "integer 0…9", Default: fmt.Sprint(level),
			Doc: "0 stores, 1 is fastest, 9 smallest",
		}},
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			c := struct {
				Level int `json:"level"`
			}{Level: level}
			if err := codecs.ReadConfiguration(text, &c); err != nil {
				return nil, err
			}
			if c.Level < 0 || c.Level > 9 {
				return nil, codecs.Fieldf("level", "%d: want 0 to 9", c.Level)
			}
			return streamCodec{
				spec:   codecs.Spec{Name: name, Configuration: fmt.Appendf(nil, `{"level":%d}`, c.Level)},
				most:   deflateMost,
				writer: func() streamWriter { return newGzipWriter(c.Level) },
				reader: readGzip,
				whole:  func(d *inflate.Decoder, dst, src []byte) (int, error) { return d.Gzip(dst, src) },
			}, nil
		},
	}
}

// deflateMost bounds the size of n encoded bytes, whichever program encodes them. Stored
// blocks take five bytes each, and few encoders emit any that is shorter than 16 KiB. zlib-ng
// emits no stored blocks at level 1: each byte takes up to nine bits. Header and trailer
// together take less than 64 bytes.
func deflateMost(n int) int { return n + n>>3 + (n>>14+1)*5 + 64 }

// deflateLevel returns the level of the library that comes close to the ratio of a zlib
// level and is no slower on most data. On noisy numbers the library's levels up to 6
// compress less than zlib's level 1. (Ratios for float32: 1.19 at 5, 1.39 at 7, 1.63
// for zlib; for words of text: 2.71, 2.77 and 2.68.) The library's level 9 is not used:
// on long runs it is about a hundred times slower than level 8, and its results are
// several times larger. On other data the two differ by a percent.
func deflateLevel(level int) int {
	switch {
	case level >= 7:
		return 8
	case level >= 4 || level < 0: // level -1 is the default of zlib, 6
		return 7
	default:
		return level
	}
}

// deflater is a compressor whose Reset cannot fail.
type deflater struct {
	io.WriteCloser
	reset func(w io.Writer)
}

func (d deflater) Reset(w io.Writer) error {
	d.reset(w)
	return nil
}

// newGzipWriter writes members without name and time, so that equal input gives equal
// bytes.
func newGzipWriter(level int) deflater {
	w, err := gzip.NewWriterLevel(nil, deflateLevel(level))
	if err != nil {
		panic(err) // the level has been checked
	}
	return deflater{w, w.Reset}
}

func readGzip(old io.Reader, r io.Reader) (io.Reader, error) {
	if z, ok := old.(*gzip.Reader); ok {
		return z, z.Reset(r)
	}
	return gzip.NewReader(r)
}

// appender is a writer that appends to b.
type appender struct{ b []byte }

func (a *appender) Write(p []byte) (int, error) {
	a.b = append(a.b, p...)
	return len(p), nil
}

// appendRead appends everything that r returns to dst, at most want bytes.
func appendRead(dst []byte, r io.Reader, want codecs.Size) ([]byte, error) {
	from := len(dst)
	for {
		room := want.Max - (len(dst) - from)
		if room > 0 && len(dst) == cap(dst) {
			// Grow with what arrives, so that a short input gets no large buffer.
			dst = grow(dst, min(room, max(len(dst)-from, 64<<10)))
		}
		p := dst[len(dst):min(cap(dst), len(dst)+room)]
		if room == 0 {
			p = make([]byte, 1) // only to see whether more bytes follow
		}
		n, err := r.Read(p)
		if n > 0 && room == 0 {
			return nil, fmt.Errorf("%w: more than %d bytes", codecs.ErrTooLarge, want.Max)
		}
		dst = dst[:len(dst)+n]
		if errors.Is(err, io.EOF) {
			return dst, want.Check(len(dst) - from)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
		}
	}
}
