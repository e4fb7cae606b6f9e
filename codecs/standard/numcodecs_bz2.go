package standard

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/dsnet/compress/bzip2"

	"github.com/zmigrate/zmigrate/codecs"
)

// Bz2Name is the name of the codec.
const Bz2Name = "numcodecs.bz2"

// numcodecsBz2Definition is the codec "numcodecs.bz2": streams of the bzip2 program.
func numcodecsBz2Definition() codecs.Definition {
	return codecs.Definition{
		Name:    Bz2Name,
		Aliases: []string{"bz2", "https://codec.zarrs.dev/bytes_to_bytes/bz2"},
		Kind:    codecs.KindBytesToBytes,
		Summary: "bzip2: small and slow, with a CRC-32",
		Fields: []codecs.Field{{
			Name: "level", Type: "integer 1…9", Default: "1",
			Doc: "length of the blocks that are sorted, in 100,000 bytes",
		}},
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			c := struct {
				Level int `json:"level"`
			}{Level: 1}
			if err := codecs.ReadConfiguration(text, &c); err != nil {
				return nil, err
			}
			if c.Level < 1 || c.Level > 9 {
				return nil, codecs.Fieldf("level", "%d: want 1 to 9", c.Level)
			}
			return streamCodec{
				spec: codecs.Spec{Name: Bz2Name, Configuration: fmt.Appendf(nil, `{"level":%d}`, c.Level)},
				most: func(n int) int { return bzip2Most(n, c.Level) },
				// Measured: sorting a block takes 30 times its memory.
				memory: func(n int) int { return 32*min(n, c.Level*100_000) + 1<<20 },
				writer: func() streamWriter { return newBzip2Writer(c.Level) },
				reader: readBzip2,
			}, nil
		},
	}
}

func newBzip2Writer(level int) streamWriter {
	w, err := bzip2.NewWriter(nil, &bzip2.WriterConfig{Level: level})
	if err != nil {
		panic(err) // the level has been checked
	}
	return w
}

// readBzip2 reads with the library that also writes. Its readers can be used again. The
// standard library's readers cannot, and each of them allocates memory for the longest
// block.
func readBzip2(old io.Reader, r io.Reader) (io.Reader, error) {
	if z, ok := old.(*bzip2.Reader); ok {
		return z, z.Reset(r)
	}
	return bzip2.NewReader(r, nil)
}

// bzip2Most bounds the size of n encoded bytes. Bytes that no code makes shorter take a
// little more than eight bits each. Every block has up to six code tables. Each table
// has 258 lengths, which change by at most 19, at two bits a step. A block
// may hold only four fifths of its nominal size: a byte with the number of further
// repetitions follows each run of four bytes, even if that number is zero.
func bzip2Most(n, level int) int {
	const tables = 6 * 258 * (1 + 2*19) / 8
	blocks := n/(level*100_000*4/5) + 1
	return n + n>>5 + blocks*(tables+512)
}
