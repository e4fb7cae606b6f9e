package zstd

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	klauspost "github.com/klauspost/compress/zstd"
)

// counted draws n values around mean, as counts of events are distributed.
func counted(random *rand.Rand, n int, mean float64) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(mean + math.Sqrt(mean)*random.NormFloat64())
	}
	return out
}

func TestDivide(t *testing.T) {
	random := rand.New(rand.NewPCG(71, 72))
	const piece = maxBlock / maxParts
	for name, c := range map[string]struct {
		literals []byte
		want     []int // sizes of parts
	}{
		"alike":        {counted(random, maxBlock, 50), []int{maxBlock}},
		"uniform":      {counted(random, maxBlock, 1e9), []int{maxBlock}},
		"two halves":   {slices.Concat(counted(random, maxBlock/2, 20), counted(random, maxBlock/2, 200)), []int{maxBlock / 2, maxBlock / 2}},
		"small middle": {slices.Concat(counted(random, 5*piece, 20), counted(random, piece, 200), counted(random, 10*piece, 20)), []int{5 * piece, piece, 10 * piece}},
		"in turns": {
			slices.Concat(counted(random, 4*piece, 20), counted(random, 4*piece, 200), counted(random, 4*piece, 20), counted(random, 4*piece, 200)),
			[]int{4 * piece, 4 * piece, 4 * piece, 4 * piece},
		},
		"two small parts": {slices.Concat(counted(random, minPart, 20), counted(random, minPart, 200)), []int{minPart, minPart}},
		"too few":         {slices.Concat(counted(random, minPart-1, 20), counted(random, minPart, 200)), []int{2*minPart - 1}},
		"none":            {nil, []int{0}},
	} {
		var sizes []int
		rest := c.literals
		for _, p := range newBlockEncoder(maxParts).divide(c.literals) {
			sizes = append(sizes, p.size)
			var counts [256]uint32
			countPlain(&counts, rest[:p.size])
			if counts != p.counts {
				t.Errorf("%s: part %d has other counts", name, len(sizes)-1)
			}
			rest = rest[p.size:]
		}
		if !slices.Equal(sizes, c.want) {
			t.Errorf("%s: parts of %v, want %v", name, sizes, c.want)
		}
		if n := len(newBlockEncoder(1).divide(c.literals)); n != 1 {
			t.Errorf("%s: %d parts where there may be one", name, n)
		}
	}
}

// TestDividedBlocks divides blocks inside of sequences, between them and behind them, and decodes what
// comes out with the library.
func TestDividedBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(73, 74))
	d, err := klauspost.NewReader(nil, klauspost.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	e, err := NewEncoder(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for trial := range 60 {
		var src []byte
		for len(src) < 3*maxBlock {
			run := counted(random, 1+random.IntN([]int{100, 3000, 80_000}[trial%3]), []float64{10, 60, 200}[len(src)>>15%3])
			src = append(src, run...)
			if trial%4 > 0 { // something that repeats
				from := random.IntN(len(src))
				src = append(src, src[from:min(len(src), from+5+random.IntN(300))]...)
			}
		}
		frame := e.AppendEncode(nil, src)
		blocks := 0
		for _, mode := range modes(frame) {
			if mode == "compressed block" {
				blocks++
			}
		}
		if least := len(src)/maxBlock + 3; blocks < least {
			t.Errorf("trial %d: %d compressed blocks, want %d or more", trial, blocks, least)
		}
		got, err := d.DecodeAll(frame, nil)
		if err != nil || !bytes.Equal(got, src) {
			t.Fatalf("trial %d: the library decodes %d bytes to %d others: %v", trial, len(src), len(got), err)
		}
	}
}

// TestCount counts as countPlain does.
func TestCount(t *testing.T) {
	random := rand.New(rand.NewPCG(75, 76))
	for n := range 300 {
		for _, src := range [][]byte{counted(random, n, 30), counted(random, 10*n, 1e9), make([]byte, 400*n)} {
			counts, want := [256]uint32{1, 2, 3}, [256]uint32{}
			countPlain(&want, src)
			if count(&counts, src); counts != want {
				t.Fatalf("%d bytes: %v, want %v", len(src), counts, want)
			}
		}
	}
}

// TestWeigh weighs frequencies as weighPlain does: of few bytes and of many, even ones, and all on one byte.
func TestWeigh(t *testing.T) {
	random := rand.New(rand.NewPCG(77, 78))
	for n := range 1000 {
		var a, b [256]uint32
		copy(a[:], frequencies(random, 2+random.IntN(255)))
		for i, most := 0, random.IntN(maxBlock); i < most; i++ {
			b[random.IntN(1+n%256)]++
		}
		for i := range a {
			a[i] &= 1<<9 - 1
		}
		if n == 0 {
			a, b = [256]uint32{511, 512, 513, 1023, 1024}, [256]uint32{7: maxBlock - 1<<12}
		}
		if got, want := weigh(&a, &b), weighPlain(&a, &b); got != want {
			t.Fatalf("%v and %v weigh %d, want %d", a, b, got, want)
		}
	}
}

// FuzzDivide checks that the parts of literals are all of the literals, and that their counts are what
// countPlain counts.
func FuzzDivide(f *testing.F) {
	f.Add([]byte{1, 2, 3}, []byte{0, 0, 200}, uint16(5000))
	f.Add(bytes.Repeat([]byte{7}, 100), []byte("abc"), uint16(100))
	e := newBlockEncoder(maxParts)
	f.Fuzz(func(t *testing.T, a, b []byte, times uint16) {
		var literals []byte
		for _, part := range [][]byte{a, b} {
			if len(part) > 0 {
				most := min(maxBlock/2, int(times)*len(part))
				literals = append(literals, bytes.Repeat(part, int(times))[:most]...)
			}
		}
		rest := literals
		for i, p := range e.divide(literals) {
			var counts [256]uint32
			countPlain(&counts, rest[:p.size])
			if counts != p.counts {
				t.Fatalf("part %d, of %d bytes, has other counts", i, p.size)
			}
			rest = rest[p.size:]
		}
		if len(rest) > 0 {
			t.Fatalf("%d of %d literals are in no part", len(rest), len(literals))
		}
	})
}
