package sources

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// memory is one file that counts how it is read.
type memory struct {
	data     []byte
	gap      int
	requests int
	largest  int
}

func (m *memory) GapBytes() int { return m.gap }

func (m *memory) ReadRange(_ context.Context, _ string, p []byte, off int64) error {
	m.requests++
	m.largest = max(m.largest, len(p))
	if off < 0 || off+int64(len(p)) > int64(len(m.data)) {
		return io.ErrUnexpectedEOF
	}
	copy(p, m.data[off:])
	return nil
}

func noise(n int, r *rand.Rand) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// naive reads a region element by element.
func naive(a *strided, data []byte, dst ndarray.Array, start []int) {
	size := a.info.Type.Size()
	index := make([]int, len(dst.Shape))
	n, _ := ndarray.Elements(dst.Shape)
	for range n {
		from, to := int(a.place.Offset), dst.Offset
		for k, i := range index {
			from += (start[k] + i) * a.place.Strides[k]
			to += i * dst.Strides[k]
		}
		element := slices.Clone(data[from : from+size])
		if a.swap != nil {
			a.swap.SwapInto(element, element)
		}
		copy(dst.Data[to:], element)
		for k := len(index) - 1; k >= 0; k-- {
			if index[k]++; index[k] < dst.Shape[k] {
				break
			}
			index[k] = 0
		}
	}
}

// randomStrides lays out a shape in a random order of dimensions, with random
// gaps between the slices of each.
func randomStrides(r *rand.Rand, size int, shape []int) []int {
	strides := make([]int, len(shape))
	step := size
	for _, k := range r.Perm(len(shape)) {
		if r.IntN(3) == 0 {
			step += r.IntN(40)
		}
		strides[k] = step
		step *= max(shape[k], 1)
	}
	return strides
}

// randomMemory returns memory for an array, in C order, transposed, or a view
// into something larger.
func randomMemory(r *rand.Rand, t dtype.Type, shape []int) ndarray.Array {
	order := r.Perm(len(shape))
	outer := ndarray.Region{Start: make([]int, len(shape)), Shape: make([]int, len(shape))}
	whole := make([]int, len(shape))
	back := make([]int, len(shape))
	for i, k := range order {
		whole[i], outer.Shape[i] = shape[k], shape[k]
		if r.IntN(3) == 0 {
			outer.Start[i] = r.IntN(3)
			whole[i] += outer.Start[i] + r.IntN(3)
		}
		back[k] = i
	}
	return ndarray.New(t, whole).Sub(outer).Transpose(back)
}

func TestStridedAgainstNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := []dtype.Type{dtype.Uint8, dtype.Int16, dtype.Float32, dtype.Float64, dtype.Complex64, dtype.Complex128, dtype.RawBits(3)}
	pool := &ndarray.Pool{Keep: ScratchBytes}
	for round := range 4000 {
		typ := all[r.IntN(len(all))]
		shape := make([]int, r.IntN(5))
		for i := range shape {
			shape[i] = r.IntN(9)
		}
		p := Place{
			Order: dtype.Order(1 + r.IntN(2)), Offset: int64(r.IntN(50)),
			Strides: randomStrides(r, typ.Size(), shape), Scratch: pool,
		}
		end, ok := p.end(typ.Size(), shape)
		if !ok {
			t.Fatalf("round %d: place refused", round)
		}
		file := &memory{data: noise(int(end), r), gap: r.IntN(100)}
		p.Files, p.Size = file, end
		array, err := NewStrided(&Info{Type: typ, Shape: shape}, p)
		if err != nil {
			t.Fatal(err)
		}
		start, extent := make([]int, len(shape)), make([]int, len(shape))
		for i, n := range shape {
			extent[i] = r.IntN(n + 1)
			start[i] = r.IntN(n - extent[i] + 1)
		}
		got := randomMemory(r, typ, extent)
		want := got
		want.Data = slices.Clone(got.Data)
		naive(array.(*strided), file.data, want, start)
		if err := array.ReadRegion(context.Background(), got, start); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Data, want.Data) {
			t.Fatalf("round %d: %s of shape %v, strides %v, order %v, gap %d: region %v of %v into strides %v differs",
				round, typ.Name(), shape, p.Strides, p.Order, file.gap, start, extent, got.Strides)
		}
	}
	if n := pool.Lent(); n != 0 {
		t.Errorf("%d buffers are not returned", n)
	}
}

