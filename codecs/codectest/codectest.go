// Package codectest is a test suite for the contracts of package codecs. The standard
// codecs run it, and codecs of other programs can run it, too:
//
//	codectest.Run(t, standard.Registry(dtype.Standard()), codectest.Case{Spec: codecs.Spec{Name: "gzip"}})
package codectest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Case is one configuration of a codec with what the suite may expect of it.
type Case struct {
	// Spec is the configuration to test.
	Spec codecs.Spec
	// Types are the data types that the codec accepts. If Types is nil, the suite uses
	// core types and some of each kind of extension.
	Types []dtype.Type
	// Shapes are chunk shapes that the codec accepts. If Shapes is nil, the suite uses
	// shapes from 0-D to 5-D.
	Shapes [][]int
	// DetectsDamage says that the codec detects every change of the encoded bytes.
	DetectsDamage bool
	// Slow says that the codec is slow. The suite then uses shorter inputs and less
	// damage.
	Slow bool
	// Related says that an encoded element depends on its neighbours. An array of one
	// value is then encoded as several values.
	Related bool
	// TakesMore says that bytes behind the encoding are no damage.
	TakesMore bool
	// Padded says that the encoding ends in padding, and that some of this padding may
	// be missing.
	Padded bool
	// Multiple is the number of bytes of which every input of a bytes → bytes codec
	// must be a multiple. 0 means that the codec accepts any length.
	Multiple int
	// Refused are configurations that the codec must refuse.
	Refused []Refused
}

// Refused is a configuration that a codec must refuse with a FieldError.
type Refused struct {
	Configuration string       // JSON
	Chunk         codecs.Chunk // what the codec is bound to; if zero, three int32
	Field         string       // the Field of the FieldError
}

// Run checks a codec of the registry, in subtests of t.
func Run(t *testing.T, registry *codecs.Registry, c Case) {
	t.Helper()
	d, err := registry.Lookup(c.Spec.Name)
	if err != nil {
		t.Fatal(err)
	}
	s := &suite{Case: c, registry: registry, kind: d.Kind}
	s.Slow = s.Slow || underRace
	if s.Types == nil {
		s.Types = someTypes(t)
	}
	if s.Shapes == nil {
		s.Shapes = [][]int{{}, {0}, {1}, {7}, {3, 5}, {4, 1, 6}, {2, 3, 0, 2}, {2, 3, 2, 3, 2}, {30, 40}}
	}
	if n := len(s.Types); underRace && n > 4 {
		s.Types = []dtype.Type{s.Types[0], s.Types[n/3], s.Types[2*n/3], s.Types[n-1]}
	}
	t.Run("refusals", s.refusals)
	t.Run("configuration", s.configuration)
	t.Run("round trip", s.roundTrip)
	t.Run("size", s.size)
	t.Run("concurrent", s.concurrent)
	t.Run("damage", s.damage)
	switch d.Kind {
	case codecs.KindBytesToBytes:
		t.Run("append", s.appending)
	case codecs.KindArrayToArray:
		t.Run("fill value", s.fillValue)
	}
}

type suite struct {
	Case
	registry *codecs.Registry
	kind     codecs.Kind
}

func someTypes(t *testing.T) []dtype.Type {
	t.Helper()
	record, err := dtype.Struct(dtype.Field{Name: "x", Type: dtype.Float32}, dtype.Field{Name: "n", Type: dtype.Uint8}, dtype.Field{Name: "i", Type: dtype.Int4})
	if err != nil {
		t.Fatal(err)
	}
	hours, err := dtype.Datetime64("h", 6)
	if err != nil {
		t.Fatal(err)
	}
	return []dtype.Type{
		dtype.Int4, dtype.Uint2, dtype.BFloat16, dtype.Float8E4M3, dtype.Float6E2M3FN, dtype.ComplexFloat4E2M1FN, dtype.ComplexFloat16,
		hours, dtype.FixedUTF32(3), dtype.NullTerminated(3), record,
		dtype.BoolType, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64,
		dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64,
		dtype.Float16, dtype.Float32, dtype.Float64, dtype.Complex64, dtype.Complex128,
		dtype.RawBits(2), dtype.RawBytes(5),
	}
}

// specs returns the shortest chain with the codec.
func (s *suite) specs(spec codecs.Spec) []codecs.Spec {
	switch s.kind {
	case codecs.KindArrayToArray:
		return []codecs.Spec{spec, {Name: s.registry.Usual()}}
	case codecs.KindBytesToBytes:
		return []codecs.Spec{{Name: s.registry.Usual()}, spec}
	default:
		return []codecs.Spec{spec}
	}
}

// index returns the index of the codec in that chain.
func (s *suite) index() int {
	if s.kind == codecs.KindBytesToBytes {
		return 1
	}
	return 0
}

