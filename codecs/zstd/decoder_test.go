package zstd

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	klauspost "github.com/klauspost/compress/zstd"
)

// builder makes frames of given sequences, and the content to which they decode.
type builder struct {
	*blockEncoder
	blocks  []byte
	content []byte
}

func newBuilder() *builder {
	b := &builder{blockEncoder: newBlockEncoder(1)}
	b.reset()
	return b
}

// compressed adds a block. Its sequences take literals from the front; the rest of the
// literals is the end of the block.
func (b *builder) compressed(literals []byte, sequences []sequence) {
	*b.trial = *b.tables
	var counts *[256]uint32
	if !incompressible(literals) {
		counts = new([256]uint32)
		count(counts, literals)
	}
	out := b.appendLiterals(b.out[:0], literals, counts)
	out = b.appendSequences(out, sequences)
	b.tables, b.trial = b.trial, b.tables
	b.blocks = append(appendBlockHeader(b.blocks, blockCompressed, len(out), false), out...)
	for _, s := range sequences {
		b.content = append(b.content, literals[:s.literals]...)
		literals = literals[s.literals:]
		for range s.length {
			b.content = append(b.content, b.content[len(b.content)-int(s.offset)])
		}
	}
	b.content = append(b.content, literals...)
}

func (b *builder) raw(content []byte) {
	b.blocks = append(appendBlockHeader(b.blocks, blockRaw, len(content), false), content...)
	b.content = append(b.content, content...)
}

func (b *builder) repeated(value byte, n int) {
	b.blocks = append(appendBlockHeader(b.blocks, blockRLE, n, false), value)
	b.content = append(b.content, bytes.Repeat([]byte{value}, n)...)
}

// frame ends the frame with an empty block.
func (b *builder) frame(checked bool) []byte {
	out := append(appendFrameHeader(nil, len(b.content), checked), b.blocks...)
	out = appendBlockHeader(out, blockRaw, 0, true)
	if checked {
		out = binary.LittleEndian.AppendUint32(out, checksum(b.content))
	}
	return out
}

// text returns n bytes of values below values, few of which are frequent.
func text(random *rand.Rand, n, values int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(min(random.IntN(values), random.IntN(values)))
	}
	return out
}

// randomBlock adds a block of at most n sequences of randomly chosen kinds.
func (b *builder) randomBlock(random *rand.Rand, n int) {
	var (
		sequences []sequence
		need      int // number of literals needed
		size      int
		at        = len(b.content)
		most      = []int{4, 20, 40, 200, 5000}[random.IntN(5)]
		runs      = []int{1, 4, 20, 200, 3000}[random.IntN(5)]
		near      = []int{8, 17, 40, 300, 1 << 23}[random.IntN(5)]
		recent    = random.IntN(3)
		last      = history{1, 4, 8}
	)
	for range 1 + random.IntN(n) {
		s := sequence{literals: uint32(random.IntN(runs)), length: uint32(minMatch + random.IntN(most))}
		if random.IntN(200) == 0 {
			s.length += uint32(random.IntN(70_000))
		}
		if at+int(s.literals) == 0 {
			s.literals = 1
		}
		s.offset = uint32(1 + random.IntN(min(at+int(s.literals), near)))
		if random.IntN(3) < recent {
			if o := last[random.IntN(3)] - uint32(random.IntN(2)); o > 0 && int(o) <= at+int(s.literals) {
				s.offset = o
			}
		}
		last = history{s.offset, last[0], last[1]}
		if size += int(s.literals + s.length); size > maxBlock {
			break
		}
		at += int(s.literals + s.length)
		need += int(s.literals)
		sequences = append(sequences, s)
	}
	tail := 0
	if size < maxBlock {
		tail = random.IntN(min(maxBlock-size, []int{2, 50, 4000}[random.IntN(3)]) + 1)
	}
	b.compressed(text(random, need+tail, []int{1, 3, 40, 256}[random.IntN(4)]), sequences)
}

