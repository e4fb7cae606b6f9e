package digest

import "github.com/zmigrate/zmigrate/dtype/ndarray"

// Total adds up the digest of an array from those of its stored chunks. Elsewhere the array
// holds its fill value. The zero value is a Total without chunks.
type Total struct {
	of      Optional
	begun   bool
	unknown bool
	covered Sum // what the covered chunks would add if they held only the fill value
}

// Add adds the digest of a stored chunk. The total is not known if one of these digests is
// not known, or if they are of the elements behind different numbers of codecs.
func (t *Total) Add(chunk Optional) {
	if !t.begun {
		t.of, t.begun = Optional{Known: true, Behind: chunk.Behind}, true
	}
	if t.unknown = t.unknown || !chunk.Known || chunk.Behind != t.of.Behind; !t.unknown {
		t.of.Sum += chunk.Sum
	}
}

// Behind returns the number of lossy codecs in front of the elements of the digest. It is 0
// before the first chunk.
func (t *Total) Behind() uint8 { return t.of.Behind }

// Forget makes the total unknown.
func (t *Total) Forget() { t.unknown = true }

// Known reports whether the digests of all chunks are known so far.
func (t *Total) Known() bool { return !t.unknown }

// Cover says that the fill value, the only element of fill, does not stand in the box of
// the array that is a stored chunk.
func (t *Total) Cover(fill ndarray.Array, chunk ndarray.Region) { t.covered += Constant(fill, chunk) }

// Covered returns the digest of an array all of whose chunks were added.
func (t *Total) Covered() Optional {
	if t.unknown {
		return Optional{}
	}
	return Optional{t.of.Sum, true, t.of.Behind}
}

// mostIndices is the largest sum of the extents of an array that Filled digests. That takes some seconds.
const mostIndices = 1 << 32

// Filled returns the digest of an array of a shape that holds the fill value in all chunks
// that were not covered. The digest is not known if the extents are more than mostIndices together.
func (t *Total) Filled(fill ndarray.Array, shape []int) Optional {
	left := int64(mostIndices)
	for _, n := range shape {
		left -= min(int64(n), left+1)
	}
	if t.unknown || left < 0 {
		return Optional{}
	}
	sum := t.of.Sum + Constant(fill, ndarray.Region{Start: make([]int, len(shape)), Shape: shape}) - t.covered
	return Optional{sum, true, t.of.Behind}
}
