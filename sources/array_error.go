package sources

import (
	"errors"
	"fmt"
)

// ArrayError is an error about an array of a source.
type ArrayError struct {
	Source string // its URL
	Path   string // of the array
	Err    error
}

func (e *ArrayError) Error() string { return fmt.Sprintf("%s: array %q: %v", e.Source, e.Path, e.Err) }
func (e *ArrayError) Unwrap() error { return e.Err }

// WithoutArray returns an error of the source for a message that names the array at a path
// itself: an [ArrayError] about that array does not name it once more. Other errors stay as
// they are.
func WithoutArray(err error, path string) error {
	if e, ok := errors.AsType[*ArrayError](err); ok && e.Path == path && e.Error() == err.Error() {
		return fmt.Errorf("%s: %w", e.Source, e.Err)
	}
	return err
}
