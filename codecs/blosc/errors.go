package blosc

import (
	"errors"
	"fmt"
)

// Causes of errors.
var (
	// ErrCorrupt means that a buffer is damaged: it is cut short or too long, its
	// content is too short, or it contradicts itself.
	ErrCorrupt = errors.New("blosc: corrupt data")
	// ErrTooLarge means that the content of a buffer is longer than expected, or that a
	// content is too long for any buffer.
	ErrTooLarge = errors.New("blosc: too large")
	// ErrUnsupported means that a buffer has another version of the format, or that
	// options ask for something that the format does not have.
	ErrUnsupported = errors.New("blosc: unsupported")
)

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrCorrupt, fmt.Errorf(format, args...))
}

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrUnsupported, fmt.Errorf(format, args...))
}
