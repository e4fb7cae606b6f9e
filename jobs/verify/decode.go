package verify

import (
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
