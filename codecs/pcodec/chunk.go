package pcodec

import "unsafe"

// decodeNumbers decodes a chunk of numbers whose latents are of type L.
func decodeNumbers[L latent](r *reader, major uint8, number Type, dst []byte) error {
	m, err := readMode[L](r, major, number)
	if err != nil {
		return err
	}
	if m.kind == modeDict {
		return decodeLatents[L, uint32](r, major, &m, dst)
	}
	return decodeLatents[L, L](r, major, &m, dst)
}

// decodeLatents decodes the part of a chunk behind its mode. The latents of the primary
// variable are of type P. Those of the secondary variable, if the mode has one, are of
// type L.
func decodeLatents[L, P latent](r *reader, major uint8, m *mode[L], dst []byte) error {
	c := chunk[L, P]{mode: m}
	var err error
	if c.delta, err = readDelta(r, major); err != nil {
		return err
	}
	if err = c.delta.check(width[P]()); err != nil {
		return err
	}
	if c.delta.kind == deltaLookback {
		if c.lookbacks, err = readVariable[uint32](r); err != nil {
			return err
		}
	}
	if c.primary, err = readVariable[P](r); err != nil {
		return err
	}
	if m.kind.joins() {
		if c.secondary, err = readVariable[L](r); err != nil {
			return err
		}
	}
	if err = r.align(); err != nil {
		return err
	}
	return c.decodePage(r, dst)
}

// chunk has the state for decoding the batches of a chunk.
type chunk[L, P latent] struct {
	mode      *mode[L]
	delta     delta
	lookbacks *variable[uint32] // nil unless the delta encoding is lookback
	primary   *variable[P]
	secondary *variable[L] // nil unless the mode has one
	numbers   [batch]L
}

// decodePage decodes a page, which fills dst.
func (c *chunk[L, P]) decodePage(r *reader, dst []byte) error {
	size := int(width[L]() / 8)
	left := len(dst) / size
	if c.lookbacks != nil {
		// Latents that the page stores have no lookbacks.
		if err := c.lookbacks.begin(r, max(0, left-c.delta.stored), delta{}); err != nil {
			return err
		}
	}
	if err := c.primary.begin(r, left, c.delta); err != nil {
		return err
	}
	if c.secondary != nil {
		d := c.delta
		if !d.secondary {
			d = delta{}
		}
		if err := c.secondary.begin(r, left, d); err != nil {
			return err
		}
	}
	if err := r.align(); err != nil {
		return err
	}
	for left > 0 {
		n := min(left, batch)
		if err := c.decodeBatch(r, n); err != nil {
			return err
		}
		copy(dst, bytesOf(c.numbers[:n]))
		dst = dst[n*size:]
		left -= n
	}
	return r.align()
}

// decodeBatch decodes the next n numbers.
func (c *chunk[L, P]) decodeBatch(r *reader, n int) error {
	var lookbacks []uint32
	var err error
	if v := c.lookbacks; v != nil {
		if lookbacks, err = v.read(r, min(n, v.left)); err != nil {
			return err
		}
	}
	primary, err := c.primary.read(r, n)
	if err != nil {
		return err
	}
	if err := c.primary.predict.decode(primary, lookbacks); err != nil {
		return err
	}
	var secondary []L
	if c.secondary != nil {
		if secondary, err = c.secondary.read(r, n); err != nil {
			return err
		}
		if err := c.secondary.predict.decode(secondary, lookbacks); err != nil {
			return err
		}
	}
	numbers := c.numbers[:n]
	if err := joinLatents(c.mode, numbers, primary, secondary); err != nil {
		return err
	}
	fromOrdered(numbers, c.mode.number)
	return nil
}

// bytesOf returns the memory of a slice.
func bytesOf[L latent](s []L) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
}
