package hdf5

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// virtualDataset is where the elements of a virtual dataset are: in other datasets, its
// sources.
type virtualDataset struct {
	mappings []mapping
	missing  []string // descriptions of sources that are not there
	memory   int      // see [Dataset.Memory]
}

// mapping is elements of a source, and which elements of the virtual dataset they are.
type mapping struct {
	source   *Dataset
	name     string // of the source, in messages
	from, to selection
	// pairs has the dimensions of from and to that belong together. Along all others, the
	// selections have one index.
	pairs [][2]int
}

// entry is a mapping as in the file.
type entry struct {
	file, path string
	from, to   selection
}

const (
	// maxMappings bounds the sources of a virtual dataset, with those of its sources.
	maxMappings = 1 << 14
	// maxVirtual is the most virtual datasets within each other.
	maxVirtual = 8
	// maxMissing is the most sources that a message names.
	maxMissing = 3
)

// Missing describes the sources of a virtual dataset that are not there. As HDF5 wants it,
// the elements that they should have have the fill value. It is "" if none is missing.
func (d *Dataset) Missing() string {
	if d.virtual == nil || len(d.virtual.missing) == 0 {
		return ""
	}
	list := d.virtual.missing
	text := strings.Join(list[:min(len(list), maxMissing)], ", ")
	if len(list) > maxMissing {
		text += fmt.Sprintf(" and %d more", len(list)-maxMissing)
	}
	return text
}

// entries reads the mappings from the global heap, section VII "Virtual Dataset Mappings"
// of the specification of the file format.
func (d *Dataset) entries(ctx context.Context) ([]entry, error) {
	if d.layout.address == undefined || d.layout.address == 0 {
		return nil, nil
	}
	all, err := d.file.globalHeap().collection(ctx, d.layout.address)
	if err != nil {
		return nil, fmt.Errorf("global heap at address %d: %w", d.layout.address, err)
	}
	object, ok := all.objects[uint16(d.layout.object)]
	if !ok || d.layout.object > 0xffff {
		return nil, corrupt("global heap at address %d: there is no object %d", d.layout.address, d.layout.object)
	}
	c := &cursor{data: object, widths: d.file.widths}
	if err := c.verify(); err != nil {
		return nil, err
	}
	version := c.uint8()
	if c.err == nil && version > 1 {
		return nil, unsupported("mappings of version %d", version)
	}
	n := c.size()
	if c.err == nil && n > maxMappings {
		return nil, unsupported("%d mappings, at most %d are read", n, maxMappings)
	}
	var list []entry
	for range n {
		flags := uint8(0)
		if version == 1 {
			flags = c.uint8()
		}
		e := entry{file: "."}
		if flags&sameFile == 0 {
			e.file = c.name(flags&knownFile != 0, list, func(e entry) string { return e.file })
		}
		e.path = c.name(flags&knownPath != 0, list, func(e entry) string { return e.path })
		e.from, e.to = c.selection(), c.selection()
		if c.err != nil {
			return nil, c.err
		}
		if !e.to.all && len(e.to.dims) != len(d.Shape) {
			return nil, corrupt("a mapping of %d dimensions, the dataset has %d", len(e.to.dims), len(d.Shape))
		}
		list = append(list, e)
	}
	return list, c.err
}

// enclosing is a virtual dataset whose sources are opened, and those that have it as a
// source.
type enclosing struct {
	place  Place
	outer  *enclosing
	depth  int
	opened *int // sources of the outermost
}

// with adds a virtual dataset. It refuses circles, and too many datasets.
func (e *enclosing) with(place Place) (*enclosing, error) {
	if e == nil {
		return &enclosing{place: place, opened: new(int)}, nil
	}
	for up := e; up != nil; up = up.outer {
		if up.place == place {
			return nil, unsupported("the virtual dataset is a source of itself")
		}
	}
	if e.depth+1 == maxVirtual {
		return nil, unsupported("more than %d virtual datasets within each other", maxVirtual)
	}
	return &enclosing{place: place, outer: e, depth: e.depth + 1, opened: e.opened}, nil
}

