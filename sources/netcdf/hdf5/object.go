package hdf5

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype/hdf5type"
)

// Kind is what an object of a file is.
type Kind uint8

// The kinds of objects.
const (
	GroupObject Kind = iota + 1
	DatasetObject
	DatatypeObject // a committed datatype
)

// Object is an opened object of a file: its header. It is safe for concurrent
// use. It keeps parts of the file's metadata in memory; whoever keeps many
// objects takes what is needed of them instead.
type Object struct {
	file    *File
	address uint64
	header  *header
	kind    Kind
}

// Object opens the object with its header at an address, as links and object
// references have them.
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

// Kind is what the object is.
func (o *Object) Kind() Kind { return o.kind }

// Extents returns the extents of a dataset, and how far they can grow.
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
	return shape, limits, err
}

// Datatype returns the datatype of a dataset, or the one that a committed datatype
// is.
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

// Expect reads ahead: the headers of the objects at these addresses, with few
// long reads.
func (f *File) Expect(ctx context.Context, addresses []uint64) error {
	const likely = 2 << 10 // bytes of a header with its first attributes
	return f.prefetch(ctx, addresses, likely)
}

// LinkKind is how a link names its object.
type LinkKind uint8

// The kinds of links.
const (
	HardLink     LinkKind = iota + 1
	SoftLink              // by a path in the same file
	ExternalLink          // by a path in another file
	UserLink              // in a way that only some program knows
)

// Link is an entry of a group.
type Link struct {
	Name    string
	Kind    LinkKind
	Address uint64 // of a HardLink: where the header of the object is
	Target  string // of a SoftLink or ExternalLink: the path of the object
	File    string // of an ExternalLink
	order   uint64 // of creation
}

// maxLinks bounds the links of a group.
const maxLinks = 1 << 22

// Links lists the entries of a group: in the order in which they were created
// where the file tracks that, else by their names.
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
