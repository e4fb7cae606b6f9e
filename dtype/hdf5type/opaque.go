package hdf5type

import (
	"strconv"
	"strings"
	"sync"

	"github.com/zmigrate/zmigrate/dtype"
)

// numpyTag begins the tag with which h5py keeps NumPy types that HDF5 lacks. The rest
// of the tag is the type string, such as "<M8[us]".
const numpyTag = "NUMPY:"

// numpyTypes reads the type strings in tags.
var numpyTypes = sync.OnceValue(dtype.Standard)

func (d *Datatype) opaque() (Native, error) {
	if d.Size > dtype.MaxSize {
		return Native{}, unsupported("opaque elements of %d bytes: raw_bytes takes at most %d: rewrite the data as uint8 with one more dimension", d.Size, dtype.MaxSize)
	}
	if n, ok := d.tagged(); ok {
		return n, nil
	}
	n := Native{Type: dtype.RawBytes(d.Size), Moves: []Move{{Length: d.Size, Word: 1}}}
	if d.Tag != "" {
		n.note("the tag %.60q of the opaque datatype is not kept", d.Tag)
	}
	return n, nil
}

// tagged returns the Native of a time that h5py wrote as a tagged opaque.
func (d *Datatype) tagged() (Native, bool) {
	name, ok := strings.CutPrefix(d.Tag, numpyTag)
	if !ok || d.Size != 8 {
		return Native{}, false
	}
	t, order, err := numpyTypes().ParseV2([]byte(strconv.Quote(name)), "")
	if err != nil {
		return Native{}, false
	}
	if _, ok := t.(dtype.Temporal); !ok {
		return Native{}, false
	}
	word := Datatype{Size: d.Size, Order: order}
	return word.simple(t), true
}

// temporal is the inverse of tagged.
func temporal(t dtype.Temporal, order dtype.Order) (*Datatype, error) {
	text, err := t.V2(order)
	if err != nil {
		return nil, err
	}
	return &Datatype{Class: Opaque, Size: t.Size(), Tag: numpyTag + strings.Trim(string(text), `"`)}, nil
}
