package driver

import (
	"fmt"
	"hash/crc32"
	"net/http"
	"strconv"
	"time"
)

// Info describes an object.
type Info struct {
	Key     string
	Size    int64 // bytes
	ModTime time.Time
	// Changed is when a local file was last changed in any way, its times and its
	// permissions included. It is the zero time if the system does not tell.
	Changed time.Time
	ETag    string // from Stat, if the store has ETags
	Version string // the version of the bytes, for CopyFrom and Pin; "" if unknown
	// Dangling says, in a listing, that a symbolic link stands in the place of the object and leads nowhere.
	Dangling bool
	Sum      Sum // from Stat: the checksum of all bytes, if the store has one
}

// Sum is a CRC of 32 bits of all bytes of an object.
type Sum struct {
	Table *crc32.Table // of the polynomial; nil: there is no sum
	Value uint32
}

// CheckVersion fails if an answer is of another version than i. An unknown version is "",
// an unknown time the zero time; neither is compared.
func (i Info) CheckVersion(version string, changed time.Time) error {
	switch {
	case i.Version != "" && version != "":
		if i.Version != version {
			return ErrChanged
		}
	case !i.ModTime.IsZero() && !changed.IsZero() && !i.ModTime.Equal(changed):
		return ErrChanged
	}
	return nil
}

// CheckSize fails if the whole object that a server sends, instead of a part, has another
// size than i. The size is negative if the server does not tell it.
func (i Info) CheckSize(size int64) error {
	if i.Key == "" || size < 0 || size == i.Size {
		return nil
	}
	return &StatusError{
		Code: http.StatusOK,
		Hint: fmt.Sprintf("%d bytes, but the object has %d; the answer may come from a proxy, or from the login page of a network", size, i.Size),
	}
}

// FileVersion is the version of a file: when it was written, in nanoseconds.
func FileVersion(written time.Time) string { return strconv.FormatInt(written.UnixNano(), 10) }
