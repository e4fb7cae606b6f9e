//go:build !purego

package zstd

// lookKernel does the same as lookPlain, with the arguments and the results in the probe. It needs AVX2, BMI1, BMI2 and LZCNT.
//
//go:noescape
func lookKernel(c *probe)

// scanKernel does the same as scanPlain, with the arguments and the results in the probe. It needs what lookKernel needs.
//
//go:noescape
func scanKernel(c *probe)

// enterKernel does the same as enterPlain for at least one position. It needs AVX2 and BMI2.
//
//go:noescape
func enterKernel(c *probe, from, to int)

func (c *probe) look(at, last, least int) (offset, n int) {
	if c.plain {
		return c.lookPlain(at, last, least)
	}
	c.at, c.last, c.least = at, last, least
	lookKernel(c)
	return c.offset, c.n
}

func (c *probe) scan(at, last, anchor, limit int) (to, offset, n int) {
	if c.plain {
		return c.scanPlain(at, last, anchor, limit)
	}
	c.at, c.last, c.anchor, c.limit = at, last, anchor, limit
	scanKernel(c)
	return c.at, c.offset, c.n
}

func (c *probe) enter(from, to int) {
	switch {
	case c.plain:
		c.enterPlain(from, to)
	case from < to:
		enterKernel(c, from, to)
	}
}
