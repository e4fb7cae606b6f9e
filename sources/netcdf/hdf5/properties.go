package hdf5

import (
	"context"
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/dtype/hdf5type"
)

// Properties is what the header of a dataset says, whether its elements can be
// read or not.
type Properties struct {
	Datatype *hdf5type.Datatype
	// Committed is where the header of the committed datatype is that the dataset
	// has, 0 where it has one of its own.
	Committed uint64
	// Shape, MaxShape and Null are those of a [Dataset].
	Shape, MaxShape []int
	Null            bool
	Layout          string // in words
	ChunkShape      []int  // nil: no chunks
	Filters         []Filter
	Fill            []byte // an element as in the file; nil: nobody chose one
}

// Properties returns what is known of a dataset. What its parts say is not
// compared.
func (o *Object) Properties(ctx context.Context) (*Properties, error) {
	if o.kind != DatasetObject {
		return nil, fmt.Errorf("the object at address %d is not a dataset", o.address)
	}
	d := &Dataset{file: o.file}
	p := &Properties{}
	for _, r := range []struct {
		kind int
		take func(content []byte) error
	}{
		{msgDatatype, func(content []byte) (err error) {
			d.Datatype, _, err = hdf5type.Parse(content)
			return err
		}},
		{msgDataspace, d.takeDataspace},
		{msgFilters, func(content []byte) (err error) {
			p.Filters, err = readFilters(content)
			return err
		}},
		{msgLayout, func(content []byte) (err error) {
			d.layout, err = o.file.layout(content)
			return err
		}},
		{msgOldFill, d.takeOldFill},
		{msgFill, d.takeFill},
	} {
		if _, err := o.take(ctx, r.kind, r.take); err != nil {
			return nil, err
		}
	}
	if d.Datatype == nil || d.layout == nil {
		return nil, corrupt("the dataset at address %d has no datatype or no layout", o.address)
	}
	p.Datatype, p.Shape, p.MaxShape, p.Null, p.Fill = d.Datatype, d.Shape, d.MaxShape, d.Null, d.Fill
	p.Layout, p.ChunkShape = d.layout.String(), d.layout.chunk
	if o.header.find(msgExternalFiles) != nil {
		p.Layout += ", in other files"
	}
	m := o.header.find(msgDatatype)
	if m.flags&flagShared == 0 {
		return p, nil
	}
	var err error
	p.Committed, err = o.file.committed(m.data)
	return p, err
}

// committed returns the address of the committed datatype to which what stands in
// place of a datatype message refers, 0 where the message is shared in another way.
func (f *File) committed(data []byte) (uint64, error) {
	c := &cursor{data: data, widths: f.widths}
	version, place := c.uint8(), c.uint8()
	switch {
	case version == 1:
		c.skip(6)
	case version == 3 && place != 2:
		return 0, nil
	}
	return c.address(), c.err
}

// String says in words how the elements are stored.
func (l *layout) String() string {
	switch l.class {
	case compact:
		return "compact, in the header"
	case contiguous:
		return "contiguous"
	case virtual:
		return "virtual, in other datasets"
	default:
		return fmt.Sprintf("chunks, index: %v", l.index)
	}
}

// mostShown bounds the bytes of what elements of variable length refer to in a text.
const mostShown = 1 << 20

// Text writes the elements of the attribute for people, see
// [hdf5type.Datatype.Format], separated by commas.
func (a *Attribute) Text(ctx context.Context) (string, error) {
	return a.file.Text(ctx, a.Datatype, a.data)
}

// Text writes elements as in the file for people, separated by commas.
func (f *File) Text(ctx context.Context, d *hdf5type.Datatype, elements []byte) (string, error) {
	heap, shown := f.globalHeap(), 0
	sequence := func(element []byte, size int) ([]byte, error) {
		all, err := heap.sequence(ctx, element, size)
		if shown += len(all); shown > mostShown {
			return nil, unsupported("more than %d bytes of sequences in a text", mostShown)
		}
		return all, err
	}
	var parts []string
	for ; len(elements) >= d.Size; elements = elements[d.Size:] {
		part, err := d.Format(elements[:d.Size], sequence)
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", "), nil
}
