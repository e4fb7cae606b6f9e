package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Writable returns an error if the URL alone tells that nothing can be written to the
// folder. The URL of a zip archive is an error even if there is no such archive.
func Writable(url string) error {
	l, err := parse(url)
	switch {
	case err != nil:
		return nil // Open reports it
	case strings.HasSuffix(l.path, ".zip"):
		return zipArchive.refuse()
	case l.scheme == "http" || l.scheme == "https":
		return httpServer.refuse()
	}
	return nil
}

// readOnly refuses all writing to a place. Its text names the kind of place in messages.
type readOnly string

const (
	zipArchive readOnly = "a zip archive"
	httpServer readOnly = "a plain HTTP server"
)

func (r readOnly) refuse() error {
	return fmt.Errorf("%s is only read: %w", string(r), errors.ErrUnsupported)
}

func (r readOnly) put(context.Context, string, []byte, condition) (string, error) {
	return "", r.refuse()
}
func (r readOnly) create(context.Context, string, []byte) error { return r.refuse() }
func (r readOnly) begin(context.Context, string, condition) (upload, error) {
	return nil, r.refuse()
}
func (r readOnly) delete(context.Context, string) error       { return r.refuse() }
func (r readOnly) inOrder() bool                              { return true }
func (r readOnly) partSize(int) int                           { return 1 << 20 }
func (r readOnly) clean(_ context.Context, _ requester) error { return nil }
