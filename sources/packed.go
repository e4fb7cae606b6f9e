package sources

import (
	"context"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
)

// Packed returns an array in the form that mode asks for. typeOf and errors are those of
// [cf.Read].
//
//	cf.Unpack  the physical values. They are computed when they are read, in the memory
//	           of the result
//	cf.Codecs  the stored elements of a. Info.Packing says what they mean
//
// With any other mode, and if the elements of a are not packed, the result is a itself.
func Packed(a Array, mode cf.Mode, typeOf func(attribute string) dtype.Type) (Array, error) {
	if mode != cf.Unpack && mode != cf.Codecs {
		return a, nil
	}
	info := *a.Info()
	p, err := cf.Read(info.Type, info.Attributes, typeOf)
	if err != nil {
		return nil, fmt.Errorf("array %q: %w", info.Path, err)
	}
	if p == nil {
		return a, nil
	}
	if mode == cf.Codecs {
		info.Type, info.Packing = p.Stored, p
		return &packed{array: a, info: &info}, nil
	}
	outcome := p.Unpacked()
	info.Type, info.Fill, info.FillFrom = p.Physical, outcome.Fill, "missing data, which is NaN once unpacked"
	info.Attributes, info.Codecs, info.Obstacle = outcome.Attributes, nil, "cf: unpack changes the values"
	info.Notes = slices.Concat(info.Notes, outcome.Notes)
	info.Findings = slices.Concat(info.Findings, outcome.Findings)
	return &packed{array: a, info: &info, unpack: p}, nil
}

// IsPacked reports whether the stored numbers of an array are not its values themselves: it has
// the attributes of packing, or had them.
func IsPacked(info *Info) bool {
	return info.Packing != nil || info.Attributes.Get("scale_factor") != nil || info.Attributes.Get("add_offset") != nil
}

// packed is the result of Packed.
type packed struct {
	array  Array
	info   *Info
	unpack *cf.Packing // nil: the bits are those of array
}

func (p *packed) Info() *Info { return p.info }

// undescribed returns the array that holds the elements of a, without the wrappers that only
// add a description.
func undescribed(a Array) Array {
	if d, ok := a.(*described); ok {
		a = d.Array
	}
	if p, ok := a.(*packed); ok && p.unpack == nil {
		a = p.array
	}
	return a
}

// ShareInfo implements [Shared].
func (p *packed) ShareInfo(s *Infos) {
	if inner, ok := p.array.(Shared); ok {
		inner.ShareInfo(s)
	}
	p.info = s.Share(p.info)
}

// ReadRegion implements [Array].
func (p *packed) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := CheckRegion(p.info, dst, start); err != nil {
		return err
	}
	stored := dst
	if p.unpack != nil {
		stored = p.unpack.Within(dst)
	}
	stored.Type = p.array.Info().Type
	if err := p.array.ReadRegion(ctx, stored, start); err != nil {
		return err
	}
	if p.unpack != nil {
		p.unpack.Unpack(dst, stored)
	}
	return nil
}
