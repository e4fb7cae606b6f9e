package journal

import (
	"cmp"
	"iter"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Nothing is the size of the object of a chunk that holds only the fill value.
const Nothing = -1

// Ledger has the expected objects of a target, without their keys: 48 bytes for each
// object. It is compared with a list of the target.
type Ledger []Entry

// Entry is one stored object.
type Entry struct {
	key     uint64 // hash of the key
	version uint64 // hash of the version; 0: unknown
	Bytes   int64  // Nothing: there should be no object
	Sum     uint32 // as in [sinks.Checksum]
	Seen    bool   // for the caller
	Same    bool   // for the caller: the listed version is known, and is that on record
}

// NewLedger reads a list of objects. If several have one key, the last one counts.
func NewLedger(objects iter.Seq2[Object, error]) (Ledger, error) {
	var l Ledger
	for o, err := range objects {
		if err != nil {
			return nil, err
		}
		e := Entry{key: xxhash.Sum64String(o.Key), Bytes: o.Bytes, Sum: o.Sum}
		if o.Version != "" {
			e.version = xxhash.Sum64String(o.Version)
		}
		l = append(l, e)
	}
	byKey := func(a, b Entry) int { return cmp.Compare(a.key, b.key) }
	slices.SortStableFunc(l, byKey)
	slices.Reverse(l) // CompactFunc keeps the first of those with one key
	l = slices.CompactFunc(l, func(a, b Entry) bool { return a.key == b.key })
	slices.Reverse(l)
	return l, nil
}

// Find returns the entry of a key, or nil.
func (l Ledger) Find(key string) *Entry {
	i, ok := slices.BinarySearchFunc(l, xxhash.Sum64String(key), func(e Entry, key uint64) int { return cmp.Compare(e.key, key) })
	if !ok {
		return nil
	}
	return &l[i]
}

// HasVersion reports whether the object is known to have a version.
func (e *Entry) HasVersion(version string) bool {
	return version != "" && xxhash.Sum64String(version) == e.version
}

// OfVersion reports whether the object may have a version. Without a version on either
// side nobody can tell.
func (e *Entry) OfVersion(version string) bool {
	return version == "" || e.version == 0 || xxhash.Sum64String(version) == e.version
}
