package standard_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// variableChain binds a chain to chunks of n texts.
func variableChain(t *testing.T, n int, names ...string) *codecs.Chain {
	t.Helper()
	specs := []codecs.Spec{{Name: "vlen-utf8"}}
	for _, name := range names {
		d, err := standard.Registry(dtype.Standard()).Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		configuration := d.Example
		if name == "blosc" { // texts have no typesize of their own
			configuration = json.RawMessage(`{"cname":"zstd","clevel":5,"shuffle":"shuffle","typesize":4,"blocksize":0}`)
		}
		specs = append(specs, codecs.Spec{Name: name, Configuration: configuration})
	}
	c, err := standard.Registry(dtype.Standard()).Bind(specs, codecs.Chunk{Type: dtype.StringType, Shape: []int{n}, Fill: dtype.Scalar{}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTextsAreEncodedWithinWhatTheyNeed encodes texts with each bytes → bytes codec.
// The pool lends no more than MemoryOf says, and the object is no longer than SizeOf
// says.
func TestTextsAreEncodedWithinWhatTheyNeed(t *testing.T) {
	for _, d := range standard.Registry(dtype.Standard()).Definitions() {
		if d.Kind != codecs.KindBytesToBytes || d.Name == "numcodecs.shuffle" { // numcodecs.shuffle accepts only whole elements
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			const n = 40
			c := variableChain(t, n, d.Name)
			r := rand.New(rand.NewPCG(1, 2))
			for range 5 {
				a := ndarray.New(dtype.StringType, []int{n})
				most := 1 + r.IntN(20000)
				err := a.SetItems(func() ([]byte, error) {
					return bytes.Repeat([]byte(fmt.Sprint(r.Uint64())), r.IntN(most)/20+1), nil
				})
				if err != nil {
					t.Fatal(err)
				}
				var pool ndarray.Pool
				data, buffer, err := c.Encode(&pool, a)
				if err != nil {
					t.Fatal(err)
				}
				if len(data) > c.SizeOf(a) {
					t.Errorf("%d bytes, at most %d were promised", len(data), c.SizeOf(a))
				}
				if buffer == nil || len(buffer.Bytes) > c.MemoryOf(a) || &buffer.Bytes[0] != &data[0] {
					t.Errorf("the object is not in a buffer within the %d bytes of MemoryOf", c.MemoryOf(a))
				}
				got := ndarray.New(dtype.StringType, []int{n})
				if err := c.Decode(&pool, got, data); err != nil {
					t.Fatal(err)
				}
				if !same(a, got) {
					t.Error("decoded texts differ")
				}
				if buffer != nil {
					buffer.Release()
				}
				if pool.Lent() != 0 {
					t.Errorf("%d buffers were not returned", pool.Lent())
				}
			}
		})
	}
}

// same compares elements.
func same(a, b ndarray.Array) bool {
	var lists [2][][]byte
	for i, x := range []ndarray.Array{a, b} {
		for item := range x.Items() {
			lists[i] = append(lists[i], item)
		}
	}
	for i, item := range lists[0] {
		if !bytes.Equal(item, lists[1][i]) {
			return false
		}
	}
	return len(lists[0]) == len(lists[1])
}

var errNoMore = errors.New("no more")

// purse is an account of left bytes.
type purse struct{ left int }

func (p *purse) Lend(n int) ([]byte, error) { return make([]byte, n), p.Take(n) }
func (p *purse) Room() int                  { return p.left }
func (p *purse) Give(n int)                 { p.left += n }

func (p *purse) Take(n int) error {
	if n > p.left {
		return errNoMore
	}
	p.left -= n
	return nil
}

// TestTextsAreDecodedWithinAnAccount decodes a chunk that is much longer than its
// encoding. With too little memory, decoding stops before it allocates. With enough
// memory it succeeds.
func TestTextsAreDecodedWithinAnAccount(t *testing.T) {
	const length, little = 8 << 20, 128 << 10
	a := ndarray.New(dtype.StringType, []int{1})
	text := bytes.Repeat([]byte("0123456789abcdef"), length/16)
	if err := a.SetItems(func() ([]byte, error) { return text, nil }); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"zstd", "gzip", "numcodecs.zlib", "numcodecs.bz2", "blosc", "numcodecs.lz4"} {
		t.Run(name, func(t *testing.T) {
			c := variableChain(t, 1, name)
			var pool ndarray.Pool
			data, buffer, err := c.Encode(&pool, a)
			if err != nil {
				t.Fatal(err)
			}
			defer buffer.Release()
			dst := ndarray.New(dtype.StringType, []int{1})
			dst.Heap.Account = &purse{left: little}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err = c.Decode(&pool, dst, data)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, errNoMore) {
				t.Fatalf("error %v, want that of the account", err)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > length/2 {
				t.Errorf("%d bytes were allocated for a chunk that was not decoded", n)
			}
			p := &purse{left: 5 * length / 2}
			dst.Heap = &ndarray.Heap{Account: p}
			if err := c.Decode(&pool, dst, data); err != nil || !same(a, dst) {
				t.Errorf("with enough memory: %v", err)
			}
			if held := 5*length/2 - p.left; held < length || held > length+length/4 {
				t.Errorf("%d bytes are held when it is decoded, want those of the text, %d", held, length)
			}
		})
	}
}
