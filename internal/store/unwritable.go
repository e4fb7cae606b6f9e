package store

import (
	"errors"
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
