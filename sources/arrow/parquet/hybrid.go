package parquet

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// hybrid reads the encoding RLE: runs of equal numbers, and groups of eight numbers
// that are packed into width bits each, 0 to 32.
//
//	run:    | count·2 (varint) | number, in whole bytes |
//	groups: | groups·2 + 1 (varint) | width bytes for each group |
type hybrid struct {
	data  []byte // bytes behind the present run or groups
	width int

	left   int    // numbers left in the run or the groups
	value  uint32 // the number of the run
	packed []byte // the groups; nil: it is a run
	bit    int    // place of the next number in packed
}

// refill begins the next run or groups, which may be empty.
func (h *hybrid) refill() error {
	head, n := binary.Uvarint(h.data)
	if n <= 0 {
		return fmt.Errorf("%w: a run breaks off", ErrCorrupt)
	}
	h.data = h.data[n:]
	count := head >> 1
	const most = 1 << 40 // no page has more numbers
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
	// The last groups may lack unneeded bytes.
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
		n, err := h.next(list)
		if err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// next writes some of the next numbers to the beginning of list, which is not empty,
// and returns how many. It does not go beyond the present run or groups.
func (h *hybrid) next(list []uint32) (int, error) {
	for h.left == 0 {
		if err := h.refill(); err != nil {
			return 0, err
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
	return n, nil
}

// same skips numbers that equal value: the rest of the present run, but no more than most
// numbers. It returns how many it has skipped. It skips nothing if the run has another
// value, if fewer than least numbers are left of it, or if the next numbers are packed.
func (h *hybrid) same(value uint32, least, most int) (int, error) {
	for h.left == 0 {
		if err := h.refill(); err != nil {
			return 0, err
		}
	}
	n := min(h.left, most)
	if h.packed != nil || h.value != value || n < least {
		return 0, nil
	}
	h.left -= n
	return n, nil
}

// run skips numbers of the present run, but no more than most. It returns how many, and their value.
// It skips nothing if the next numbers are packed.
func (h *hybrid) run(most int) (n int, value uint32, err error) {
	for h.left == 0 {
		if err := h.refill(); err != nil {
			return 0, 0, err
		}
	}
	if h.packed != nil {
		return 0, 0, nil
	}
	n = min(h.left, most)
	h.left -= n
	return n, h.value, nil
}

// unpack reads numbers of the groups.
func (h *hybrid) unpack(list []uint32) {
	mask := uint64(1)<<h.width - 1
	bit := h.bit
	i := 0
	for ; bit%8 != 0 && i < len(list); i++ { // up to the next byte
		list[i] = uint32(h.near(bit) >> (bit % 8) & mask)
		bit += h.width
	}
	if bit%8 == 0 {
		n := unpackGroups(list[i:], h.packed[min(bit/8, len(h.packed)):], h.width)
		i, bit = i+n, bit+n*h.width
	}
	for bit%8 == 0 && i+8 <= len(list) && bit/8+h.width+8 <= len(h.packed) {
		unpackGroup((*[8]uint32)(list[i:]), h.packed[bit/8:], uint(h.width))
		i += 8
		bit += 8 * h.width
	}
	for ; i < len(list) && bit/8+8 <= len(h.packed); i++ {
		list[i] = uint32(binary.LittleEndian.Uint64(h.packed[bit/8:]) >> (bit % 8) & mask)
		bit += h.width
	}
	for ; i < len(list); i++ { // close to the end of the data
		list[i] = uint32(h.near(bit) >> (bit % 8) & mask)
		bit += h.width
	}
	h.bit = bit
}

// near returns the eight bytes of the groups that begin with the byte of the given bit,
// with zeros behind the end.
func (h *hybrid) near(bit int) uint64 {
	if bit/8+8 <= len(h.packed) {
		return binary.LittleEndian.Uint64(h.packed[bit/8:])
	}
	var last [8]byte
	copy(last[:], h.packed[min(bit/8, len(h.packed)):])
	return binary.LittleEndian.Uint64(last[:])
}

// bits reads n numbers of one bit each into a set, which is empty. It returns how many
// of them are 1.
func (h *hybrid) bits(set []uint64, n int) (ones int, err error) {
	for at := 0; at < n; {
		for h.left == 0 {
			if err := h.refill(); err != nil {
				return 0, err
			}
		}
		word, place := at/64, at%64
		some := min(h.left, n-at, 64-place)
		var x uint64
		switch {
		case h.packed != nil:
			some = min(some, 56) // 56 bits are within eight bytes, wherever they begin
			x = h.near(h.bit) >> (h.bit % 8)
			h.bit += some
		case h.value > 1:
			return 0, fmt.Errorf("%w: level %d, the highest is 1", ErrCorrupt, h.value)
		default:
			x = -uint64(h.value)
		}
		x &= 1<<some - 1
		ones += bits.OnesCount64(x)
		set[word] |= x << place
		h.left -= some
		at += some
	}
	return ones, nil
}
