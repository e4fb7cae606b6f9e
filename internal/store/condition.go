package store

import (
	"fmt"
	"io/fs"
)

// condition is what has to hold for a put to take effect. The zero value is no
// condition.
type condition struct {
	absent  bool   // no object has the key
	version string // the object has this version; "" for any
}

// conflict is the error of a condition that does not hold. It wraps fs.ErrExist.
func conflict(cause error) error { return fmt.Errorf("%w (%w)", fs.ErrExist, cause) }