// Flags of a mapping of version 1.
const (
	knownFile = 1 << iota // instead of the name of the file, there is the number of a mapping that has it
	knownPath             // the same for the path
	sameFile              // the source is in the file of the virtual dataset
)

// name reads a name, or the number of a mapping before that has the name.
func (c *cursor) name(known bool, list []entry, of func(e entry) string) string {
	if !known {
		return string(c.text())
	}
	i := c.size()
	if i >= uint64(len(list)) {
		if c.err == nil {
			c.err = corrupt("mapping %d has a name of mapping %d", len(list), i)
		}
		return ""
	}
	return of(list[i])
}

// openVirtual opens the sources of a virtual dataset, and sets its shape, which depends on
// theirs if a mapping has no end. outer has the virtual datasets that have this one as a
// source.
func (d *Dataset) openVirtual(ctx context.Context, outer *enclosing) error {
	outer, err := outer.with(Place{d.file, d.address})
	if err != nil {
		return err
	}
	list, err := d.entries(ctx)
	if err != nil {
		return fmt.Errorf("virtual dataset: %w", err)
	}
	v := &virtualDataset{}
	d.virtual = v
	least, grown := make([]int, len(d.Shape)), make([]int, len(d.Shape))
	open := make([]bool, len(d.Shape))
	for _, e := range list {
		k := e.to.open()
		for i, x := range e.to.dims {
			if i != k {
				least[i] = max(least[i], x.end())
			}
		}
		if k < 0 {
			m, err := d.mapping(ctx, e, outer)
			if err != nil {
				return err
			}
			if m != nil {
				v.mappings = append(v.mappings, *m)
			}
			continue
		}
		open[k] = true
		end, err := d.openEnded(ctx, e, k, outer)
		if err != nil {
			return err
		}
		grown[k] = max(grown[k], end)
	}
	for k := range open {
		if open[k] {
			d.Shape[k] = max(least[k], grown[k])
			if most := d.MaxShape[k]; most != Unlimited {
				d.Shape[k] = min(d.Shape[k], most)
			}
		}
	}
	n, ok := ndarray.Elements(d.Shape)
	if _, fits := ndarray.Bytes(d.Native.Type, slices.Concat(d.Shape, d.Native.Shape)); !ok || !fits || n > (1<<62)/d.Datatype.Size {
		return corrupt("shape %v of elements of %d bytes", d.Shape, d.Datatype.Size)
	}
	for _, m := range v.mappings {
		v.memory = max(v.memory, m.source.Memory())
	}
	v.memory += ndarray.Rounded(max(mostBetween, d.Datatype.Size))
	return nil
}

// openEnded adds the mappings that a mapping without an end along dimension k stands for.
// It returns the index behind their last one.
func (d *Dataset) openEnded(ctx context.Context, e entry, k int, outer *enclosing) (end int, err error) {
	v := d.virtual
	to := e.to.dims[k]
	if strings.Contains(e.file+e.path, "%b") {
		for number := 0; ; number++ {
			one := e
			one.file, one.path = numbered(e.file, number), numbered(e.path, number)
			one.to.dims = slices.Clone(e.to.dims)
			one.to.dims[k] = indexes{start: to.start + number*to.apart, stride: to.each, block: to.each, n: to.each}
			missing := len(v.missing)
			m, err := d.mapping(ctx, one, outer)
			if err != nil {
				return 0, err
			}
			if m == nil {
				v.missing = v.missing[:missing] // the first missing number ends the sources
				return end, nil
			}
			v.mappings = append(v.mappings, *m)
			end = one.to.dims[k].end()
		}
	}
	m, err := d.mapping(ctx, e, outer)
	if err != nil || m == nil {
		return 0, err
	}
	v.mappings = append(v.mappings, *m)
	return m.to.dims[k].end(), nil
}

