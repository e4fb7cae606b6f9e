package compare

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// samples are elements of a type in groups: those of one group are one value, and those
// of two are not.
func samples(t *testing.T, kind dtype.Type) [][][]byte {
	t.Helper()
	if r, ok := kind.(dtype.Record); ok {
		return productOf(t, r)
	}
	n, ok := kind.(dtype.Numeric)
	switch {
	case ok && n.Kind() == dtype.Float:
		return floatSamples(t, n, n.Size())
	case ok && n.Kind() == dtype.Complex:
		var groups [][][]byte
		parts := floatSamples(t, n, n.Size()/2)
		for _, re := range parts {
			for _, im := range parts {
				var group [][]byte
				for _, x := range re {
					for _, y := range im {
						group = append(group, slices.Concat(x, y))
					}
				}
				groups = append(groups, group)
			}
		}
		return groups
	case ok && n.Kind() == dtype.Bool:
		return [][][]byte{{{0}}, {{1}}}
	}
	groups := [][][]byte{{kind.Default()}}
	for _, text := range []string{"1", "-1", "2", `"1"`, `"a"`, `"b"`, `"AAE="`, `"AAEAAA=="`, "[0,1]"} {
		item, err := kind.ParseScalar(dtype.V3, []byte(text))
		known := func(group [][]byte) bool { return bytes.Equal(group[0], item) }
		if err == nil && !slices.ContainsFunc(groups, known) {
			groups = append(groups, [][]byte{item})
		}
	}
	if len(groups) < 2 {
		t.Fatalf("%s: no two values are known here", kind.Name())
	}
	return groups
}

// productOf gives each field of a record its values in turn, beside the first ones of
// the others.
func productOf(t *testing.T, r dtype.Record) [][][]byte {
	var first []byte
	for _, f := range r.Fields() {
		first = append(first, samples(t, f.Type)[0][0]...)
	}
	groups := [][][]byte{nil}
	for _, f := range r.Fields() {
		for i, values := range samples(t, f.Type) {
			var group [][]byte
			for _, value := range values {
				item := slices.Clone(first)
				copy(item[f.Offset:], value)
				group = append(group, item)
			}
			if i == 0 {
				groups[0] = append(groups[0], group...)
			} else {
				groups = append(groups, group)
			}
		}
	}
	return groups
}

// floatSamples are numbers of so many bytes: both zeros, all or many NaNs, and others.
func floatSamples(t *testing.T, n dtype.Numeric, size int) [][][]byte {
	var zeros, nans, others [][]byte
	add := func(pattern uint64, x float64) {
		item := make([]byte, 8)
		switch size {
		case 1:
			item[0] = byte(pattern)
		case 2:
			binary.NativeEndian.PutUint16(item, uint16(pattern))
		case 4:
			binary.NativeEndian.PutUint32(item, uint32(pattern))
		default:
			binary.NativeEndian.PutUint64(item, pattern)
		}
		switch item = item[:size]; {
		case x == 0:
			zeros = append(zeros, item)
		case x != x:
			nans = append(nans, item)
		default:
			others = append(others, item)
		}
	}
	switch narrow, ok := n.(dtype.Narrow); {
	case ok:
		layout := narrow.Layout()
		infinity, _ := layout.Infinity(false)
		quiet, _ := layout.NaN()
		sign := uint16(1) << (layout.Bits() - 1)
		for _, p := range []uint16{0, 1, 2, 3, quiet, infinity, infinity | 1, infinity | 2, quiet | 1, sign - 1} {
			for _, s := range []uint16{0, sign} {
				if p |= s; layout.Bits() == 16 || p>>layout.Bits() == 0 {
					add(uint64(p), layout.Float64(p))
				}
			}
		}
	case size == 4:
		for _, p := range []uint32{0, 1, 0x3f800000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fc00001, 0x7fffffff} {
			for _, s := range []uint32{0, 1 << 31} {
				add(uint64(p|s), float64(math.Float32frombits(p|s)))
			}
		}
	case size == 8:
		for _, p := range []uint64{0, 1, 0x3ff0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000, 0x7ff8000000000001, 0x7fffffffffffffff} {
			for _, s := range []uint64{0, 1 << 63} {
				add(p|s, math.Float64frombits(p|s))
			}
		}
	default:
		t.Fatalf("%s: floats of %d bytes", n.Name(), size)
	}
	groups := [][][]byte{}
	for _, group := range [][][]byte{zeros, nans} {
		if len(group) > 0 {
			groups = append(groups, group)
		}
	}
	slices.SortFunc(others, bytes.Compare)
	for _, item := range slices.CompactFunc(others, bytes.Equal) {
		groups = append(groups, [][]byte{item})
	}
	return groups
}

