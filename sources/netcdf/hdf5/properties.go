package hdf5

import (
	"context"
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/dtype/hdf5type"
)

// Properties describes a dataset by its header, whether or not its elements can be
// read.
type Properties struct {
	Datatype *hdf5type.Datatype
	// Committed is the address of the header of the dataset's committed datatype, 0 if
	// the dataset has a datatype of its own.
	Committed uint64
	// Shape, MaxShape and Null have the meaning that they have in a [Dataset].
	Shape, MaxShape []int
	Null            bool
	Layout          string // a description in words
	ChunkShape      []int  // nil: the dataset has no chunks
	Filters         []Filter
	Fill            []byte // an element in the form of the file; nil: nobody chose one
}

// Properties returns the properties of a dataset. It does not check that they agree.
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

// committed returns the address of the committed datatype to which data refers. data takes
// the place of a datatype message. committed returns 0 if the message is shared in another
// way.
func (f *File) committed(data []byte) (uint64, error) {
	c := &cursor{data: data, widths: f.widths}
	version, place := c.uint8(), c.uint8()
	switch {
	case version == 1:
		c.skip(6 + f.length) // and the place of a name
	case version == 3 && place != 2:
		return 0, nil
	}
	return c.address(), c.err
}

// String describes how the elements are stored.
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

// mostShown bounds the bytes of elements of variable length in a text.
const mostShown = 1 << 20

// Text writes the elements of the attribute as text for people, separated by commas;
// see [hdf5type.Datatype.Format].
func (a *Attribute) Text(ctx context.Context) (string, error) {
	return a.file.Text(ctx, a.Datatype, a.data)
}

// Text writes elements, given in the form of the file, as text for people, separated by
// commas.
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
