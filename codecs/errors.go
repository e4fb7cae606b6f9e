package codecs

import (
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
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

// InField is err as an error about a field.
func InField(name string, err error) error { return &FieldError{Field: name, Err: err} }

// Fieldf makes a FieldError from a format.
func Fieldf(name, format string, args ...any) error {
	return &FieldError{Field: name, Err: fmt.Errorf(format, args...)}
}

// ElementError is the part of an error that names the element of an array that a
// codec has no encoding or decoding for. A chain adds where that element was in
// the chunk if codecs in front have moved it.
type ElementError struct {
	Index []int // in the array that the codec received
	Value string
}

// NewElementError names one element of an array, counted in C order, and its
// value.
func NewElementError(a ndarray.Array, at int) error {
	value := string(a.Type.FormatScalar(dtype.V3, elements.Value(a, at)))
	return &ElementError{Index: elements.Coordinates(a.Shape, at), Value: value}
}

func (e *ElementError) Error() string { return fmt.Sprintf("element %v, %s", e.Index, e.Value) }

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
