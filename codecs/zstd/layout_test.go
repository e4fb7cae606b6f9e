package zstd

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/codectest"
)

// noiseOf returns n random bytes.
func noiseOf(random *rand.Rand, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(random.Uint32())
	}
	return out
}

// tableOf returns n bytes of a table of numbers and words.
func tableOf(random *rand.Rand, n int) (out []byte) {
	for i := 0; len(out) < n; i++ {
		out = fmt.Appendf(out, "%d\t%.3f\t%s\n", i, 1e4*random.Float64(), []string{"good", "bad", "unknown"}[random.IntN(3)])
	}
	return out[:n]
}

// decimalsOf returns n bytes of numbers with two decimals.
func decimalsOf(random *rand.Rand, n int) (out []byte) {
	for range n / 8 {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(math.Round(100*(280+random.NormFloat64()))/100))
	}
	return out
}

// Text is told from other bytes, and text with many digits from other text.
func TestScript(t *testing.T) {
	random := rand.New(rand.NewPCG(41, 42))
	noise := noiseOf(random, 4096)
	french := bytes.Repeat([]byte("Température de l’air mesurée à deux mètres au-dessus du sol, côté nord. "), 60)
	for _, c := range []struct {
		name string
		src  []byte
		want script
	}{
		{"words", codectest.Words(4096), prose},
		{"words with accents", french, prose},
		{"table", tableOf(random, 4096), figures},
		{"table of less than two samples", tableOf(random, 2*sampleTotal-1), noText},
		{"padded strings", bytes.ReplaceAll(tableOf(random, 4096), []byte("\t"), []byte{0}), noText},
		{"noise", noise, noText},
		{"a digit that repeats", bytes.Repeat([]byte{'7'}, 4096), noText},
		{"decimals", decimalsOf(random, 4096), noText},
	} {
		if l, _ := findLayout(c.src); l.script != c.want {
			t.Errorf("%s: script %d, want %d", c.name, l.script, c.want)
		}
	}
}

// floatsOf returns n bytes of float32 numbers.
func floatsOf(n int, at func(i int) float64) (out []byte) {
	for i := range n / 4 {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(at(i))))
	}
	return out
}

// Floats with few decimals are copied one by one, in the whole frame once a block holds them. Those with noise are not.
func TestWhole(t *testing.T) {
	random := rand.New(rand.NewPCG(47, 48))
	decimals := floatsOf(maxBlock, func(int) float64 { return math.Round(100*random.NormFloat64()) / 100 })
	noisy := floatsOf(maxBlock, func(int) float64 { return 280 + random.NormFloat64()/4 })
	slow := make([]byte, maxBlock)
	for i, v := 0, 1000; i < maxBlock; i += 2 {
		v += random.IntN(5) - 2
		binary.LittleEndian.PutUint16(slow[i:], uint16(v))
	}
	rain := floatsOf(maxBlock, func(int) float64 {
		return math.Round(max(0, 100*random.NormFloat64())) / 86400
	})
	few := floatsOf(maxBlock, func(int) float64 { return float64(random.IntN(200)) })
	// A cell has four corners, in a grid of 100 cells in a row.
	corners := floatsOf(maxBlock, func(i int) float64 {
		x, y := i/4%100+[]int{0, 1, 1, 0}[i%4], i/400+i%4/2
		return 70 + math.Sin(float64(x)/40) + math.Cos(float64(y)/30)
	})
	masked := floatsOf(maxBlock, func(i int) float64 {
		if i%16 < 8 {
			return 1e20
		}
		return 70 + math.Sin(float64(i)/400)
	})
	for _, c := range []struct {
		name   string
		blocks [][]byte
		want   bool
	}{
		{"corners of cells", [][]byte{corners}, true},
		{"smooth numbers under a mask", [][]byte{masked}, false},
		{"decimals", [][]byte{decimals}, true},
		{"fluxes of rain, half of them zero", [][]byte{rain}, true},
		{"noise", [][]byte{noisy}, false},
		{"whole numbers", [][]byte{few}, false},
		{"two bytes that change slowly", [][]byte{slow}, true},
		{"few of them", [][]byte{slow[:16<<10]}, false},
		{"decimals, then noise", [][]byte{decimals, noisy}, true},
		{"noise, then decimals", [][]byte{noisy, decimals}, true},
	} {
		p := newParser(efforts[defaultLevel])
		src := slices.Concat(c.blocks...)
		p.reset(len(src))
		for from := 0; from < len(src); from += maxBlock {
			p.parse(src[:min(len(src), from+maxBlock)], from, history{1, 4, 8})
		}
		if p.whole != c.want {
			t.Errorf("%s: whole %t, want %t", c.name, p.whole, c.want)
		}
	}
	e, err := NewEncoder(Options{})
	if err != nil {
		t.Fatal(err)
	}
	// 600 different numbers occur, of 25 bits each by themselves, and of 9 bits by their frequencies.
	if n := len(e.AppendEncode(nil, decimals)); n > maxBlock*6/10 {
		t.Errorf("%d bytes of decimals become %d", maxBlock, n)
	}
}

