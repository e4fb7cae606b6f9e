package references

import (
	"bytes"
	"context"
	"errors"

	"github.com/zmigrate/zmigrate/internal/store"
)

// errOther says that an object of an existing table is not what would be written.
var errOther = errors.New("the table is another one")

// compared is an [io.Writer] that compares what is written with an object. It returns errOther
// for the first piece that differs.
type compared struct {
	ctx  context.Context //nolint:containedctx // it lives as long as the call that compares
	from *store.Store
	key  string
	size int64 // of the object
	at   int64
	had  []byte
}

// Write implements [io.Writer].
func (c *compared) Write(p []byte) (int, error) {
	if int64(len(p)) > c.size-c.at {
		return 0, errOther
	}
	if len(c.had) < len(p) {
		c.had = make([]byte, len(p))
	}
	had := c.had[:len(p)]
	if err := c.from.ReadRange(c.ctx, c.key, had, c.at); err != nil {
		return 0, err
	}
	if !bytes.Equal(had, p) {
		return 0, errOther
	}
	c.at += int64(len(p))
	return len(p), nil
}

// end returns errOther if the object has more bytes than were written.
func (c *compared) end() error {
	if c.at != c.size {
		return errOther
	}
	return nil
}
