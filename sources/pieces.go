package sources

import (
	"context"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// pieceBytes is the most bytes of a piece, unless a single index of the last dimension has
// more. Readers of a table of references read whole pieces.
const pieceBytes = 8 << 20

// Pieces says how arrays without chunks are cut into pieces that a table of references can
// name: each piece is one run of bytes in a file. The zero value is usable.
type Pieces struct {
	// Single is the name of a dimension along which a piece has the extent 1, so that pieces
	// of several files have the same shape. "": there is none.
	Single string
}

// Cut returns the array of [NewStrided] with chunks: the pieces. The array implements
// [Stored], and its objects implement [Located]. info.Codecs is what turns elements into the
// bytes of the file. Cut sets Chunks of info.
//
// All pieces of an array have the same shape, which divides the array's shape: in Zarr, a
// chunk at the end of an array is as long as any other.
func (c *Pieces) Cut(info *Info, p Place) (Array, error) {
	a, err := NewStrided(info, p)
	if err != nil {
		return nil, err
	}
	info.Chunks = c.shape(info, p.Strides)
	return &cut{a.(*strided)}, nil
}

// shape returns the shape of the pieces: the extent is 1 along the first dimensions, a divisor
// of the array's extent along the next one, and the array's extent along the others.
func (c *Pieces) shape(info *Info, strides []int) []int {
	shape := make([]int, len(info.Shape))
	for k, n := range info.Shape {
		shape[k] = max(n, 1)
	}
	runs := func(k int) bool { // whether the elements of a piece are one run in the file
		dense := ndarray.CStrides(info.Type.Size(), shape)
		return slices.Equal(dense[k:], strides[k:])
	}
	for k, n := range shape {
		if info.DimensionNames != nil && c.Single != "" && slices.Contains(info.DimensionNames[k:], c.Single) {
			shape[k] = 1
			continue
		}
		bytes, _ := ndarray.Bytes(info.Type, shape)
		if bytes <= pieceBytes && (runs(k) || n == 1 && runs(k+1)) {
			break
		}
		if shape[k] = 1; !runs(k) && n > 1 {
			continue
		}
		inner, _ := ndarray.Bytes(info.Type, shape)
		if inner < pieceBytes {
			shape[k] = divisor(n, pieceBytes/max(inner, 1))
			break
		}
	}
	return shape
}

// divisor returns the largest divisor of n that is at most most.
func divisor(n, most int) int {
	best := 1
	for d := 1; d <= n/d; d++ {
		if n%d != 0 {
			continue
		}
		for _, x := range []int{d, n / d} {
			if x <= most {
				best = max(best, x)
			}
		}
	}
	return best
}

// cut is a strided array in pieces. It implements [Stored].
type cut struct{ *strided }

// OpenStored implements [Stored].
func (a *cut) OpenStored(_ context.Context, index []int) (codecs.Input, error) {
	offset := a.place.Offset
	for k, i := range index {
		offset += int64(i) * int64(a.info.Chunks[k]) * int64(a.place.Strides[k])
	}
	size, _ := ndarray.Bytes(a.info.Type, a.info.Chunks) // fits: the array does
	return piece{&a.place, offset, int64(size)}, nil
}

// VerifyStored implements [Stored]. Any bytes are elements.
func (a *cut) VerifyStored(context.Context, []int, codecs.Input) error { return nil }

// piece is one piece of a file. It implements [codecs.Input] and [Located].
type piece struct {
	place  *Place
	offset int64
	size   int64
}

func (p piece) Size() int64 { return p.size }

func (p piece) ReadAt(ctx context.Context, b []byte, off int64) error {
	return p.place.Files.ReadRange(ctx, p.place.Key, b, p.offset+off)
}

// Locate implements [Located].
func (p piece) Locate() (url string, offset int64) { return p.place.URL, p.offset }
