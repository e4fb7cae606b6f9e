package hdf5

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/dtype/hdf5type"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Dataset is an opened dataset. It is safe for concurrent use. Its fields must not be
// modified.
type Dataset struct {
	Datatype *hdf5type.Datatype
	// Native describes the elements in memory. An array datatype adds its dimensions
	// behind those of Shape.
	Native hdf5type.Native
	Shape  []int
	// MaxShape is the largest extent of each dimension, or Unlimited.
	MaxShape []int
	// Null says that the dataset has no elements at all; its Shape is empty.
	Null bool
	// ChunkShape is the shape of the chunks, nil if the dataset has none.
	ChunkShape []int
	Filters    []Filter
	// Fill is the element, in the form of the file, that replaces elements that were
	// never written. nil stands for zeros. FillDefined says that the writer of the file
	// chose it.
	Fill        []byte
	FillDefined bool

	file      *File
	address   uint64
	places    bool               // elements are references to the heap, see [Sequences]
	member    []string           // names of members of compounds within each other, see [Object.Field]
	field     *hdf5type.Datatype // of the innermost member; nil: elements are whole
	fieldAt   int                // its place in an element, in bytes
	layout    *layout
	external  *externalFiles  // nil: the elements are in the file
	virtual   *virtualDataset // nil: the elements are not in other datasets
	filters   []step
	grid      grid       // of chunks; without chunks, of the pieces in which elements are read
	piece     []int      // shape of a chunk or piece
	chunkSize int        // bytes of the elements of a chunk or piece
	reading   sync.Mutex // held while the chunk index is read
}

// pieceBytes is the most bytes that are read at once of elements that are not in
// chunks, unless a single element is larger.
const pieceBytes = 1 << 20

// Dataset returns the object as a dataset. The error names what is not supported: a
// datatype, a filter, a layout.
func (o *Object) Dataset(ctx context.Context) (*Dataset, error) { return o.dataset(ctx, nil, nil) }

// Field returns a member of the elements as a dataset, if they are compounds. names has its
// name, and before it those of compounds in which it is. An array datatype adds its
// dimensions behind those of Shape.
func (o *Object) Field(ctx context.Context, names []string) (*Dataset, error) {
	return o.dataset(ctx, names, nil)
}

// dataset is Dataset for a source of virtual datasets, which outer has.
func (o *Object) dataset(ctx context.Context, member []string, outer *enclosing) (*Dataset, error) {
	if o.kind != DatasetObject {
		return nil, fmt.Errorf("the object at address %d is not a dataset", o.address)
	}
	d := &Dataset{file: o.file, address: o.address, member: member}
	if err := o.read(ctx, d, outer); err != nil {
		return nil, err
	}
	return d, nil
}

// read reads the properties of a dataset into d.
func (o *Object) read(ctx context.Context, d *Dataset, outer *enclosing) error {
	read := []struct {
		what string
		kind int
		take func(content []byte) error
	}{
		{"datatype", msgDatatype, d.takeDatatype},
		{"dataspace", msgDataspace, d.takeDataspace},
		{"filters", msgFilters, d.takeFilters},
		{"data layout", msgLayout, d.takeLayout},
		{"fill value", msgOldFill, d.takeOldFill},
		{"fill value", msgFill, d.takeFill},
	}
	for _, r := range read {
		found, err := o.take(ctx, r.kind, r.take)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", r.what, err)
		case !found && (r.kind == msgDatatype || r.kind == msgDataspace):
			return corrupt("the dataset at address %d has no %s", o.address, r.what)
		}
	}
	if d.layout == nil {
		return corrupt("the dataset at address %d has no data layout", o.address)
	}
	switch d.layout.class {
	case virtual:
		return d.openVirtual(ctx, outer)
	case contiguous:
		if err := d.openExternal(ctx, o); err != nil {
			return err
		}
	}
	return d.layOut()
}

// openExternal opens the files that have the elements of a dataset, if they are in other
// files.
func (d *Dataset) openExternal(ctx context.Context, o *Object) error {
	_, err := o.take(ctx, msgExternalFiles, func(content []byte) error {
		n, ok := ndarray.Elements(d.Shape)
		if !ok || n > mostBytes/d.Datatype.Size {
			return d.tooLarge()
		}
		var err error
		d.external, err = d.file.external(ctx, content, n*d.Datatype.Size)
		d.layout.address = 0
		return err
	})
	if err != nil {
		return fmt.Errorf("external files: %w", err)
	}
	return nil
}

