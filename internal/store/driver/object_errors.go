package driver

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

// ErrDangling reports a symbolic link in the place of an object whose target does not exist.
var ErrDangling = errors.New("a symbolic link that leads nowhere")

// ShortError reports an object that ends before the wanted range does.
type ShortError struct {
	Off, Want, Size int64
}

func (e *ShortError) Error() string {
	return fmt.Sprintf("bytes %d to %d wanted, but the object has %d: %v", e.Off, e.Off+e.Want, e.Size, io.ErrUnexpectedEOF)
}

func (e *ShortError) Unwrap() error { return io.ErrUnexpectedEOF }
