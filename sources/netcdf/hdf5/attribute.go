package hdf5

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/dtype/hdf5type"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Attribute is an attribute of an object. It shares no memory with the file's metadata.
// Its values are read without the file, unless they have a variable size.
type Attribute struct {
	Name     string
	Datatype *hdf5type.Datatype
	Shape    []int // empty: one element
	Null     bool  // the attribute has a type and no elements
	// Committed is the address of the header of the attribute's committed datatype, 0
	// if the attribute has a datatype of its own.
	Committed uint64
	file      *File
	data      []byte // the elements as in the file
	order     int
}

// maxAttributes bounds the attributes of an object.
const maxAttributes = 1 << 20

// Attributes reads the attributes of an object. They are in the order of their creation
// if the file tracks it. Otherwise they are in the order of the header, or ordered by
// name if they are in a heap.
func (o *Object) Attributes(ctx context.Context) ([]Attribute, error) {
	list, err := o.attributes(ctx)
	if err != nil {
		return nil, fmt.Errorf("attributes of the object at address %d: %w", o.address, err)
	}
	return list, nil
}

func (o *Object) attributes(ctx context.Context) ([]Attribute, error) {
	f := o.file
	var list []Attribute
	for i := range o.header.messages {
		m := &o.header.messages[i]
		switch m.kind {
		case msgAttribute:
			data, err := f.content(ctx, m)
			if err != nil {
				return nil, err
			}
			a, err := f.attribute(ctx, data)
			if err != nil {
				return nil, err
			}
			a.order = m.order
			list = append(list, a)
		case msgAttributeInfo:
			dense, err := f.denseAttributes(ctx, m.data)
			if err != nil {
				return nil, err
			}
			list = append(list, dense...)
		}
	}
	slices.SortStableFunc(list, func(a, b Attribute) int { return cmp.Compare(a.order, b.order) })
	seen := make(map[string]bool, len(list))
	for _, a := range list {
		if seen[a.Name] {
			return nil, corrupt("two attributes %.60q", a.Name)
		}
		seen[a.Name] = true
	}
	return list, nil
}

