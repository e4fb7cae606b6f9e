package verify

import (
	"math/bits"
	"time"

	"github.com/zmigrate/zmigrate/dtype/ndarray/deviation"
)

// progress says what a verification has compared so far, with no difference. It counts only
// for a verification of the same completed run, with the same options.
type progress struct {
	Migrated time.Time `json:"migrated"`
	Level    Level     `json:"level"`
	Sample   float64   `json:"sample"`
	Seed     uint64    `json:"seed"`
	// Done has the objects by their numbers in the list of objects.
	Done marks `json:"done,omitempty"`
	// Source has the comparison with the source, by the paths of arrays in the target.
	Source map[string]*sourceProgress `json:"source,omitempty"`
}

// marks is a set of small numbers, one bit each.
type marks []byte

func (m *marks) set(i int) {
	if n := i/8 + 1 - len(*m); n > 0 {
		*m = append(*m, make([]byte, n)...)
	}
	(*m)[i/8] |= 1 << (i % 8)
}

func (m marks) clear(i int) {
	if i/8 < len(m) {
		m[i/8] &^= 1 << (i % 8)
	}
}

func (m marks) count() (n int) {
	for _, b := range m {
		n += bits.OnesCount8(b)
	}
	return n
}

func (m marks) has(i int) bool { return i/8 < len(m) && m[i/8]&(1<<(i%8)) != 0 }

// sourceProgress is how far the comparison of an array with the source is.
type sourceProgress struct {
	// Block is the shape of the boxes that are compared, and Done has their numbers.
	Block []int `json:"block"`
	Done  marks `json:"done"`
	// Elements is the number of elements of these boxes. Deviation is that of a lossy array.
	Elements  int64            `json:"elements"`
	Deviation *deviation.Saved `json:"deviation,omitempty"`

	deviation deviation.Deviation // of the same boxes, as it is now
}