// take hands the content of the header's message of a kind to f, if there is such a
// message.
func (o *Object) take(ctx context.Context, kind int, f func(content []byte) error) (found bool, err error) {
	m := o.header.find(kind)
	if m == nil {
		return false, nil
	}
	content, err := o.file.content(ctx, m)
	if err != nil {
		return true, err
	}
	return true, f(content)
}

func (d *Dataset) takeDatatype(content []byte) (err error) {
	if d.Datatype, _, err = hdf5type.Parse(content); err != nil {
		return err
	}
	native := (*hdf5type.Datatype).Type
	if d.places {
		native = placesOf
	}
	if len(d.member) == 0 {
		d.Native, err = native(d.Datatype)
		return err
	}
	d.field = d.Datatype
	for _, name := range d.member {
		k := slices.IndexFunc(d.field.Members, func(m hdf5type.Member) bool { return m.Name == name })
		if k < 0 {
			return corrupt("%v has no member %.60q", d.field.Class, name)
		}
		d.fieldAt += d.field.Members[k].Offset
		d.field = d.field.Members[k].Type
	}
	d.Native, err = native(d.field)
	return err
}

func (d *Dataset) takeDataspace(content []byte) (err error) {
	d.Shape, d.MaxShape, d.Null, err = d.file.dataspace(content)
	return err
}

func (d *Dataset) takeFilters(content []byte) (err error) {
	if d.Filters, err = readFilters(content); err != nil {
		return err
	}
	d.filters, err = d.file.shared.steps(d.Filters)
	return err
}

func (d *Dataset) takeLayout(content []byte) (err error) {
	d.layout, err = d.file.layout(content)
	return err
}

// takeOldFill reads a fill value message of the first kind.
func (d *Dataset) takeOldFill(content []byte) error {
	c := &cursor{data: content}
	return d.setFill(c, int(c.uint32()))
}

// takeFill reads a fill value message, section IV.A.2.f.
func (d *Dataset) takeFill(content []byte) error {
	c := &cursor{data: content}
	version := c.uint8()
	d.Fill, d.FillDefined = nil, false // from a message of the first kind
	switch version {
	case 1, 2:
		c.skip(2)
		if defined := c.uint8(); defined == 0 && version == 2 || c.left() == 0 {
			return c.err
		}
	case 3:
		if flags := c.uint8(); flags&0x20 == 0 {
			return c.err
		}
	default:
		return unsupported("message of version %d", version)
	}
	return d.setFill(c, int(int32(c.uint32())))
}

// setFill reads a fill value of n bytes. No bytes stand for zeros.
func (d *Dataset) setFill(c *cursor, n int) error {
	if c.err != nil || n <= 0 {
		return c.err
	}
	value := c.take(n)
	if c.err != nil {
		return c.err
	}
	if n != d.Datatype.Size {
		return corrupt("%d bytes for elements of %d", n, d.Datatype.Size)
	}
	if d.field != nil {
		value = value[d.fieldAt:][:d.field.Size]
	}
	d.Fill, d.FillDefined = bytes.Clone(value), true
	return nil
}

// layOut checks that the parts of a dataset agree, and divides it into chunks
// or pieces.
func (d *Dataset) layOut() error {
	size := d.Datatype.Size
	n, ok := ndarray.Elements(d.Shape)
	bytes, fits := ndarray.Bytes(d.Native.Type, slices.Concat(d.Shape, d.Native.Shape))
	if !ok || !fits || bytes < 0 || n > mostBytes/size {
		return d.tooLarge()
	}
	l := d.layout
	switch l.class {
	case chunked:
		if len(l.chunk) != len(d.Shape) || l.element != size {
			return corrupt("chunks of %d dimensions of elements of %d bytes, want %d and %d", len(l.chunk), l.element, len(d.Shape), size)
		}
		d.ChunkShape, d.piece = l.chunk, l.chunk
	case compact:
		if !d.Null && n*size > len(l.data) && !slices.Contains(d.Shape, 0) {
			return corrupt("%d bytes in the header for shape %v of elements of %d bytes", len(l.data), d.Shape, size)
		}
		d.piece = d.wholePieces(n * size)
	case contiguous:
		if d.filters != nil {
			return corrupt("filters, but no chunks")
		}
		if _, err := d.file.place(l.address, n*size); d.external == nil && l.address != undefined && !slices.Contains(d.Shape, 0) && err != nil {
			return fmt.Errorf("truncated: the dataset has %d bytes at address %d: %w", n*size, l.address, err)
		}
		d.piece = d.wholePieces(pieceBytes)
	}
	elements, _ := ndarray.Elements(d.piece)
	d.chunkSize = elements * size
	if d.chunkSize > maxChunk {
		return unsupported("an element has %d bytes", d.chunkSize)
	}
	d.grid = newGrid(d.Shape, d.piece)
	return nil
}

