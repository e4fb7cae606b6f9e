package local

import (
	"errors"
	"syscall"
	"time"
)

// patience is how long the driver waits for other programs to close a file.
const patience = 2 * time.Second

// sharingViolation is ERROR_SHARING_VIOLATION of Windows: a file or folder is open in a way that excludes what was tried.
const sharingViolation = syscall.Errno(32)

// patiently calls f again while Windows refuses it because the file or folder is open. Virus scanners, indexers and
// other runs have files open for a moment.
func patiently(f func() error) error {
	begun := time.Now()
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := f()
		if !errors.Is(err, sharingViolation) && !errors.Is(err, syscall.ERROR_ACCESS_DENIED) || time.Since(begun) > patience {
			return err
		}
		time.Sleep(pause)
	}
}
