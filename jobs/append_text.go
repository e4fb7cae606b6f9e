package jobs

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
)

// textComparison returns a function that compares texts by their code points: -1, 0
// or 1. It is nil for types that are no text.
func textComparison(t dtype.Type) func(a, b []byte) int {
	switch {
	case t == dtype.StringType:
		return bytes.Compare
	case t.Name() != "fixed_length_utf32":
		return nil
	}
	return func(a, b []byte) int {
		for i := 0; i+4 <= min(len(a), len(b)); i += 4 {
			if order := cmp.Compare(binary.NativeEndian.Uint32(a[i:]), binary.NativeEndian.Uint32(b[i:])); order != 0 {
				return order
			}
		}
		return 0
	}
}

// trend is the direction in which texts go.
type trend struct {
	n              int
	last           []byte
	notUp, notDown bool
}

// add takes the next text.
func (t *trend) add(compare func(a, b []byte) int, item []byte) {
	if t.n > 0 {
		order := compare(t.last, item)
		t.notUp, t.notDown = t.notUp || order >= 0, t.notDown || order <= 0
	}
	t.n++
	t.last = append(t.last[:0], item...)
}

// textOrder says where the texts of the source leave the order that those of the
// target have throughout, "" where they do not or there is none. One alone ascends.
func (c *coordinate) textOrder() string {
	direction := -1
	switch {
	case c.trend.n == 0 || c.trend.notUp && c.trend.notDown:
		return ""
	case c.trend.notUp:
		direction = 1
	}
	before, row := c.trend.last, 0
	for item := range c.new.Items() {
		if c.text(before, item) != direction {
			return c.gap(row, item, before)
		}
		before = slices.Clone(item)
		row++
	}
	return ""
}
