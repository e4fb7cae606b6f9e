package jobs

import "slices"

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
