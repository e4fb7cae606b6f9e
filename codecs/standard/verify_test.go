package standard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// countedInput counts the bytes that are read.
type countedInput struct {
	codecs.InMemory
	read, longest int
}

func (in *countedInput) ReadAt(ctx context.Context, p []byte, off int64) error {
	in.read, in.longest = in.read+len(p), max(in.longest, len(p))
	return in.InMemory.ReadAt(ctx, p, off)
}

// TestVerifyInPieces verifies an object that is several times as large as the memory
// that Verify may take.
func TestVerifyInPieces(t *testing.T) {
	const size = 2*codecs.VerifyPiece + 5
	for _, name := range []string{"crc32c", "numcodecs.crc32", "numcodecs.adler32"} {
		chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{{Name: "bytes"}, {Name: name}},
			codecs.Chunk{Type: dtype.Uint8, Shape: []int{size}, Fill: dtype.Uint8.Default()})
		if err != nil {
			t.Fatal(err)
		}
		array := ndarray.New(dtype.Uint8, []int{size})
		for i := range array.Data {
			array.Data[i] = byte(i * i >> 5)
		}
		encoded, buffer, err := chain.Encode(&ndarray.Pool{}, array)
		if err != nil {
			t.Fatal(err)
		}
		in := &countedInput{InMemory: bytes.Clone(encoded)}
		if buffer != nil {
			buffer.Release()
		}
		if err := chain.Verify(t.Context(), in); err != nil || in.read != len(in.InMemory) || in.longest != codecs.VerifyPiece {
			t.Errorf("%s: %d bytes read, up to %d at once, %v", name, in.read, in.longest, err)
		}
		for _, at := range []int{0, 4, codecs.VerifyPiece + 1, size - 1, size + 3} {
			in.InMemory[at] ^= 0x40
			if err := chain.Verify(t.Context(), in); !errors.Is(err, codecs.ErrCorrupt) {
				t.Errorf("%s: byte %d: %v", name, at, err)
			}
			in.InMemory[at] ^= 0x40
		}
	}
}

type verifyCase struct {
	codecs string
	sum    bool // Verify detects all damage that decoding detects
	bit    bool // Verify detects any changed bit
	cut    bool // Verify detects any byte missing at the end
	all    bool // Verify reads all bytes for that
	most   int  // otherwise, the most bytes that are read
}

// TestVerify damages encoded chunks. Decoding must fail whenever Verify fails. Verify
// must detect what it promises to detect, and read no more than necessary.
func TestVerify(t *testing.T) {
	const shard = `{"name":"sharding_indexed","configuration":{"chunk_shape":[4,5],"codecs":["bytes","zstd"],"index_location":%q}}`
	for name, test := range map[string]verifyCase{
		"bytes":      {`["bytes"]`, true, false, true, false, 0},
		"zstd":       {`["bytes","zstd"]`, false, false, true, true, 0},
		"zstd sum":   {`["bytes",{"name":"zstd","configuration":{"checksum":true}}]`, true, false, true, true, 0},
		"gzip":       {`["bytes","gzip"]`, true, false, true, true, 0},
		"zlib":       {`["bytes","numcodecs.zlib"]`, true, false, true, true, 0},
		"bz2":        {`["bytes","numcodecs.bz2"]`, true, false, true, true, 0},
		"lzma":       {`["bytes","numcodecs.lzma"]`, true, false, true, true, 0},
		"lz4":        {`["bytes","numcodecs.lz4"]`, false, false, true, true, 0},
		"shuffled":   {`["bytes","numcodecs.shuffle","numcodecs.zlib","numcodecs.lz4"]`, true, false, true, true, 0},
		"crc32c":     {`["bytes","zstd","crc32c"]`, true, true, true, true, 0},
		"adler32":    {`["bytes","numcodecs.adler32"]`, true, true, true, true, 0},
		"fletcher32": {`["bytes","zstd","numcodecs.fletcher32"]`, true, false, true, true, 0},
		"inside":     {`["bytes","crc32c","zstd"]`, true, false, true, true, 0},
		"two sums":   {`["bytes","numcodecs.fletcher32","zstd","crc32c"]`, true, true, true, true, 0},
		"blosc":      {`["bytes","blosc"]`, false, false, true, false, 16 + 4},
		"whole":      {`[` + fmt.Sprintf(shard, "end") + `,"gzip"]`, true, false, true, true, 0},
		"stored":     {`[{"name":"sharding_indexed","configuration":{"chunk_shape":[4,5],"codecs":["bytes"]}}]`, true, false, true, false, 2*2*16 + 4},
		"shard":      {"[" + fmt.Sprintf(shard, "end") + "]", false, false, true, false, 1 << 10},
		"sums":       {`[{"name":"sharding_indexed","configuration":{"chunk_shape":[4,5],"codecs":["bytes","crc32c","zstd"]}}]`, true, false, true, false, 1 << 10},
		"in front":   {"[" + fmt.Sprintf(shard, "start") + "]", false, false, true, false, 1 << 10},
		"transposed": {`[{"name":"transpose","configuration":{"order":[1,0]}},` + fmt.Sprintf(shard, "end") + "]", false, false, true, false, 1 << 10},
	} {
		shape := []int{8, 10}
		if name == "transposed" {
			shape = []int{10, 8}
		}
		t.Run(name, func(t *testing.T) { test.run(t, shape) })
	}
}

