package arrow

import (
	"errors"
	"fmt"
)

// valueError is the error about one of several values or elements.
type valueError struct {
	number  int  // of the value
	element bool // whether number is that of an element in the rows that are being read
	err     error
}

func (e *valueError) Error() string { return e.err.Error() }
func (e *valueError) Unwrap() error { return e.err }

// ofElement returns an error about a value as one about an element of the rows that are being
// read; of returns its number. Other errors stay as they are.
func ofElement(err error, of func(number int) int) error {
	err = renumbered(err, of)
	if v, ok := errors.AsType[*valueError](err); ok {
		v.element = true
	}
	return err
}

// renumbered returns an error about a value as one about the number that of returns for it.
// Other errors stay as they are.
func renumbered(err error, of func(number int) int) error {
	if v, ok := errors.AsType[*valueError](err); ok {
		v.number = of(v.number)
	}
	return err
}

// inRows returns an error about elements of n rows from a row of the table on. An error about
// one element names its row. elements is the number of elements of a row.
func inRows(err error, batch, row, n, elements int) error {
	if v, ok := errors.AsType[*valueError](err); ok && v.element {
		return fmt.Errorf("batch %d, row %d: %w", batch, row+v.number/elements, err)
	}
	return fmt.Errorf("batch %d, rows %d to %d: %w", batch, row, row+n-1, err)
}
