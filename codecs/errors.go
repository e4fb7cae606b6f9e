package codecs

import (
	"errors"
	"fmt"
)

// Causes of errors about encoded data.
var (
	// ErrCorrupt means that encoded bytes are damaged: cut short, too long,
	// or contradicting themselves.
	ErrCorrupt = errors.New("corrupt data")
	// ErrTooLarge means that encoded bytes decode to more than they may.
	ErrTooLarge = errors.New("decodes to more bytes than the chunk has")
	// ErrUnknown means that no codec answers to a name.
	ErrUnknown = errors.New("unknown codec")
)

// FieldError is an error about one field of a codec's configuration.
type FieldError struct {
	Field string // such as "order" or "order[2]"; "" for the configuration as a whole
	Err   error
}

func (e *FieldError) Error() string {
	if e.Field == "" {
		return e.Err.Error()
	}
	return e.Field + ": " + e.Err.Error()
}

func (e *FieldError) Unwrap() error { return e.Err }

// field makes a FieldError from a format.
func field(name, format string, args ...any) error {
	return &FieldError{Field: name, Err: fmt.Errorf(format, args...)}
}

// Error is an error about one codec of a chain, or about what that codec found
// in a chunk.
type Error struct {
	Index int    // of the codec in the chain; -1: the chain as a whole
	Codec string // name
	Err   error  // a *FieldError where one field is at fault
}

func (e *Error) Error() string {
	if e.Index < 0 {
		return "codecs: " + e.Err.Error()
	}
	return fmt.Sprintf("codecs[%d] (%s): %v", e.Index, e.Codec, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }
