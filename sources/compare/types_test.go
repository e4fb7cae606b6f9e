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
	"github.com/zmigrate/zmigrate/sources/compare/comparetest"
)

// TestAllTypes compares elements of every data type. All functions of this package treat
// elements as the same exactly if they are the same value. Both zeros are one value, and so
// are all NaNs.
func TestAllTypes(t *testing.T) {
	for _, kind := range comparetest.Types(t) {
		groups := comparetest.Samples(t, kind)
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

// TestAllPatterns makes keys of all numbers of up to 16 bits. Each value has one key.
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
				x = 12345 // no place is this one
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

// outside is a data type of another program, with numbers whose format this package does
// not know.
type outside struct {
	dtype.Type
	size int
	kind dtype.Kind
}

func (o outside) Size() int        { return o.size }
func (o outside) Kind() dtype.Kind { return o.kind }

// TestUnknownNumbers compares floats and integers of unknown formats bit for bit, and
// gives them no order.
func TestUnknownNumbers(t *testing.T) {
	for _, kind := range []outside{
		{dtype.RawBytes(2), 2, dtype.Float}, {dtype.RawBytes(1), 1, dtype.Float}, {dtype.RawBytes(16), 16, dtype.Float},
		{dtype.RawBytes(32), 32, dtype.Complex}, {dtype.RawBytes(16), 16, dtype.Int}, {dtype.RawBytes(3), 3, dtype.Uint},
	} {
		values := ValuesOf(kind)
		zero, other := make([]byte, kind.size), make([]byte, kind.size)
		other[kind.size-1] = 0x80
		if values.Same(zero, other) || !values.Same(other, slices.Clone(other)) || OrderOf(kind) != nil || NumberOf(kind) != nil {
			t.Errorf("%d bytes of kind %d: the same, or in an order", kind.size, kind.kind)
		}
	}
}
