package codecs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// shift is an array → array codec that is not a view. It adds one to every byte, and
// fails if the configuration says so.
type shift struct {
	codecs.Chunk
	fail bool
}

func shiftDefinition() codecs.Definition {
	return codecs.Definition{Name: "shift", Kind: codecs.KindArrayToArray, Parse: func(text json.RawMessage) (codecs.Codec, error) {
		return shift{fail: string(text) == `{"fail":true}`}, nil
	}}
}

var errShift = errors.New("asked to fail")

func (s shift) BindArrayToArray(in codecs.Chunk) (codecs.ArrayToArray, error) {
	in.Fill = dtype.Scalar(shifted(in.Fill, 1))
	return shift{in, s.fail}, nil
}

func shifted(b []byte, by byte) []byte {
	b = bytes.Clone(b)
	for i := range b {
		b[i] += by
	}
	return b
}

func (s shift) Spec() codecs.Spec     { return codecs.Spec{Name: "shift"} }
func (s shift) Encoded() codecs.Chunk { return s.Chunk }

func (s shift) Encode(dst, src ndarray.Array) error { return s.move(dst, src, 1) }
func (s shift) Decode(dst, src ndarray.Array) error { return s.move(dst, src, 255) }

func (s shift) move(dst, src ndarray.Array, by byte) error {
	if s.fail {
		return errShift
	}
	flat := ndarray.New(src.Type, src.Shape)
	ndarray.Copy(flat, src)
	flat.Data = shifted(flat.Data, by)
	ndarray.Copy(dst, flat)
	return nil
}

func testRegistry(t *testing.T) *codecs.Registry {
	t.Helper()
	r := standard.Registry(dtype.Standard())
	if err := r.Register(shiftDefinition()); err != nil {
		t.Fatal(err)
	}
	return r
}

func spec(name, configuration string) codecs.Spec {
	return codecs.Spec{Name: name, Configuration: json.RawMessage(configuration)}
}

func names(list ...string) []codecs.Spec {
	specs := make([]codecs.Spec, len(list))
	for i, name := range list {
		name, configuration, _ := strings.Cut(name, " ")
		specs[i] = spec(name, configuration)
	}
	return specs
}

func TestChainRefusals(t *testing.T) {
	r := testRegistry(t)
	in := codecs.Chunk{Type: dtype.Int16, Shape: []int{4, 6}, Fill: dtype.Int16.Default()}
	for _, c := range []struct {
		specs []codecs.Spec
		want  []string // parts of the message
	}{
		{names(), []string{"no array → bytes codec", `add "bytes"`}},
		{names("transpose {\"order\":\"F\"}"), []string{"no array → bytes codec"}},
		{names("zstd"), []string{"codecs[0] (zstd)", "in front"}},
		{names("bytes", "bytes"), []string{"codecs[1] (bytes)", "second"}},
		{names("bytes", "transpose {\"order\":\"F\"}"), []string{"codecs[1] (transpose)", "cannot follow bytes"}},
		{names("bytes", "zstd", "shift"), []string{"codecs[2] (shift)", "cannot follow bytes"}},
		{names("bytes", "zst"), []string{"codecs[1] (zst)", "unknown codec"}},
		{names("transpose {\"order\":[0]}", "bytes"), []string{"codecs[0] (transpose)", "order", "the chunk has 2"}},
		{names("bytes {\"endian\":\"x\"}", "gzip {\"level\":77}"), []string{"codecs[0] (bytes): endian", "codecs[1] (gzip): level: 77"}},
	} {
		_, err := r.Bind(c.specs, in)
		for _, part := range c.want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%v: error %v, want %q in it", c.specs, err, part)
			}
		}
		if _, ok := errors.AsType[*codecs.Error](err); !ok {
			t.Errorf("%v: %T is no *codecs.Error", c.specs, err)
		}
	}
	for _, shape := range [][]int{{1 << 62}, {1 << 40, 1 << 40}, {1 << 44}, {-1}} {
		if _, err := r.Bind(names("bytes"), codecs.Chunk{Type: dtype.Int16, Shape: shape}); err == nil {
			t.Errorf("a chunk of shape %v was accepted", shape)
		}
	}
	if err := r.Check(names("transpose {\"order\":[0,1,2]}", "endian", "crc32c")); err != nil {
		t.Errorf("a valid chain was refused: %v", err)
	}
	if err := r.Check(names("unheard", "zstd")); !errors.Is(err, codecs.ErrUnknown) {
		t.Errorf("%v, want ErrUnknown", err)
	}
}