func (s *suite) bind(t *testing.T, typ dtype.Type, shape []int) *codecs.Chain {
	t.Helper()
	chain, err := s.registry.Bind(s.specs(s.Spec), codecs.Chunk{Type: typ, Shape: shape, Fill: typ.Default()})
	if err != nil {
		t.Fatalf("%s %v: %v", typ.Name(), shape, err)
	}
	return chain
}

// each runs f for every type and shape of the case.
func (s *suite) each(t *testing.T, f func(t *testing.T, r *rand.Rand, chain *codecs.Chain)) {
	for _, typ := range s.Types {
		t.Run(typ.Name(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for _, shape := range s.Shapes {
				f(t, r, s.bind(t, typ, shape))
			}
		})
	}
}

func (s *suite) refusals(t *testing.T) {
	refused := append([]Refused{
		{Configuration: `{"no such field":1}`, Field: "no such field"},
		{Configuration: `[]`}, {Configuration: `5`}, {Configuration: `"x"`},
	}, s.Refused...)
	for _, c := range refused {
		if c.Chunk.Type == nil {
			c.Chunk = codecs.Chunk{Type: dtype.Int32, Shape: []int{3}, Fill: dtype.Int32.Default()}
		}
		_, err := s.registry.Bind(s.specs(codecs.Spec{Name: s.Spec.Name, Configuration: json.RawMessage(c.Configuration)}), c.Chunk)
		var at *codecs.Error
		var field *codecs.FieldError
		switch {
		case !errors.As(err, &at) || !errors.As(err, &field):
			t.Errorf("%s: %v, want an Error with a FieldError", c.Configuration, err)
		case at.Index != s.index() || at.Codec != s.Spec.Name || field.Field != c.Field:
			t.Errorf("%s: %v: at %d, codec %q, field %q, want field %q", c.Configuration, err, at.Index, at.Codec, field.Field, c.Field)
		}
	}
}

// configuration checks that the spec of a bound codec parses to the same codec.
func (s *suite) configuration(t *testing.T) {
	s.each(t, func(t *testing.T, _ *rand.Rand, chain *codecs.Chain) {
		again, err := s.registry.Bind(chain.Specs(), chain.Chunk())
		if err != nil {
			t.Fatal(err)
		}
		first, err := json.Marshal(chain.Specs())
		if err != nil {
			t.Fatal(err)
		}
		second, err := json.Marshal(again.Specs())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, second) {
			t.Errorf("binding the specs again changes them from %s to %s", first, second)
		}
		var read []codecs.Spec
		if err := json.Unmarshal(first, &read); err != nil {
			t.Errorf("%s does not read back: %v", first, err)
		}
	})
}

// contents returns data to encode, for elements of type typ: random elements, regular
// elements, and, for every type, the bit patterns at the edges of the float types.
func contents(r *rand.Rand, typ dtype.Type, shape []int) [][]byte {
	n, _ := ndarray.Bytes(typ, shape)
	noise, ramp, edges := make([]byte, n), make([]byte, n), make([]byte, 0, n+8)
	for i := range noise {
		noise[i], ramp[i] = byte(r.Uint32()), byte(i/8)
	}
	for len(edges) < n {
		for _, bits := range []uint64{
			0, 1 << 63, 1, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff4dead0000beef,
			0xfff8000000000001, 0x800000017fc00001, 0xff800000ffc12345, 0x7e017c01fe008001,
		} {
			edges = binary.NativeEndian.AppendUint64(edges, bits)
		}
	}
	all := [][]byte{noise, ramp, edges[:n], make([]byte, n)}
	for _, content := range all {
		// Unused bits are zero in memory.
		ndarray.ClearUnused(ndarray.Array{Type: typ, Data: content, Shape: shape, Strides: ndarray.CStrides(typ.Size(), shape)})
	}
	return all
}

// strided returns an array with the elements of a. In memory its dimensions are in
// reverse order, with gaps.
func strided(a ndarray.Array) ndarray.Array {
	n := len(a.Shape)
	order, outer := make([]int, n), make([]int, n)
	for i := range order {
		order[i] = n - 1 - i
		outer[i] = a.Shape[n-1-i] + 1
	}
	b := ndarray.New(a.Type, outer).Transpose(order).Sub(ndarray.Region{Start: make([]int, n), Shape: a.Shape})
	ndarray.Copy(b, a)
	return b
}

