package packing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// packPlain does what Pack does, without kernels, for from[:n].
func packPlain(to []int16, from []float32, n int, p *Packer) int {
	for at := 0; at < n; at += 16 {
		for i := at; i < at+16; i++ {
			r := float32(float32(from[i]-p.Offset) * p.Scale)
			if !(r >= p.Low && r <= p.High) {
				return at
			}
		}
		for i := at; i < at+16; i++ {
			r := float32(float32(from[i]-p.Offset) * p.Scale)
			to[i] = int16(math.RoundToEven(float64(r)))
		}
	}
	return n
}

func unpackPlain(to []float32, from []int16, u *Unpacker) {
	for i, v := range from {
		if to[i] = float32(float32(v)/u.Scale) + u.Offset; int32(v) == u.Key {
			to[i] = u.Value
		}
	}
}

func bitsOf(list []float32) []uint32 {
	out := make([]uint32, len(list))
	for i, v := range list {
		out[i] = math.Float32bits(v)
	}
	return out
}

// checkPack packs with the kernel and without, and compares the results.
func checkPack(t *testing.T, from []float32, p *Packer) {
	t.Helper()
	const guard = 12345
	got, want := slices.Repeat([]int16{guard}, len(from)+16), slices.Repeat([]int16{guard}, len(from)+16)
	n := packPlain(want, from, len(from)&^15, p)
	if m := Pack(got, from, p); m != n && simd() || m != 0 && !simd() {
		t.Fatalf("%v: %d of %d elements are packed, want %d", p, m, len(from), n)
	} else if !slices.Equal(got[:m], want[:m]) || got[m] != guard {
		t.Fatalf("%v: %v becomes %v, want %v", p, from, got, want)
	}
}

func checkUnpack(t *testing.T, from []int16, u *Unpacker) {
	t.Helper()
	const guard = 12345
	got, want := slices.Repeat([]float32{guard}, len(from)+16), make([]float32, len(from))
	unpackPlain(want, from, u)
	n := Unpack(got, from, u)
	if n != len(from)&^15 && simd() || n != 0 && !simd() {
		t.Fatalf("%d of %d elements are unpacked", n, len(from))
	}
	if !slices.Equal(bitsOf(got[:n]), bitsOf(want[:n])) || got[n] != guard {
		t.Fatalf("%v: %v becomes %v, want %v", u, from, got, want)
	}
}

func TestUnpack(t *testing.T) {
	all := make([]int16, 1<<16)
	for i := range all {
		all[i] = int16(i)
	}
	for _, u := range []Unpacker{
		{0, 1, NoKey, 0}, {15, 512, NoKey, 0}, {-273.15, 0.01, -32768, float32(math.NaN())},
		{3e38, 1e-30, 7, math.Float32frombits(0xffc12345)}, {1e-40, 3e38, 0, float32(math.Copysign(0, -1))},
	} {
		checkUnpack(t, all, &u)
	}
	for n := range 50 {
		checkUnpack(t, all[1000:1000+n], &Unpacker{1, 3, 1007, 5})
	}
}

func TestPack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	special := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0.5, 1.5, -0.5, 32767, 32767.5, 32768, -32768, -32768.5, -32769, 1e-45}
	for seed := range 2000 {
		p := &Packer{Offset: float32(r.NormFloat64()), Scale: float32(math.Exp2(float64(r.IntN(20) - 6))), Low: -32768.5, High: 32767.498}
		if seed%2 == 0 {
			p.Offset, p.Scale = 0, 1
		}
		from := make([]float32, r.IntN(200))
		for i := range from {
			if from[i] = float32(r.NormFloat64()*20000)/p.Scale + p.Offset; seed%3 == 0 {
				from[i] = float32(r.IntN(131070)-65535) / 4
			}
		}
		if len(from) > 0 && seed%4 == 1 {
			from[r.IntN(len(from))] = special[r.IntN(len(special))]
		}
		checkPack(t, from, p)
	}
}

func FuzzPacking(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef01"), float32(1), float32(2), int32(3), float32(4))
	f.Fuzz(func(t *testing.T, data []byte, offset, scale float32, key int32, value float32) {
		floats, integers := make([]float32, len(data)/4), make([]int16, len(data)/2)
		for i := range integers {
			integers[i] = int16(data[2*i]) | int16(data[2*i+1])<<8
		}
		for i := range floats {
			floats[i] = math.Float32frombits(uint32(uint16(integers[2*i])) | uint32(integers[2*i+1])<<16)
		}
		checkPack(t, floats, &Packer{offset, scale, -32768.5, 32767.498})
		if s := float64(scale); s-s == 0 && s != 0 && offset-offset == 0 {
			checkUnpack(t, integers, &Unpacker{offset, scale, key, value})
		}
	})
}