func TestSpecJSON(t *testing.T) {
	for text, want := range map[string]string{
		`"bytes"`:                               `{"name":"bytes"}`,
		`{"name":"bytes"}`:                      `{"name":"bytes"}`,
		`{"name":"bytes","configuration":null}`: `{"name":"bytes"}`,
		`{"name":"x","must_understand":true,"configuration":{"a": [1.50]}}`: `{"name":"x","configuration":{"a":[1.50]}}`,
	} {
		var s codecs.Spec
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got, err := json.Marshal(s); err != nil || string(got) != want {
			t.Errorf("%s gives %s (%v), want %s", text, got, err, want)
		}
	}
	for _, text := range []string{`null`, `5`, `""`, `{}`, `[]`, `{"name":5}`, `{"name":"x","extra":1}`, `{"NAME":"x"}`} {
		var s codecs.Spec
		if err := json.Unmarshal([]byte(text), &s); err == nil {
			t.Errorf("%s was accepted as %v", text, s)
		}
	}
}

// TestChainFlow checks that each codec is bound to what the codec in front produces.
func TestChainFlow(t *testing.T) {
	r := testRegistry(t)
	in := codecs.Chunk{Type: dtype.Int16, Shape: []int{2, 3, 4}, Fill: dtype.Scalar{1, 2}}
	chain, err := r.Bind(names(`transpose {"order":[2,0,1]}`, "shift", `transpose {"order":"F"}`, "shift", "endian", "crc32c", "gzip"), in)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(chain.Specs())
	if err != nil {
		t.Fatal(err)
	}
	// A codec keeps the alias that it was given by.
	want := `[{"name":"transpose","configuration":{"order":[2,0,1]}},{"name":"shift"},{"name":"transpose","configuration":{"order":[2,1,0]}},{"name":"shift"},` +
		`{"name":"endian","configuration":{"endian":"little"}},{"name":"crc32c"},{"name":"gzip","configuration":{"level":5}}]`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(in, chain.Chunk(), cmp.Comparer(dtype.Same)); diff != "" {
		t.Error(diff)
	}
	if chain.Size().Fixed || chain.Size().Max < 52 {
		t.Errorf("Size = %+v", chain.Size())
	}

	var pool ndarray.Pool
	src := ndarray.New(in.Type, in.Shape)
	for i := range src.Data {
		src.Data[i] = byte(i)
	}
	data, buffer, err := chain.Encode(&pool, src)
	if err != nil {
		t.Fatal(err)
	}
	dst := ndarray.New(in.Type, in.Shape)
	if err := chain.Decode(&pool, dst, data); err != nil {
		t.Fatal(err)
	}
	buffer.Release()
	if !bytes.Equal(src.Data, dst.Data) {
		t.Error("decoded values differ")
	}
	if pool.Lent() != 0 {
		t.Errorf("%d buffers were not released", pool.Lent())
	}
}

