package pcodec

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/zmigrate/zmigrate/internal/race"
)

// MaxLevel is the highest compression level. At level n, the encoder starts from about
// 2^n bins and joins them; from level 10 on, it starts from 2^10.
const MaxLevel = 12

const (
	maxSpansLog = 10
	maxOrder    = 7       // most orders of differences
	chunkLength = 1 << 18 // numbers in a chunk
)

// AppendEncode appends to dst a stream of all numbers in src, which have one type and
// the host's byte order. It uses the classic mode, with consecutive deltas where they
// help. pcodec reads the stream from version 0.2 on, and 8-bit numbers from 1.0 on. The
// stream is the same on every machine. AppendEncode returns an error for an unknown
// type, for a level that is not from 0 to MaxLevel, and if the length of src is not
// that of whole numbers. Besides the stream, it allocates up to four times the memory
// of a chunk, which has 2^18 numbers.
func AppendEncode(dst, src []byte, number Type, level int) ([]byte, error) {
	size := number.Size()
	switch {
	case size == 0:
		return dst, fmt.Errorf("pcodec: %v: %w", number, ErrUnsupported)
	case level < 0 || level > MaxLevel:
		return dst, fmt.Errorf("pcodec: level %d is not from 0 to %d", level, MaxLevel)
	case len(src)%size != 0:
		return dst, fmt.Errorf("pcodec: %d bytes are not whole %v numbers", len(src), number)
	}
	race.Read(src)
	w := &writer{data: append(dst, magic...)}
	w.write(2, 8) // standalone version
	count := uint64(len(src) / size)
	hint := max(1, uint(bits.Len64(count)))
	w.write(uint64(hint-1), 6)
	w.write(count, hint)
	w.align()
	w.write(2, 8) // format version
	for chunk := range slices.Chunk(src, chunkLength*size) {
		w.write(uint64(number), 8)
		w.write(uint64(len(chunk)/size-1), 24)
		switch size {
		case 1:
			encodeChunk[uint8](w, chunk, number, level)
		case 2:
			encodeChunk[uint16](w, chunk, number, level)
		case 4:
			encodeChunk[uint32](w, chunk, number, level)
		default:
			encodeChunk[uint64](w, chunk, number, level)
		}
	}
	w.write(0, 8)
	w.align()
	race.Write(w.data[len(dst):])
	return w.data, nil
}

// encodeChunk writes the part of a chunk behind its type and count.
func encodeChunk[L latent](w *writer, src []byte, number Type, level int) {
	values := make([]L, len(src)/int(width[L]()/8))
	copy(bytesOf(values), src)
	toOrdered(values, number)

	order := chooseOrder(values)
	stored, values := subtract(values, order)
	spans, _ := chooseSpans(sorted(values), min(level, maxSpansLog))
	bins, log := makeBins(spans)

	w.write(uint64(modeClassic), 4)
	w.write(uint64(order), 3)
	w.write(uint64(log), 4)
	w.write(uint64(len(bins)), binCountBits)
	for _, b := range bins {
		w.write(uint64(b.weight-1), log)
		w.write(uint64(b.lower), width[L]())
		w.write(uint64(b.width), uint(bits.Len(width[L]())))
	}
	w.align()
	for _, s := range stored {
		w.write(uint64(s), width[L]())
	}
	encodePage(w, values, bins, log)
	w.align()
}

// chooseOrder estimates, from samples spread over the values, which order of
// differences takes the fewest bits. It tries higher orders as long as they improve.
func chooseOrder[L latent](values []L) int {
	const length, samples, spansLog = 200, 20, 5
	step := max(len(values)/samples, length)
	best, least := 0, math.Inf(1)
	var deltas []L
	for order := 0; order <= maxOrder && order < len(values); order++ {
		deltas = deltas[:0]
		for start := 0; start < len(values); start += step {
			sample := values[start:min(start+length, len(values))]
			_, d := subtract(slices.Clone(sample), order)
			deltas = append(deltas, d...)
		}
		slices.Sort(deltas)
		_, cost := chooseSpans(deltas, spansLog)
		mean := float64(cost) / float64(len(deltas))
		if mean >= least {
			break
		}
		best, least = order, mean
	}
	return best
}

