package ndarray

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

// elementTypes has a type for every element size that Copy treats differently, and for
// some other sizes.
func elementTypes() []dtype.Type {
	return []dtype.Type{
		dtype.Uint8, dtype.Int16, dtype.RawBytes(3), dtype.Float32, dtype.Float64,
		dtype.Complex64, dtype.Complex128, dtype.RawBytes(24), dtype.RawBytes(32), dtype.RawBytes(33),
	}
}

// random draws arrays. Every test has a random of its own, seeded by a constant.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 1))} }

func (r random) shape(most int) []int {
	shape := make([]int, r.IntN(7))
	left := most
	for i := range shape {
		shape[i] = 1 + r.IntN(min(left, 40))
		left = max(left/shape[i], 1)
		if r.IntN(25) == 0 {
			shape[i] = 0
		}
	}
	r.Shuffle(len(shape), func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
	return shape
}

func (r random) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// array draws an array of this shape with random content. Mostly it is a region of a
// larger array with permuted strides and an offset.
func (r random) array(t dtype.Type, shape []int) Array {
	order := r.Perm(len(shape))
	if r.IntN(3) == 0 {
		slices.Sort(order)
	}
	outer, start := make([]int, len(shape)), make([]int, len(shape))
	for i, from := range order {
		outer[i] = shape[from]
		if r.IntN(3) == 0 {
			start[from] = r.IntN(3)
			outer[i] += start[from] + r.IntN(3)
		}
	}
	n, _ := Bytes(t, outer)
	offset := r.IntN(2) * r.IntN(20)
	a := Array{Type: t, Data: r.bytes(n + offset), Offset: offset, Shape: outer, Strides: CStrides(t.Size(), outer)}
	inverse := make([]int, len(order))
	for i, from := range order {
		inverse[from] = i
	}
	return a.Transpose(inverse).Sub(Region{start, shape})
}

// indexes lists all element indexes of a shape in C order.
func indexes(shape []int) [][]int {
	n, _ := Elements(shape)
	list := make([][]int, 0, n)
	index := make([]int, len(shape))
	for range n {
		list = append(list, slices.Clone(index))
		for k := len(index) - 1; k >= 0; k-- {
			if index[k]++; index[k] < shape[k] {
				break
			}
			index[k] = 0
		}
	}
	return list
}

// at returns the memory of one element, by the definition of Array.
func (a Array) at(index []int) []byte {
	at := a.Offset
	for k, i := range index {
		at += i * a.Strides[k]
	}
	return a.Data[at : at+a.Type.Size()]
}

// elements collects the elements in C order, one by one.
func (a Array) elements() []byte {
	var b []byte
	for _, index := range indexes(a.Shape) {
		b = append(b, a.at(index)...)
	}
	return b
}

// outside collects the bytes of the memory that belong to no element.
func (a Array) outside() []byte {
	inside := make([]bool, len(a.Data))
	for _, index := range indexes(a.Shape) {
		at := a.Offset
		for k, i := range index {
			at += i * a.Strides[k]
		}
		for j := range a.Type.Size() {
			inside[at+j] = true
		}
	}
	var b []byte
	for i, x := range a.Data {
		if !inside[i] {
			b = append(b, x)
		}
	}
	return b
}

// clone returns the same view of a copy of the memory.
func (a Array) clone() Array {
	a.Data = slices.Clone(a.Data)
	return a
}

func (a Array) describe() string {
	return fmt.Sprintf("%v %s, strides %v, offset %d", a.Shape, a.Type.Name(), a.Strides, a.Offset)
}

// eachArray runs f over many random arrays of every element size.
func eachArray(t *testing.T, seed uint64, f func(t *testing.T, r random, a Array)) {
	t.Helper()
	r := newRandom(seed)
	for _, typ := range elementTypes() {
		for range 60 {
			a := r.array(typ, r.shape(1500))
			f(t, r, a)
			if t.Failed() {
				t.Fatal(a.describe())
			}
		}
	}
}
