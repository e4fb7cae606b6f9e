package driver

import (
	"context"
	"errors"
	"fmt"
)

// ReadOnly refuses all writing to a place. Its text names the kind of place in messages.
type ReadOnly string

// Refuse returns the error of each attempt to write. It wraps errors.ErrUnsupported.
func (r ReadOnly) Refuse() error {
	return fmt.Errorf("%s is only read: %w", string(r), errors.ErrUnsupported)
}

func (r ReadOnly) Put(context.Context, string, []byte, Condition) (string, error) {
	return "", r.Refuse()
}
func (r ReadOnly) Create(context.Context, string, []byte) error { return r.Refuse() }
func (r ReadOnly) Begin(context.Context, string, Condition) (Upload, error) {
	return nil, r.Refuse()
}
func (r ReadOnly) Delete(context.Context, string) error       { return r.Refuse() }
func (r ReadOnly) InOrder() bool                              { return true }
func (r ReadOnly) PartSize(int) int                           { return 1 << 20 }
func (r ReadOnly) Clean(_ context.Context, _ Requester) error { return nil }
