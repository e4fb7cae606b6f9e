package hdf5

import (
	"context"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/hdf5type"
)

// Kind is the kind of an object of a file.
type Kind uint8

// Kinds of objects.
const (
	GroupObject Kind = iota + 1
	DatasetObject
	DatatypeObject // a committed datatype
)

// Object is an opened object of a file: its header. It is safe for concurrent use. It
// keeps parts of the file's metadata in memory, so a caller with many objects should
// keep the needed values instead.
type Object struct {
	file    *File
	address uint64
	header  *header
	kind    Kind
}

// Object opens the object whose header is at an address, as given in links and object
// references.
func (f *File) Object(ctx context.Context, address uint64) (*Object, error) {
	h, err := f.header(ctx, address)
	if err != nil {
		return nil, err
	}
	o := &Object{file: f, address: address, header: h}
	switch {
	case h.find(msgLayout) != nil:
		o.kind = DatasetObject
	case h.find(msgSymbolTable) != nil, h.find(msgLinkInfo) != nil, h.find(msgLink) != nil, h.find(msgGroupInfo) != nil:
		o.kind = GroupObject
	case h.find(msgDatatype) != nil:
		o.kind = DatatypeObject
	default:
		return nil, unsupported("object at address %d: neither a group nor a dataset nor a datatype", address)
	}
	return o, nil
}

// Kind returns the kind of the object.
func (o *Object) Kind() Kind { return o.kind }

// Extents returns the extents of a dataset, and the largest extents to which they can
// grow. Those of a virtual dataset may depend on its sources.
func (o *Object) Extents(ctx context.Context) (shape, limits []int, err error) {
	m := o.header.find(msgDataspace)
	if m == nil {
		return nil, nil, corrupt("the dataset at address %d has no dataspace", o.address)
	}
	content, err := o.file.content(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	shape, limits, _, err = o.file.dataspace(content)
	if err != nil {
		return nil, nil, err
	}
	d := &Dataset{file: o.file}
	if slices.Equal(shape, limits) {
		return shape, limits, nil
	}
	if found, err := o.take(ctx, msgLayout, d.takeLayout); err != nil || !found || d.layout.class != virtual {
		return shape, limits, nil // who opens the dataset learns of the error
	}
	opened, err := o.Dataset(ctx)
	if err != nil {
		return shape, limits, ctx.Err()
	}
	return opened.Shape, opened.MaxShape, nil
}

// Null reports whether a dataset has a null dataspace, and so no elements at all.
func (o *Object) Null(ctx context.Context) (null bool, err error) {
	_, err = o.take(ctx, msgDataspace, func(content []byte) error {
		_, _, null, err = o.file.dataspace(content)
		return err
	})
	return null, err
}

// Datatype returns the datatype of a dataset, or a committed datatype itself.
func (o *Object) Datatype(ctx context.Context) (*hdf5type.Datatype, error) {
	m := o.header.find(msgDatatype)
	if m == nil {
		return nil, corrupt("the object at address %d has no datatype", o.address)
	}
	content, err := o.file.content(ctx, m)
	if err != nil {
		return nil, err
	}
	d, _, err := hdf5type.Parse(content)
	return d, err
}

// Expect reads ahead the headers of the objects at these addresses, with few long
// reads.
func (f *File) Expect(ctx context.Context, addresses []uint64) error {
	const likely = 2 << 10 // usual bytes of a header with its first attributes
	return f.prefetch(ctx, addresses, likely)
}

// LinkKind is the way in which a link names its object.
type LinkKind uint8

// Kinds of links.
const (
	HardLink     LinkKind = iota + 1
	SoftLink              // by a path in the same file
	ExternalLink          // by a path in another file
	UserLink              // in a way that only the program of its author knows
)

// Link is an entry of a group.
type Link struct {
	Name    string
	Kind    LinkKind
	Address uint64 // address of the object's header, for a HardLink
	Target  string // path of the object, for a SoftLink or ExternalLink
	File    string // for an ExternalLink
	order   uint64 // order of creation
}

// maxLinks bounds the links of a group.
const maxLinks = 1 << 22

// Links lists the entries of a group. They are in the order of their creation if the
// file tracks it, else ordered by name.
func (o *Object) Links(ctx context.Context) ([]Link, error) {
	if o.kind != GroupObject {
		return nil, fmt.Errorf("the object at address %d is not a group", o.address)
	}
	list, err := o.links(ctx)
	if err != nil {
		return nil, fmt.Errorf("links of the group at address %d: %w", o.address, err)
	}
	return list, nil
}
