package zfp

import (
	"fmt"
	"slices"
)

// Sizes of the parts of a header, in bits.
const (
	magicBits     = 32
	metaBits      = 52
	shortModeBits = 12
	longModeBits  = 64
	maxHeaderBits = magicBits + metaBits + longModeBits
)

// codecVersion is the version of the format, 5 since zfp 0.5.
const codecVersion = 5

// Bounds of the short form of the mode: fixed rates from 0 on, then fixed precisions,
// the lossless mode, and accuracies up to shortModeMax. The lowest bits of the long
// form are shortModeMax+1.
const (
	modePrecision  = 2048
	modeReversible = modePrecision + 128
	modeAccuracy   = modeReversible + 1
	shortModeMax   = 1<<shortModeBits - 2
	longMinExp     = -16495 // added to exponents in the long form
)

// A Header is the content of a stream's header. libzfp's zfp_write_header writes it
// with all its parts, and numcodecs.zfpy stores it.
type Header struct {
	Type   Type
	Shape  []int // the array's dimensions, the last one contiguous
	Params Params
	// Bits is the size of the header: 96, or 148 if the parameters belong to none of
	// the common modes. The first block follows without a gap.
	Bits int
}

// ParseHeader reads the header at the start of a stream. For a stream without a header,
// and for a header that libzfp refuses, the error wraps ErrCorrupt. Twelve bytes may
// state a shape of up to 2^48 elements: compare it with the expected shape before
// allocating memory for it.
func ParseHeader(src []byte) (Header, error) {
	if len(src)*8 < magicBits+metaBits+shortModeBits {
		return Header{}, fmt.Errorf("%w: %d bytes are too few for a header", ErrCorrupt, len(src))
	}
	padded := make([]byte, maxHeaderBits/8+2*slack)
	copy(padded, src[:min(len(src), maxHeaderBits/8+1)])
	r := bitReader{buf: padded}
	if magic := r.get(24); magic != 'z'|'f'<<8|'p'<<16 {
		return Header{}, fmt.Errorf("%w: no zfp header but %q", ErrCorrupt, src[:3])
	}
	if v := r.get(8); v != codecVersion {
		return Header{}, fmt.Errorf("%w: version %d of zfp's format, not %d", ErrCorrupt, v, codecVersion)
	}
	h := parseMeta(r.get(metaBits))
	mode := r.get(shortModeBits)
	if mode > shortModeMax {
		mode |= r.get(longModeBits-shortModeBits) << shortModeBits
	}
	h.Bits = r.pos
	if len(src)*8 < h.Bits {
		return Header{}, fmt.Errorf("%w: %d bytes are too few for a header of %d bits", ErrCorrupt, len(src), h.Bits)
	}
	h.Params = parseMode(mode)
	if err := h.Params.Validate(h.Type); err != nil {
		return Header{}, fmt.Errorf("%w: header: %w", ErrCorrupt, err)
	}
	return h, nil
}

// parseMeta reads the type in the lowest two bits, the number of dimensions, and the
// dimensions, x first. The dimensions share 48 bits evenly.
func parseMeta(meta uint64) Header {
	h := Header{Type: Type(meta&3) + 1, Shape: make([]int, meta>>2&3+1)}
	meta >>= 4
	width := 48 / len(h.Shape)
	for i := range slices.Backward(h.Shape) {
		h.Shape[i] = int(meta&(1<<width-1)) + 1
		meta >>= width
	}
	return h
}

// formatMeta is the inverse of parseMeta. It fails for a shape that does not fit.
func formatMeta(t Type, shape []int) (uint64, error) {
	meta := uint64(0)
	width := 48 / len(shape)
	for i, n := range shape {
		if uint64(n-1)>>width != 0 {
			return 0, fmt.Errorf("%w: dimension %d of shape %v is above 2^%d, zfp's header has no room for it",
				ErrParams, i, shape, width)
		}
		meta = meta<<width | uint64(n-1)
	}
	return meta<<4 | uint64(len(shape)-1)<<2 | uint64(t-1), nil
}