// Bytes below a limit are counted as if each were compared.
func TestBytesBelow(t *testing.T) {
	random := rand.New(rand.NewPCG(43, 44))
	for range 10_000 {
		v := random.Uint64() & random.Uint64()
		limit := byte(1 + random.IntN(128))
		want := 0
		for shift := 0; shift < 64; shift += 8 {
			if byte(v>>shift) < limit {
				want++
			}
		}
		if got := bytesBelow(v, limit); got != want {
			t.Fatalf("%016x: %d bytes below %d, want %d", v, got, limit, want)
		}
	}
}

// How many bytes are looked up depends on the content, its size and the level.
func TestHashes(t *testing.T) {
	random := rand.New(rand.NewPCG(45, 46))
	noise := noiseOf(random, 512<<10)
	prose, table, decimals := codectest.Words(512<<10), tableOf(random, 512<<10), decimalsOf(random, 16<<10)
	for _, c := range []struct {
		name       string
		src        []byte
		level      int
		multiplier uint64
		quick      bool
	}{
		{"words", prose, 1, hash6, true},
		{"words", prose, 3, hash5, false},
		{"words", prose[:16<<10], 2, hash4, true},
		{"words", prose[:16<<10], 6, hash4, false},
		{"words", prose[:256<<10], 6, hash5, false},
		{"table", table, 1, hash7, true},
		{"table", table[:16<<10], 5, hash7, false},
		{"table", table[:256<<10], 9, hash7, false},
		{"decimals", decimals, 1, hash4, true},
		{"decimals", decimals, 5, hash4, true},
		{"noise", noise[:256<<10], 6, hash4, false},
		{"noise", noise, 6, hash5, false},
	} {
		p := newParser(efforts[c.level])
		p.reset(len(c.src))
		p.parse(c.src[:min(len(c.src), maxBlock)], 0, history{1, 4, 8})
		if p.bytes.multiplier != c.multiplier || p.quick != c.quick {
			t.Errorf("%s, %d bytes, level %d: multiplier %x, quick %t, want %x and %t", c.name, len(c.src), c.level, p.bytes.multiplier, p.quick, c.multiplier, c.quick)
		}
	}
}

// Bytes near others are counted as if each were compared.
func TestNearBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(49, 50))
	for range 10_000 {
		a, b := random.Uint64(), random.Uint64()
		if random.IntN(2) == 0 {
			b = a ^ b&0x1f1f1f1f1f1f1f1f
		}
		want := 0
		for shift := 0; shift < 64; shift += 8 {
			if d := int(int8(a>>shift) - int8(b>>shift)); -reach <= d && d <= reach {
				want++
			}
		}
		if got := nearBytes(a, b); got != want {
			t.Fatalf("%016x and %016x: %d near bytes, want %d", a, b, got, want)
		}
	}
}

// Bytes that follow a curve waver, also if all values occur. Noise does not.
func TestWavers(t *testing.T) {
	random := rand.New(rand.NewPCG(51, 52))
	curve := make([]byte, 4096)
	for i := range curve {
		curve[i] = byte(300*math.Sin(float64(i)/50) + 3*random.NormFloat64())
	}
	for _, c := range []struct {
		name string
		src  []byte
		want bool
	}{
		{"curve", curve, true},
		{"noise", noiseOf(random, 4096), false},
		{"curve of less than two samples", curve[:2*sampleTotal-1], false},
	} {
		if wavers(c.src) != c.want {
			t.Errorf("%s: wavers %t, want %t", c.name, !c.want, c.want)
		}
	}
}

// Up to level 5, several places are tried only where that takes hardly longer than one place.
func TestTriesSeveral(t *testing.T) {
	for _, c := range []struct {
		level, size int
		layout      layout
		want        bool
	}{
		{4, 1 << 10, layout{}, false},
		{5, small, layout{}, true},
		{5, small + 1, layout{}, false},
		{5, small, layout{script: prose}, false},
		{5, tiny, layout{script: figures}, true},
		{5, tiny + 1, layout{script: figures}, false},
		{5, small, layout{size: 4}, true},
		{5, small, layout{size: 8, varied: true}, false},
		{5, small, layout{size: 8, single: true}, false},
		{6, 16 << 20, layout{script: prose}, true},
		{9, 16 << 20, layout{size: 8, varied: true}, true},
	} {
		p := newParser(efforts[c.level])
		p.reset(c.size)
		if got := p.triesSeveral(c.layout); got != c.want {
			t.Errorf("level %d, %d bytes, %+v: %t", c.level, c.size, c.layout, got)
		}
	}
}
