package parquet

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// packed encodes numbers as groups of width bits. Their number is a multiple of eight.
func packed(numbers []uint32, width int) []byte {
	out := binary.AppendUvarint(nil, uint64(len(numbers)/8)<<1|1)
	begin := len(out)
	out = append(out, make([]byte, len(numbers)*width/8)...)
	for i, n := range numbers {
		for k := range width {
			bit := i*width + k
			out[begin+bit/8] |= byte(n>>k&1) << (bit % 8)
		}
	}
	return out
}

// run encodes a run of a number.
func run(count int, number uint32, width int) []byte {
	out := binary.AppendUvarint(nil, uint64(count)<<1)
	return append(out, binary.LittleEndian.AppendUint32(nil, number)[:(width+7)/8]...)
}

// mixed returns numbers of width bits, and their encoding in groups and runs.
func mixed(rng *rand.Rand, width int) (numbers []uint32, data []byte) {
	some := func() uint32 { return uint32(rng.Uint64() & (1<<width - 1)) }
	for range 6 {
		group := make([]uint32, 8*(1+rng.IntN(20)))
		for i := range group {
			group[i] = some()
		}
		same := slices.Repeat([]uint32{some()}, rng.IntN(300))
		numbers = slices.Concat(numbers, group, same)
		data = slices.Concat(data, packed(group, width), run(len(same), slices.Concat(same, []uint32{0})[0], width))
	}
	return numbers, data
}

// TestHybrid reads numbers of every width in pieces of every length.
func TestHybrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for width := range 33 {
		want, data := mixed(rng, width)
		for range 4 {
			h := hybrid{data: data, width: width}
			var got []uint32
			for len(got) < len(want) {
				piece := make([]uint32, min(1+rng.IntN(50), len(want)-len(got)))
				if err := h.read(piece); err != nil {
					t.Fatal(err)
				}
				got = append(got, piece...)
			}
			if !slices.Equal(got, want) {
				t.Errorf("width %d: other numbers", width)
			}
			if err := h.read(make([]uint32, 1)); width > 0 && !errors.Is(err, ErrCorrupt) {
				t.Errorf("width %d: behind the end: %v", width, err)
			}
		}
	}
}

// TestBits reads levels of one bit as sets, in pieces of every length.
func TestBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		want, data := mixed(rng, 1)
		h := hybrid{data: data, width: 1}
		for len(want) > 0 {
			n := min(1+rng.IntN(200), len(want))
			set := make([]uint64, 4)
			ones, err := h.bits(set, n)
			if err != nil {
				t.Fatal(err)
			}
			for i, level := range want[:n] {
				if uint32(set[i/64]>>(i%64)&1) != level {
					t.Fatalf("entry %d of %d is not %d", i, n, level)
				}
				ones -= int(level)
			}
			if ones != 0 {
				t.Errorf("%d more or fewer than there are", ones)
			}
			want = want[n:]
		}
	}
	h := hybrid{data: run(9, 3, 1), width: 1}
	if _, err := h.bits(make([]uint64, 1), 9); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a level of 3: %v", err)
	}
}

// FuzzUnpack compares the kernel for packed numbers with the function in Go.
func FuzzUnpack(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"), 5)
	f.Fuzz(func(t *testing.T, data []byte, width int) {
		if width < 1 || width > 32 {
			return
		}
		const guard = 12345
		list := slices.Repeat([]uint32{guard}, 8*(len(data)/width)+1)
		n := unpackGroups(list, data, width)
		if most := len(data) - mostKernelWidth; simd() && width <= mostKernelWidth && most >= 0 && n < 8*(most/width) {
			t.Errorf("%d numbers of %d bits from %d bytes", n, width, len(data))
		}
		if list[n] != guard {
			t.Errorf("a number behind the last of %d", n)
		}
		data = append(slices.Clip(data), make([]byte, 8)...)
		for i := 0; i < n; i += 8 {
			var want [8]uint32
			unpackGroup(&want, data[i/8*width:], uint(width))
			if got := [8]uint32(list[i:]); got != want {
				t.Fatalf("%d bits, number %d: %v, want %v", width, i, got, want)
			}
		}
	})
}
