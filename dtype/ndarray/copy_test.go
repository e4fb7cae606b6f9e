package ndarray

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/dtype"
)

func TestCopy(t *testing.T) {
	eachArray(t, 3, func(t *testing.T, r random, src Array) {
		dst := r.array(src.Type, src.Shape)
		memory, outside := slices.Clone(src.Data), dst.outside()
		Copy(dst, src)
		if !bytes.Equal(dst.elements(), src.elements()) {
			t.Errorf("the copy to %s differs", dst.describe())
		}
		if !bytes.Equal(memory, src.Data) {
			t.Error("the source was modified")
		}
		if !bytes.Equal(outside, dst.outside()) {
			t.Errorf("bytes outside of %s were written", dst.describe())
		}
	})
}

// A source may repeat its elements along dimensions with a stride of zero.
func TestCopyBroadcast(t *testing.T) {
	src := Array{Type: dtype.Uint16, Data: []byte{1, 2, 3, 4, 5, 6}, Shape: []int{4, 3, 2}, Strides: []int{0, 2, 0}}
	dst := New(dtype.Uint16, src.Shape)
	Copy(dst, src)
	if !bytes.Equal(dst.elements(), src.elements()) {
		t.Errorf("%v", dst.Data)
	}
}

// swapped reverses the words of every element, byte by byte.
func swapped(b []byte, word int) []byte {
	b = slices.Clone(b)
	for w := range slices.Chunk(b, word) {
		slices.Reverse(w)
	}
	return b
}

func TestCopySwapped(t *testing.T) {
	eachArray(t, 4, func(t *testing.T, r random, src Array) {
		ordered, ok := src.Type.(dtype.Ordered)
		if !ok {
			return
		}
		word := src.Type.Size()
		if src.Type.(dtype.Numeric).Kind() == dtype.Complex {
			word /= 2
		}
		dst := r.array(src.Type, src.Shape)
		memory, outside := slices.Clone(src.Data), dst.outside()
		CopySwapped(dst, src, ordered)
		if !bytes.Equal(dst.elements(), swapped(src.elements(), word)) {
			t.Errorf("the swapped copy to %s differs", dst.describe())
		}
		if !bytes.Equal(memory, src.Data) || !bytes.Equal(outside, dst.outside()) {
			t.Error("other bytes were written")
		}
		Swap(dst, ordered)
		if !bytes.Equal(dst.elements(), src.elements()) || !bytes.Equal(outside, dst.outside()) {
			t.Error("swapping back differs")
		}
	})
}

func TestCopyMismatch(t *testing.T) {
	a := New(dtype.Uint8, []int{2, 3})
	mustPanic(t, "shape", func() { Copy(a, New(dtype.Uint8, []int{3, 2})) })
	mustPanic(t, "size", func() { Copy(a, New(dtype.Uint16, []int{2, 3})) })
	mustPanic(t, "shape", func() {
		CopySwapped(New(dtype.Int16, []int{1}), New(dtype.Int16, []int{2}), dtype.Int16.(dtype.Ordered))
	})
}

func TestFillAndUniform(t *testing.T) {
	eachArray(t, 5, func(t *testing.T, r random, a Array) {
		value := dtype.Scalar(r.bytes(a.Type.Size()))
		outside := a.outside()
		Fill(a, value)
		if !bytes.Equal(a.elements(), bytes.Repeat(value, a.Len())) {
			t.Error("Fill left another value")
		}
		if !bytes.Equal(outside, a.outside()) {
			t.Error("Fill wrote outside of the array")
		}
		if !Uniform(a, value) {
			t.Error("Uniform is false after Fill")
		}
		if a.Len() == 0 {
			return
		}
		// The arrays differ if any single bit differs.
		b := a.clone()
		list := indexes(b.Shape)
		element := b.at(list[r.IntN(len(list))])
		element[r.IntN(len(element))] ^= 1 << r.IntN(8)
		if Uniform(b, value) {
			t.Error("Uniform misses one other element")
		}
	})
}

// TestUniformBits: elements that are equal as numbers may differ in their bits.
func TestUniformBits(t *testing.T) {
	zero, _ := dtype.Float32.ParseScalar(dtype.V3, []byte("0.0"))
	minus, _ := dtype.Float32.ParseScalar(dtype.V3, []byte("-0.0"))
	nan, _ := dtype.Float32.ParseScalar(dtype.V3, []byte(`"NaN"`))
	payload, _ := dtype.Float32.ParseScalar(dtype.V3, []byte(`"0x7fc00001"`))
	a := New(dtype.Float32, []int{3, 3})
	Fill(a, minus)
	if Uniform(a, zero) {
		t.Error("−0 counts as 0")
	}
	Fill(a, nan)
	if Uniform(a, payload) || !Uniform(a, nan) {
		t.Error("NaN payloads are not compared bit for bit")
	}
}

// The benchmarks report their speed relative to a memmove of the same bytes.

func BenchmarkCopyContiguous(b *testing.B) {
	src, dst := New(dtype.Float32, []int{512, 512, 8}), New(dtype.Float32, []int{512, 512, 8})
	benchmarkCopy(b, dst, src, Copy)
}

func BenchmarkCopyRows(b *testing.B) {
	whole := New(dtype.Float32, []int{512, 600, 8})
	src := whole.Sub(Region{[]int{0, 3, 0}, []int{512, 512, 8}})
	benchmarkCopy(b, New(dtype.Float32, src.Shape), src, Copy)
}

func BenchmarkCopyPermuted(b *testing.B) {
	for _, c := range []struct {
		name  string
		order []int
	}{{"210", []int{2, 1, 0}}, {"102", []int{1, 0, 2}}, {"021", []int{0, 2, 1}}, {"120", []int{1, 2, 0}}, {"201", []int{2, 0, 1}}} {
		b.Run(c.name, func(b *testing.B) {
			src := New(dtype.Float32, []int{512, 512, 8}).Transpose(c.order)
			benchmarkCopy(b, New(dtype.Float32, src.Shape), src, Copy)
		})
	}
	b.Run("square", func(b *testing.B) {
		src := New(dtype.Float32, []int{1448, 1448}).Transpose([]int{1, 0})
		benchmarkCopy(b, New(dtype.Float32, src.Shape), src, Copy)
	})
	b.Run("square2048", func(b *testing.B) {
		src := New(dtype.Float32, []int{2048, 2048}).Transpose([]int{1, 0})
		benchmarkCopy(b, New(dtype.Float32, src.Shape), src, Copy)
	})
}

func BenchmarkCopySwapped(b *testing.B) {
	for _, t := range []dtype.Type{dtype.Int16, dtype.Float32, dtype.Float64} {
		b.Run(t.Name(), func(b *testing.B) {
			src, dst := New(t, []int{8 << 20 / t.Size()}), New(t, []int{8 << 20 / t.Size()})
			benchmarkCopy(b, dst, src, func(dst, src Array) { CopySwapped(dst, src, t.(dtype.Ordered)) })
		})
	}
}

func benchmarkCopy(b *testing.B, dst, src Array, f func(dst, src Array)) {
	n := dst.Len() * dst.Type.Size()
	x, y := bytes.Repeat([]byte{1}, n), bytes.Repeat([]byte{2}, n)
	Fill(src, bytes.Repeat([]byte{3}, src.Type.Size()))
	var move, ours time.Duration
	b.SetBytes(int64(n))
	for b.Loop() {
		start := time.Now()
		copy(x, y)
		middle := time.Now()
		f(dst, src)
		move, ours = move+middle.Sub(start), ours+time.Since(middle)
	}
	b.ReportMetric(float64(move)/float64(ours), "×memmove")
}
