package blosc

import (
	"errors"
	"fmt"
)

// Causes of errors.
var (
	// ErrCorrupt means that a buffer is damaged: cut short, too long, decoding
	// to less than it should, or contradicting itself.
	ErrCorrupt = errors.New("blosc: corrupt data")
	// ErrTooLarge means that a buffer decodes to more bytes than it may, or
	// that there is more to encode than a buffer can hold.
	ErrTooLarge = errors.New("blosc: too large")
	// ErrUnsupported means that a buffer is of another version of the format,
	// or that options ask for what the format does not know.
	ErrUnsupported = errors.New("blosc: unsupported")
)

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrCorrupt, fmt.Errorf(format, args...))
}

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrUnsupported, fmt.Errorf(format, args...))
}