// TestChainReleases checks that no buffer stays lent, whatever fails.
func TestChainReleases(t *testing.T) {
	r := testRegistry(t)
	in := codecs.Chunk{Type: dtype.Int16, Shape: []int{5, 7}, Fill: dtype.Int16.Default()}
	const fails = `shift {"fail":true}`
	for _, specs := range [][]codecs.Spec{
		names(fails, "bytes"),
		names("shift", fails, "shift", "bytes", "gzip", "crc32c"),
		names(`transpose {"order":"F"}`, "shift", `transpose {"order":"F"}`, fails, "bytes", "zstd"),
		names("shift", "shift", fails, "bytes"),
	} {
		chain, err := r.Bind(specs, in)
		if err != nil {
			t.Fatal(err)
		}
		var pool ndarray.Pool
		a := ndarray.New(in.Type, in.Shape)
		_, buffer, err := chain.Encode(&pool, a)
		if !errors.Is(err, errShift) || buffer != nil || pool.Lent() != 0 {
			t.Errorf("%v: encode: %v, %d buffers lent", specs, err, pool.Lent())
		}
		// The spec that a bound shift returns has no fault. So its chain makes data to
		// decode.
		other, err := r.Bind(chain.Specs(), in)
		if err != nil {
			t.Fatal(err)
		}
		data, buffer, err := other.Encode(&pool, a)
		if err != nil {
			t.Fatal(err)
		}
		var at *codecs.Error
		if err := chain.Decode(&pool, a, data); !errors.Is(err, errShift) || !errors.As(err, &at) || at.Codec != "shift" {
			t.Errorf("%v: decode: %v", specs, err)
		}
		if err := chain.Decode(&pool, a, data[:3]); !errors.Is(err, codecs.ErrCorrupt) {
			t.Errorf("%v: decode of 3 bytes: %v", specs, err)
		}
		if buffer != nil {
			buffer.Release()
		}
		if pool.Lent() != 0 {
			t.Errorf("%v: %d buffers were not released", specs, pool.Lent())
		}
	}
}

// TestChainMemory checks that views take no memory, and that only the buffers of two
// neighbouring codecs are held at once.
func TestChainMemory(t *testing.T) {
	r := testRegistry(t)
	in := codecs.Chunk{Type: dtype.Uint8, Shape: []int{256, 256}, Fill: dtype.Scalar{0}}
	const n = 1 << 16
	for _, c := range []struct {
		specs []codecs.Spec
		want  int
	}{
		{names("bytes"), n},
		{names(`transpose {"order":"F"}`, `transpose {"order":"F"}`, "bytes"), n},
		{names("shift", "bytes"), 2 * n},
		{names("shift", "shift", "shift", "bytes"), 2 * n},
		{names("bytes", "crc32c"), n + ndarray.Rounded(n+4)},
	} {
		chain, err := r.Bind(c.specs, in)
		if err != nil {
			t.Fatal(err)
		}
		if got := chain.Memory(); got != c.want {
			t.Errorf("%v: Memory = %d, want %d", c.specs, got, c.want)
		}
	}
}

// TestChainAlias checks that bytes that need no change are not copied.
func TestChainAlias(t *testing.T) {
	native, foreign := "little", "big"
	if dtype.Native == dtype.Big {
		native, foreign = foreign, native
	}
	var pool ndarray.Pool
	src := ndarray.New(dtype.Int32, []int{3, 4})
	turned := src.Transpose([]int{1, 0})
	for _, c := range []struct {
		specs []codecs.Spec
		src   ndarray.Array
		alias bool
	}{
		{names(`bytes {"endian":"` + native + `"}`), src, true},
		{names(`bytes {"endian":"` + foreign + `"}`), src, false},
		{names(`bytes {"endian":"` + native + `"}`), turned, false},
		{names(`transpose {"order":"F"}`, `bytes {"endian":"`+native+`"}`), turned, true},
	} {
		chain, err := standard.Registry(dtype.Standard()).Bind(c.specs, codecs.Chunk{Type: dtype.Int32, Shape: c.src.Shape, Fill: dtype.Int32.Default()})
		if err != nil {
			t.Fatal(err)
		}
		data, buffer, err := chain.Encode(&pool, c.src)
		if err != nil {
			t.Fatal(err)
		}
		if alias := &data[0] == &src.Data[0]; alias != c.alias || alias != (buffer == nil) {
			t.Errorf("%v: alias %v, buffer %v, want alias %v", c.specs, alias, buffer != nil, c.alias)
		}
		if buffer != nil {
			buffer.Release()
		}
	}
}

