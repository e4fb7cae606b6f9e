// Package raw reads arrays from files that hold nothing but their elements, behind a
// header of known length. C programs, Fortran with stream access, and NumPy's tofile
// write such files. The caller describes an array in an [Array]; the sizes of its files
// must agree with the description.
//
//	| Offset bytes, not read | elements, in C or Fortran order |
//
// One array may be in many files: each is one index of a new first dimension (Stack),
// or they follow each other along one of the dimensions (Concat).
package raw

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// Array describes one array and where its elements are.
type Array sources.DeclaredArray

// Options are the settings of Open. The zero value is usable.
type Options struct {
	Store store.Options
}

// Open returns the source of these arrays. The caller closes it. Open asks for the sizes of
// all files. Whether the sizes agree with the arrays is checked when an array is opened.
func Open(ctx context.Context, arrays []Array, opt Options) (sources.Source, error) {
	s := &source{arrays: map[string]*Array{}, scratch: &ndarray.Pool{Keep: 4 * sources.ScratchBytes}}
	var urls []string
	for _, a := range arrays {
		if err := a.check(); err != nil {
			return nil, fmt.Errorf("array %q: %w", a.Name, err)
		}
		if s.arrays[a.Name] != nil {
			return nil, fmt.Errorf("array %q is described twice", a.Name)
		}
		s.arrays[a.Name] = &a
		s.names = append(s.names, a.Name)
		urls = append(urls, a.URLs...)
	}
	files, err := sources.OpenFiles(ctx, urls, opt.Store)
	if err != nil {
		return nil, err
	}
	s.files = files
	return s, nil
}

// check refuses descriptions with which no files could agree.
func (a *Array) check() error {
	if err := zarr.CheckPath(a.Name); err != nil {
		return err
	}
	_, ordered := a.Type.(dtype.Ordered)
	switch {
	case a.Type == nil:
		return errors.New("no data type")
	case a.Type.Size() == 0:
		return fmt.Errorf("elements of data type %s have no fixed size, which a raw file needs: name a type of fixed size, such as fixed_length_utf32", a.Type.Name())
	case ordered && a.Order == dtype.NoOrder:
		return fmt.Errorf("data type %s needs a byte order", a.Type.Name())
	case a.Offset < 0:
		return fmt.Errorf("offset %d is negative", a.Offset)
	case len(a.URLs) == 0:
		return errors.New("no files")
	case a.Stack != "" && a.Concat != "":
		return errors.New("stack and concat exclude each other")
	case len(a.URLs) > 1 && a.Stack == "" && a.Concat == "":
		return fmt.Errorf("%d files need stack or concat with the name of a dimension", len(a.URLs))
	case a.DimensionNames != nil && len(a.DimensionNames) != len(a.Shape):
		return fmt.Errorf("%d dimension names for the %d dimensions of one file, shape %v", len(a.DimensionNames), len(a.Shape), a.Shape)
	case a.Stack != "" && slices.Contains(a.DimensionNames, a.Stack):
		return fmt.Errorf("stack: dimension %q is in the files already", a.Stack)
	case a.Concat != "" && !slices.Contains(a.DimensionNames, a.Concat):
		return fmt.Errorf("concat: dimension %q is not one of the dimension names %q", a.Concat, a.DimensionNames)
	}
	shape := slices.Clone(a.Shape)
	if a.Concat != "" {
		shape[a.concatDim()] = 1
	}
	if _, ok := ndarray.Bytes(a.Type, shape); !ok {
		return fmt.Errorf("shape %v is negative or too large", a.Shape)
	}
	return nil
}

func (a *Array) concatDim() int { return slices.Index(a.DimensionNames, a.Concat) }

// source implements [sources.Source].
type source struct {
	names   []string
	arrays  map[string]*Array
	files   *sources.FileSet
	scratch *ndarray.Pool
}

// Groups lists the root and the groups that the arrays' names imply. They have no
// attributes.
func (s *source) Groups() []sources.Group {
	var groups []sources.Group
	for _, path := range zarr.Parents(s.names) {
		groups = append(groups, sources.Group{Path: path})
	}
	return groups
}

func (s *source) Arrays() []string              { return s.names }
func (s *source) Files() iter.Seq[sources.File] { return s.files.Files() }
func (s *source) Close() error                  { return s.files.Close() }

// Changed implements [sources.Source].
func (s *source) Changed(ctx context.Context) error { return s.files.Changed(ctx) }

