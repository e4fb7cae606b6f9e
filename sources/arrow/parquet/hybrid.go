package parquet

import (
	"encoding/binary"
	"fmt"
)

// hybrid reads the encoding RLE: runs of equal numbers, and groups of eight
// that are packed into width bits each, 0 to 32.
//
//	run:    | count·2 (varint) | number, in whole bytes |
//	groups: | groups·2 + 1 (varint) | width bytes for each group |
type hybrid struct {
	data  []byte // that is left, behind the run or the groups being read
	width int

	left   int    // numbers in the run or the groups
	value  uint32 // of the run
	packed []byte // the groups; nil: a run
	bit    int    // of the next number in packed
}

// refill begins the next run or groups, which may be of no number.
func (h *hybrid) refill() error {
	head, n := binary.Uvarint(h.data)
	if n <= 0 {
		return fmt.Errorf("%w: a run breaks off", ErrCorrupt)
	}
	h.data = h.data[n:]
	count := head >> 1
	const most = 1 << 40 // more than that are no numbers of one page
	if count > most {
		return fmt.Errorf("%w: a run of %d numbers", ErrCorrupt, count)
	}
	if head&1 == 0 {
		size := (h.width + 7) / 8
		if len(h.data) < size {
			return fmt.Errorf("%w: a run breaks off", ErrCorrupt)
		}
		h.value, h.packed, h.left = 0, nil, int(count)
		for i, b := range h.data[:size] {
			h.value |= uint32(b) << (8 * i)
		}
		h.data = h.data[size:]
		return nil
	}
	// The last groups may lack bytes that nobody needs.
	size := min(int(count)*h.width, len(h.data))
	h.packed, h.bit, h.left = h.data[:size:size], 0, int(count)*8
	if h.width > 0 {
		h.left = min(h.left, size*8/h.width)
	}
	if h.left == 0 && count > 0 {
		return fmt.Errorf("%w: packed numbers break off", ErrCorrupt)
	}
	h.data = h.data[size:]
	return nil
}

// read fills list with the next numbers.
func (h *hybrid) read(list []uint32) error {
	for len(list) > 0 {
		for h.left == 0 {
			if err := h.refill(); err != nil {
				return err
			}
		}
		n := min(h.left, len(list))
		if h.packed == nil {
			for i := range list[:n] {
				list[i] = h.value
			}
		} else {
			h.unpack(list[:n])
		}
		h.left -= n
		list = list[n:]
	}
	return nil
}

// same passes over what is left of a run of a value, most numbers at most, and
// returns how many these are; 0 where other numbers may follow.
func (h *hybrid) same(value uint32, most int) (int, error) {
	for h.left == 0 {
		if err := h.refill(); err != nil {
			return 0, err
		}
	}
	if h.packed != nil || h.value != value {
		return 0, nil
	}
	n := min(h.left, most)
	h.left -= n
	return n, nil
}

// unpack reads numbers of the groups.
func (h *hybrid) unpack(list []uint32) {
	mask := uint64(1)<<h.width - 1
	bit := h.bit
	i := 0
	if h.width == 1 && bit%8 == 0 {
		for ; i+8 <= len(list); i += 8 {
			b := uint32(h.packed[bit/8])
			eight := list[i : i+8 : i+8]
			eight[0], eight[1], eight[2], eight[3] = b&1, b>>1&1, b>>2&1, b>>3&1
			eight[4], eight[5], eight[6], eight[7] = b>>4&1, b>>5&1, b>>6&1, b>>7
			bit += 8
		}
	}
	for ; i < len(list) && bit/8+8 <= len(h.packed); i++ {
		list[i] = uint32(binary.LittleEndian.Uint64(h.packed[bit/8:]) >> (bit % 8) & mask)
		bit += h.width
	}
	for ; i < len(list); i++ { // near the end
		var last [8]byte
		copy(last[:], h.packed[min(bit/8, len(h.packed)):])
		list[i] = uint32(binary.LittleEndian.Uint64(last[:]) >> (bit % 8) & mask)
		bit += h.width
	}
	h.bit = bit
}
