package hdf5type

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// room refuses a count of items that would not fit into the rest of the message, where
// each takes at least size bytes.
func (p *parser) room(n, size int, what string) error {
	if n > (len(p.data)-p.at)/size {
		return p.corrupt("%d %s in the last %d bytes of the message", n, what, len(p.data)-p.at)
	}
	return nil
}

func (p *parser) compound(d *Datatype, n, depth int) error {
	least := [...]int{1: 48, 2: 20, 3: 10, 4: 10, 5: 10}[d.Version] // the fewest bytes of a member
	if err := p.room(n, least, "members"); err != nil {
		return err
	}
	if n == 0 {
		return p.corrupt("a compound without members")
	}
	d.Members = make([]Member, n)
	legacy := false
	for i := range d.Members {
		m, dims, err := p.member(d, depth)
		if err != nil {
			return err
		}
		legacy = legacy || dims
		d.Members[i] = m
	}
	if legacy {
		d.Version = 2 // which expresses such dimensions as array datatypes
	}
	return p.checkMembers(d)
}

// member reads a member of d. legacy tells whether the member has dimensions, which
// only version 1 allows.
func (p *parser) member(d *Datatype, depth int) (m Member, legacy bool, err error) {
	if m.Name, err = p.name(d.Version); err != nil {
		return m, false, err
	}
	if m.Offset, err = p.number(offsetBytes(d)); err != nil {
		return m, false, err
	}
	var dims []int
	if d.Version == 1 {
		b, err := p.take(28) // rank, 3 bytes, permutation, 4 bytes, 4 dimensions
		if err != nil {
			return m, false, err
		}
		if b[0] > 4 {
			return m, false, p.corrupt("member %.60q has %d dimensions, at most 4 fit", m.Name, b[0])
		}
		for i := range int(b[0]) {
			dims = append(dims, int(binary.LittleEndian.Uint32(b[12+4*i:])))
		}
	}
	if m.Type, err = p.datatype(depth + 1); err != nil {
		return m, false, err
	}
	if len(dims) == 0 {
		return m, false, nil
	}
	size, ok := arraySize(m.Type, dims)
	if !ok {
		return m, false, p.corrupt("member %.60q has dimensions %v", m.Name, dims)
	}
	m.Type = &Datatype{Class: Array, Version: 2, Size: size, Dims: dims, Base: m.Type}
	return m, true, nil
}

// offsetBytes returns the width of the offsets of a compound's members.
func offsetBytes(d *Datatype) int {
	switch {
	case d.Version < 3 || d.Size >= 1<<24:
		return 4
	case d.Size >= 1<<16:
		return 3
	case d.Size >= 1<<8:
		return 2
	default:
		return 1
	}
}

// checkMembers refuses members that overlap or do not fit.
func (p *parser) checkMembers(d *Datatype) error {
	sorted := slices.SortedStableFunc(slices.Values(d.Members), func(a, b Member) int { return cmp.Compare(a.Offset, b.Offset) })
	for i, m := range sorted {
		next := d.Size
		if i+1 < len(sorted) {
			next = sorted[i+1].Offset
		}
		if m.Offset+m.Type.Size > next {
			return p.corrupt("member %.60q of bytes %d to %d reaches over byte %d, where the next member or the end is", m.Name, m.Offset, m.Offset+m.Type.Size, next)
		}
	}
	return nil
}

func (p *parser) enumeration(d *Datatype, n, depth int) (err error) {
	if d.Base, err = p.datatype(depth + 1); err != nil {
		return err
	}
	if d.Base.Class != FixedPoint || d.Base.Size != d.Size {
		return p.corrupt("an enumeration of %d bytes over %d bytes of class %v", d.Size, d.Base.Size, d.Base.Class)
	}
	least := [...]int{1: 8, 2: 8, 3: 1, 4: 1, 5: 1}[d.Version] // the fewest bytes of a name
	if err := p.room(n, least+d.Size, "names with values"); err != nil {
		return err
	}
	d.Names = make([]Name, n)
	for i := range d.Names {
		if d.Names[i].Name, err = p.name(d.Version); err != nil {
			return err
		}
	}
	values, err := p.take(n * d.Size)
	if err != nil {
		return err
	}
	values = slices.Clone(values)
	for i := range d.Names {
		d.Names[i].Value = values[i*d.Size : (i+1)*d.Size : (i+1)*d.Size]
	}
	return nil
}

func (p *parser) variable(d *Datatype, flags uint32, depth int) (err error) {
	switch flags & 15 {
	case 0:
	case 1:
		d.Text = true
		if err := p.text(d, flags>>4); err != nil {
			return err
		}
	default:
		return p.corrupt("variable-length data of kind %d", flags&15)
	}
	d.Base, err = p.datatype(depth + 1)
	return err
}

func (p *parser) array(d *Datatype, depth int) error {
	rank, err := p.number(1)
	if err != nil {
		return err
	}
	if rank == 0 || rank > maxRank {
		return p.corrupt("an array of %d dimensions, want 1 to %d", rank, maxRank)
	}
	if d.Version == 1 {
		d.Version = 2 // version 1 is not defined for arrays; old files have it, in the form of version 2
	}
	if d.Version == 2 {
		if _, err := p.take(3); err != nil {
			return err
		}
	}
	b, err := p.take(4 * rank)
	if err != nil {
		return err
	}
	d.Dims = make([]int, rank)
	for i := range d.Dims {
		d.Dims[i] = int(binary.LittleEndian.Uint32(b[4*i:]))
	}
	if d.Version == 2 {
		if _, err := p.take(4 * rank); err != nil { // a permutation, which is never used
			return err
		}
	}
	if d.Base, err = p.datatype(depth + 1); err != nil {
		return err
	}
	if size, ok := arraySize(d.Base, d.Dims); !ok || size != d.Size {
		return p.corrupt("an array of %d bytes with dimensions %v of elements of %d bytes", d.Size, d.Dims, d.Base.Size)
	}
	return nil
}

// arraySize returns the bytes of an array. It returns false if a dimension is 0, or if
// the product does not fit the size field.
func arraySize(base *Datatype, dims []int) (int, bool) {
	size := base.Size
	for _, n := range dims {
		if n <= 0 || size > math.MaxUint32/n {
			return 0, false
		}
		size *= n
	}
	return size, true
}

func (p *parser) complex(d *Datatype, flags uint32, depth int) (err error) {
	if flags != 1 { // homogeneous and rectangular
		return fmt.Errorf("byte %d: complex numbers of form %#x: only pairs of a real and an imaginary part are defined: %w", p.at, flags, errors.ErrUnsupported)
	}
	if d.Base, err = p.datatype(depth + 1); err != nil {
		return err
	}
	if d.Base.Class != FloatingPoint || d.Size != 2*d.Base.Size {
		return p.corrupt("a complex number of %d bytes over %d bytes of class %v", d.Size, d.Base.Size, d.Base.Class)
	}
	return nil
}