// standardTypes are an example of each family of types, and records of all that can be
// fields.
func standardTypes(t *testing.T) []dtype.Type {
	t.Helper()
	var list []dtype.Type
	var fields []dtype.Field
	for _, f := range dtype.Standard().Families() {
		list = append(list, f.Example)
		if _, complex := f.Example.(dtype.Numeric); f.Example.Size() > 0 && complex {
			fields = append(fields, dtype.Field{Name: f.Name, Type: f.Example})
		}
	}
	all, err := dtype.Struct(fields...)
	if err != nil {
		t.Fatal(err)
	}
	nested, err := dtype.Struct(dtype.Field{Name: "n", Type: dtype.Int8}, dtype.Field{Name: "all", Type: all}, dtype.Field{Name: "text", Type: dtype.FixedUTF32(2)})
	if err != nil {
		t.Fatal(err)
	}
	return append(list, all, nested)
}

// TestAllTypes compares elements of every data type: those of one value are the same to
// all that this package has, and others are not. Both zeros and all NaNs are one value.
func TestAllTypes(t *testing.T) {
	for _, kind := range standardTypes(t) {
		groups := samples(t, kind)
		values, order, keys := ValuesOf(kind), OrderOf(kind), map[string]int{}
		items, of := [][]byte{}, []int{} // with the numbers of their groups
		for i, group := range groups {
			for _, item := range group {
				if other, taken := keys[values.Key(item)]; taken && other != i {
					t.Errorf("%s: %x and %x have one key", kind.Name(), groups[other][0], item)
				}
				keys[values.Key(item)] = i
				items, of = append(items, item), append(of, i)
			}
		}
		if len(keys) != len(groups) {
			t.Errorf("%s: %d keys of %d values", kind.Name(), len(keys), len(groups))
		}
		const most = 25 // of the records' many values
		for i := 0; i < len(items); i += 1 + len(items)/most {
			for k := 0; k < len(items); k += 1 + len(items)/most {
				x, y, want := items[i], items[k], of[i] == of[k]
				what := fmt.Sprintf("%s: %x and %x, the same %v", kind.Name(), x, y, want)
				if values.Same(x, y) != want {
					t.Errorf("%s: not so to Same", what)
				}
				a, b := arrayOf(t, kind, x), arrayOf(t, kind, y)
				if m := First(a, b); (m == nil) != want {
					t.Errorf("%s: First has %+v", what, m)
				}
				if (Digest(a) == Digest(b)) != want {
					t.Errorf("%s: not so to Digest", what)
				}
				if order == nil {
					continue
				}
				_, placed := order(x)
				_, too := order(y)
				if c := order.Compare(x, y); c == Unordered && placed && too || c != Unordered && (c == 0) != want {
					t.Errorf("%s: they compare as %d", what, c)
				}
			}
		}
		for i, x := range items {
			if data := slices.Clone(x); !bytes.Equal(data, items[i]) {
				t.Errorf("%s: %x was changed", kind.Name(), data)
			}
		}
	}
}

// arrayOf is an array of three elements, the second of which is given.
func arrayOf(t *testing.T, kind dtype.Type, item []byte) ndarray.Array {
	t.Helper()
	a, number := ndarray.New(kind, []int{3}), -1
	if err := a.SetItems(func() ([]byte, error) {
		if number++; number == 1 {
			return item, nil
		}
		return kind.Default(), nil
	}); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestAllPatterns gives all numbers of up to 16 bits a key: one for each value.
func TestAllPatterns(t *testing.T) {
	for _, f := range dtype.Standard().Families() {
		narrow, ok := f.Example.(dtype.Narrow)
		if !ok || narrow.Kind() != dtype.Float {
			continue
		}
		values, order := ValuesOf(narrow), OrderOf(narrow)
		keys, numbers := map[string]float64{}, map[uint64]float64{}
		for p := range 1 << narrow.Layout().Bits() {
			item := []byte{byte(p)}
			if narrow.Size() == 2 {
				item = binary.NativeEndian.AppendUint16(nil, uint16(p))
			}
			x := narrow.Layout().Float64(uint16(p))
			number, placed := order(item)
			if placed == math.IsNaN(x) {
				t.Errorf("%s: %x has a place: %v", f.Name, item, placed)
			}
			if math.IsNaN(x) {
				x = 12345 // one that none of them has
			} else if known, taken := numbers[number]; taken && known != x {
				t.Errorf("%s: %v and %v have one place", f.Name, known, x)
			} else {
				numbers[number] = x
			}
			if known, taken := keys[values.Key(item)]; taken && known != x {
				t.Errorf("%s: %v and %v have one key", f.Name, known, x)
			}
			keys[values.Key(item)] = x
		}
		distinct := map[float64]bool{}
		for _, x := range keys {
			distinct[x] = true
		}
		if len(distinct) != len(keys) {
			t.Errorf("%s: %d keys of %d values", f.Name, len(keys), len(distinct))
		}
		places := make([]uint64, 0, len(numbers))
		for number := range numbers {
			places = append(places, number)
		}
		slices.Sort(places)
		if !slices.IsSortedFunc(places, func(a, b uint64) int { return int(math.Copysign(1, numbers[a]-numbers[b])) }) {
			t.Errorf("%s: the numbers do not sort as the values", f.Name)
		}
	}
}
