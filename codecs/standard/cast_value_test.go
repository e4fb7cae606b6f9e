package standard_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestCastValueReference casts between all pairs of types in all modes, with and
// without a scalar map, in both directions. It compares with the arithmetic of
// fractions.
func TestCastValueReference(t *testing.T) {
	models, definition := castModels(), castValueDefinition(t)
	for _, from := range models {
		t.Run(from.typ.Name(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			for _, to := range models {
				elements, values := from.elements(r, to), to.elements(r, from)
				for mode := dtype.NearestEven; mode <= dtype.NearestAway; mode++ {
					for _, outOfRange := range []string{"", "clamp", "wrap"} {
						if outOfRange != "wrap" || !to.float() {
							c := &castTrial{to: to, from: from, mode: mode, outOfRange: outOfRange}
							c.draw(r, elements, values, []int{0, 0, 1, 3, 20}[r.IntN(5)])
							c.run(t, r, definition, elements)
						}
					}
				}
			}
		})
	}
}

// FuzzCastValueReference does the same for any elements.
func FuzzCastValueReference(f *testing.F) {
	models, definition := castModels(), castValueDefinition(f)
	for i := range models {
		f.Add(uint8(i), uint8(i*7), uint8(i), uint8(i), uint8(i), []byte("\x00\x80\xff\x7f\x00\x00\xc0\x7f\xff\xff\xff\xff\xff\xff\xef\x47elements"))
	}
	f.Fuzz(func(t *testing.T, to, from, mode, outOfRange, keys uint8, data []byte) {
		c := &castTrial{to: models[int(to)%len(models)], from: models[int(from)%len(models)], mode: dtype.Rounding(mode % 5)}
		c.outOfRange = []string{"", "clamp", "wrap"}[outOfRange%3]
		if c.to.float() && c.outOfRange == "wrap" {
			return
		}
		size := c.from.typ.Size()
		var elements []dtype.Scalar
		for ; len(data) >= size && len(elements) < 100; data = data[size:] {
			elements = append(elements, c.from.canonical(bytes.Clone(data[:size])))
		}
		if len(elements) == 0 {
			return
		}
		r := rand.New(rand.NewPCG(uint64(to), uint64(from)))
		c.draw(r, elements, c.to.elements(r, c.from), int(keys%20))
		c.run(t, r, definition, elements)
	})
}

// castTrial is one configuration for random elements.
type castTrial struct {
	to, from   castModel
	mode       dtype.Rounding
	outOfRange string
	direction  string
	keys       []castNumber
	values     []dtype.Scalar
	pairs      []json.RawMessage
}

func (c *castTrial) String() string {
	return fmt.Sprintf("%s, %s to %s, %s, %q, %s", c.direction, c.from.typ.Name(), c.to.typ.Name(), c.mode, c.outOfRange, c.pairs)
}

// draw adds n random pairs of elements and values to the scalar map.
func (c *castTrial) draw(r *rand.Rand, elements, values []dtype.Scalar, n int) {
	for range n {
		key, value := elements[r.IntN(len(elements))], values[r.IntN(len(values))]
		c.keys, c.values = append(c.keys, c.from.value(key)), append(c.values, value)
		c.pairs = append(c.pairs, fmt.Appendf(nil, "[%s,%s]", c.from.typ.FormatScalar(dtype.V3, key), c.to.typ.FormatScalar(dtype.V3, value)))
	}
}

// castWant is what an element becomes: a number, or, for a mapped element, an exact
// element.
type castWant struct {
	number castNumber
	exact  dtype.Scalar
}

func (c *castTrial) want(s dtype.Scalar) (castWant, bool) {
	x := c.from.value(s)
	for i, key := range c.keys {
		if key.matches(x) {
			return castWant{exact: c.values[i]}, true
		}
	}
	number, ok := c.to.cast(x, c.mode, c.outOfRange)
	return castWant{number: number}, ok
}

