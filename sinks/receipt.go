package sinks

import (
	"errors"
	"math"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
)

// Receipt is the record of a unit, which is one stored object of one array of a plan. A
// writer fills in what it knows of the object, whoever has it write adds which unit it
// is, and a checkpoint keeps the receipt as JSON.
type Receipt struct {
	Array int    `json:"a"` // index of the array in the plan
	Unit  int    `json:"u"` // number of the chunk in the array's grid
	Key   string `json:"k,omitempty"`
	Bytes int64  `json:"n,omitempty"` // size of the object
	Sum   uint32 `json:"c,omitempty"` // CRC-32C of the object
	// Digest is that of the values of the chunk, as far as they lie within the array.
	Digest digest.Optional `json:"d,omitzero"`
	// Version is the object's version as lists of the store have it: an ETag, a
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
		return errors.New("more units than there can be")
	case r.More > 0 && !r.Empty:
		return errors.New("an object for several chunks")
	case r.Empty && (r.Key != "" || r.Bytes != 0 || r.Sum != 0 || r.Digest.Known || r.Version != ""):
		return errors.New("an empty chunk with an object")
	}
	return nil
}