// subtract takes differences in place, as often as order says. It returns the first
// value of each order, and the last differences. They are fewer than the values, by
// order.
func subtract[L latent](values []L, order int) (stored, deltas []L) {
	for range order {
		if len(values) == 0 {
			return append(stored, make([]L, order-len(stored))...), nil
		}
		stored = append(stored, values[0])
		for i := len(values) - 1; i > 0; i-- {
			values[i] -= values[i-1]
		}
		values = values[1:]
	}
	if order > 0 {
		mid := middle[L]()
		for i := range values {
			values[i] ^= mid
		}
	}
	return stored, values
}

// encodePage writes the part of a page behind its stored latents.
func encodePage[L latent](w *writer, values []L, bins []bin[L], log uint) {
	symbols := make([]uint16, len(values))
	uppers := make([]L, len(bins)) // the last one is not needed
	for i := range len(bins) - 1 {
		uppers[i] = bins[i+1].lower - 1
	}
	for i, v := range values {
		symbols[i] = uint16(search(uppers, v))
	}

	// The states are found from the last latent to the first.
	t := newTransitions(bins, log)
	emitted := make([]emission, len(values))
	var states [lanes]uint32
	for i := len(values) - 1; i >= 0; i-- {
		states[i%lanes], emitted[i] = t.step(states[i%lanes], symbols[i])
	}
	for _, s := range states {
		w.write(uint64(s), log)
	}
	w.align()
	for start := 0; start < len(values); start += batch {
		end := min(start+batch, len(values))
		for _, e := range emitted[start:end] {
			w.write(uint64(e.value), uint(e.bits))
		}
		for i, s := range symbols[start:end] {
			b := &bins[s]
			w.write(uint64(values[start+i]-b.lower), uint(b.width))
		}
	}
}

// search returns the index of the first bound that is not less than v. It does not look
// at the last bound, whose index it returns if there is no such bound.
func search[L latent](uppers []L, v L) int {
	low, n := 0, len(uppers)
	for n > 1 {
		half := n / 2
		if uppers[low+half-1] < v {
			low += half
		}
		n -= half
	}
	return low
}

// emission is the bits in the stream for a step from one state to the next.
type emission struct {
	value uint16
	bits  uint8
}

// transitions is the inverse of a tANS table.
type transitions struct {
	log     uint
	weights []uint16
	first   []int    // index in states of the first state of each bin
	states  []uint16 // the states of each bin in ascending order
}

func newTransitions[L latent](bins []bin[L], log uint) *transitions {
	t := &transitions{log: log, weights: make([]uint16, len(bins)), first: make([]int, len(bins)), states: make([]uint16, 1<<log)}
	next := make([]int, len(bins))
	at := 0
	for i, b := range bins {
		t.weights[i], t.first[i], next[i] = b.weight, at, at
		at += int(b.weight)
	}
	for state, owner := range spread(bins, log) {
		t.states[next[owner]] = uint16(state)
		next[owner]++
	}
	return t
}

// step returns a state of a bin from which the decoder goes to the state next, and the
// bits for this step.
func (t *transitions) step(next uint32, symbol uint16) (uint32, emission) {
	x := next + 1<<t.log
	weight := uint32(t.weights[symbol])
	n := bits.Len32(x) - bits.Len32(weight)
	if x>>n < weight {
		n--
	}
	state := t.states[t.first[symbol]+int(x>>n-weight)]
	return uint32(state), emission{uint16(x & (1<<n - 1)), uint8(n)}
}

// writer writes bit fields, the lowest bits first.
type writer struct {
	data    []byte
	pending uint64
	used    uint // bits of pending, less than 64
}

// write appends the lowest bits of v; the others must be zero.
func (w *writer) write(v uint64, bits uint) {
	w.pending |= v << w.used
	if w.used += bits; w.used >= 64 {
		w.data = binary.LittleEndian.AppendUint64(w.data, w.pending)
		w.used -= 64
		w.pending = v >> (bits - w.used)
	}
}

// align completes the last byte with zeros, and leaves nothing pending.
func (w *writer) align() {
	for ; w.used > 0; w.used -= min(8, w.used) {
		w.data = append(w.data, byte(w.pending))
		w.pending >>= 8
	}
}