// randomFrame returns a frame with blocks of all types, and its content.
func randomFrame(random *rand.Rand, blocks, sequences int) (frame, content []byte) {
	b := newBuilder()
	for range blocks {
		switch random.IntN(12) {
		case 0:
			b.raw(text(random, random.IntN(3000), 256))
		case 1:
			b.repeated(byte(random.IntN(3)), random.IntN(3000))
		default:
			b.randomBlock(random, sequences)
		}
	}
	return b.frame(random.IntN(2) == 0), b.content
}

// newPlainDecoder returns a decoder that uses no kernels.
func newPlainDecoder() *Decoder {
	d := &Decoder{}
	d.idle.New = func() any { return &frameDecoder{sequenceDecoder: sequenceDecoder{plain: true}} }
	return d
}

// decoded decodes src into room bytes, with and without assembly. Both must give the
// same result, and touch nothing behind the room.
func decoded(t testing.TB, src []byte, room int) ([]byte, error) {
	t.Helper()
	const guard = 64
	var (
		d         Decoder
		got, slow = bytes.Repeat([]byte{0xa5}, room+guard), bytes.Repeat([]byte{0xa5}, room+guard)
		src2      = slices.Clone(src) // without spare bytes behind it
	)
	n, err := d.Decode(got[:room:room], src2)
	n2, err2 := newPlainDecoder().Decode(slow[:room:room], src2)
	if n != n2 || fmt.Sprint(err) != fmt.Sprint(err2) || !bytes.Equal(got[:n], slow[:n]) {
		t.Fatalf("%d bytes, %v; without assembly %d bytes, %v", n, err, n2, err2)
	}
	front, slowFront := bytes.Repeat([]byte{0xa5}, room+guard), bytes.Repeat([]byte{0xa5}, room+guard)
	there, errFront := d.DecodeUpTo(front[:room:room], src2, n/2)
	there2, errFront2 := newPlainDecoder().DecodeUpTo(slowFront[:room:room], src2, n/2)
	if there != there2 || fmt.Sprint(errFront) != fmt.Sprint(errFront2) || err == nil && errFront != nil || !bytes.Equal(front[:n/2], got[:n/2]) || !bytes.Equal(slowFront[:n/2], got[:n/2]) ||
		errFront == nil && (there < n/2 || there > n) {
		t.Fatalf("%d of %d bytes: %d bytes, %v; without assembly %d bytes, %v", n/2, n, there, errFront, there2, errFront2)
	}
	for _, b := range [][]byte{got, slow, front, slowFront} {
		if !bytes.Equal(b[room:], bytes.Repeat([]byte{0xa5}, guard)) {
			t.Fatal("bytes behind the room have changed")
		}
	}
	if !bytes.Equal(src, src2) {
		t.Fatal("the frames have changed")
	}
	return got[:n], err
}

// TestDecodeUpTo checks that a decoder stops when it has enough, but not in front of a checksum of
// what it has.
func TestDecodeUpTo(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, checked := range []bool{false, true} {
		b := newBuilder()
		for range 3 {
			b.randomBlock(random, 3000)
		}
		frame, n := b.frame(checked), len(b.content)
		second := append(slices.Clone(frame), frame...)
		for _, d := range []*Decoder{{}, newPlainDecoder()} {
			dst := make([]byte, 2*n)
			for _, most := range []int{0, 1, n / 3, n - 1, n} {
				there, err := d.DecodeUpTo(dst, second, most)
				if err != nil || there < most || there > n || !bytes.Equal(dst[:most], b.content[:most]) {
					t.Errorf("checksum %v: %d of %d bytes: %d, %v", checked, most, n, there, err)
				}
				if checked && most > 0 && there != n {
					t.Errorf("%d of %d bytes of a frame with a checksum", there, n)
				}
			}
			broken := slices.Clone(frame)
			broken[len(broken)-1] ^= 3 // of the checksum, or of the header of the last block
			_, err := d.DecodeUpTo(dst, broken, n/2)
			if _, whole := d.Decode(dst, broken); whole == nil || (err != nil) != checked {
				t.Errorf("checksum %v: damage at the end: %v, half of it: %v", checked, whole, err)
			}
		}
	}
}

