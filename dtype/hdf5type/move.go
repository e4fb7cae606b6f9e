package hdf5type

import (
	"bytes"
	"encoding/binary"

	"github.com/zmigrate/zmigrate/dtype"
)

// Move brings some bytes of an element in the file to their place in memory. Its steps
// are taken in the order of the fields.
type Move struct {
	// The Move takes Length bytes: from byte From of the element in the file to byte To
	// of the element in memory.
	From, To, Length int
	// Word is the length of the words in these bytes, which are Length/Word words; it
	// is 1 where bytes are only copied.
	Word int
	// Swap says that the bytes of each word are reversed, from the order of the file to
	// the host's.
	Swap bool
	// Precision, where it is not 0, is the number of bits of each word that have a
	// meaning; they begin at BitOffset. They become the least significant bits of the
	// word. The bits above are copies of the most significant of them if Signed, else
	// 0.
	BitOffset, Precision int
	Signed               bool
	// Text says where a string ends. The bytes behind its end become 0.
	Text TextEnd
}

// TextEnd is where a string of fixed length ends.
type TextEnd uint8

// Ends of strings.
const (
	AllBytes      TextEnd = iota // no string, or a string padded with zero bytes as in memory
	ToFirstZero                  // the string ends before the first zero byte
	WithoutSpaces                // the string ends before the spaces at the end of the element
)

// appendMove adds a move. It joins the move with the last one if the two are one
// stretch of equal words.
func appendMove(moves []Move, m Move) []Move {
	if k := len(moves) - 1; k >= 0 && m.Text == AllBytes {
		last := moves[k]
		joined := last
		joined.Length += m.Length
		last.From, last.To, last.Length = m.From, m.To, m.Length
		if last == m && joined.From+joined.Length == m.From+m.Length && joined.To+joined.Length == m.To+m.Length {
			moves[k] = joined
			return moves
		}
	}
	return append(moves, m)
}

// Decode converts elements as they are in the file, each n.Element.Size bytes, to
// elements in memory, each n.Type.Size() bytes, which must not be 0. dst has room for
// exactly the elements of src. The two do not overlap, unless they are the same slice
// and the sizes are equal.
//
// A byte of a bool other than 0 and 1 is copied as it is.
func (n *Native) Decode(dst, src []byte) {
	decode(dst, src, n.Moves, n.Type.Size(), n.Element.Size)
}

func decode(dst, src []byte, moves []Move, to, from int) {
	if m := moves[0]; len(moves) == 1 && to == from && m.Length == from && m.Precision == 0 && m.Text == AllBytes {
		m.Length = len(src) // all elements are one stretch of words
		m.apply(dst, src)
		return
	}
	for _, m := range moves {
		for i, j := 0, 0; i < len(src); i, j = i+from, j+to {
			m.apply(dst[j+m.To:][:m.Length], src[i+m.From:])
		}
	}
}

// apply fills words, the place in memory, from src, the place in the file.
func (m Move) apply(words, src []byte) {
	src = src[:len(words)]
	if m.Swap {
		dtype.SwapWords(m.Word, words, src)
	} else {
		copy(words, src)
	}
	if m.Precision > 0 {
		for at := 0; at < len(words); at += m.Word {
			m.widen(words[at : at+m.Word])
		}
	}
	end := len(words)
	switch m.Text {
	case ToFirstZero:
		if zero := bytes.IndexByte(words, 0); zero >= 0 {
			end = zero
		}
	case WithoutSpaces:
		end = len(bytes.TrimRight(words, " "))
	}
	clear(words[end:])
}

// widen turns the meaningful bits of a word, which is in the host's order, into an
// integer.
func (m Move) widen(word []byte) {
	var v uint64
	switch len(word) {
	case 1:
		v = uint64(word[0])
	case 2:
		v = uint64(binary.NativeEndian.Uint16(word))
	case 4:
		v = uint64(binary.NativeEndian.Uint32(word))
	case 8:
		v = binary.NativeEndian.Uint64(word)
	}
	v <<= 64 - m.BitOffset - m.Precision
	if m.Signed {
		v = uint64(int64(v) >> (64 - m.Precision))
	} else {
		v >>= 64 - m.Precision
	}
	switch len(word) {
	case 1:
		word[0] = byte(v)
	case 2:
		binary.NativeEndian.PutUint16(word, uint16(v))
	case 4:
		binary.NativeEndian.PutUint32(word, uint32(v))
	case 8:
		binary.NativeEndian.PutUint64(word, v)
	}
}