// Array checks the sizes of all files of the array. It also reads a byte of each local
// file, because a file may have a size and yet be unreadable.
func (s *source) Array(ctx context.Context, path string) (sources.Array, error) {
	a := s.arrays[path]
	if a == nil {
		return nil, fmt.Errorf("no array %q", path)
	}
	parts := make([]sources.Array, len(a.URLs))
	var common *sources.Info // shared by files of one shape
	var wrong sources.Report
	for i, url := range a.URLs {
		part, err := s.part(ctx, a, s.files.Get(url), &common)
		if err != nil {
			wrong.Add(err)
		}
		parts[i] = part
	}
	if err := wrong.Err("files do not fit"); err != nil {
		return nil, err
	}
	switch info := *common; {
	case a.Stack != "":
		names := a.DimensionNames
		if names == nil {
			names = make([]string, len(a.Shape))
		}
		info.DimensionNames = slices.Concat([]string{a.Stack}, names)
		return sources.Stack(info, parts)
	case a.Concat != "":
		if err := a.checkExtent(parts); err != nil {
			return nil, err
		}
		return sources.Join(info, a.concatDim(), parts)
	default:
		return parts[0], nil
	}
}

// checkExtent compares the extent along Concat with the files. It must be the extent of
// all files together or of the first file, or 0 if it is unknown.
func (a *Array) checkExtent(parts []sources.Array) error {
	dim := a.concatDim()
	given, first, total := a.Shape[dim], parts[0].Info().Shape[dim], 0
	for _, p := range parts {
		total += p.Info().Shape[dim]
	}
	if given == 0 || given == first || given == total {
		return nil
	}
	return fmt.Errorf("the size does not fit: shape %v has %d along %q, but all files together hold %d, and the first file holds %d; 0 takes the extent from the files",
		a.Shape, given, a.Concat, total, first)
}

// part returns the array in one file. Arrays of one shape share their Info: if *common has
// the shape of the file, the array gets it. Otherwise part makes a new Info and sets
// *common to it.
func (s *source) part(ctx context.Context, a *Array, f *sources.OpenFile, common **sources.Info) (sources.Array, error) {
	if f.Err != nil {
		return nil, f.Err
	}
	shape, err := a.fit(f)
	if err != nil {
		return nil, err
	}
	if f.Size > 0 && f.Store.Local() {
		if err := f.Store.ReadRange(ctx, f.Key, make([]byte, 1), 0); err != nil {
			return nil, err
		}
	}
	if *common == nil || !slices.Equal((*common).Shape, shape) {
		*common = a.info(shape)
		(*common).Remote = !f.Store.Local()
	}
	return sources.NewStrided(*common, sources.Place{
		Files: f.Store, Key: f.Key, URL: f.URL, Size: f.Size,
		Order: a.Order, Offset: a.Offset, Strides: a.strides(shape), Scratch: s.scratch,
	})
}

// fit returns the shape of the elements in a file. The size of the file must be exactly
// that of the shape.
func (a *Array) fit(f *sources.OpenFile) ([]int, error) {
	shape := slices.Clone(a.Shape)
	payload := int(f.Size - a.Offset)
	if a.Concat != "" {
		dim := a.concatDim()
		shape[dim] = 1
		step, _ := ndarray.Bytes(a.Type, shape)
		if payload < 0 || step == 0 && payload > 0 || step > 0 && payload%step != 0 {
			return nil, fmt.Errorf("%s: the size does not fit: the file has %d bytes; after the first %d, it needs %d for each index of %q",
				f.URL, f.Size, a.Offset, step, a.Concat)
		}
		shape[dim] = 0
		if step > 0 {
			shape[dim] = payload / step
		}
		return shape, nil
	}
	if want, _ := ndarray.Bytes(a.Type, shape); payload != want {
		return nil, fmt.Errorf("%s: the size does not fit: the file has %d bytes, but an offset of %d bytes and elements of shape %v and data type %s need %d",
			f.URL, f.Size, a.Offset, shape, a.Type.Name(), uint64(a.Offset)+uint64(want))
	}
	return shape, nil
}

func (a *Array) info(shape []int) *sources.Info {
	info := &sources.Info{
		Path: a.Name, Type: a.Type, Shape: shape,
		DimensionNames: a.DimensionNames, Attributes: a.Attributes,
	}
	if a.FOrder && len(shape) > 1 {
		for k := range slices.Backward(shape) {
			info.Slowest = append(info.Slowest, k)
		}
	}
	return info
}

// strides returns the distances of neighbouring elements in a file, in bytes.
func (a *Array) strides(shape []int) []int {
	if !a.FOrder {
		return ndarray.CStrides(a.Type.Size(), shape)
	}
	reversed := slices.Clone(shape)
	slices.Reverse(reversed)
	strides := ndarray.CStrides(a.Type.Size(), reversed)
	slices.Reverse(strides)
	return strides
}