func mustDecode(t testing.TB, src, want []byte, room int) {
	t.Helper()
	got, err := decoded(t, src, room)
	if err != nil {
		t.Fatalf("a frame of %d bytes in room for %d: %v", len(want), room, err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("a frame of %d bytes decodes to %d others", len(want), len(got))
	}
}

// Frames with all kinds of sequences decode to the content that a model computes, and
// to the content that the library decodes.
func TestDecodeRandom(t *testing.T) {
	d, err := klauspost.NewReader(nil, klauspost.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for seed := range uint64(250) {
		random := rand.New(rand.NewPCG(seed, 1))
		frame, content := randomFrame(random, 1+random.IntN(6), []int{3, 100, 3000}[seed%3])
		mustDecode(t, frame, content, len(content))
		mustDecode(t, frame, content, len(content)+random.IntN(100))
		if got, err := d.DecodeAll(frame, nil); err != nil || !bytes.Equal(got, content) {
			t.Fatalf("seed %d: the library does not agree: %v", seed, err)
		}
		if len(content) == 0 {
			continue
		}
		if _, err := decoded(t, frame, random.IntN(len(content))); !errors.Is(err, ErrTooLarge) {
			t.Fatalf("seed %d: in too little room: %v", seed, err)
		}
	}
}

// Copies may overlap themselves in all ways.
func TestDecodeOverlaps(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 3))
	for offset := 1; offset <= 70; offset++ {
		b := newBuilder()
		b.raw(text(random, 70, 256))
		var sequences []sequence
		for length := minMatch; length < 140; length++ {
			sequences = append(sequences, sequence{uint32(length % 40), uint32(length), uint32(offset)})
		}
		sequences = append(sequences, sequence{1, 65538 + uint32(offset), uint32(offset)})
		b.compressed(text(random, 3000, 256), sequences)
		mustDecode(t, b.frame(true), b.content, len(b.content))
	}
}

// Contents of all sizes and at the borders between sizes, from one block to many, are
// decoded, as frames one after the other with skippable frames between them.
func TestDecodeSizes(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 5))
	sizes := []int{4095, 4096, 4097, maxBlock - 1, maxBlock, maxBlock + 1, 3*maxBlock + 1, 1_000_003}
	for n := range 301 {
		sizes = append(sizes, n)
	}
	skipped := []byte{0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 'n', 'o'}
	for _, values := range []int{1, 2, 30, 256} {
		content := text(random, slices.Max(sizes), values)
		for _, checked := range []bool{false, true} {
			w, err := klauspost.NewWriter(nil, klauspost.WithEncoderCRC(checked), klauspost.WithZeroFrames(true))
			if err != nil {
				t.Fatal(err)
			}
			e, err := NewEncoder(Options{Level: 5, Checksum: checked})
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range sizes {
				var stream bytes.Buffer // its frame does not state its size
				w.Reset(&stream)
				if _, err := io.Copy(w, bytes.NewReader(content[:n])); err != nil {
					t.Fatal(err)
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				one := e.AppendEncode(nil, content[:n])
				mustDecode(t, stream.Bytes(), content[:n], n)
				all := slices.Concat(skipped, one, one, skipped, stream.Bytes(), one, skipped)
				want := bytes.Repeat(content[:n], 4)
				mustDecode(t, all, want, 4*n)
				mustDecode(t, all, want, 4*n+n%50)
				if n == 0 {
					continue
				}
				for _, src := range [][]byte{all, stream.Bytes()} {
					if _, err := decoded(t, src, n-1); !errors.Is(err, ErrTooLarge) {
						t.Fatalf("%d bytes in room for one less: %v", n, err)
					}
				}
			}
		}
	}
	mustDecode(t, nil, nil, 0)
	mustDecode(t, skipped, nil, 0)
}

