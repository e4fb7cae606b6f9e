// Package comparetest has samples for tests of code that compares elements: elements of all
// data types, in groups of elements that are the same value.
package comparetest

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

// Types returns an example of each family of types, and records with fields of all types
// that fields can have.
func Types(t *testing.T) []dtype.Type {
	t.Helper()
	var list []dtype.Type
	var fields []dtype.Field
	for _, f := range dtype.Standard().Families() {
		list = append(list, f.Example)
		if _, ok := f.Example.(dtype.Numeric); ok {
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

// Samples returns elements of a type in groups. Elements of one group are the same value,
// and elements of different groups are not. Floats have both zeros, and NaNs of several
// signs and payloads.
func Samples(t *testing.T, kind dtype.Type) [][][]byte {
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

// productOf returns samples of a record. It gives each field its samples in turn, while the
// other fields have their first sample.
func productOf(t *testing.T, r dtype.Record) [][][]byte {
	var first []byte
	for _, f := range r.Fields() {
		first = append(first, Samples(t, f.Type)[0][0]...)
	}
	groups := [][][]byte{nil}
	for _, f := range r.Fields() {
		for i, values := range Samples(t, f.Type) {
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

// floatSamples returns samples of floats of size bytes: both zeros, all or many NaNs, and
// other numbers.
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