// denseAttributes reads the attributes to which an attribute info message refers,
// section IV.A.2.v.
func (f *File) denseAttributes(ctx context.Context, data []byte) ([]Attribute, error) {
	c := &cursor{data: data, widths: f.widths}
	if version := c.uint8(); version != 0 {
		return nil, unsupported("attribute info message of version %d", version)
	}
	tracked := c.uint8()&1 != 0
	if tracked {
		c.skip(2)
	}
	heapAt, names := c.address(), c.address()
	if c.err != nil || heapAt == undefined || names == undefined {
		return nil, c.err
	}
	h, err := f.heap(ctx, heapAt)
	if err != nil {
		return nil, err
	}
	var list []Attribute
	err = f.btree2(ctx, names, func(record []byte) error {
		r := &cursor{data: record}
		id, flags, order := r.take(8), r.uint8(), r.uint32()
		if r.err != nil {
			return r.err
		}
		var message []byte
		if flags&flagShared != 0 {
			message, err = f.sharedMessage(ctx, msgAttribute, id)
		} else {
			message, err = h.get(ctx, id[:min(h.idSize, len(id))])
		}
		if err != nil {
			return err
		}
		a, err := f.attribute(ctx, message)
		if tracked {
			a.order = int(order)
		}
		list = append(list, a)
		if len(list) > maxAttributes {
			return corrupt("more than %d attributes", maxAttributes)
		}
		return err
	})
	slices.SortFunc(list, func(a, b Attribute) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

// attribute reads an attribute message, section IV.A.2.m.
func (f *File) attribute(ctx context.Context, data []byte) (Attribute, error) {
	c := &cursor{data: data, widths: f.widths}
	version, flags := c.uint8(), c.uint8()
	nameSize, typeSize, spaceSize := int(c.uint16()), int(c.uint16()), int(c.uint16())
	pad := func(n int) int { return n }
	switch version {
	case 1:
		flags = 0 // reserved
		pad = func(n int) int { return (n + 7) &^ 7 }
	case 2:
	case 3:
		c.skip(1) // character set of the name
	default:
		return Attribute{}, unsupported("attribute message of version %d", version)
	}
	name, _, _ := bytes.Cut(c.take(pad(nameSize)), []byte{0})
	a := Attribute{Name: string(name), file: f}
	typeMessage, spaceMessage := c.take(pad(typeSize)), c.take(pad(spaceSize))
	if c.err != nil {
		return a, c.err
	}
	if err := f.describe(ctx, &a, flags, typeMessage, spaceMessage); err != nil {
		return a, fmt.Errorf("attribute %.60q: %w", a.Name, err)
	}
	if a.Null {
		return a, nil
	}
	n, ok := ndarray.Elements(a.Shape)
	if ok && n > 0 && a.Datatype.Size > c.left()/n {
		ok = false
	}
	if !ok {
		return a, corrupt("attribute %.60q: elements of %d bytes and shape %v in %d bytes", a.Name, a.Datatype.Size, a.Shape, c.left())
	}
	if !slices.Contains(a.Shape, 0) {
		a.data = bytes.Clone(c.take(n * a.Datatype.Size))
	}
	return a, c.err
}

// describe reads the datatype and the dataspace of an attribute, either of which may be
// shared.
func (f *File) describe(ctx context.Context, a *Attribute, flags uint8, typeMessage, spaceMessage []byte) error {
	var err error
	if flags&1 != 0 {
		if a.Committed, err = f.committed(typeMessage); err != nil {
			return err
		}
		if typeMessage, err = f.sharedContent(ctx, msgDatatype, &cursor{data: typeMessage, widths: f.widths}); err != nil {
			return err
		}
	}
	if flags&2 != 0 {
		if spaceMessage, err = f.sharedContent(ctx, msgDataspace, &cursor{data: spaceMessage, widths: f.widths}); err != nil {
			return err
		}
	}
	if a.Datatype, _, err = hdf5type.Parse(typeMessage); err != nil {
		return err
	}
	a.Shape, _, a.Null, err = f.dataspace(spaceMessage)
	return err
}

// Values returns the elements of the attribute. Their dimensions are those of the
// attribute's shape, followed by those of an array datatype. The error about a datatype
// without a counterpart is that of [hdf5type.Datatype.Type].
func (a *Attribute) Values(ctx context.Context) (ndarray.Array, hdf5type.Native, error) {
	native, err := a.Datatype.Type()
	if err != nil {
		return ndarray.Array{}, native, err
	}
	shape := a.Shape
	if a.Null {
		shape = []int{0}
	}
	dst := ndarray.New(native.Type, slices.Concat(shape, native.Shape))
	if len(a.data) == 0 {
		return dst, native, nil
	}
	if err := a.file.decode(ctx, dst, a.data, &native); err != nil {
		return ndarray.Array{}, native, fmt.Errorf("attribute %.60q: %w", a.Name, err)
	}
	return dst, native, nil
}

// mostJSON bounds the bytes of an attribute as JSON.
const mostJSON = 16 << 20

// JSON writes the elements of the attribute as JSON, in nested lists for the dimensions; see
// [hdf5type.Datatype.JSON].
func (a *Attribute) JSON(ctx context.Context) (json.RawMessage, error) {
	heap, read := a.file.globalHeap(), 0
	sequence := func(element []byte, size int) ([]byte, error) {
		all, err := heap.sequence(ctx, element, size)
		if read += len(all); read > mostJSON {
			return nil, unsupported("it has more than %d bytes", mostJSON)
		}
		return all, err
	}
	var rows []json.RawMessage
	for at := 0; at+a.Datatype.Size <= len(a.data); at += a.Datatype.Size {
		row, err := a.Datatype.JSON(a.data[at:at+a.Datatype.Size], sequence)
		if err != nil {
			return nil, fmt.Errorf("attribute %.60q: %w", a.Name, err)
		}
		rows = append(rows, row)
	}
	if len(a.Shape) == 0 && len(rows) == 1 {
		return rows[0], nil
	}
	for _, extent := range slices.Backward(a.Shape) {
		var outer []json.RawMessage
		for row := range slices.Chunk(rows, max(extent, 1)) {
			outer = append(outer, slices.Concat([]byte{'['}, bytes.Join(raws(row), []byte{','}), []byte{']'}))
		}
		rows = outer
	}
	if len(rows) != 1 {
		return json.RawMessage("[]"), nil
	}
	return rows[0], nil
}

func raws(list []json.RawMessage) [][]byte {
	all := make([][]byte, len(list))
	for i := range list {
		all[i] = list[i]
	}
	return all
}

// References returns the addresses of the objects to which each element of the
// attribute refers: one for an object reference, any number for a sequence of
// references. Other attributes have none. References to nothing are left out.
func (a *Attribute) References(ctx context.Context) ([][]uint64, error) {
	d := a.Datatype
	sequence := d.Class == hdf5type.VariableLength && !d.Text
	if sequence {
		d = d.Base
	}
	if d.Class != hdf5type.Reference || d.Reference != hdf5type.ObjectAddress || d.Size != a.file.offset {
		return nil, nil
	}
	heap := a.file.globalHeap()
	var list [][]uint64
	for item := range slices.Chunk(a.data, a.Datatype.Size) {
		if sequence {
			var err error
			if item, err = heap.sequence(ctx, item, d.Size); err != nil {
				return nil, fmt.Errorf("attribute %.60q: %w", a.Name, err)
			}
		}
		var to []uint64
		for at := range slices.Chunk(item, d.Size) {
			c := &cursor{data: at, widths: a.file.widths}
			if address := c.address(); c.err == nil && address != undefined && address != 0 {
				to = append(to, address)
			}
		}
		list = append(list, to)
	}
	return list, nil
}

// Raw returns the elements as they are in the file. They must not be modified.
func (a *Attribute) Raw() []byte { return a.data }