// TestDecodePlace checks three things. An encoding that is read to where its elements
// belong is not copied again. A compressor decodes to where the elements belong. An
// encoding of another length is damage.
func TestDecodePlace(t *testing.T) {
	native, foreign := "little", "big"
	if dtype.Native == dtype.Big {
		native, foreign = foreign, native
	}
	var pool ndarray.Pool
	for _, c := range []struct {
		specs []codecs.Spec
		typ   dtype.Type
		turn  bool // the array is in F order
		place bool
	}{
		{names(`bytes {"endian":"` + native + `"}`), dtype.Int32, false, true},
		{names(`bytes {"endian":"` + native + `"}`), dtype.Int32, true, false},
		{names(`bytes {"endian":"` + foreign + `"}`), dtype.Int32, false, false},
		{names(`transpose {"order":"F"}`, `bytes {"endian":"`+native+`"}`), dtype.Int32, true, true},
		{names(`bytes {"endian":"`+native+`"}`, `zstd {"level":1,"checksum":false}`), dtype.Int32, false, false},
		{names("bytes"), dtype.Int4, false, false}, // unused bits are cleared
	} {
		shape := []int{3, 4}
		chain, err := standard.Registry(dtype.Standard()).Bind(c.specs, codecs.Chunk{Type: c.typ, Shape: shape, Fill: c.typ.Default()})
		if err != nil {
			t.Fatal(err)
		}
		array := func() ndarray.Array {
			if c.turn {
				return ndarray.New(c.typ, []int{4, 3}).Transpose([]int{1, 0})
			}
			return ndarray.New(c.typ, shape)
		}
		src, dst := array(), array()
		for i := range src.Data {
			src.Data[i] = byte(i) & 7
		}
		data, buffer, err := chain.Encode(&pool, src)
		if err != nil {
			t.Fatal(err)
		}
		place := chain.DecodePlace(dst)
		if (place != nil) != c.place {
			t.Errorf("%v: has a place: %v, want %v", c.specs, place != nil, c.place)
		}
		read := bytes.Clone(data)
		if place != nil {
			copy(place, data)
			read = place
		}
		if err := chain.Decode(&pool, dst, read); err != nil || !bytes.Equal(dst.Data, src.Data) {
			t.Errorf("%v: decoded to %v, error %v, want %v", c.specs, dst.Data, err, src.Data)
		}
		for _, damaged := range [][]byte{read[:len(read)-1], append(bytes.Clone(read), 0)} {
			if err := chain.Decode(&pool, array(), damaged); !errors.Is(err, codecs.ErrCorrupt) && !errors.Is(err, codecs.ErrTooLarge) {
				t.Errorf("%v: %d bytes for %d: error %v", c.specs, len(damaged), len(read), err)
			}
		}
		if buffer != nil {
			buffer.Release()
		}
		if pool.Lent() != 0 {
			t.Errorf("%v: %d buffers are not released", c.specs, pool.Lent())
		}
	}
}

// TestNestedChains checks that the depth of nested chains is bounded, and that the time
// to bind them does not double at each level.
func TestNestedChains(t *testing.T) {
	in := codecs.Chunk{Type: dtype.Uint16, Shape: []int{64}, Fill: dtype.Uint16.Default()}
	shards, conditional := `"bytes"`, `"zstd"`
	for range 12 {
		shards = `{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":[` + shards + `]}}`
		conditional = `{"name":"conditional","configuration":{"codecs":[` + conditional + `]}}`
	}
	for _, text := range []string{`[` + shards + `]`, `["bytes",` + conditional + `]`} {
		var specs []codecs.Spec
		if err := json.Unmarshal([]byte(text), &specs); err != nil {
			t.Fatal(err)
		}
		if _, err := standard.Registry(dtype.Standard()).Bind(specs, in); err == nil || !strings.Contains(err.Error(), "nested more than") {
			t.Errorf("%.60s: %v", text, err)
		}
	}
	// The inner codecs know the element size, and keep their names.
	specs := []codecs.Spec{{Name: "bytes"}, spec("conditional", `{"codecs":[{"name":"blosc","configuration":{"shuffle":"shuffle"}},"lz4"]}`)}
	chain, err := standard.Registry(dtype.Standard()).Bind(specs, in)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(chain.Specs()); err != nil || !strings.Contains(string(text), `"typesize":2`) || !strings.Contains(string(text), `{"name":"lz4"`) {
		t.Errorf("%s (%v)", text, err)
	}
}
