package zstd

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Tables that hold positions of earlier frames, and tables whose entries are about to become too
// large, give the same sequences as new ones.
func TestUsedTables(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	earlier, src := text(random, 50_000, 6), text(random, 60_000, 7)
	for level := 1; level <= MaxLevel; level++ {
		fresh := newParser(efforts[level])
		fresh.reset(len(src))
		fresh.parse(src, 0, history{1, 4, 8})
		for _, next := range []uint32{1, places - 120_000, places - 70_000, places - 10} {
			used := newParser(efforts[level])
			used.bytes.next = next
			for _, content := range [][]byte{earlier, src} {
				used.reset(len(content))
				used.parse(content, 0, history{1, 4, 8})
			}
			if d := cmp.Diff(fresh.sequences, used.sequences, cmp.AllowUnexported(sequence{})); d != "" {
				t.Errorf("level %d, entries from %d on: sequences (-new +used):\n%s", level, next, d)
			}
		}
		if len(fresh.sequences) < 1000 {
			t.Errorf("level %d: %d sequences", level, len(fresh.sequences))
		}
	}
}

// Times of which two bytes change, and categories, are searched at any position, and times of which one changes up to
// level 5. So are decimals up to level 4, and in smaller contents at higher levels. Numbers of which two bytes differ by chance, or five, are
// not.
func TestAnyPosition(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 32))
	numbers := func(n int, at func(i int) int) (out []byte) {
		for i := range n / 8 {
			out = binary.LittleEndian.AppendUint64(out, uint64(at(i)))
		}
		return out
	}
	times := func(i int) int { return 1700000000 + 60*i + random.IntN(3) }
	seconds := func(i int) int { return 3600 * i }
	categories := func(int) int { return []int{3, 17, 99, 1234, 88888}[random.IntN(5)] }
	ids := func(int) int { return random.IntN(5000) }
	hours := func(i int) int { return (1700000000 + 3600*i) * 1_000_000_000 }
	decimals := func(int) int { return int(math.Float64bits(math.Round(100*(280+random.Float64())) / 100)) }
	for _, c := range []struct {
		name        string
		src         []byte
		level       int
		anyPosition bool
	}{
		{"times", numbers(16<<10, times), 3, true},
		{"times in large content", numbers(1<<20, times), 5, true},
		{"times", numbers(16<<10, times), 6, false},
		{"seconds", numbers(16<<10, seconds), 6, true},
		{"categories", numbers(16<<10, categories), 9, true},
		{"ids", numbers(16<<10, ids), 3, false},
		{"ids", numbers(16<<10, ids), 1, false},
		{"hours in ns", numbers(16<<10, hours), 8, false},
		{"decimals", numbers(1<<20, decimals), 4, true},
		{"decimals", numbers(2<<20, decimals), 5, true},
		{"decimals", numbers(2<<20+8, decimals), 5, false},
		{"decimals", numbers(64<<10, decimals), 6, true},
		{"decimals", numbers(64<<10+8, decimals), 6, false},
		{"decimals", numbers(64<<10+8, decimals), 8, false},
	} {
		p := newParser(efforts[c.level])
		p.reset(len(c.src))
		p.parse(c.src[:16<<10], 0, history{1, 4, 8})
		if p.bytes.usable != c.anyPosition || p.elements.usable == c.anyPosition {
			t.Errorf("%s, %d bytes, level %d: searched at any position: %t, want %t", c.name, len(c.src), c.level, p.bytes.usable, c.anyPosition)
		}
	}
}

