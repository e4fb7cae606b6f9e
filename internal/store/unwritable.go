package store

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/local"
)

// Unwritable tells whether an error says that the place cannot be written to: the user
// may not write there, or it is no folder.
func Unwritable(err error) bool {
	if answer, ok := errors.AsType[*driver.StatusError](err); ok {
		switch answer.Name {
		case "AccessDenied", "forbidden", "insufficientPermissions", "AuthorizationPermissionMismatch", "AuthorizationFailure", "InsufficientAccountPermissions":
			return answer.Code == http.StatusForbidden
		}
		return false
	}
	return local.Unwritable(err)
}

// ReadingRefused adds to the error of reading a source that a public bucket needs no credentials,
// if the server has refused them.
func ReadingRefused(err error) error {
	if answer, ok := errors.AsType[*driver.StatusError](err); ok && (answer.Code == http.StatusForbidden || answer.Code == http.StatusUnauthorized) {
		return fmt.Errorf("%w; %s", err, driver.Public)
	}
	return err
}
