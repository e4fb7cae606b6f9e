package store

import (
	"errors"
	"fmt"
	"io/fs"
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

// ReadingRefused adds a way out to the error of reading a source that was refused. A public bucket
// needs no credentials, and a file needs another user or other permissions.
func ReadingRefused(err error) error {
	if answer, ok := errors.AsType[*driver.StatusError](err); ok && (answer.Code == http.StatusForbidden || answer.Code == http.StatusUnauthorized) {
		return fmt.Errorf("%w; %s", err, driver.Public)
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(path, fs.ErrPermission) && Local(path.Path) {
		return fmt.Errorf("%w: let this user read it, or run as a user who may", err)
	}
	return err
}
