//go:build !amd64 || purego

package zstd

func (c *probe) look(at, last, least int) (offset, n int) { return c.lookPlain(at, last, least) }

func (c *probe) scan(at, last, anchor, limit int) (to, offset, n int) {
	return c.scanPlain(at, last, anchor, limit)
}

func (c *probe) enter(from, to int) { c.enterPlain(from, to) }
