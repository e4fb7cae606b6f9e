package zstd

import "encoding/binary"

// decodeFastPlain decodes sequences until it meets one that it has to leave, unchanged,
// to decodeOne: the last sequence, one near the end of dst or of the literals, one with
// too many bits to read at once, or an invalid one.
func (d *sequenceDecoder) decodeFastPlain() {
	var (
		src, dst           = d.src, d.dst
		literals           = d.literals[:len(d.literals)+d.spare]
		stateLL            = d.states[literalLengths]
		stateML            = d.states[matchLengths]
		stateOF            = d.states[offsets]
		lls, mls, ofs      = &d.tables[literalLengths], &d.tables[matchLengths], &d.tables[offsets]
		bit, out, taken    = d.bit, d.out, d.taken
		fastOut, fastTaken = d.fastOut, d.fastTaken
		r0, r1, r2         = d.history[0], d.history[1], d.history[2]
		left               = d.left
	)
	for ; left > 1; left-- {
		ll, ml, of := lls[stateLL&(maxTableSize-1)], mls[stateML&(maxTableSize-1)], ofs[stateOF&(maxTableSize-1)]
		sum := ll + ml + of
		total := sum.total()
		if total > containerBits || total > bit-d.firstBit {
			break
		}
		// First all bits of the sequence, then the bits behind its states.
		word := load64(src, (bit+7)>>3-8) << (-bit & 7) >> (-total & 63)
		more := word >> (sum >> 8 & 63)
		literalLength := ll.base() + low(more, ll>>16)
		more >>= ll >> 16 & 63
		length := ml.base() + low(more, ml>>16)
		more >>= ml >> 16 & 63
		value := uint64(low(more, of>>16)) | 1<<(of>>16&63)

		offset, n1, n2 := value-3, r0, r1
		if value <= 3 {
			if literalLength == 0 {
				value++
			}
			switch value {
			case 1:
				offset, n1, n2 = r0, r1, r2
			case 2:
				offset, n1, n2 = r1, r0, r2
			case 3:
				offset = r2
			default:
				offset = r0 - 1
			}
		}
		to := out + literalLength
		if to+length > fastOut || taken+literalLength > fastTaken ||
			offset-1 >= uint64(to-d.frameStart) || offset > uint64(d.window) {
			break
		}
		r0, r1, r2 = offset, n1, n2
		bit -= total
		stateOF = of.next() + low(word, of>>8)
		word >>= of >> 8 & 63
		stateML = ml.next() + low(word, ml>>8)
		stateLL = ll.next() + low(word>>(ml>>8&63), ll>>8)

		from := literals[taken : taken+wildCopy : len(literals)]
		copySixteen(dst[out:], from)
		if literalLength > 16 {
			copy(dst[out+16:to], from[16:cap(from)])
		}
		taken += literalLength
		if from := dst[to-int(offset):]; offset >= 16 && length <= 32 {
			copySixteen(dst[to:], from)
			copySixteen(dst[to+16:], from[16:])
		} else {
			copyBack(dst, to, int(offset), length)
		}
		out = to + length
	}
	d.states = [codeKinds]int{literalLengths: stateLL, matchLengths: stateML, offsets: stateOF}
	d.bit, d.out, d.taken, d.left = bit, out, taken, left
	d.history = [3]uint64{r0, r1, r2}
}

// low returns the lowest bits. The lowest bits of e tell how many.
func low(bits uint64, e entry) int { return int(bits & (1<<(e&63) - 1)) }

func copySixteen(dst, src []byte) {
	_, _ = dst[15], src[15]
	binary.LittleEndian.PutUint64(dst, load64(src, 0))
	binary.LittleEndian.PutUint64(dst[8:], load64(src, 8))
}

// copyBack copies n bytes, and up to 15 further bytes, to dst[at:] from offset bytes
// back. Source and destination may overlap.
func copyBack(dst []byte, at, offset, n int) {
	if offset >= n && n > 64 {
		copy(dst[at:at+n], dst[at-offset:])
		return
	}
	if offset < 8 {
		// After some repetitions, the same bytes follow a multiple of the offset
		// further back, which is at least a word.
		k := (7 + offset) / offset * offset
		for i := range k {
			dst[at+i] = dst[at+i-offset]
		}
		at, n, offset = at+k, n-k, k
	}
	for i := 0; i < n; i += 8 {
		binary.LittleEndian.PutUint64(dst[at+i:], load64(dst, at+i-offset))
	}
}
