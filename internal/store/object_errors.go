package store

import (
	"errors"
	"fmt"
	"io"
)

// ErrTooLarge reports an object above the limit given to ReadAll.
var ErrTooLarge = errors.New("object is too large")

// ErrChanged reports an object that has changed since it was opened.
var ErrChanged = errors.New("the file has changed since it was opened")

// ErrNoList reports a place whose objects cannot be listed.
var ErrNoList = errors.New("a plain HTTP server cannot be listed")

// shortError reports an object that ends before the wanted range does.
type shortError struct {
	off, want, size int64
}

func (e *shortError) Error() string {
	return fmt.Sprintf("bytes %d to %d wanted, but the object has %d: %v", e.off, e.off+e.want, e.size, io.ErrUnexpectedEOF)
}

func (e *shortError) Unwrap() error { return io.ErrUnexpectedEOF }
