package digest_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
)

// faultsOfAKind is how many faults of each kind are tried on each array.
const faultsOfAKind = 20

// victim is an array that suffers faults.
type victim struct {
	ndarray.Array
	size int
	*rand.Rand
}

// boxes returns a random region, and another of its shape. It returns false if the two share
// elements.
func (v victim) boxes() (a, b ndarray.Array, ok bool) {
	n := len(v.Shape)
	one := ndarray.Region{Start: make([]int, n), Shape: make([]int, n)}
	two := ndarray.Region{Start: make([]int, n), Shape: one.Shape}
	for k, extent := range v.Shape {
		one.Shape[k] = 1 + v.IntN((extent+1)/2)
		one.Start[k], two.Start[k] = v.IntN(extent-one.Shape[k]+1), v.IntN(extent-one.Shape[k]+1)
		ok = ok || max(one.Start[k], two.Start[k])-min(one.Start[k], two.Start[k]) >= one.Shape[k]
	}
	return v.Sub(one), v.Sub(two), ok
}

// slices returns two slices of the array, each of one index of the same random dimension.
func (v victim) slices() (a, b ndarray.Array) {
	k := v.IntN(len(v.Shape))
	r := ndarray.Region{Start: make([]int, len(v.Shape)), Shape: slices.Clone(v.Shape)}
	r.Shape[k] = 1
	other := ndarray.Region{Start: slices.Clone(r.Start), Shape: r.Shape}
	r.Start[k], other.Start[k] = v.IntN(v.Shape[k]), v.IntN(v.Shape[k])
	return v.Sub(r), v.Sub(other)
}

func exchange(a, b ndarray.Array) {
	kept := ndarray.New(a.Type, a.Shape)
	ndarray.Copy(kept, a)
	ndarray.Copy(a, b)
	ndarray.Copy(b, kept)
}

// element returns the bytes of a random element.
func (v victim) element() []byte {
	at := v.IntN(len(v.Data)/v.size) * v.size
	return v.Data[at : at+v.size]
}

// faults are the accidents that may happen to an array.
var faults = []struct {
	name string
	do   func(v victim)
}{
	{"a bit flips", func(v victim) { v.Data[v.IntN(len(v.Data))] ^= 1 << v.IntN(8) }},
	{"bits flip", func(v victim) {
		for range 2 + v.IntN(30) {
			v.Data[v.IntN(len(v.Data))] ^= 1 << v.IntN(8)
		}
	}},
	{"the same bit of several elements flips", func(v victim) {
		at, bit := v.IntN(v.size), byte(1)<<v.IntN(8)
		for range 2 + v.IntN(9) {
			v.element()[at] ^= bit
		}
	}},
	{"signs change", func(v victim) {
		for range 2 + v.IntN(99) {
			v.element()[v.size-1] ^= 0x80
		}
	}},
	{"the signs of a region change", func(v victim) {
		a, _, _ := v.boxes()
		change(a, func(e []byte) { e[len(e)-1] ^= 0x80 })
	}},
	{"a region loses its signs", func(v victim) {
		a, _, _ := v.boxes()
		change(a, func(e []byte) { e[len(e)-1] &= 0x7f })
	}},
	{"all elements change in the same bit", func(v victim) {
		at, bit := v.IntN(v.size), byte(1)<<v.IntN(8)
		change(v.Array, func(e []byte) { e[at] ^= bit })
	}},
	{"two elements change places", func(v victim) {
		a, b := v.element(), v.element()
		kept := slices.Clone(a)
		copy(a, b)
		copy(b, kept)
	}},
	{"two bytes change places", func(v victim) {
		i, j := v.IntN(len(v.Data)), v.IntN(len(v.Data))
		v.Data[i], v.Data[j] = v.Data[j], v.Data[i]
	}},
	{"two slices change places", func(v victim) { exchange(v.slices()) }},
	{"a slice is that of another index", func(v victim) { ndarray.Copy(v.slices()) }},
	{"two regions change places", func(v victim) {
		if a, b, ok := v.boxes(); ok {
			exchange(a, b)
		}
	}},
	{"a region is that of another place", func(v victim) {
		if a, b, ok := v.boxes(); ok {
			ndarray.Copy(a, b)
		}
	}},
	{"a region is zero", func(v victim) {
		a, _, _ := v.boxes()
		change(a, func(e []byte) { clear(e) })
	}},
	{"a region has the value of one element", func(v victim) {
		a, _, _ := v.boxes()
		one := slices.Clone(v.element())
		change(a, func(e []byte) { copy(e, one) })
	}},
	{"elements are moved along", func(v victim) {
		n := v.size * (1 + v.IntN(min(20, len(v.Data)/v.size)))
		copy(v.Data, append(slices.Clone(v.Data[n:]), v.Data[:n]...))
	}},
	{"bytes are moved along", func(v victim) {
		n := 1 + v.IntN(min(20, len(v.Data)))
		copy(v.Data, append(slices.Clone(v.Data[n:]), v.Data[:n]...))
	}},
	{"a dimension is reversed", func(v victim) {
		k := v.IntN(len(v.Shape))
		r := ndarray.Region{Start: make([]int, len(v.Shape)), Shape: slices.Clone(v.Shape)}
		r.Shape[k] = 1
		for i, j := 0, v.Shape[k]-1; i < j; i, j = i+1, j-1 {
			r.Start[k] = i
			other := ndarray.Region{Start: slices.Clone(r.Start), Shape: r.Shape}
			other.Start[k] = j
			exchange(v.Sub(r), v.Sub(other))
		}
	}},
	{"two dimensions change places", func(v victim) {
		order := v.Perm(len(v.Shape))
		shape := make([]int, len(order))
		for i, k := range order {
			shape[i] = v.Shape[k]
		}
		turned := ndarray.New(v.Type, shape)
		ndarray.Copy(turned, v.Transpose(order))
		copy(v.Data, turned.Data)
	}},
	{"the byte order is another", func(v victim) {
		a, _, _ := v.boxes()
		change(a, func(e []byte) { slices.Reverse(e) })
	}},
	{"a number is added to a region", func(v victim) {
		a, _, _ := v.boxes()
		n := byte(1 + v.IntN(255))
		change(a, func(e []byte) { e[0] += n })
	}},
}

