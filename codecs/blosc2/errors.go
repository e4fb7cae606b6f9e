package blosc2

import (
	"errors"
	"fmt"
)

// Causes of errors.
var (
	// ErrCorrupt means that a frame is damaged: it is cut short, or it contradicts itself.
	ErrCorrupt = errors.New("blosc2: corrupt data")
	// ErrUnsupported means that a frame uses something that this package does not read.
	ErrUnsupported = errors.New("blosc2: unsupported")
)

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrCorrupt, fmt.Errorf(format, args...))
}

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrUnsupported, fmt.Errorf(format, args...))
}
