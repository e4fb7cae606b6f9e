package zstd

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	klauspost "github.com/klauspost/compress/zstd"
)

// modes lists the types of the blocks of a frame and of their parts. It panics if a
// block is cut short.
func modes(frame []byte) (list []string) {
	var h klauspost.Header
	if err := h.Decode(frame); err != nil {
		panic(err)
	}
	rest := frame[h.HeaderSize:]
	for last := false; !last; {
		header := int(rest[0]) | int(rest[1])<<8 | int(rest[2])<<16
		kind, size := header>>1&3, header>>3
		last = header&1 == 1
		rest = rest[blockHeader:]
		if kind == blockRLE {
			size = 1
		}
		list = append(list, [...]string{"raw block", "RLE block", "compressed block"}[kind])
		if kind == blockCompressed {
			list = append(list, blockModes(rest[:size])...)
		}
		rest = rest[size:]
	}
	return list
}

func blockModes(b []byte) (list []string) {
	kind, format := int(b[0]&3), int(b[0]>>2&3)
	list = append(list, fmt.Sprintf("literals %d format %d", kind, format))
	coded := kind >= literalsCompressed
	headerSize, shift := [...]int{1, 2, 1, 3}[format], [...]int{3, 4, 3, 4}[format]
	if coded {
		headerSize, shift = [...]int{3, 3, 4, 5}[format], [...]int{14, 14, 18, 22}[format]
	}
	size := 0
	for i := range headerSize {
		size |= int(b[i]) << (8 * i)
	}
	size >>= shift
	if kind == literalsRLE {
		size = 1
	}
	if kind == literalsCompressed {
		list = append(list, map[bool]string{true: "weights FSE", false: "weights direct"}[b[headerSize] < 128])
	}
	b = b[headerSize+size:]
	switch {
	case b[0] == 0:
		return append(list, "no sequences")
	case b[0] == 255:
		list, b = append(list, "many sequences"), b[3:]
	case b[0] >= 128:
		list, b = append(list, "some sequences"), b[2:]
	default:
		list, b = append(list, "few sequences"), b[1:]
	}
	for i, name := range [codeKinds]string{"literal lengths", "offsets", "match lengths"} {
		list = append(list, fmt.Sprintf("%s %d", name, b[0]>>(6-2*i)&3))
	}
	return list
}

// The encoder uses every type of block, literals and sequences that the format has.
func TestModes(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	noise := func(n, values int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(random.IntN(values) * random.IntN(2))
		}
		return b
	}
	text := strings.Repeat("the quick brown fox jumps over the lazy dog, ", 3)
	var words, steps, short []byte
	for range 60_000 {
		words = append(words, text[random.IntN(40):][:4+random.IntN(4)]...)
		short = append(short, text[random.IntN(90):][:3]...)
	}
	for i := range 70_000 {
		steps = append(steps, byte(i), byte(i>>8), byte(i>>16), 0)
	}
	contents := [][]byte{
		nil, {1}, bytes.Repeat([]byte{7}, 8), make([]byte, 300_000), bytes.Repeat([]byte("ab"), 40),
		[]byte(text), []byte(text[:60]), words[:3000], words, steps, steps[:9000],
		noise(60, 4), noise(200, 4), noise(700, 16), noise(5000, 200), noise(100_000, 256), noise(300_000, 7),
		append(noise(300, 200), make([]byte, 5000)...), append(make([]byte, 200_000), words...),
		append(slices.Clone(words), words...), short,
	}
	normal := make([]byte, 500_000)
	for i := range normal {
		normal[i] = byte(random.NormFloat64() * 40)
	}
	contents = append(contents, normal)
	raw := make([]byte, 200_000)
	for i := range raw {
		raw[i] = byte(random.Uint32())
	}
	for _, n := range []int{20, 1000, 5000, 140_000} {
		contents = append(contents, raw[:n], append(slices.Clone(raw[:n]), raw[:n/2]...), append(bytes.Repeat(raw[:n], 2), make([]byte, 2*maxBlock)...))
		contents = append(contents, bytes.Repeat([]byte{7}, n))
	}
	seen := map[string]int{}
	for level := 1; level <= MaxLevel; level++ {
		e, err := NewEncoder(Options{Level: level})
		if err != nil {
			t.Fatal(err)
		}
		for _, src := range contents {
			for _, mode := range modes(e.AppendEncode(nil, src)) {
				seen[mode]++
			}
		}
	}
	want := []string{
		"raw block", "RLE block", "compressed block",
		"literals 0 format 0", "literals 0 format 1", "literals 0 format 3",
		"literals 1 format 0",
		"literals 2 format 0", "literals 2 format 1", "literals 2 format 2", "literals 2 format 3",
		"literals 3 format 3", "weights FSE", "weights direct",
		"no sequences", "few sequences", "some sequences", "many sequences",
	}
	for _, name := range []string{"literal lengths", "offsets", "match lengths"} {
		for mode := range modeRepeat + 1 {
			want = append(want, fmt.Sprintf("%s %d", name, mode))
		}
	}
	for _, mode := range want {
		if seen[mode] == 0 {
			t.Errorf("%s: never", mode)
		}
	}
}
