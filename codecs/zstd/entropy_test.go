package zstd

import (
	"math/rand/v2"
	"testing"
)

// frequencies returns frequencies of symbols, from even to very skewed. At least two
// are not zero.
func frequencies(random *rand.Rand, symbols int) []uint32 {
	counts := make([]uint32, symbols)
	skew := random.IntN(28)
	for i := range counts {
		if random.IntN(3) > 0 {
			counts[i] = 1 + random.Uint32N(1<<random.IntN(skew+1))>>random.IntN(skew+1)
		}
	}
	counts[random.IntN(symbols/2)]++
	counts[symbols/2+random.IntN(symbols/2)]++
	return counts
}

// The lengths of codes use the whole room of codes, and no more.
func TestHuffmanComplete(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for i := range 3000 {
		var counts [256]uint32
		copy(counts[:], frequencies(random, 2+random.IntN(255)))
		if i == 0 { // each is as frequent as the two before together, which gives the deepest tree
			counts = [256]uint32{1, 1}
			for s := 2; s < 27; s++ {
				counts[s] = counts[s-1] + counts[s-2]
			}
		}
		var table huffmanTable
		got := table.build(&counts, &huffmanLeaves{})
		if want, _ := table.cost(&counts); got != want {
			t.Fatalf("all symbols take %d bits, want %d", got, want)
		}
		room := 1 << maxCodeBits
		for s, n := range counts {
			length := table.codes[s] & 0xff
			if (n > 0) != (length > 0) || length > maxCodeBits {
				t.Fatalf("symbol %d, %d times, has a code of %d bits", s, n, length)
			}
			if n > 0 {
				room -= 1 << (maxCodeBits - length)
			}
		}
		if room != 0 {
			t.Fatalf("codes leave room for %d of %d bits each: %v", room, maxCodeBits, counts)
		}
	}
}

// Every symbol that occurs has a state, and together the symbols have all states.
func TestNormalize(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	for range 3000 {
		counts := frequencies(random, 2+random.IntN(maxSymbols-1))
		var table fseTable
		table.normalize(counts, maxTableLog)
		sum := 0
		for s, n := range counts {
			if (n > 0) != (table.norm[s] > 0) {
				t.Fatalf("symbol %d, %d times, has %d states", s, n, table.norm[s])
			}
			sum += int(table.norm[s])
		}
		if sum != 1<<table.log {
			t.Fatalf("%d states of %d are given to %v", sum, 1<<table.log, counts)
		}
	}
}

// The code of a length, with the bits that follow, gives the length.
func TestLengthCodes(t *testing.T) {
	for _, kind := range []struct {
		name  string
		codes *codeRanges
		place uint
	}{{"literals", &lengths.literals, 0}, {"matches", &lengths.matches, 16}} {
		name := kind.name
		next, width := uint32(0), uint32(0)
		last := -1
		for length := range uint32(maxBlock) {
			entry := kind.codes.of(length)
			code, bits, rest := uint8(entry>>kind.place), uint32(uint8(entry>>24)), uint32(entry>>32)
			switch {
			case int(code) == last+1 && rest == 0:
				if next != 1<<width && last >= 0 {
					t.Fatalf("%s: code %d of %d bits ends after %d lengths", name, last, width, next)
				}
				last, next, width = int(code), 0, bits
			case int(code) != last || rest != next || bits != width:
				t.Fatalf("%s: length %d has code %d and %d in %d bits, after code %d and %d", name, length, code, rest, bits, last, next)
			}
			next++
		}
	}
}

// Samples of literals of 16 KiB and more tell whether a code gains something: of all values alike it
// gains nothing, and of half of them an eighth.
func TestIncompressible(t *testing.T) {
	random := rand.New(rand.NewPCG(33, 34))
	for _, n := range []int{16<<10 - 1, 16 << 10, 32<<10 - 1, 32 << 10, maxBlock} {
		for _, values := range []int{128, 256} {
			src := make([]byte, n)
			for i := range src {
				src[i] = byte(random.IntN(values))
			}
			if got, want := incompressible(src), values == 256 && n >= 16<<10; got != want {
				t.Errorf("%d literals of %d values: %t, want %t", n, values, got, want)
			}
		}
	}
}
