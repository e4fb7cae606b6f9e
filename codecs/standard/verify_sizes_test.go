package standard_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// boundChain binds the codecs of a JSON list.
func boundChain(t *testing.T, specs string, in codecs.Chunk) *codecs.Chain {
	t.Helper()
	var list []codecs.Spec
	if err := json.Unmarshal([]byte(specs), &list); err != nil {
		t.Fatal(err)
	}
	chain, err := registry.Bind(list, in)
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

// compressed returns the encoding of bytes.
func compressed(t *testing.T, specs string, data []byte) []byte {
	t.Helper()
	chain := boundChain(t, `["bytes"`+specs+`]`, codecs.Chunk{Type: dtype.Uint8, Shape: []int{len(data)}, Fill: dtype.Scalar{0}})
	array := ndarray.New(dtype.Uint8, []int{len(data)})
	copy(array.Data, data)
	encoded, err := chain.AppendEncode(&ndarray.Pool{}, nil, array)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

const blosc = `,{"name":"blosc","configuration":{"typesize":1}}`

// TestVerifySizes verifies objects that are valid by themselves, but decode to another
// number of bytes than the chunk has.
func TestVerifySizes(t *testing.T) {
	const size = 4096
	for _, specs := range []string{
		`,"gzip"`, `,"numcodecs.zlib"`, `,"numcodecs.bz2"`, `,"numcodecs.lzma"`, `,"zstd"`, `,"numcodecs.lz4"`, blosc, `,{"name":"zarrs.gdeflate","configuration":{"level":1}}`,
		`,"zstd","crc32c"`, `,"numcodecs.lz4","numcodecs.adler32"`, blosc + `,"crc32c"`, `,{"name":"numcodecs.shuffle","configuration":{"elementsize":1}},"zstd","crc32c"`, `,"crc32c"`,
		`,{"name":"conditional","configuration":{"codecs":["zstd"]}}`,
	} {
		chain := boundChain(t, `["bytes"`+specs+`]`, codecs.Chunk{Type: dtype.Uint16, Shape: []int{size / 2}, Fill: dtype.Uint16.Default()})
		for _, n := range []int{0, 1, size / 2, size, size + 1} {
			data := compressed(t, specs, bytes.Repeat([]byte("abcd"), size)[:n])
			for _, in := range []codecs.Input{codecs.InMemory(data), &countedInput{InMemory: data}} {
				if err := chain.Verify(t.Context(), in); (err == nil) != (n == size) {
					t.Errorf("%s: %d bytes for %d: %v", specs, n, size, err)
				}
			}
		}
	}
}

// TestVerifyUntoldSize verifies frames that do not state the size of their content.
func TestVerifyUntoldSize(t *testing.T) {
	for _, size := range []int{4096, 20 << 20} { // the second is too long to be in memory at once
		chain := boundChain(t, `["bytes","zstd","crc32c"]`, codecs.Chunk{Type: dtype.Uint8, Shape: []int{size}, Fill: dtype.Scalar{0}})
		for _, n := range []int{0, size / 2, size - 1, size} {
			frame := untold(t, n)
			data := append(frame, compressed(t, `,"crc32c"`, frame)[len(frame):]...)
			if err := chain.Verify(t.Context(), codecs.InMemory(data)); (err == nil) != (n == size) {
				t.Errorf("%d bytes for %d: %v", n, size, err)
			}
			if n == size && size > 4096 { // damage the checksum of the content
				data[len(data)-5] ^= 1
				if err := boundChain(t, `["bytes","zstd"]`, chain.Chunk()).Verify(t.Context(), codecs.InMemory(data[:len(data)-4])); !errors.Is(err, codecs.ErrCorrupt) {
					t.Errorf("a wrong checksum: %v", err)
				}
			}
		}
	}
}

// untold returns a frame of n bytes, with a checksum, that does not state the size of
// its content.
func untold(t *testing.T, n int) []byte {
	t.Helper()
	var frame bytes.Buffer
	w, err := zstd.NewWriter(&frame, zstd.WithEncoderConcurrency(1))
	if err == nil {
		_, err = w.Write(make([]byte, n))
	}
	if err = errors.Join(err, w.Flush(), w.Close()); err != nil {
		t.Fatal(err)
	}
	var header zstd.Header
	if err := header.Decode(frame.Bytes()); err != nil || header.HasFCS && n > 0 {
		t.Fatalf("the frame tells its size (%v)", err)
	}
	return frame.Bytes()
}

// TestVerifyVariable verifies chunks of elements of variable size. Their number,
// lengths or text were damaged before compression. Verify must detect all damage that
// decoding detects.
func TestVerifyVariable(t *testing.T) {
	long := string(bytes.Repeat([]byte("ä€𝄞"), 5000))
	for _, test := range []struct {
		name string
		typ  dtype.Type
	}{{"vlen-utf8", dtype.StringType}, {"vlen-bytes", dtype.BytesType}} {
		in := codecs.Chunk{Type: test.typ, Shape: []int{5}, Fill: dtype.Scalar{}}
		plain, err := boundChain(t, `["`+test.name+`"]`, in).AppendEncode(&ndarray.Pool{}, nil, items(t, test.typ, []int{5}, "", "é𝄞", "abc", "", "€"))
		if err != nil {
			t.Fatal(err)
		}
		texts, err := boundChain(t, `["`+test.name+`"]`, in).AppendEncode(&ndarray.Pool{}, nil, items(t, test.typ, []int{5}, long, long[:5], "", "x", long))
		if err != nil {
			t.Fatal(err)
		}
		objects := [][]byte{plain, append(bytes.Clone(plain), 0), append(bytes.Clone(plain), 0, 0, 0, 0), texts}
		for i := range plain {
			objects = append(objects, plain[:i])
		}
		for bit := range 8 * len(plain) {
			damaged := bytes.Clone(plain)
			damaged[bit/8] ^= 1 << (bit % 8)
			objects = append(objects, damaged)
		}
		for _, specs := range []string{``, `,"gzip"`, `,"zstd"`, `,"numcodecs.lz4"`, blosc, `,"zstd","crc32c"`, `,"crc32c"`} {
			chain := boundChain(t, `["`+test.name+`"`+specs+`]`, in)
			found := 0
			for i, object := range objects {
				if len(object) == 0 {
					continue
				}
				data := compressed(t, specs, object)
				failed := chain.Decode(&ndarray.Pool{}, ndarray.New(test.typ, []int{5}), data)
				for where, in := range map[string]codecs.Input{"in memory": codecs.InMemory(data), "in pieces": &countedInput{InMemory: data}} {
					if where == "in pieces" && specs == blosc {
						continue
					}
					if err := chain.Verify(t.Context(), in); (err == nil) != (failed == nil) || err != nil && !errors.Is(err, codecs.ErrCorrupt) {
						t.Errorf("%s%s: object %d, %x, %s: %v, decoding it: %v", test.name, specs, i, object[:min(len(object), 50)], where, err, failed)
					}
				}
				if failed != nil {
					found++
				}
			}
			if found < 100 {
				t.Errorf("%s%s: only %d objects were damaged", test.name, specs, found)
			}
		}
	}
}

// TestVerifySmallerBlock checks that a block of N5 at the edge of an array may be
// smaller.
func TestVerifySmallerBlock(t *testing.T) {
	for _, inner := range []string{``, `,"gzip"`} {
		specs := fmt.Sprintf(`[{"name":"n5_default","configuration":{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}}%s]}}]`, inner)
		chunk := codecs.Chunk{Type: dtype.Uint16, Shape: []int{4, 6}, Fill: dtype.Uint16.Default()}
		chain := boundChain(t, specs, chunk)
		chunk.Shape = []int{3, 2}
		data, err := boundChain(t, specs, chunk).AppendEncode(&ndarray.Pool{}, nil, ndarray.New(dtype.Uint16, chunk.Shape))
		if err != nil {
			t.Fatal(err)
		}
		if err := chain.Verify(t.Context(), codecs.InMemory(data)); err != nil {
			t.Errorf("%s: %v", specs, err)
		}
		data[7]-- // rows in the header
		if err := chain.Verify(t.Context(), codecs.InMemory(data)); err == nil {
			t.Errorf("%s: a header that states too few elements is not detected", specs)
		}
	}
}
