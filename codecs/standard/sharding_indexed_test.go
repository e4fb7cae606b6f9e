package standard_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestShardWithoutFill checks that every inner chunk is stored if a codec in front has
// no encoding of the fill value.
func TestShardWithoutFill(t *testing.T) {
	in := codecs.Chunk{Type: dtype.Float32, Shape: []int{4}, Fill: dtype.Float32.Default()}
	nan, err := dtype.Float32.ParseScalar(dtype.V3, []byte(`"NaN"`))
	if err != nil {
		t.Fatal(err)
	}
	in.Fill = nan
	chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{
		spec("numcodecs.astype", `{"encode_dtype":"<i2"}`),
		spec("sharding_indexed", `{"chunk_shape":[2],"codecs":["bytes"],"index_codecs":["bytes"]}`),
	}, in)
	if err != nil {
		t.Fatal(err)
	}
	var pool ndarray.Pool
	a, back := ndarray.New(in.Type, in.Shape), ndarray.New(in.Type, in.Shape)
	copy(a.Data, []byte{0, 0, 128, 63}) // 1, 0, 0, 0
	data, buffer, err := chain.Encode(&pool, a)
	if err != nil {
		t.Fatal(err)
	}
	defer buffer.Release()
	if err := chain.Decode(&pool, back, data); err != nil || !bytes.Equal(a.Data, back.Data) {
		t.Errorf("% x becomes % x (%v)", a.Data, back.Data, err)
	}
	absent := append(bytes.Clone(data[:len(data)-32]), bytes.Repeat([]byte{255}, 32)...)
	if err := chain.Decode(&pool, back, absent); !errors.Is(err, codecs.ErrCorrupt) {
		t.Errorf("a shard without its inner chunks was decoded: %v", err)
	}
}

// TestInnerChunksOfShards divides shards into inner chunks, behind codecs that work on single
// elements or on dimensions, and puts them together again. The result is what the chain
// makes, except for the order of inner chunks.
func TestInnerChunksOfShards(t *testing.T) {
	const cast, turn = `numcodecs.astype {"encode_dtype":"<f8"}`, `transpose {"order":[2,0,1]}`
	in := codecs.Chunk{Type: dtype.Float32, Shape: []int{4, 6, 10}, Fill: dtype.Float32.Default()}
	a := ndarray.New(in.Type, in.Shape)
	values, _ := ndarray.As[float32](a)
	for i := range values[:len(values)/2] {
		values[i] = float32(i)
	}
	for _, c := range []struct {
		front  []string
		shard  string // shape of an inner chunk as it is stored
		inner  []int  // its shape in front of the chain; nil: it cannot be encoded separately
		behind []string
	}{
		{nil, "[2,3,5]", []int{2, 3, 5}, nil},
		{[]string{turn}, "[5,2,3]", []int{2, 3, 5}, nil},
		{[]string{turn, cast, turn}, "[3,5,2]", []int{2, 3, 5}, nil},
		{[]string{cast}, "[4,3,1]", []int{4, 3, 1}, nil},
		{[]string{`reshape {"shape":[8,30]}`}, "[2,3]", nil, nil},
		{nil, "[2,3,5]", nil, []string{"crc32c"}},
	} {
		specs := append(append(c.front, `sharding_indexed {"chunk_shape":`+c.shard+`,"codecs":["bytes","zstd"]}`), c.behind...)
		chain, err := standard.Registry(dtype.Standard()).Bind(names(specs...), in)
		if err != nil {
			t.Fatal(err)
		}
		s, ok := chain.InnerChunks()
		if ok != (c.inner != nil) {
			t.Errorf("%v: in parts: %v", specs, ok)
		}
		if !ok {
			continue
		}
		if diff := cmp.Diff(c.inner, s.Inner().Chunk().Shape); diff != "" {
			t.Errorf("%v: inner chunks (-want +got):\n%s", specs, diff)
		}
		if diff := cmp.Diff(c.inner, chain.Granularity()); diff != "" {
			t.Errorf("%v: granularity (-want +got):\n%s", specs, diff)
		}
		var pool ndarray.Pool
		var shard []byte
		places := make([]codecs.Place, chain.Concurrency())
		for i := range places {
			part := a.Sub(s.Region(i))
			if places[i] = codecs.Absent; ndarray.Uniform(part, in.Fill) {
				continue
			}
			data, _, err := s.Inner().Encode(&pool, part)
			if err != nil {
				t.Fatal(err)
			}
			places[i] = codecs.Place{Offset: uint64(len(shard)), Length: uint64(len(data))}
			shard = append(shard, data...)
		}
		index, err := s.AppendIndex(nil, places)
		if err != nil {
			t.Fatal(err)
		}
		if read, err := s.ReadIndex(index, int64(len(shard))); err != nil || !cmp.Equal(read, places) {
			t.Errorf("%v: the index reads as %v, %v", specs, read, err)
		}
		back := ndarray.New(in.Type, in.Shape)
		if err := chain.Decode(&pool, back, append(shard, index...)); err != nil || !bytes.Equal(a.Data, back.Data) {
			t.Errorf("%v: decodes to other values, %v", specs, err)
		}
	}
}
