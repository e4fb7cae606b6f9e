package standard_test

import (
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// castCase has elements that cast-value-rs converted, with the results, and elements
// that it refused. Elements are little-endian, in hex.
type castCase struct {
	Src, Tgt   string
	Rounding   string
	OutOfRange *string           `json:"out_of_range"`
	ScalarMap  []json.RawMessage `json:"scalar_map"`
	In, Out    string
	MustFail   []string `json:"must_fail"`
}

func castCases(t *testing.T) []castCase {
	t.Helper()
	file, err := os.Open("testdata/cast_value.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	text, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Cases []castCase }
	if err := json.NewDecoder(text).Decode(&golden); err != nil {
		t.Fatal(err)
	}
	return golden.Cases
}

// caster is one direction of a codec.
type caster struct {
	definition codecs.Definition
	direction  string // "encode" or "decode"
	to, from   dtype.Type
	rounding   string
	outOfRange *string
	pairs      []json.RawMessage
}

// directions returns the directions in which the configuration is legal: only integers
// can wrap when they are stored.
func (c caster) directions() []string {
	if n := c.from.(dtype.Numeric); c.outOfRange != nil && *c.outOfRange == "wrap" && n.Kind() == dtype.Float {
		return []string{"encode"}
	}
	return []string{"encode", "decode"}
}

// bind returns the conversion of elements from one type to the other in the direction.
func (c caster) bind(t *testing.T) func(src ndarray.Array) (ndarray.Array, error) {
	t.Helper()
	in, stored := c.from, c.to
	if c.direction == "decode" {
		in, stored = stored, in
	}
	text, err := json.Marshal(map[string]any{
		"data_type": stored.Name(), "rounding": c.rounding, "out_of_range": c.outOfRange,
		"scalar_map": map[string]any{c.direction: c.pairs},
	})
	if err != nil {
		t.Fatal(err)
	}
	codec, err := c.definition.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	b, err := codec.(codecs.ArrayToArrayCodec).BindArrayToArray(codecs.Chunk{Type: in, Shape: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	return func(src ndarray.Array) (ndarray.Array, error) {
		dst := ndarray.New(c.to, src.Shape)
		if c.direction == "decode" {
			return dst, b.Decode(dst, src)
		}
		return dst, b.Encode(dst, src)
	}
}

func castValueDefinition(t testing.TB) codecs.Definition {
	t.Helper()
	d, err := standard.Registry(dtype.Standard()).Lookup("cast_value")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestCastValueGolden compares with cast-value-rs, bit by bit, in both directions. It
// tries every value that cast-value-rs refused by itself.
func TestCastValueGolden(t *testing.T) {
	types, definition := dtype.Standard(), castValueDefinition(t)
	cases := castCases(t)
	if len(cases) != 1604 {
		t.Errorf("%d cases", len(cases))
	}
	for _, c := range cases {
		array := func(name, text string) ndarray.Array {
			typ, err := types.ParseV3(json.RawMessage(`"` + name + `"`))
			if err != nil {
				t.Fatal(err)
			}
			data, err := hex.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			a := ndarray.New(typ, []int{len(data) / typ.Size()})
			copy(a.Data, data)
			return little(a)
		}
		in, want := array(c.Src, c.In), array(c.Tgt, c.Out)
		mode := "error"
		if c.OutOfRange != nil {
			mode = *c.OutOfRange
		}
		d := caster{definition, "", want.Type, in.Type, c.Rounding, c.OutOfRange, c.ScalarMap}
		for _, d.direction = range d.directions() {
			cast := d.bind(t)
			name := fmt.Sprintf("%s, %s to %s, %s, %s, %s", d.direction, c.Src, c.Tgt, c.Rounding, mode, c.ScalarMap)
			got, err := cast(in)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			compare(t, name, in, got, want)
			for _, text := range c.MustFail {
				if out, err := cast(array(c.Src, text)); !errors.Is(err, dtype.ErrOutOfRange) {
					t.Errorf("%s: %s becomes %x, %v", name, text, out.Data, err)
				}
			}
		}
	}
}