// change calls f with each element of an array.
func change(a ndarray.Array, f func([]byte)) {
	for e := range a.Items() {
		f(e)
	}
}

// contents fill arrays with values like those that users have.
var contents = []struct {
	name string
	fill func(a ndarray.Array, random *rand.Rand)
}{
	{"noise", func(a ndarray.Array, random *rand.Rand) {
		for i := range a.Data {
			a.Data[i] = byte(random.Uint32())
		}
	}},
	{"zeros", func(ndarray.Array, *rand.Rand) {}},
	{"one value", func(a ndarray.Array, random *rand.Rand) {
		value := byte(random.Uint32())
		change(a, func(e []byte) { e[len(e)-1] = value })
	}},
	{"a smooth field", func(a ndarray.Array, _ *rand.Rand) {
		n := 0
		change(a, func(e []byte) {
			var word [8]byte
			switch v := math.Sin(float64(n) / 50); len(e) {
			case 4:
				binary.LittleEndian.PutUint32(word[:], math.Float32bits(float32(v)))
			case 8:
				binary.LittleEndian.PutUint64(word[:], math.Float64bits(v))
			default:
				binary.LittleEndian.PutUint64(word[:], uint64(int64(100*v)))
			}
			copy(e, word[:])
			n++
		})
	}},
	{"a repeated pattern", func(a ndarray.Array, _ *rand.Rand) {
		for i := range a.Data {
			a.Data[i] = byte(i / 4 % 16)
		}
	}},
	{"few ones", func(a ndarray.Array, random *rand.Rand) {
		change(a, func(e []byte) { e[0] = byte((random.Uint32N(40) + 1) / 40) })
	}},
}

// TestFaults puts faults into arrays, more than a thousand of most kinds. The digest must
// notice each.
func TestFaults(t *testing.T) {
	t.Parallel()
	tried := make([]int, len(faults))
	for size, shapes := range map[int][][]int{
		1:  {{5000}, {40, 40}, {8, 1, 8, 16}, {700, 1}, {3, 7, 5}},
		2:  {{3000}, {32, 32}, {7, 9, 11}, {600, 1}, {6, 6, 6, 6}},
		3:  {{900}, {31, 17}},
		4:  {{3000}, {40, 30}, {1024, 1}, {10, 10, 10}, {4, 5, 6, 7}, {1, 2500}, {2, 3, 2, 3, 2, 3}},
		8:  {{1500}, {25, 25}, {16, 16, 4}, {500, 1}, {2, 1100}},
		16: {{300}, {20, 20}},
	} {
		for _, shape := range shapes {
			for c, content := range contents {
				random := rand.New(rand.NewPCG(uint64(size), uint64(shape[0]*10+c)))
				whole := ndarray.New(dtype.RawBytes(size), shape)
				content.fill(whole, random)
				v := victim{ndarray.New(whole.Type, shape), size, random}
				start := make([]int, len(shape))
				want := digest.Of(whole, start)
				for i, fault := range faults {
					for range faultsOfAKind {
						copy(v.Data, whole.Data)
						if fault.do(v); bytes.Equal(v.Data, whole.Data) {
							continue
						}
						tried[i]++
						if digest.Of(v.Array, start) == want {
							t.Errorf("elements of %d bytes, shape %v, %s: %s, and the digest does not change", size, shape, content.name, fault.name)
						}
					}
				}
			}
		}
	}
	for i, fault := range faults {
		if t.Logf("%s: %d", fault.name, tried[i]); tried[i] < 500 {
			t.Errorf("%s: only %d faults changed values", fault.name, tried[i])
		}
	}
}