func (s *suite) roundTrip(t *testing.T) {
	var pool ndarray.Pool
	s.each(t, func(t *testing.T, r *rand.Rand, chain *codecs.Chain) {
		in := chain.Chunk()
		for k, content := range contents(r, in.Type, in.Shape) {
			plain, err := ndarray.View(in.Type, in.Shape, slices.Clone(content))
			if err != nil {
				t.Fatal(err)
			}
			stored := encode(t, &pool, chain, plain)
			checkSize(t, chain, len(stored))
			if !bytes.Equal(plain.Data, content) {
				t.Fatalf("%v: encoding changed its input", in.Shape)
			}
			if turned := encode(t, &pool, chain, strided(plain)); !bytes.Equal(stored, turned) {
				t.Fatalf("%v, content %d: a strided array is encoded differently", in.Shape, k)
			}
			if again := encode(t, &pool, chain, plain); !bytes.Equal(stored, again) {
				t.Fatalf("%v, content %d: a second encoding differs", in.Shape, k)
			}
			before := slices.Clone(stored)
			for _, out := range []ndarray.Array{ndarray.New(in.Type, in.Shape), strided(ndarray.New(in.Type, in.Shape))} {
				if err := chain.Decode(&pool, out, stored); err != nil {
					t.Fatalf("%v, content %d: %v", in.Shape, k, err)
				}
				flat := ndarray.New(in.Type, in.Shape)
				ndarray.Copy(flat, out)
				if !bytes.Equal(flat.Data, content) {
					t.Fatalf("%v, content %d: decoded values differ", in.Shape, k)
				}
			}
			if !bytes.Equal(before, stored) {
				t.Fatalf("%v: decoding changed its input", in.Shape)
			}
		}
	})
	if n := pool.Lent(); n != 0 {
		t.Errorf("%d buffers were not released", n)
	}
}

// encode returns the encoding in memory of its own.
func encode(t *testing.T, pool *ndarray.Pool, chain *codecs.Chain, a ndarray.Array) []byte {
	t.Helper()
	data, err := chain.AppendEncode(pool, nil, a)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// size checks the size of long encodings. Round trips check that of short ones.
func (s *suite) size(t *testing.T) {
	if s.kind != codecs.KindBytesToBytes {
		return
	}
	var pool ndarray.Pool
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, 100, 1<<14 - 1, 1 << 14, 1<<16 + 1, 1 << 17, 1<<20 - 3, 1 << 20} {
		if s.Slow && n > 1<<17 {
			continue
		}
		n -= n % max(s.Multiple, 1)
		chain := s.bind(t, dtype.Uint8, []int{n})
		all := contents(r, dtype.Uint8, []int{n})
		if n > 1<<17 {
			all = all[:1] // noise, which has the longest encoding
		}
		for _, content := range all {
			a, err := ndarray.View(dtype.Uint8, []int{n}, content)
			if err != nil {
				t.Fatal(err)
			}
			checkSize(t, chain, len(encode(t, &pool, chain, a)))
		}
	}
}

// checkSize checks that an encoding is not longer than Size and Memory state.
func checkSize(t *testing.T, chain *codecs.Chain, n int) {
	t.Helper()
	in, size := chain.Chunk(), chain.Size()
	if n > size.Max || size.Fixed && n != size.Max {
		t.Errorf("%s %v: %d bytes, promised %+v", in.Type.Name(), in.Shape, n, size)
	}
	if memory := chain.Memory(); memory < n {
		t.Errorf("%v: %d bytes encoded, Memory says %d", in.Shape, n, memory)
	}
}

// concurrent checks that several goroutines can use a bound codec at once, and that
// earlier calls do not change what it writes.
func (s *suite) concurrent(t *testing.T) {
	pool := ndarray.Pool{Keep: 1 << 20}
	typ, shape := s.Types[0], s.Shapes[len(s.Shapes)-1]
	chain := s.bind(t, typ, shape)
	inputs := contents(rand.New(rand.NewPCG(5, 6)), typ, shape)
	want := make([][]byte, len(inputs))
	for i, content := range inputs {
		a, err := ndarray.View(typ, shape, content)
		if err != nil {
			t.Fatal(err)
		}
		want[i] = encode(t, &pool, s.bind(t, typ, shape), a)
	}
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 7))
			out := ndarray.New(typ, shape)
			for range 20 {
				i := r.IntN(len(inputs))
				a := ndarray.Array{Type: typ, Data: inputs[i], Shape: shape, Strides: out.Strides}
				data, buffer, err := chain.Encode(&pool, a)
				if err == nil {
					err = chain.Decode(&pool, out, data)
				}
				if err != nil || !bytes.Equal(data, want[i]) || !bytes.Equal(out.Data, inputs[i]) {
					t.Errorf("input %d was encoded or decoded differently beside others: %v", i, err)
				}
				if buffer != nil {
					buffer.Release()
				}
			}
		})
	}
	group.Wait()
	if n := pool.Lent(); n != 0 {
		t.Errorf("%d buffers were not released", n)
	}
}