// parseMode reads the short or the long form of the parameters.
func parseMode(mode uint64) Params {
	p := Params{NoMinBits, NoMaxBits, NoMaxPrec, NoMinExp}
	switch {
	case mode > shortModeMax:
		mode >>= shortModeBits
		p.MinBits = int(mode&0x7fff) + 1
		p.MaxBits = int(mode>>15&0x7fff) + 1
		p.MaxPrec = int(mode>>30&0x7f) + 1
		p.MinExp = int(mode>>37) + longMinExp
	case mode >= modeAccuracy:
		p.MinExp = int(mode) - modeAccuracy + NoMinExp
	case mode == modeReversible:
		p.MinExp = NoMinExp - 1
	case mode >= modePrecision:
		p.MaxPrec = int(mode) - modePrecision + 1
	default:
		p.MinBits = int(mode) + 1
		p.MaxBits = p.MinBits
	}
	return p
}

// formatMode returns valid parameters in the form that libzfp writes, and the size of
// this form. Parameters of a common mode have the short form; zfp's default parameters,
// which limit nothing, have the long form. Parameters for which the long form has no
// room are replaced by others with the same effect.
func formatMode(p Params) (mode uint64, size int) {
	unlimited := p.MinBits <= NoMinBits && p.MaxBits >= NoMaxBits
	full := p.MaxPrec == NoMaxPrec
	switch {
	case p == Params{NoMinBits, NoMaxBits, NoMaxPrec, NoMinExp}:
	case p.MinBits == p.MaxBits && p.MaxBits <= modePrecision && full && p.MinExp == NoMinExp:
		return uint64(p.MaxBits - 1), shortModeBits
	case unlimited && p.MinExp == NoMinExp:
		return uint64(p.MaxPrec-1) + modePrecision, shortModeBits
	case unlimited && full && p.reversible():
		return modeReversible, shortModeBits
	case unlimited && full && p.MinExp-NoMinExp+modeAccuracy <= shortModeMax:
		return uint64(p.MinExp-NoMinExp) + modeAccuracy, shortModeBits
	}
	mode = uint64(min(max(p.MinExp-longMinExp, 0), 0x7fff))
	mode = mode<<7 | uint64(p.MaxPrec-1)
	mode = mode<<15 | uint64(min(p.MaxBits, 1<<15)-1)
	mode = mode<<15 | uint64(max(p.MinBits, 1)-1)
	return mode<<shortModeBits | (shortModeMax + 1), longModeBits
}

// canonical returns the parameters that a header gives back. They have the same effect
// as p.
func canonical(p Params) Params {
	mode, _ := formatMode(p)
	return parseMode(mode)
}

// putHeader writes the header of an array.
func (w *bitWriter) putHeader(t Type, shape []int, p Params) error {
	meta, err := formatMeta(t, shape)
	if err != nil {
		return err
	}
	w.reserve(maxHeaderBits)
	w.put64('z'|'f'<<8|'p'<<16|codecVersion<<24, magicBits)
	w.put64(meta, metaBits)
	mode, size := formatMode(p)
	w.put64(mode, size)
	return nil
}

// checkHeader returns the size in bits of a stream's header. It returns an error if the
// header contradicts the arguments.
func checkHeader(src []byte, t Type, shape []int, p Params) (int, error) {
	h, err := ParseHeader(src)
	if err != nil {
		return 0, err
	}
	if h.Type != t || !slices.Equal(h.Shape, shape) {
		return 0, fmt.Errorf("%w: the header tells of %v of shape %v, expected %v of shape %v",
			ErrCorrupt, h.Type, h.Shape, t, shape)
	}
	if canonical(h.Params) != canonical(p) {
		return 0, fmt.Errorf("%w: the header has the parameters %+v, expected %+v", ErrCorrupt, h.Params, p)
	}
	return h.Bits, nil
}
