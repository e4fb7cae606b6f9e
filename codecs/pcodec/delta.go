package pcodec

import (
	"fmt"
	"math"
)

// deltaKind is the kind of a delta encoding.
type deltaKind uint8

const (
	deltaNone deltaKind = iota
	deltaConsecutive
	deltaLookback
	deltaConvolution
)

const maxWindowLog = 24 // a chunk has no more than 2^24 numbers

// delta is a chunk's delta encoding.
type delta struct {
	kind      deltaKind
	secondary bool // the secondary latent variable has this encoding, too

	// stored is the number of latents that a page stores outside its batches: the order
	// of consecutive deltas, or of a convolution.
	stored int

	window int // the largest lookback

	// A convolution predicts (bias + Σ weights × latents) >> shift.
	bias    int64
	weights []int64
	shift   uint
}

// readDelta reads a chunk's delta encoding.
func readDelta(r *reader, major uint8) (delta, error) {
	var d delta
	if major < 3 {
		if d.stored = int(r.read(3)); d.stored > 0 {
			d.kind = deltaConsecutive
		}
		return d, nil
	}
	kind := r.read(4)
	switch d.kind = deltaKind(kind); d.kind {
	case deltaNone:
	case deltaConsecutive:
		d.stored = int(r.read(3))
		d.secondary = r.read(1) == 1
		if d.stored == 0 && !r.short {
			return d, fmt.Errorf("consecutive deltas of order 0: %w", ErrCorrupt)
		}
	case deltaLookback:
		windowLog := r.read(5) + 1
		storedLog := r.read(4)
		d.secondary = r.read(1) == 1
		if windowLog > maxWindowLog || storedLog > windowLog {
			return d, fmt.Errorf("a lookback window of 2^%d with 2^%d stored: %w", windowLog, storedLog, ErrCorrupt)
		}
		d.window, d.stored = 1<<windowLog, 1<<storedLog
	case deltaConvolution:
		d.shift = uint(r.read(5))
		d.bias = int64(r.read(64) ^ 1<<63)
		d.stored = int(r.read(5)) + 1
		d.weights = make([]int64, d.stored)
		for i := range d.weights {
			d.weights[i] = int64(int32(uint32(r.read(32)) ^ 1<<31))
		}
	default:
		return d, fmt.Errorf("delta encoding %d: %w", kind, ErrUnsupported)
	}
	return d, nil
}

// check refuses a convolution that could overflow the integers that the format
// prescribes. They have twice as many bits as the latents.
func (d *delta) check(bits uint) error {
	if d.kind != deltaConvolution {
		return nil
	}
	if bits > 32 {
		return fmt.Errorf("a convolution of %d-bit latents: %w", bits, ErrCorrupt)
	}
	sum := 0.0
	for _, w := range d.weights {
		sum += math.Abs(float64(w))
	}
	largest := math.Abs(float64(d.bias)) + math.Ldexp(sum, int(bits))
	if d.shift >= 2*bits || largest >= math.Ldexp(1, int(2*bits-1)) {
		return fmt.Errorf("a convolution that overflows: %w", ErrCorrupt)
	}
	return nil
}

// predictor undoes a delta encoding for one latent variable of a page.
type predictor[L latent] struct {
	delta

	// history begins with kept latents. For consecutive deltas, they are the next value
	// of each order; otherwise they are the latents before the next one. For lookbacks
	// and convolutions, history has room for more latents behind them.
	history []L
	kept    int
	next    int // where lookback decoding puts the next latent in history
}

// begin reads the stored latents of a page of count numbers.
func (p *predictor[L]) begin(r *reader, count int) error {
	if p.kind == deltaNone {
		return nil
	}
	w := width[L]()
	if p.stored*int(w) > r.end-r.pos {
		return errShort
	}
	// A lookback beyond the first latent gives zero. No lookback needs more latents
	// than the page has, so no more are kept.
	p.kept = max(p.stored, min(p.window, count))
	p.next = p.kept
	p.history = make([]L, p.kept+max(p.kept, batch))
	for i := range p.stored {
		p.history[p.kept-p.stored+i] = L(r.read(w))
	}
	return nil
}

// decode turns the differences of a batch into values. A value comes before the
// differences that were taken from it, so a page has fewer differences, by the number
// of its stored latents. The first lookbacks are the references of these differences.
func (p *predictor[L]) decode(values []L, lookbacks []uint32) error {
	switch p.kind {
	case deltaConsecutive:
		p.accumulate(values)
	case deltaLookback:
		return p.refer(values, lookbacks)
	case deltaConvolution:
		p.convolve(values)
	}
	return nil
}

// accumulate takes cumulative sums, once for each order.
func (p *predictor[L]) accumulate(values []L) {
	mid := middle[L]()
	switch p.kept {
	case 1:
		a := p.history[0]
		for i, d := range values {
			values[i] = a
			a += d ^ mid
		}
		p.history[0] = a
	case 2:
		a, b := p.history[0], p.history[1]
		for i, d := range values {
			values[i] = a
			a += b
			b += d ^ mid
		}
		p.history[0], p.history[1] = a, b
	default:
		for i := range values {
			values[i] ^= mid
		}
		for order := p.kept - 1; order >= 0; order-- {
			a := p.history[order]
			for i, d := range values {
				values[i] = a
				a += d
			}
			p.history[order] = a
		}
	}
}

// refer adds to each difference the latent that its lookback refers to.
func (p *predictor[L]) refer(values []L, lookbacks []uint32) error {
	if p.next+len(values) > len(p.history) {
		copy(p.history, p.history[p.next-p.kept:p.next])
		p.next = p.kept
	}
	mid, history := middle[L](), p.history
	for i, back := range lookbacks {
		if back-1 >= uint32(p.window) { // or back is 0
			return fmt.Errorf("a lookback of %d in a window of %d: %w", back, p.window, ErrCorrupt)
		}
		latent := values[i] ^ mid
		if int(back) <= p.kept {
			latent += history[p.next+i-int(back)]
		}
		history[p.next+i] = latent
	}
	copy(values, history[p.next-p.stored:])
	p.next += len(values)
	return nil
}

// convolve adds to each difference the prediction from the latents before it.
func (p *predictor[L]) convolve(values []L) {
	mid, history := middle[L](), p.history
	for i, d := range values {
		sum := p.bias
		for j, latent := range history[i:][:len(p.weights)] {
			sum += p.weights[j] * int64(latent)
		}
		values[i] = history[i]
		history[i+p.kept] = L(max(sum, 0)>>p.shift) + (d ^ mid)
	}
	copy(history, history[len(values):][:p.kept])
}