func (c verifyCase) run(t *testing.T, shape []int) {
	var specs []codecs.Spec
	if err := json.Unmarshal([]byte(c.codecs), &specs); err != nil {
		t.Fatal(err)
	}
	chain, err := standard.Registry(dtype.Standard()).Bind(specs, codecs.Chunk{Type: dtype.Int32, Shape: shape, Fill: dtype.Int32.Default()})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	array := ndarray.New(dtype.Int32, shape)
	for i := range array.Data {
		array.Data[i] = byte(r.IntN(5))
	}
	encoded, err := chain.AppendEncode(&ndarray.Pool{}, nil, array)
	if err != nil {
		t.Fatal(err)
	}
	in := &countedInput{InMemory: encoded}
	if err := chain.Verify(t.Context(), in); err != nil {
		t.Errorf("an undamaged object: %v", err)
	}
	if chain.VerifiesAll() != c.all || in.read > c.most && !c.all {
		t.Errorf("%d of %d bytes were read, VerifiesAll is %v", in.read, len(encoded), chain.VerifiesAll())
	}
	for i := range encoded {
		damaged := bytes.Clone(encoded)
		damaged[i] ^= 1 << r.IntN(8)
		c.damaged(t, chain, fmt.Sprintf("a bit of byte %d", i), damaged, c.bit)
		c.damaged(t, chain, fmt.Sprintf("a length of %d", i), encoded[:i], c.cut || i == 0)
	}
	inFront := strings.Contains(c.codecs, `"index_location":"start"`) // bytes behind such a shard are unused space
	c.damaged(t, chain, "a longer object", append(bytes.Clone(encoded), make([]byte, chain.Size().Max)...), !inFront)
}

// damaged verifies a damaged object. must says that Verify has to detect the damage.
func (c verifyCase) damaged(t *testing.T, chain *codecs.Chain, what string, object []byte, must bool) {
	t.Helper()
	decode := func() error {
		return chain.Decode(&ndarray.Pool{}, ndarray.New(dtype.Int32, chain.Chunk().Shape), object)
	}
	err := chain.Verify(t.Context(), codecs.InMemory(object))
	if far := chain.Verify(t.Context(), &countedInput{InMemory: object}); (far == nil) != (err == nil) {
		t.Errorf("%s: %v for an object in memory, %v for one that is not", what, err, far)
	}
	switch {
	case err == nil && must:
		t.Errorf("%s is not detected", what)
	case err == nil:
		if c.sum && decode() != nil {
			t.Errorf("%s is detected only by decoding", what)
		}
	case !errors.Is(err, codecs.ErrCorrupt) && !errors.Is(err, codecs.ErrTooLarge):
		t.Errorf("%s: %v", what, err)
	case len(object) > chain.Size().Max: // no decoder accepts it
	case decode() == nil:
		t.Errorf("%s: %v, but it can be decoded", what, err)
	}
}

// TestVerifyFrames checks two kinds of checksums, in memory and elsewhere: checksums in
// frames that the configuration does not mention, and checksums of content of unbounded
// size.
func TestVerifyFrames(t *testing.T) {
	bind := func(front, binary string) *codecs.Chain {
		t.Helper()
		chunk := codecs.Chunk{Type: dtype.Int32, Shape: []int{300}, Fill: dtype.Int32.Default()}
		if front != "bytes" {
			chunk = codecs.Chunk{Type: dtype.StringType, Shape: []int{4}, Fill: dtype.Scalar{}}
		}
		var specs []codecs.Spec
		if err := json.Unmarshal([]byte(`["`+front+`",`+binary+`]`), &specs); err != nil {
			t.Fatal(err)
		}
		chain, err := standard.Registry(dtype.Standard()).Bind(specs, chunk)
		if err != nil {
			t.Fatal(err)
		}
		return chain
	}
	numbers := ndarray.New(dtype.Int32, []int{300})
	for i := range numbers.Data {
		numbers.Data[i] = byte(i * i >> 3)
	}
	texts := items(t, dtype.StringType, []int{4}, "nobody", "decodes", "any", "of these")
	const checked = `{"name":"zstd","configuration":{"checksum":true}}`
	for _, test := range []struct {
		front, with, told string // codecs: front and with encode; front and told are in the configuration
		array             ndarray.Array
	}{
		{"bytes", checked, `"zstd"`, numbers},
		{"vlen-utf8", checked, checked, texts},
		{"vlen-utf8", checked, `"zstd"`, texts},
		{"vlen-utf8", `"gzip"`, `"gzip"`, texts},
	} {
		pool := &ndarray.Pool{}
		data, buffer, err := bind(test.front, test.with).Encode(pool, test.array)
		if err != nil {
			t.Fatal(err)
		}
		encoded := bytes.Clone(data)
		if buffer != nil {
			buffer.Release()
		}
		chain := bind(test.front, test.told)
		for i := -1; i < 8; i++ { // positions from the end, where the checksum is
			damaged := bytes.Clone(encoded)
			if i >= 0 {
				damaged[len(damaged)-1-i] ^= 4
			}
			for _, in := range []codecs.Input{codecs.InMemory(damaged), &countedInput{InMemory: damaged}} {
				if err := chain.Verify(t.Context(), in); (i >= 0) != errors.Is(err, codecs.ErrCorrupt) && (i >= 0) != errors.Is(err, codecs.ErrTooLarge) {
					t.Errorf("%s, %s, byte %d from the end: %v", test.front, test.told, i, err)
				}
			}
		}
		if !chain.VerifiesInPieces() && test.front != "bytes" {
			t.Errorf("%s, %s: the whole object has to be in memory", test.front, test.told)
		}
	}
}
