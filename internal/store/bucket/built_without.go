//go:build nos3 || nogcs || noazure

package bucket

import (
	"errors"
	"fmt"
)

// BuiltWithout reports a provider that a build tag has left out.
func BuiltWithout(provider string) error {
	return fmt.Errorf("this program was built without %s: %w", provider, errors.ErrUnsupported)
}