// numbered replaces %b in a name by a number, and %% by %.
func numbered(name string, number int) string {
	return strings.NewReplacer("%%", "%", "%b", strconv.Itoa(number)).Replace(name)
}

// mapping opens the source of a mapping. It returns nil if there is no such source.
func (d *Dataset) mapping(ctx context.Context, e entry, outer *enclosing) (*mapping, error) {
	path, file := numbered(e.path, 0), numbered(e.file, 0)
	if e.to.open() < 0 {
		path, file = strings.ReplaceAll(e.path, "%%", "%"), strings.ReplaceAll(e.file, "%%", "%")
	}
	m := &mapping{name: fmt.Sprintf("%.200q in the file %.200q", path, file)}
	if file == "." {
		m.name = fmt.Sprintf("%.200q", path)
	}
	source, err := d.source(ctx, file, path, outer)
	switch {
	case err != nil:
		return nil, fmt.Errorf("virtual dataset: its source %s: %w", m.name, err)
	case source == nil:
		d.virtual.missing = append(d.virtual.missing, m.name)
		return nil, nil
	}
	m.source = source
	m.from, m.to = e.from.shaped(source.Shape), e.to.shaped(d.Shape)
	if err := m.fit(d); err != nil {
		return nil, fmt.Errorf("virtual dataset: its source %s: %w", m.name, err)
	}
	return m, nil
}

// source opens a source. It returns nil if there is none.
func (d *Dataset) source(ctx context.Context, file, path string, outer *enclosing) (*Dataset, error) {
	if *outer.opened++; *outer.opened > maxMappings {
		return nil, unsupported("more than %d sources", maxMappings)
	}
	from := d.file
	var err error
	if file != "." {
		from, err = d.file.other(ctx, file)
	}
	var at Place
	if err == nil {
		at, err = from.Find(ctx, from.root, path)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNoObject) && !errors.Is(err, errors.ErrUnsupported) {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	o, err := at.Object(ctx)
	if err != nil {
		return nil, err
	}
	return o.dataset(ctx, d.member, outer)
}

// fit checks that the selections of a mapping, its source and the virtual dataset agree,
// and ends selections that have no end.
func (m *mapping) fit(d *Dataset) error {
	s := m.source
	switch {
	case !dtype.Same(s.Native.Type, d.Native.Type) || !slices.Equal(s.Native.Shape, d.Native.Shape):
		return unsupported("its elements are %v, those of the virtual dataset are %v", s.Datatype, d.Datatype)
	case len(m.from.dims) != len(s.Shape):
		return corrupt("a selection of %d dimensions, the source has %d", len(m.from.dims), len(s.Shape))
	}
	if j, k := m.from.open(), m.to.open(); j >= 0 || k >= 0 {
		if j < 0 || k < 0 {
			return unsupported("one of its selections has an end, the other has none")
		}
		n := m.from.dims[j].below(s.Shape[j])
		m.from.dims, m.to.dims = slices.Clone(m.from.dims), slices.Clone(m.to.dims)
		m.from.dims[j].n, m.to.dims[k].n = n, n
	}
	for k, x := range m.from.dims {
		if x.end() > s.Shape[k] {
			return corrupt("it has shape %v, which ends before index %d along dimension %d, which the virtual dataset needs", s.Shape, x.end()-1, k)
		}
	}
	several := func(x selection) (list []int) {
		for k := range x.dims {
			if x.dims[k].n != 1 {
				list = append(list, k)
			}
		}
		return list
	}
	from, to := several(m.from), several(m.to)
	if len(from) != len(to) {
		return unsupported("its elements are a box of another shape in the virtual dataset")
	}
	for i, j := range from {
		if m.from.dims[j].n != m.to.dims[to[i]].n {
			return unsupported("its elements are a box of another shape in the virtual dataset")
		}
		m.pairs = append(m.pairs, [2]int{j, to[i]})
	}
	return nil
}
