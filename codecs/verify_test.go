package codecs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// countedInput counts the bytes that are read of it.
type countedInput struct {
	codecs.InMemory
	read int
}

func (in *countedInput) ReadAt(ctx context.Context, p []byte, off int64) error {
	in.read += len(p)
	return in.InMemory.ReadAt(ctx, p, off)
}

// TestVerify damages encoded chunks: what Verify finds wrong decoding does, too,
// and it finds what it says that it can, without reading more than it has to.
func TestVerify(t *testing.T) {
	const shard = `{"name":"sharding_indexed","configuration":{"chunk_shape":[4,5],"codecs":["bytes","zstd"],"index_location":%q}}`
	for name, test := range map[string]struct {
		codecs string
		bit    bool // any bit that is another is found
		cut    bool // any byte that is missing at the end is found
		all    bool // all bytes are read for that
		most   int  // bytes that are read otherwise
	}{
		"bytes":      {`["bytes"]`, false, true, false, 0},
		"zstd":       {`["bytes","zstd"]`, false, false, false, 0},
		"crc32c":     {`["bytes","zstd","crc32c"]`, true, true, true, 0},
		"adler32":    {`["bytes","numcodecs.adler32"]`, true, true, true, 0},
		"fletcher32": {`["bytes","zstd","numcodecs.fletcher32"]`, false, true, true, 0},
		"inside":     {`["bytes","crc32c","zstd"]`, false, false, false, 0},
		"blosc":      {`["bytes","blosc"]`, false, true, false, 16},
		"shard":      {"[" + fmt.Sprintf(shard, "end") + "]", false, true, false, 2*2*16 + 4},
		"in front":   {"[" + fmt.Sprintf(shard, "start") + "]", false, true, false, 2*2*16 + 4},
		"transposed": {`[{"name":"transpose","configuration":{"order":[1,0]}},` + fmt.Sprintf(shard, "end") + "]", false, true, false, 2*2*16 + 4},
	} {
		t.Run(name, func(t *testing.T) {
			var specs []codecs.Spec
			if err := json.Unmarshal([]byte(test.codecs), &specs); err != nil {
				t.Fatal(err)
			}
			shape := []int{8, 10}
			if name == "transposed" {
				shape = []int{10, 8}
			}
			chain, err := codecs.Standard().Bind(specs, codecs.Chunk{Type: dtype.Int32, Shape: shape, Fill: dtype.Int32.Default()})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 2))
			array := ndarray.New(dtype.Int32, shape)
			for i := range array.Data {
				array.Data[i] = byte(r.IntN(5))
			}
			pool := &ndarray.Pool{}
			data, buffer, err := chain.Encode(pool, array)
			if err != nil {
				t.Fatal(err)
			}
			encoded := bytes.Clone(data)
			if buffer != nil {
				buffer.Release()
			}
			in := &countedInput{InMemory: encoded}
			if err := chain.Verify(t.Context(), in); err != nil {
				t.Errorf("what was encoded: %v", err)
			}
			if chain.VerifiesAll() != test.all || !test.all && in.read > test.most {
				t.Errorf("%d of %d bytes were read, VerifiesAll is %v", in.read, len(encoded), chain.VerifiesAll())
			}
			verify := func(what string, damaged []byte, must bool) {
				t.Helper()
				err := chain.Verify(t.Context(), codecs.InMemory(damaged))
				if must && err == nil {
					t.Errorf("%s is not found", what)
				}
				if err == nil {
					return
				}
				if !errors.Is(err, codecs.ErrCorrupt) && !errors.Is(err, codecs.ErrTooLarge) {
					t.Errorf("%s: %v", what, err)
				}
				if int64(len(damaged)) > int64(chain.Size().Max) {
					return // nobody decodes it
				}
				if chain.Decode(pool, ndarray.New(dtype.Int32, shape), damaged) == nil {
					t.Errorf("%s: %v, but it can be decoded", what, err)
				}
			}
			for i := range encoded {
				damaged := bytes.Clone(encoded)
				damaged[i] ^= 1 << r.IntN(8)
				verify(fmt.Sprintf("a bit of byte %d", i), damaged, test.bit)
				verify(fmt.Sprintf("a length of %d", i), encoded[:i], test.cut || i == 0)
			}
			verify("a longer object", append(bytes.Clone(encoded), make([]byte, chain.Size().Max)...), true)
		})
	}
}
