package driver

import (
	"fmt"
	"io/fs"
)

// Condition is what has to hold for a put to take effect. The zero value is no
// condition.
type Condition struct {
	Absent  bool   // no object has the key
	Version string // the object has this version; "" for any
}

// Conflict is the error of a condition that does not hold. It wraps fs.ErrExist.
func Conflict(cause error) error { return fmt.Errorf("%w (%w)", fs.ErrExist, cause) }
