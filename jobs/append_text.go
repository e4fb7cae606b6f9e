package jobs

import "slices"

// textOrder says where the texts of the source leave the order of the target's texts. It
// is "" where they do not, and where the target's texts neither rise nor fall. A single
// text rises.
func (c *coordinate) textOrder() string {
	direction := -1
	switch {
	case c.trend.N == 0 || !c.trend.Rising() && !c.trend.Falling():
		return ""
	case !c.trend.Rising():
		direction = 1
	}
	before, row := c.last, 0
	for item := range c.new.Items() {
		if c.text(before, item) != direction {
			return c.gap(row, item, before)
		}
		before = slices.Clone(item)
		row++
	}
	return ""
}