// Copies may go back as far as the window, and no farther.
func TestDecodeFar(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 7))
	for _, far := range []int{window - 1, window, window + 1} {
		b := newBuilder()
		for len(b.content) < window+maxBlock {
			b.raw(text(random, maxBlock, 256))
		}
		sequences := slices.Repeat([]sequence{{3, 100, uint32(far)}}, 50)
		b.compressed(text(random, 200, 200), sequences)
		frame := b.frame(false)
		if far <= window {
			mustDecode(t, frame, b.content, len(b.content))
		} else if _, err := decoded(t, frame, len(b.content)); err == nil {
			t.Errorf("a copy from %d bytes back", far)
		}
	}
}

// No frame that is cut short is accepted. No frame with a checksum is accepted with a
// flipped bit, unless the bit is one that the checksum does not cover.
func TestDecodeDamaged(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 8))
		b := newBuilder()
		for len(b.blocks) < 300 {
			b.randomBlock(random, 20)
		}
		frame := b.frame(true)
		if len(frame) > 1000 || len(b.content) > 10_000 {
			continue // decoding would take too long
		}
		room := len(b.content) + 1000
		for n := 1; n < len(frame); n++ {
			if _, err := decoded(t, frame[:n], room); err == nil {
				t.Fatalf("seed %d: the first %d of %d bytes are taken", seed, n, len(frame))
			}
		}
		for i := range frame {
			damaged := slices.Clone(frame)
			damaged[i] ^= 1 << random.IntN(8)
			if got, err := decoded(t, damaged, room); err == nil && !bytes.Equal(got, b.content) && len(got) > 0 {
				t.Fatalf("seed %d: byte %d changes the content", seed, i)
			}
		}
		for _, junk := range []string{"x", "abc", "abcd", "abcdefgh"} {
			if _, err := decoded(t, append(slices.Clone(frame), junk...), room); err == nil {
				t.Fatalf("%q is taken behind a frame", junk)
			}
		}
	}
}

func TestDecodeConcurrent(t *testing.T) {
	var (
		d     Decoder
		tasks sync.WaitGroup
	)
	for seed := range uint64(8) {
		tasks.Go(func() {
			random := rand.New(rand.NewPCG(seed, 9))
			for range 20 {
				frame, content := randomFrame(random, 3, 500)
				got := make([]byte, len(content))
				if n, err := d.Decode(got, frame); err != nil || !bytes.Equal(got[:n], content) {
					t.Errorf("%d bytes, %v", n, err)
				}
			}
		})
	}
	tasks.Wait()
}

// Once the decoder has its memory, it allocates nothing.
func TestDecodeAllocates(t *testing.T) {
	var d Decoder
	frame, content := randomFrame(rand.New(rand.NewPCG(1, 10)), 8, 3000)
	dst := make([]byte, len(content))
	// A collection, or the race detector, may drop the memory now and then.
	best := math.Inf(1)
	for range 10 {
		best = min(best, testing.AllocsPerRun(1, func() { _, _ = d.Decode(dst, frame) }))
	}
	if best > 0 {
		t.Errorf("%g allocations", best)
	}
}

// FuzzDecode accepts what the library accepts, with the same content.
func FuzzDecode(f *testing.F) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 11))
		frame, _ := randomFrame(random, 1+random.IntN(4), []int{2, 20, 200}[seed%3])
		if len(frame) < 20_000 {
			f.Add(frame)
		}
	}
	const room = 300_000
	d, err := klauspost.NewReader(nil, klauspost.WithDecoderConcurrency(1), klauspost.WithDecodeAllCapLimit(true), klauspost.WithDecoderMaxWindow(1<<32))
	if err != nil {
		f.Fatal(err)
	}
	dst := make([]byte, 0, room)
	f.Fuzz(func(t *testing.T, src []byte) {
		got, err := decoded(t, src, room)
		want, fault := d.DecodeAll(src, dst)
		switch {
		case err == nil && fault == nil && !bytes.Equal(got, want):
			t.Errorf("%d bytes, %d of the library's", len(got), len(want))
		case err != nil && fault == nil && !errors.Is(err, errOffset):
			// The library reads a copy from no bytes back as a copy from one byte back.
			t.Errorf("%v: the library takes %d bytes", err, len(want))
		case err == nil && fault != nil:
			t.Errorf("%d bytes: the library refuses them: %v", len(got), fault)
		}
	})
}
