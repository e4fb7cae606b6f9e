package pcodec

import (
	"encoding/binary"
	"fmt"
)

// modeKind is the way in which latent variables are joined into numbers.
type modeKind uint8

const (
	modeClassic    modeKind = iota // the primary latent is the number
	modeIntMult                    // primary × base + secondary
	modeFloatMult                  // primary × base, then as many steps to the next float as secondary says
	modeFloatQuant                 // primary, with shift bits of the secondary below it
	modeDict                       // the primary latent is an index
)

// joins tells whether the mode has a secondary latent variable.
func (k modeKind) joins() bool {
	return k == modeIntMult || k == modeFloatMult || k == modeFloatQuant
}

// mode is a chunk's mode, for numbers with latents of type L.
type mode[L latent] struct {
	kind   modeKind
	number Type
	base   L      // of the mult modes; for floats, their bits
	shift  uint   // of modeFloatQuant
	dict   []byte // little-endian latents
}

// readMode reads a chunk's mode.
func readMode[L latent](r *reader, major uint8, number Type) (mode[L], error) {
	m := mode[L]{number: number}
	w := width[L]()
	kind := r.read(4)
	switch m.kind = modeKind(kind); m.kind {
	case modeClassic:
	case modeIntMult:
		if major == 0 {
			return m, fmt.Errorf("the GCD mode of format version 0: %w", ErrUnsupported)
		}
		m.base = L(r.read(w))
		if number.float() || m.base == 0 && !r.short {
			return m, fmt.Errorf("integer multiples of %d for type %v: %w", m.base, number, ErrCorrupt)
		}
	case modeFloatMult:
		m.base = floatAt(L(r.read(w)))
		exponent := ^L(0) >> 1 &^ (1<<mantissaBits(number) - 1)
		if !number.float() || (m.base<<1 == 0 || m.base&exponent == exponent) && !r.short {
			return m, fmt.Errorf("multiples of a float of bits %#x for type %v: %w", m.base, number, ErrCorrupt)
		}
	case modeFloatQuant:
		m.shift = uint(r.read(8))
		if !number.float() || (m.shift == 0 || m.shift > mantissaBits(number)) && !r.short {
			return m, fmt.Errorf("floats without their last %d bits for type %v: %w", m.shift, number, ErrCorrupt)
		}
	case modeDict:
		count := int(r.read(25))
		if err := r.align(); err != nil {
			return m, err
		}
		m.dict = r.bytes(count * int(w/8))
	default:
		return m, fmt.Errorf("mode %d: %w", kind, ErrUnsupported)
	}
	if r.short {
		return m, errShort
	}
	return m, nil
}

// mantissaBits returns the number of bits of a float type's mantissa in its encoding, 0
// for an integer type.
func mantissaBits(number Type) uint {
	switch number {
	case Float16:
		return 10
	case Float32:
		return 23
	case Float64:
		return 52
	default:
		return 0
	}
}

// joinLatents turns the latents of a batch into numbers, given as integers in the
// numbers' order. There are as many numbers as latents.
func joinLatents[L, P latent](m *mode[L], numbers []L, primary []P, secondary []L) error {
	primary = primary[:len(numbers)]
	switch m.kind {
	case modeClassic:
		for i, p := range primary {
			numbers[i] = L(p)
		}
	case modeIntMult:
		base := m.base
		for i, s := range secondary[:len(numbers)] {
			numbers[i] = L(primary[i])*base + s
		}
	case modeFloatMult:
		multiply(m, numbers, primary)
		mid := middle[L]()
		for i, s := range secondary[:len(numbers)] {
			numbers[i] = (numbers[i] + s) ^ mid
		}
	case modeFloatQuant:
		shift, low := m.shift, L(1)<<m.shift-1
		positive := middle[L]() >> shift
		for i, s := range secondary[:len(numbers)] {
			p := L(primary[i])
			if p < positive {
				s = low - s
			}
			numbers[i] = p<<shift + s
		}
	case modeDict:
		return lookUp(m.dict, numbers, primary)
	}
	return nil
}

// lookUp turns indexes into a dictionary of little-endian latents into numbers.
func lookUp[L, P latent](dict []byte, numbers []L, indexes []P) error {
	size := int(width[L]() / 8)
	count := uint64(len(dict) / size)
	for i, index := range indexes {
		if uint64(index) >= count {
			return fmt.Errorf("index %d into a dictionary of %d numbers: %w", index, count, ErrCorrupt)
		}
		entry := dict[int(index)*size:]
		switch size {
		case 1:
			numbers[i] = L(entry[0])
		case 2:
			numbers[i] = L(binary.LittleEndian.Uint16(entry))
		case 4:
			numbers[i] = L(binary.LittleEndian.Uint32(entry))
		default:
			numbers[i] = L(binary.LittleEndian.Uint64(entry))
		}
	}
	return nil
}
