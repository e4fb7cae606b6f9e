package standard

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/klauspost/compress/zlib"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/inflate"
)

// ZlibName is the name of the codec.
const ZlibName = "numcodecs.zlib"

// numcodecsZlibDefinition is the codec "numcodecs.zlib": a stream of RFC 1950. HDF5's
// deflate filter writes the same.
func numcodecsZlibDefinition() codecs.Definition {
	return codecs.Definition{
		Name: ZlibName, Aliases: []string{"zlib"}, Kind: codecs.KindBytesToBytes,
		Summary: "DEFLATE in a zlib stream, with an Adler-32",
		Fields: []codecs.Field{{
			Name: "level", Type: "integer −1…9", Default: "1",
			Doc: "0 stores, 1 is fastest, 9 smallest, −1 in between",
		}},
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			c := struct {
				Level int `json:"level"`
			}{Level: 1}
			if err := codecs.ReadConfiguration(text, &c); err != nil {
				return nil, err
			}
			if c.Level < -1 || c.Level > 9 {
				return nil, codecs.Fieldf("level", "%d: want −1 to 9", c.Level)
			}
			return streamCodec{
				spec:   codecs.Spec{Name: ZlibName, Configuration: fmt.Appendf(nil, `{"level":%d}`, c.Level)},
				most:   deflateMost,
				writer: func() streamWriter { return newZlibWriter(c.Level) },
				reader: readZlib,
				whole:  wholeZlib,
			}, nil
		},
	}
}

func newZlibWriter(level int) deflater {
	w, err := zlib.NewWriterLevel(nil, deflateLevel(level))
	if err != nil {
		panic(err) // the level has been checked
	}
	return deflater{w, w.Reset}
}

func readZlib(old io.Reader, r io.Reader) (io.Reader, error) {
	if z, ok := old.(zlib.Resetter); ok {
		return old, z.Reset(r, nil)
	}
	return zlib.NewReader(r)
}

func wholeZlib(d *inflate.Decoder, dst, src []byte) (int, error) {
	n, used, err := d.Zlib(dst, src)
	if err == nil && used < len(src) {
		return 0, fmt.Errorf("%d bytes behind the end", len(src)-used)
	}
	return n, err
}
