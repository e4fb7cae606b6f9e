package zfp

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRegion(t *testing.T) {
	testRegion[float32](t, []int{67})
	testRegion[float64](t, []int{13, 22})
	testRegion[int64](t, []int{9, 8, 15})
	testRegion[int32](t, []int{5, 6, 7, 9})
}

// testRegion decodes regions and compares them with the whole array.
func testRegion[T Scalar](t *testing.T, shape []int) {
	field := smooth[T](shape)
	p := setting{"rate", 7.3}.params(t, typeOf[T](), len(shape))
	stream, err := AppendEncode(nil, field, shape, p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole := make([]T, len(field))
	if err := Decode(whole, shape, stream, p, Options{}); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		start, count := make([]int, len(shape)), make([]int, len(shape))
		for d, n := range shape {
			start[d] = rng.IntN(n)
			count[d] = 1 + rng.IntN(n-start[d])
		}
		from, to, err := RegionBytes(start, count, shape, typeOf[T](), p)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]T, product(count))
		if err := DecodeRegion(got, start, count, shape, bytes.Clone(stream[from:to]), p); err != nil {
			t.Fatalf("region %v+%v of %v, bytes %d to %d: %v", start, count, shape, from, to, err)
		}
		want := make([]T, 0, len(got))
		for i := range got {
			at, stride, rest := 0, 1, i
			for d, n := range slices.Backward(shape) {
				at += (start[d] + rest%count[d]) * stride
				rest /= count[d]
				stride *= n
			}
			want = append(want, whole[at])
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("region %v+%v of %v (-want +got):\n%s", start, count, shape, d)
		}
		if err := DecodeRegion(got, start, count, shape, stream[from:to-1], p); !errors.Is(err, ErrCorrupt) {
			t.Errorf("a byte of a region missing: %v", err)
		}
	}
}

func TestRegionRefused(t *testing.T) {
	rate := Params{64, 64, 64, -1074}
	for name, r := range map[string]struct {
		start, count, shape []int
		p                   Params
	}{
		"another mode":  {[]int{0}, []int{4}, []int{8}, Reversible()},
		"dimensions":    {[]int{0, 0}, []int{4}, []int{8}, rate},
		"outside":       {[]int{8}, []int{1}, []int{8}, rate},
		"beyond":        {[]int{5}, []int{4}, []int{8}, rate},
		"beyond an int": {[]int{5}, []int{math.MaxInt}, []int{8}, rate},
		"negative":      {[]int{-1}, []int{4}, []int{8}, rate},
		"empty":         {[]int{1}, []int{0}, []int{8}, rate},
		"no shape":      {nil, nil, nil, rate},
	} {
		if _, _, err := RegionBytes(r.start, r.count, r.shape, Int32, r.p); !errors.Is(err, ErrParams) {
			t.Errorf("%s: %v", name, err)
		}
		if err := DecodeRegion(make([]int32, 4), r.start, r.count, r.shape, make([]byte, 999), r.p); !errors.Is(err, ErrParams) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := DecodeRegion(make([]int32, 3), []int{0}, []int{4}, []int{8}, make([]byte, 999), rate); !errors.Is(err, ErrParams) {
		t.Errorf("length: %v", err)
	}
}
