package sinks

import (
	"errors"
	"math"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
)

// Receipt is the record of a unit, which is one stored object of one array of a plan. The
// writer of the object fills in Key, Bytes, Sum and Version. Its caller fills in the
// other fields. A checkpoint keeps the receipt as JSON.
type Receipt struct {
	Array int    `json:"a"` // index of the array in the plan
	Unit  int    `json:"u"` // number of the chunk in the array's grid
	Key   string `json:"k,omitempty"`
	Bytes int64  `json:"n,omitempty"` // size of the object
	Sum   uint32 `json:"c,omitempty"` // see [Checksum]
	// Digest is the digest of those values of the chunk that lie within the array.
	Digest digest.Optional `json:"d,omitzero"`
	// Version is the object's version, as a list of the store shows it: an ETag, a
	// generation or the time of a file; "" if unknown.
	Version string `json:"v,omitempty"`
	Empty   bool   `json:"e,omitempty"` // nothing is stored: the chunk holds only the fill value
	// More is how many units directly after this one are Empty, too. One receipt
	// stands for all of them.
	More int `json:"m,omitempty"`
}

// Check refuses a receipt that contradicts itself.
func (r Receipt) Check() error {
	switch {
	case r.Array < 0 || r.Unit < 0 || r.Bytes < 0 || r.More < 0:
		return errors.New("a negative number")
	case r.More > math.MaxInt-r.Unit:
		return errors.New("m is too large: unit numbers end at the largest int")
	case r.More > 0 && !r.Empty:
		return errors.New("it names an object for several units")
	case r.Empty && (r.Key != "" || r.Bytes != 0 || r.Sum != 0 || r.Digest.Known || r.Version != ""):
		return errors.New("it names an object for an empty unit")
	}
	return nil
}
