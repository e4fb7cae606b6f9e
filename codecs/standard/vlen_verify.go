package standard

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/zmigrate/zmigrate/codecs"
)

// Verification implements [codecs.Verifier].
func (b *vlenBound) Verification() codecs.Verification {
	return codecs.Verification{All: true, InPieces: true}
}

// Verify implements [codecs.Verifier]. It checks the number of elements, their lengths,
// and that text is valid UTF-8.
func (b *vlenBound) Verify(ctx context.Context, in codecs.Input) error {
	check := b.Check()
	return walk(ctx, in, func(r *bufio.Reader) error {
		if _, err := io.Copy(check, r); err != nil {
			return err
		}
		return check.Close()
	})
}

// Check implements [codecs.Checking].
func (b *vlenBound) Check() io.WriteCloser { return &vlenCheck{want: b.n, text: b.text} }

// vlenCheck checks the bytes of elements of variable size, which come in pieces of any
// length.
type vlenCheck struct {
	want, seen int  // numbers of elements
	text       bool // elements are UTF-8
	counted    bool // the number of elements has been read
	number     []byte
	left       uint32 // bytes of the current element that are still to come
	rune       []byte // the first bytes of a character that the next piece completes
}

// Write implements [io.Writer]. Its errors are ErrCorrupt.
func (c *vlenCheck) Write(p []byte) (int, error) {
	size := len(p)
	for len(p) > 0 {
		if c.left == 0 {
			n := min(4-len(c.number), len(p))
			c.number, p = append(c.number, p[:n]...), p[n:]
			if len(c.number) < 4 {
				break
			}
			if err := c.take(binary.LittleEndian.Uint32(c.number)); err != nil {
				return 0, err
			}
			c.number = c.number[:0]
			continue
		}
		n := int(min(uint64(c.left), uint64(len(p))))
		c.left -= uint32(n)
		if c.text && !c.valid(p[:n]) {
			return 0, fmt.Errorf("%w: element %d in C order is not valid UTF-8", codecs.ErrCorrupt, c.seen)
		}
		if p = p[n:]; c.left == 0 {
			c.seen++
		}
	}
	return size, nil
}

// take handles a number: the number of elements, or the length of the next element.
func (c *vlenCheck) take(n uint32) error {
	switch {
	case !c.counted && uint64(n) != uint64(c.want):
		return fmt.Errorf("%w: %d elements, the chunk has %d", codecs.ErrCorrupt, n, c.want)
	case !c.counted:
		c.counted = true
	case c.seen == c.want:
		return fmt.Errorf("%w: there are bytes behind the last element", codecs.ErrCorrupt)
	case n == 0:
		c.seen++
	default:
		c.left = n
	}
	return nil
}

// valid reports whether p can continue a text. left bytes of the element follow p.
func (c *vlenCheck) valid(p []byte) bool {
	for len(c.rune) > 0 && len(p) > 0 && !utf8.FullRune(c.rune) {
		c.rune, p = append(c.rune, p[0]), p[1:]
	}
	if len(c.rune) > 0 {
		if !utf8.FullRune(c.rune) {
			return c.left > 0
		}
		if !utf8.Valid(c.rune) {
			return false
		}
		c.rune = c.rune[:0]
	}
	end := len(p)
	for i := max(0, len(p)-utf8.UTFMax+1); i < len(p) && c.left > 0; i++ {
		if utf8.RuneStart(p[i]) && !utf8.FullRune(p[i:]) {
			end = i
			break
		}
	}
	c.rune = append(c.rune, p[end:]...)
	return utf8.Valid(p[:end])
}

// Close implements [io.Closer]. The caller calls it behind the last byte.
func (c *vlenCheck) Close() error {
	if !c.counted || c.seen < c.want || len(c.number) > 0 {
		return fmt.Errorf("%w: element %d in C order is cut short", codecs.ErrCorrupt, c.seen)
	}
	return nil
}