// The corners of cells, each of which is a corner of several cells, are crowded with copies. So they are searched at any
// position, up to the end of the frame. In floats of 32 bits that were stored in 64, each number has a short copy. They stay
// numbers.
func TestCrowded(t *testing.T) {
	random := rand.New(rand.NewPCG(37, 38))
	nodes := make([]float64, 4<<10)
	for i := range nodes {
		nodes[i] = float64(i) + random.Float64()
	}
	corners := func(cells int) (src []byte) {
		for i := range cells {
			at := i * len(nodes) / cells
			left, right := nodes[at/8*8], nodes[(at/8*8+random.IntN(8))%len(nodes)]
			for _, corner := range []float64{left, right, right, left} {
				src = binary.LittleEndian.AppendUint64(src, math.Float64bits(corner))
			}
		}
		return src
	}
	var noise []byte
	for i := range 16 << 10 {
		noise = binary.LittleEndian.AppendUint64(noise, math.Float64bits(float64(float32(280+math.Sin(float64(i)/99)+random.Float64()/9))))
	}
	for level := 1; level <= 4; level++ {
		for _, c := range []struct {
			src     []byte
			crowded bool
		}{{corners(4 << 10), true}, {noise, false}} {
			p := newParser(efforts[level])
			p.reset(len(c.src))
			l, ok := findLayout(c.src)
			if numbers, _ := p.searches(l, ok); !numbers {
				t.Fatalf("level %d: %+v is not searched as numbers", level, l)
			}
			if p.parse(c.src, 0, history{1, 4, 8}); p.anyPosition != c.crowded {
				t.Errorf("level %d: crowded %t, want %t", level, p.anyPosition, c.crowded)
			}
		}
	}
}

// A sample of a block is judged as if each of its bytes were compared.
func TestUnequal(t *testing.T) {
	random := rand.New(rand.NewPCG(23, 24))
	for range 10_000 {
		a := random.Uint64()
		b := a ^ random.Uint64()&random.Uint64()&random.Uint64()&random.Uint64()&random.Uint64()
		want := uint64(0)
		for shift := 0; shift < 64; shift += 8 {
			if byte(a>>shift) != byte(b>>shift) {
				want |= 1 << shift
			}
		}
		if got := unequal(a, b); got != want {
			t.Fatalf("%016x and %016x: %016x, want %016x", a, b, got, want)
		}
	}
}

// Eight bytes that repeat are counted as if each of them were.
func TestUnequalBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 36))
	for range 1000 {
		v := random.Uint64() & random.Uint64() & 0x0303030303030303
		var one, all unequalBytes
		n := random.IntN(129)
		for range n {
			one.add(v, v, 1)
		}
		if all.add(v, v, uint64(n)); all != one {
			t.Fatalf("%016x, %d times: %x, one by one %x", v, n, all, one)
		}
	}
}

// Counts of literals are sorted like any numbers.
func TestSortCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(25, 26))
	var leaves huffmanLeaves
	for range 2000 {
		list := make([]uint64, 1+random.IntN(256))
		limit, skew := 1+random.IntN(1<<random.IntN(18)), random.IntN(10)
		for i := range list {
			list[i] = uint64(1+random.IntN(limit)>>random.IntN(1+skew))<<8 | uint64(i)
		}
		want := slices.Clone(list)
		slices.Sort(want)
		copy(leaves.order[:], list)
		if leaves.sort(len(list)); !slices.Equal(leaves.order[:len(list)], want) {
			t.Fatalf("%x, want %x", leaves.order[:len(list)], want)
		}
	}
}

// Rows of equal numbers are found where numbers repeat nothing else, and most of them are skipped.
func TestRowsInNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(53, 54))
	noise := floatsOf(1<<20, func(int) float64 { return 280 + random.NormFloat64() })
	var masked []byte
	for part := range slices.Chunk(noise, 64<<10) {
		masked = append(append(masked, part...), bytes.Repeat([]byte{0xec, 0x78, 0xad, 0x60}, 600)...)
	}
	for _, level := range []int{1, 3, 5} {
		e, err := NewEncoder(Options{Level: level})
		if err != nil {
			t.Fatal(err)
		}
		if n, m := len(e.AppendEncode(nil, noise)), len(e.AppendEncode(nil, masked)); m > n+n/200 {
			t.Errorf("level %d: %d bytes of noise become %d, and with rows of equal numbers %d", level, len(noise), n, m)
		}
	}
}
