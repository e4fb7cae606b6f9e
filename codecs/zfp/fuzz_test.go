package zfp

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"testing"
)

// fuzzShape makes a small shape from the bytes of a number. In less than three
// dimensions it is long enough for runs of blocks with further blocks behind them.
func fuzzShape(seed uint32) []int {
	shape := make([]int, 1+seed&3)
	seed >>= 2
	for i := range shape {
		most := uint32(11)
		if len(shape) < 3 && i == len(shape)-1 {
			most = 149
		}
		shape[i] = 1 + int(seed%most)
		seed /= most
	}
	return shape
}

// FuzzDecode decodes any bytes with any parameters, at all levels.
func FuzzDecode(f *testing.F) {
	for i, c := range readGolden(f, openSelection(f)) {
		if p, err := c.params(Float32); err == nil && i%20 == 0 {
			f.Add(c.zfp, uint32(i*12345), p.MinBits, p.MaxBits, p.MaxPrec, p.MinExp)
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, seed uint32, minbits, maxbits, maxprec, minexp int) {
		p := Params{minbits, maxbits, maxprec, minexp}
		shape := fuzzShape(seed)
		fuzzDecode[int32, int32](t, stream, shape, p)
		fuzzDecode[int64, int64](t, stream, shape, p)
		fuzzDecode[int32, float32](t, stream, shape, p)
		fuzzDecode[int64, float64](t, stream, shape, p)
	})
}

func fuzzDecode[W word, T Scalar](t *testing.T, stream []byte, shape []int, p Params) {
	t.Helper()
	dst := make([]T, product(shape))
	err := Decode(dst, shape, stream, p, Options{})
	if err != nil && !errors.Is(err, ErrParams) && !errors.Is(err, ErrCorrupt) {
		t.Errorf("%v", err)
	}
	if g, err := newGrid(shape); err == nil && p.Validate(typeOf[T]()) == nil {
		compareDecoders[W, T](t, fmt.Sprint(shape, p), &g, p, stream)
	}
}

// FuzzRoundTrip encodes any elements with any parameters. It checks the size, that the
// stream decodes, that the lossless mode loses nothing, and that the kernels agree with
// Go.
func FuzzRoundTrip(f *testing.F) {
	for i, c := range readGolden(f, openSelection(f)) {
		if p, err := c.params(Float32); err == nil && i%20 == 0 {
			f.Add(c.in, uint32(i*12345), p.MinBits, p.MaxBits, p.MaxPrec, p.MinExp)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint32, minbits, maxbits, maxprec, minexp int) {
		p := Params{minbits, maxbits, maxprec, minexp}
		shape := fuzzShape(seed)
		fuzzRoundTrip[int32, int32](t, data, shape, p)
		fuzzRoundTrip[int64, int64](t, data, shape, p)
		fuzzRoundTrip[int32, float32](t, data, shape, p)
		fuzzRoundTrip[int64, float64](t, data, shape, p)
	})
}

func fuzzRoundTrip[W word, T Scalar](t *testing.T, data []byte, shape []int, p Params) {
	t.Helper()
	src := make([]T, product(shape))
	raw := make([]byte, binary.Size(src))
	copy(raw, data)
	if _, err := binary.Decode(raw, binary.LittleEndian, src); err != nil {
		t.Fatal(err)
	}
	typ := typeOf[T]()
	limit, err := MaxSize(shape, typ, p)
	if err != nil {
		if _, err := AppendEncode(nil, src, shape, p, Options{}); !errors.Is(err, ErrParams) {
			t.Errorf("encoded without a size: %v", err)
		}
		return
	}
	stream, err := AppendEncode(nil, src, shape, p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, fixed := p.BlockBits(typ); len(stream) > limit || fixed && len(stream) != limit {
		t.Errorf("%d bytes, MaxSize is %d", len(stream), limit)
	}
	got := make([]T, len(src))
	if err := Decode(got, shape, stream, p, Options{}); err != nil {
		t.Fatal(err)
	}
	g, err := newGrid(shape)
	if err != nil {
		t.Fatal(err)
	}
	compareKernels[W](t, fmt.Sprint(shape, p), &g, p, src)
	unlimited := p.MaxBits >= NoMaxBits && p.MaxPrec >= typ.bits()
	if p.reversible() && unlimited {
		back, err := binary.Append(nil, binary.LittleEndian, got)
		if err != nil || string(back) != string(raw) {
			t.Errorf("lossless mode: %v became %v, %v", src, got, err)
		}
	}
	if typ == Float64 && unlimited && p.MinExp >= NoMinExp {
		checkTolerance(t, src, got, p.MinExp)
	}
}

// checkTolerance checks the error of values for which 64 bits suffice.
func checkTolerance[T Scalar](t *testing.T, src, got []T, minexp int) {
	t.Helper()
	tolerance := math.Ldexp(1, minexp)
	for _, v := range src {
		m := math.Abs(float64(v))
		if !(m < math.Ldexp(1, min(minexp+40, 1000))) || m != 0 && m < 1e-280 {
			return // NaN, infinite, or in a block that has too few bits
		}
	}
	for i, v := range src {
		if d := math.Abs(float64(v) - float64(got[i])); !(d <= tolerance) {
			t.Errorf("element %d: %v became %v, beyond %v", i, v, got[i], tolerance)
		}
	}
}

// FuzzHeader parses any bytes. A header that is accepted is written the same way again.
func FuzzHeader(f *testing.F) {
	for _, h := range headers {
		b, err := hex.DecodeString(h.hex)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("zfp\x05000000\xf0\xff\x00\x800\xff\xaf\x877")) // more bits than any block has
	f.Fuzz(func(t *testing.T, src []byte) {
		h, err := ParseHeader(src)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("%v", err)
			}
			return
		}
		var w bitWriter
		if err := w.putHeader(h.Type, h.Shape, h.Params); err != nil {
			t.Fatal(err)
		}
		again, err := ParseHeader(w.buf)
		if err != nil || again.Params != canonical(h.Params) || again.Params != canonical(again.Params) {
			t.Errorf("%+v became %+v, %v", h, again, err)
		}
	})
}