// mostBytes bounds the elements of a dataset.
const mostBytes = 1 << 62

// tooLarge returns the error about a dataset with more than mostBytes. It may have chunks or no
// element at all. If it states a place for all of its elements, which no file has, the file is
// corrupt.
func (d *Dataset) tooLarge() error {
	if d.layout.class == compact || d.layout.class == contiguous && d.layout.address != undefined {
		return corrupt("shape %v of elements of %d bytes", d.Shape, d.Datatype.Size)
	}
	return unsupported("shape %v of elements of %d bytes is too large: the elements of an array may have up to 2^62 bytes", d.Shape, d.Datatype.Size)
}

// wholePieces returns the shape of pieces that are one run of bytes in C order. A piece
// has no more than most bytes, or a single element.
func (d *Dataset) wholePieces(most int) []int {
	piece := slices.Repeat([]int{1}, len(d.Shape))
	room := max(most/d.Datatype.Size, 1)
	for k := len(piece) - 1; k >= 0 && room > 0; k-- {
		piece[k] = max(min(d.Shape[k], room), 1)
		if piece[k] < d.Shape[k] {
			break
		}
		room /= piece[k]
	}
	return piece
}

// Plain reports whether the elements of a dataset are the same in the file as in
// memory, except for their byte order, which Native tells.
func (d *Dataset) Plain() bool { return d.same() || d.swapped() != nil }

// Allocated reports whether the file has a place for elements, or for the index of
// chunks. Without such a place, no element was ever written.
func (d *Dataset) Allocated() bool {
	return d.layout.class == compact || d.layout.class == virtual || d.layout.address != undefined
}

// Contiguous returns the place of elements that are stored as one run in C order. It
// returns false if they are stored in another way, or if none was ever written.
func (d *Dataset) Contiguous() (offset int64, ok bool) {
	if d.layout.class != contiguous || d.layout.address == undefined || d.external != nil {
		return 0, false
	}
	return int64(d.file.base + d.layout.address), true
}

// Memory returns the most bytes that one call of ReadRegion holds besides its
// destination. It does not count the bytes of elements of variable size, which are in a
// heap.
func (d *Dataset) Memory() int {
	if d.virtual != nil {
		return d.virtual.memory
	}
	inMemory, _ := ndarray.Bytes(d.Native.Type, slices.Concat(d.piece, d.Native.Shape))
	if d.Native.Type.Size() == 0 {
		n, _ := ndarray.Elements(slices.Concat(d.piece, d.Native.Shape))
		inMemory = n * ndarray.ItemSize(d.Native.Type)
	}
	if d.field != nil {
		inMemory += ndarray.Rounded(inMemory) // the member as it is in the file
	}
	stored := d.chunkSize
	between := 0
	if d.filters != nil {
		stored = mostStored(d.chunkSize)
		between = min(len(d.filters)-1, 2) * ndarray.Rounded(mostStored(d.chunkSize))
		if slices.ContainsFunc(d.Filters, func(f Filter) bool { return f.ID == FilterSzip }) {
			between += ndarray.Rounded(mostStored(d.chunkSize)) // its bytes before they are regrouped
		}
		if slices.ContainsFunc(d.Filters, func(f Filter) bool { return f.ID == FilterBlosc2 }) {
			between += 3 * ndarray.Rounded(max(d.chunkSize, 1<<20)) // its blocks
		}
	}
	batch := batchBytes // or all chunks together with the gaps between them
	if d.grid.all < batchBytes/(stored+d.file.gap+1) {
		batch = d.grid.all*(stored+d.file.gap) - d.file.gap
	}
	return ndarray.Rounded(max(stored, batch)) + between + ndarray.Rounded(d.chunkSize) + ndarray.Rounded(inMemory)
}