// TestStridedRequests counts the requests for typical regions of a large
// array.
func TestStridedRequests(t *testing.T) {
	const rows, columns = 512, 4096 // 8 MiB of float32
	file := &memory{data: noise(4*rows*columns, rand.New(rand.NewPCG(3, 4)))}
	for name, test := range map[string]struct {
		gap          int
		order        dtype.Order
		start, shape []int
		transposed   bool
		requests     int
		largest      int
	}{
		"whole, one run":              {8 << 10, dtype.Native, []int{0, 0}, []int{rows, columns}, false, 1, 8 << 20},
		"whole rows":                  {8 << 10, dtype.Big, []int{100, 0}, []int{10, columns}, false, 1, 160 << 10},
		"half rows, gaps read":        {8 << 10, dtype.Native, []int{0, 0}, []int{rows, columns / 2}, false, 8, 1<<20 - 8<<10},
		"half rows, gaps skipped":     {4 << 10, dtype.Native, []int{0, 0}, []int{rows, columns / 2}, false, rows, 8 << 10},
		"one column, gaps skipped":    {8 << 10, dtype.Native, []int{0, 7}, []int{rows, 1}, false, rows, 4},
		"one column, remote":          {512 << 10, dtype.Native, []int{0, 7}, []int{rows, 1}, false, 8, 63<<14 + 4},
		"transposed: by way of spans": {8 << 10, dtype.Native, []int{0, 0}, []int{rows, columns}, true, 8, 1 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			file.gap, file.requests, file.largest = test.gap, 0, 0
			array, err := NewStrided(&Info{Type: dtype.Float32, Shape: []int{rows, columns}}, Place{
				Files: file, Size: int64(len(file.data)), Order: test.order,
				Strides: []int{4 * columns, 4}, Scratch: &ndarray.Pool{},
			})
			if err != nil {
				t.Fatal(err)
			}
			dst := ndarray.New(dtype.Float32, test.shape)
			if test.transposed {
				dst = ndarray.New(dtype.Float32, []int{columns, rows}).Transpose([]int{1, 0})
			}
			if err := array.ReadRegion(context.Background(), dst, test.start); err != nil {
				t.Fatal(err)
			}
			if file.requests != test.requests || file.largest != test.largest {
				t.Errorf("%d requests of up to %d bytes, want %d of up to %d", file.requests, file.largest, test.requests, test.largest)
			}
			want := dst
			want.Data = make([]byte, len(dst.Data))
			naive(array.(*strided), file.data, want, test.start)
			if !bytes.Equal(dst.Data, want.Data) {
				t.Error("the values differ")
			}
		})
	}
}

func TestNewStridedRefuses(t *testing.T) {
	const large = 1 << 62
	for name, test := range map[string]struct {
		shape, strides []int
		offset         int64
		want           string
	}{
		"truncated":          {[]int{4}, []int{4}, 1, "truncated: the file has 16 bytes, array \"a\" of shape [4] ends at byte 17"},
		"overflow":           {[]int{large, 3}, []int{large, 4}, 0, "too large for any file"},
		"overflow of a sum":  {[]int{3, 3}, []int{large - 1, large - 1}, 0, "too large for any file"},
		"overflow of offset": {[]int{2}, []int{4}, 1<<63 - 5, "too large for any file"},
		"negative stride":    {[]int{2}, []int{-4}, 8, "too large for any file"},
		"negative offset":    {[]int{2}, []int{4}, -1, "too large for any file"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewStrided(&Info{Path: "a", Type: dtype.Float32, Shape: test.shape},
				Place{Size: 16, Offset: test.offset, Strides: test.strides})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
	if _, err := NewStrided(&Info{Type: dtype.Float32, Shape: []int{0, large}}, Place{Files: &memory{}, Order: dtype.Little, Offset: 1 << 40, Strides: []int{large, 4}}); err != nil {
		t.Errorf("an empty array needs no bytes: %v", err)
	}
}

func TestBoolsAreChecked(t *testing.T) {
	file := &memory{data: []byte{0, 1, 1, 0, 2, 1}}
	array, err := NewStrided(&Info{Path: "mask", Type: dtype.BoolType, Shape: []int{2, 3}},
		Place{Files: file, URL: "mask.bin", Size: 6, Strides: []int{3, 1}, Scratch: &ndarray.Pool{}})
	if err != nil {
		t.Fatal(err)
	}
	dst := ndarray.New(dtype.BoolType, []int{2, 1})
	if err := array.ReadRegion(context.Background(), dst, []int{0, 0}); err != nil {
		t.Errorf("column 0: %v", err)
	}
	err = array.ReadRegion(context.Background(), dst, []int{0, 1})
	if want := `mask.bin: array "mask": element [1 1] is 2`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want an error that begins with %q", err, want)
	}
	for _, test := range []struct {
		shape []int
		at    int
		want  string
	}{{[]int{}, 0, "element [] is 2"}, {[]int{2, 2, 2}, 6, "element [1 1 0] is 2"}, {[]int{2, 2, 2}, 3, "element [0 1 1] is 2"}, {[]int{1, 3}, 2, "element [0 2] is 2"}} {
		n, _ := ndarray.Elements(test.shape)
		file := &memory{data: make([]byte, n)}
		file.data[test.at] = 2
		array, err := NewStrided(&Info{Type: dtype.BoolType, Shape: test.shape}, Place{Files: file, Size: int64(n), Strides: ndarray.CStrides(1, test.shape), Scratch: &ndarray.Pool{}})
		if err != nil {
			t.Fatal(err)
		}
		if err := array.ReadRegion(t.Context(), ndarray.New(dtype.BoolType, test.shape), make([]int, len(test.shape))); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("shape %v: got %v, want %q", test.shape, err, test.want)
		}
	}
}

