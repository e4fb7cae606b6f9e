package arrow

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
)

// decimals reads the integers of decimals, which are in two's complement.
type decimals struct {
	scale  int         // digits behind the point; if it is negative, zeros before it
	order  dtype.Order // of the bytes of an integer
	buffer []byte      // the integer in big-endian order
	text   []byte
}

// digits returns an integer as big-endian bytes, without bytes that only repeat the sign. They
// are at least 8 bytes and valid until the next call.
func (d *decimals) digits(p []byte) []byte {
	d.buffer = append(d.buffer[:0], p...)
	if d.order == dtype.Little {
		slices.Reverse(d.buffer)
	}
	sign := byte(0)
	if len(p) > 0 && d.buffer[0]>>7 == 1 {
		sign = 0xff
	}
	for len(d.buffer) < 8 {
		d.buffer = slices.Insert(d.buffer, 0, sign)
	}
	b := d.buffer
	for len(b) > 8 && b[0] == sign && b[1]>>7 == sign>>7 {
		b = b[1:]
	}
	return b
}

// integer returns an integer that has at most 64 bits.
func (d *decimals) integer(p []byte) (int64, error) {
	b := d.digits(p)
	if len(b) > 8 {
		return 0, fmt.Errorf("%w: a decimal has more digits than the schema says", errCorrupt)
	}
	return int64(binary.BigEndian.Uint64(b)), nil
}

// item returns a decimal as text: a sign if it is negative, digits, and scale digits behind a
// point. The text is valid until the next call.
func (d *decimals) item(p []byte) []byte {
	b := d.digits(p)
	text := ""
	if len(b) == 8 {
		text = strconv.FormatInt(int64(binary.BigEndian.Uint64(b)), 10)
	} else {
		n := new(big.Int).SetBytes(b)
		if b[0]>>7 == 1 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		text = n.String()
	}
	d.text = d.text[:0]
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		d.text, text = append(d.text, '-'), rest
	}
	if d.scale <= 0 {
		d.text = append(d.text, text...)
		for range -d.scale {
			if text == "0" {
				break
			}
			d.text = append(d.text, '0')
		}
		return d.text
	}
	for range d.scale + 1 - len(text) {
		d.text = append(d.text, '0')
	}
	d.text = append(d.text, text...)
	return slices.Insert(d.text, len(d.text)-d.scale, '.')
}
