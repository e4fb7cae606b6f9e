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
	// ErrCorrupt means that encoded bytes are damaged: they are cut short, too long, or
	// contradict themselves.
	ErrCorrupt = errors.New("corrupt data")
	// ErrTooLarge means that encoded bytes decode to more bytes than they may.
	ErrTooLarge = errors.New("decodes to more bytes than the chunk has")
	// ErrUnknown means that the registry has no codec of a name.
	ErrUnknown = errors.New("unknown codec")
	// ErrField means that a codec's configuration has no field of a name.
	ErrField = errors.New("unknown field")
)

// Corrupt returns the cause of errors about damaged bytes of a format, with a text of the format's
// own. It is [ErrCorrupt] for errors.Is.
func Corrupt(text string) error { return corrupt(text) }

type corrupt string

func (c corrupt) Error() string { return string(c) }

func (corrupt) Is(target error) bool { return target == ErrCorrupt }

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

// InField returns err as an error about a field.
func InField(name string, err error) error { return &FieldError{Field: name, Err: err} }

// Fieldf returns a FieldError with a formatted message.
func Fieldf(name, format string, args ...any) error {
	return &FieldError{Field: name, Err: fmt.Errorf(format, args...)}
}

// ElementError is the part of an error that names an element that a codec cannot
// encode or decode. If codecs in front have moved the element, the chain adds its index
// in the chunk.
type ElementError struct {
	Index []int // in the array that the codec received
	Value string
}

// NewElementError returns an ElementError about one element of an array. at counts the
// elements in C order.
func NewElementError(a ndarray.Array, at int) error {
	value := string(a.Type.FormatScalar(dtype.V3, elements.Value(a, at)))
	return &ElementError{Index: elements.Coordinates(a.Shape, at), Value: value}
}

func (e *ElementError) Error() string {
	if len(e.Index) == 0 { // of a scalar, such as a fill value
		return "the value " + e.Value
	}
	return fmt.Sprintf("element %v, %s", e.Index, e.Value)
}

// Error is an error about one codec of a chain: about its configuration, or about what
// it found in a chunk.
type Error struct {
	Index int    // of the codec in the chain; -1 for the chain as a whole
	Codec string // the codec's name
	Err   error  // a *FieldError if one field is at fault
}

func (e *Error) Error() string {
	if e.Index < 0 {
		return "codecs: " + e.Err.Error()
	}
	return fmt.Sprintf("codecs[%d] (%s): %v", e.Index, e.Codec, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }
