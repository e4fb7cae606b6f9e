package store

import (
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/references"
)

// What a table of references consists of: see package references.
type (
	Reference       = references.Reference
	ReferenceEntry  = references.Entry
	ReferenceTable  = references.Table
	ReferencedFiles = references.Files
)

// ErrEnd ends the pages of a [ReferenceTable].
var ErrEnd = driver.ErrEnd

// OpenReferences returns a read-only store whose objects a table of references describes. url
// is the place of the table, for messages. The objects lie in other files, which files reads.
// Reading a file counts against the budget of files, which also repeats failed requests: the
// store itself does neither. The store counts as one behind a network, wherever the table lies.
func OpenReferences(url string, table ReferenceTable, files ReferencedFiles, opt Options) (*Store, error) {
	at, err := absolute(url)
	if err != nil {
		return nil, err
	}
	s := newStore(at, opt)
	s.requests.Limits, s.requests.Attempts, s.referring = limits.New(0), 1, true
	s.driver = references.New(table, files)
	return s, nil
}