// run casts the elements. The keys of the scalar map are some of them.
func (c *castTrial) run(t *testing.T, r *rand.Rand, definition codecs.Definition, elements []dtype.Scalar) {
	var good, bad []dtype.Scalar
	var wants []castWant
	for _, s := range elements {
		if want, ok := c.want(s); ok {
			good, wants = append(good, s), append(wants, want)
		} else {
			bad = append(bad, s)
		}
	}
	var outOfRange *string
	if c.outOfRange != "" {
		outOfRange = &c.outOfRange
	}
	// More elements than the kernels take at a time, and not a multiple of that.
	n := 1024 + r.IntN(600)
	if len(good) == 0 {
		n = 0
	}
	d := caster{definition, "", c.to.typ, c.from.typ, c.mode.String(), outOfRange, c.pairs}
	directions := d.directions()
	d.direction = directions[r.IntN(len(directions))]
	c.direction = d.direction
	cast := d.bind(t)
	a := ndarray.New(c.from.typ, []int{n})
	for i := range n {
		copy(a.Data[i*c.from.typ.Size():], good[i%len(good)])
	}
	got, err := cast(a)
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	c.compare(t, good, wants, got)
	for _, s := range bad {
		one, _ := ndarray.View(c.from.typ, []int{1}, s)
		if got, err := cast(one); !errors.Is(err, dtype.ErrOutOfRange) {
			t.Fatalf("%s: %s becomes %s, %v", c, c.from.value(s), c.to.value(got.Data), err)
		}
	}
	if len(bad) == 0 || n == 0 {
		return
	}
	at, culprit := r.IntN(n), bad[r.IntN(len(bad))]
	copy(a.Data[at*len(culprit):], culprit)
	name := fmt.Sprintf("element [%d], %s: ", at, c.from.typ.FormatScalar(dtype.V3, culprit))
	if _, err = cast(a); !errors.Is(err, dtype.ErrOutOfRange) || !strings.Contains(err.Error(), name) {
		t.Fatalf("%s: error %v about %s", c, err, name)
	}
}

// compare checks the results of elements that have one. The elements are repeated.
func (c *castTrial) compare(t *testing.T, good []dtype.Scalar, wants []castWant, got ndarray.Array) {
	t.Helper()
	size := c.to.typ.Size()
	for i := range got.Len() {
		s := dtype.Scalar(got.Data[i*size : (i+1)*size])
		if i >= len(good) {
			if first := got.Data[i%len(good)*size:][:size]; !bytes.Equal(s, first) {
				t.Fatalf("%s: %s becomes %x at %d, and was %x", c, c.from.value(good[i%len(good)]), s, i, first)
			}
			continue
		}
		want := wants[i]
		if want.exact != nil && !bytes.Equal(s, want.exact) || want.exact == nil && !c.to.value(s).same(want.number) || !bytes.Equal(s, c.to.canonical(bytes.Clone(s))) {
			t.Fatalf("%s: %s becomes %s (%x), want %s %x", c, c.from.value(good[i]), c.to.value(s), s, want.number, want.exact)
		}
	}
}

// TestClamped replaces out_of_range in each cast_value, and nothing else.
func TestClamped(t *testing.T) {
	specs := []codecs.Spec{
		{Name: standard.CastValueName, Configuration: json.RawMessage(`{"data_type":"int8","out_of_range":"wrap"}`)},
		{Name: standard.BytesName},
		{Name: standard.CastValueName, Configuration: json.RawMessage(`{"data_type":"int16"}`)},
		{Name: standard.CastValueName, Configuration: json.RawMessage(`null`)},
	}
	var got []string
	for _, s := range standard.Clamped(specs) {
		got = append(got, s.Name+string(s.Configuration))
	}
	want := []string{`cast_value{"data_type":"int8","out_of_range":"clamp"}`, "bytes", `cast_value{"data_type":"int16","out_of_range":"clamp"}`, "cast_valuenull"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if string(specs[0].Configuration) != `{"data_type":"int8","out_of_range":"wrap"}` {
		t.Errorf("the given specs have changed: %s", specs[0].Configuration)
	}
}