func TestFillAttribute(t *testing.T) {
	for _, test := range []struct {
		typ        dtype.Type
		fill, want string
	}{
		{dtype.Float64, `1.5`, `"AAAAAAAA+D8="`},
		{dtype.Float32, `-1e34`, `"AAAA4JvQ/sY="`},
		{dtype.Float16, `0.5`, `"AAAAAAAA4D8="`},
		{dtype.Float32, `"NaN"`, `"AAAAAAAA+H8="`},
		{dtype.Float32, `"0xffc00001"`, `"AAAAAAAA+H8="`},
		{dtype.Float64, `"-Infinity"`, `"AAAAAAAA8P8="`},
		{dtype.Int64, `-9223372036854775808`, `-9223372036854775808`},
		{dtype.Uint8, `255`, `255`},
		{dtype.BoolType, `true`, `true`},
	} {
		t.Run(fmt.Sprint(test.typ.Name(), " ", test.fill), func(t *testing.T) {
			fill, err := test.typ.ParseScalar(dtype.V3, []byte(test.fill))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(FillAttribute(test.typ, fill)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// shortened is a file in which reads from a place on fail.
type shortened struct {
	memory
	from int64
}

func (f *shortened) ReadRange(ctx context.Context, key string, p []byte, off int64) error {
	if off+int64(len(p)) > f.from {
		return io.ErrClosedPipe
	}
	return f.memory.ReadRange(ctx, key, p, off)
}

// TestStridedFails: a region that cannot be read as a whole is an error, in one long
// read and in many small ones.
func TestStridedFails(t *testing.T) {
	const rows, columns = 20, 30
	for name, strides := range map[string][]int{"one run": {4 * columns, 4}, "columns": {4, 4 * rows}, "far apart": {8 * columns, 4}, "far apart, gaps read": {8 * columns, 4}} {
		file := &shortened{memory{data: make([]byte, 8*rows*columns)}, 4 * (rows*columns - 1)}
		if name == "far apart, gaps read" {
			file.gap = 1 << 10
		}
		a, err := NewStrided(&Info{Path: "a", Type: dtype.Float32, Shape: []int{rows, columns}},
			Place{Files: file, Size: int64(len(file.data)), Order: dtype.Big, Strides: strides, Scratch: &ndarray.Pool{}})
		if err != nil {
			t.Fatal(err)
		}
		dst := ndarray.New(dtype.Float32, []int{rows - 1, columns - 1})
		err = a.ReadRegion(t.Context(), dst, []int{1, 1})
		if !errors.Is(err, io.ErrClosedPipe) || !strings.Contains(err.Error(), "region at [1 1]") {
			t.Errorf("%s: got %v", name, err)
		}
		if dst.Shape[0], dst.Shape[1] = 1, 1; a.ReadRegion(t.Context(), dst, []int{0, 0}) != nil {
			t.Errorf("%s: a region in front of it cannot be read", name)
		}
	}
}

// TestStridedUnused sets unused bits of elements to the value that all equal elements have.
func TestStridedUnused(t *testing.T) {
	file := &memory{data: []byte{0x18, 0xf7, 0x03}}
	a, err := NewStrided(&Info{Type: dtype.Int4, Shape: []int{3}}, Place{Files: file, Size: 3, Strides: []int{1}, Scratch: &ndarray.Pool{}})
	if err != nil {
		t.Fatal(err)
	}
	dst := ndarray.New(dtype.Int4, []int{3})
	if err := a.ReadRegion(t.Context(), dst, []int{0}); err != nil || !bytes.Equal(dst.Data, []byte{0xf8, 7, 3}) {
		t.Errorf("got %x, %v", dst.Data, err)
	}
}

// TestStridedOrder reads an array whose first dimension is the fastest in one request.
func TestStridedOrder(t *testing.T) {
	const rows, columns = 50, 40
	file := &memory{data: make([]byte, rows*columns), gap: 8}
	info := &Info{Path: "a", Type: dtype.Uint8, Shape: []int{rows, columns}}
	a, err := NewStrided(info, Place{Files: file, Size: rows * columns, Strides: []int{1, rows}, Scratch: &ndarray.Pool{}})
	if err != nil {
		t.Fatal(err)
	}
	if info.LongRun != 32*8 {
		t.Errorf("a long run has %d bytes", info.LongRun)
	}
	dst := ndarray.New(dtype.Uint8, info.Shape)
	if err := a.ReadRegion(t.Context(), dst, []int{0, 0}); err != nil || file.requests != 1 {
		t.Errorf("%d requests, %v", file.requests, err)
	}
	if err := a.ReadRegion(t.Context(), dst, []int{1, 0}); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("a region outside: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.ReadRegion(ctx, dst, []int{0, 0}); !errors.Is(err, context.Canceled) || file.requests != 1 {
		t.Errorf("interrupted: %v, %d requests", err, file.requests)
	}
}
