//go:build nos3 || nogcs || noazure

package store

import (
	"errors"
	"fmt"
)

// builtWithout reports a provider that a build tag has left out.
func builtWithout(provider string) error {
	return fmt.Errorf("this program was built without %s: %w", provider, errors.ErrUnsupported)
}
