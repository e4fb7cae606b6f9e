package verify

import (
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

// decoder decodes the objects of one array by its published document alone.
type decoder struct {
	meta  *zarr.Array
	chain *codecs.Chain // nil: no reader can use the document
	view
	// behind has views of the elements that the first array → array codecs make, by the number
	// of these codecs. A view is made when it is needed; nil: it cannot be made.
	behind map[uint8]*view
}

// view decodes by the chain of an array, or by the chain without its first codecs.
type view struct {
	*codecs.Boxes
	fill ndarray.Array // one element: the fill value
}

func newView(chain *codecs.Chain) *view {
	return &view{codecs.NewBoxes(chain), chain.Chunk().Single()}
}

// variable reports whether elements have no fixed size.
func (v *view) variable() bool { return v.Chain().Chunk().Type.Size() == 0 }

// room bounds the memory that elements of variable size take.
type room struct{ left int }

// Lend implements [ndarray.Account].
func (r *room) Lend(n int) ([]byte, error) {
	if err := r.Take(n); err != nil {
		return nil, err
	}
	return make([]byte, n), nil
}

// Take implements [ndarray.Account].
func (r *room) Take(n int) error {
	if n > r.left {
		return fmt.Errorf("%w: the elements take more than run.memory", codecs.ErrTooLarge)
	}
	r.left -= n
	return nil
}

// Give implements [ndarray.Account].
func (r *room) Give(n int) { r.left += n }

// Room implements [ndarray.Account].
func (r *room) Room() int { return r.left }
