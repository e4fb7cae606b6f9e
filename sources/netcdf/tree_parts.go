package netcdf

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/hdf5type"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// mostFields bounds the arrays that a dataset of compounds becomes.
const mostFields = 4096

// split adds the group of arrays that a dataset becomes if Zarr has no array for it: two
// arrays for sequences and, if the caller wants it, an array for each member of compounds. It
// returns false if the dataset becomes one array.
func (t *tree) split(ctx context.Context, g *group, v *treeVariable, o *hdf5.Object) (bool, error) {
	d, err := o.Datatype(ctx)
	if err != nil || v.err != nil || v.scale != nil || !d.Nested() || d.Class == hdf5type.Array {
		return false, ctx.Err() // who opens the variable learns of the error
	}
	if v.null, err = o.Null(ctx); err != nil {
		return false, err
	}
	switch {
	case d.Class == hdf5type.Compound && t.source.fields:
		return true, t.splitFields(g, v, v, d)
	case d.Class == hdf5type.VariableLength:
		if _, err := d.Type(); err == nil {
			return false, nil // sequences of bytes
		}
		return true, t.splitSequences(g, v, v, d, nil)
	}
	return false, nil
}

// madeGroup adds a group that stands for a dataset.
func (t *tree) madeGroup(g *group, v *treeVariable, at string) *group {
	made := &group{path: at, parent: g, at: v.at, made: v}
	if at == v.path {
		g.vars = append(g.vars, v) // its dimensions get their names like those of others
	}
	t.nodes = append(t.nodes, made)
	return made
}

// splitFields adds an array for each member of the compound d, which is the member outer of
// the elements of a dataset, or the elements themselves.
func (t *tree) splitFields(g *group, v, outer *treeVariable, d *hdf5type.Datatype) error {
	made := t.madeGroup(g, v, outer.path)
	if v == outer {
		made.attributes, made.findings = v.attributes, v.findings
	}
	for _, m := range d.Members {
		if t.fields++; t.fields > mostFields && len(d.Members) > mostFields {
			return fmt.Errorf("more than %d members", mostFields)
		}
		name := strings.ReplaceAll(m.Name, "/", "_")
		if err := checkName(name); err != nil {
			return err
		}
		field := &treeVariable{
			path: path.Join(outer.path, name), name: name, at: v.at, member: append(slices.Clone(outer.member), m.Name),
			shape: v.shape, limits: v.limits, lists: v.lists, ids: v.ids,
		}
		if m.Type.Class == hdf5type.Compound && m.Type.Nested() {
			if err := t.splitFields(g, v, field, m.Type); err != nil {
				return err
			}
			continue
		}
		if _, err := m.Type.Type(); err != nil && m.Type.Class == hdf5type.VariableLength {
			if err := t.splitSequences(g, v, field, m.Type, nil); err != nil {
				return err
			}
			continue
		}
		if err := t.add(g, field); err != nil {
			return err
		}
	}
	return nil
}

// mostNested bounds the sequences that are within each other.
const mostNested = 16

// splitSequences adds the values and the offsets of sequences of the datatype d. They are the
// elements of the dataset v, or the member own of its elements, or the values of the sequences
// outer. Values that are sequences become a group with two arrays, in the same way.
func (t *tree) splitSequences(g *group, v, own *treeVariable, d *hdf5type.Datatype, outer *sharedSequences) error {
	made := t.madeGroup(g, v, own.path)
	shared := &sharedSequences{of: v, name: own.name, member: own.member, outer: outer}
	if outer == nil {
		shape := v.shape
		if v.null {
			shape = []int{0}
		}
		made.attributes = []attribute{{name: sources.SequenceShape, kind: objectKind, values: sources.ShapeText(shape)}}
	}
	if own == v {
		made.attributes, made.findings = append(slices.Clone(v.attributes), made.attributes...), v.findings
	}
	depth := 1
	for s := outer; s != nil; s = s.outer {
		depth++
	}
	if at := path.Join(own.path, sources.ListValues); hdf5.InnerSequences(d) && depth < mostNested {
		if err := t.splitSequences(g, v, &treeVariable{path: at, name: own.name + "_item"}, d.Base, shared); err != nil {
			return err
		}
	} else if err := t.add(g, &treeVariable{path: at, name: sources.ListValues, at: v.at, sequences: shared}); err != nil {
		return err
	}
	return t.add(g, &treeVariable{path: path.Join(own.path, sources.ListOffsets), name: sources.ListOffsets, at: v.at, sequences: shared})
}

// open opens the sequences once. It counts the memory for their offsets.
func (s *sharedSequences) open(ctx context.Context, o *hdf5.Object, kept *sources.Resident) (*hdf5.Sequences, error) {
	s.once.Do(func() {
		if s.outer == nil {
			s.all, s.err = o.Sequences(ctx, s.member)
		} else if outer, err := s.outer.open(ctx, o, kept); err == nil {
			s.all, s.err = outer.Inner(ctx)
		} else {
			s.err = err
		}
		if s.err == nil {
			kept.Keep(8 * cap(s.all.Offsets))
			s.shape, s.offsets, s.err = s.lengthened(kept)
		}
	})
	return s.all, s.err
}

// lengthened returns the shape and the offsets of the sequences, with empty sequences where the
// dataset is shorter than its dimensions.
func (s *sharedSequences) lengthened(kept *sources.Resident) (shape []int, offsets []int64, err error) {
	_, shape = s.of.names()
	if s.outer != nil || len(shape) != len(s.all.Shape) || slices.Equal(shape, s.all.Shape) {
		return s.all.Shape, s.all.Offsets, nil
	}
	n, ok := ndarray.Elements(shape)
	if !ok || n > hdf5.MaxSequences {
		return nil, nil, hdf5.TooManySequences()
	}
	offsets = make([]int64, 1, n+1)
	kept.Keep(8 * cap(offsets))
	index, next := make([]int, len(shape)), 0
	for range n {
		end := offsets[len(offsets)-1]
		stored := true
		for k, i := range index {
			stored = stored && i < s.all.Shape[k]
		}
		if stored {
			end += s.all.Offsets[next+1] - s.all.Offsets[next]
			next++
		}
		offsets = append(offsets, end)
		for k := len(index) - 1; k >= 0; k-- {
			if index[k]++; index[k] < shape[k] {
				break
			}
			index[k] = 0
		}
	}
	return shape, offsets, nil
}

// ragged returns the names of the dimensions to whose indices the sequences belong.
func (s *sharedSequences) ragged() []string {
	if s.outer != nil {
		return append(s.outer.ragged(), s.name+"_item")
	}
	dims, _ := s.of.names()
	return append(dims, s.name+"_item")
}

// refused returns the error about a dataset of references that the caller does not want.
func (t *tree) refused(ctx context.Context, o *hdf5.Object) error {
	d, err := o.Datatype(ctx)
	if err != nil {
		return ctx.Err()
	}
	for d.Class == hdf5type.Array {
		d = d.Base
	}
	if d.Class == hdf5type.Reference && t.source.skipReferences {
		return fmt.Errorf("%w: its elements are references, and source.references is skip", sources.ErrNoArray)
	}
	return nil
}

// sequenceArray is the values or the offsets of a dataset of sequences.
type sequenceArray struct {
	info    *sources.Info
	all     *hdf5.Sequences
	offsets bool
	starts  []int64 // the elements of offsets
	url     string
}

// openSequences opens an array of a dataset of sequences.
func (t *tree) openSequences(ctx context.Context, v *treeVariable, o *hdf5.Object) (sources.Array, error) {
	s := v.sequences
	if _, err := s.open(ctx, o, t.source.resident); err != nil {
		return nil, err
	}
	a := &sequenceArray{all: s.all, offsets: v.name == sources.ListOffsets, url: t.fileOf(v).URL}
	a.info = &sources.Info{Path: v.path, Remote: !t.file.Store.Local(), Memory: s.all.Memory()}
	dims, _ := s.of.names()
	item, edge := s.name+"_item", s.name+"_edge"
	a.info.Ragged = append(s.ragged(), edge)
	a.info.Lists = &sources.Lists{Shape: s.shape, Offsets: a.offsets, Count: int(s.all.Offsets[len(s.all.Offsets)-1])}
	if len(dims) > 0 {
		a.info.Lists.Along = dims[0]
	}
	if a.offsets {
		a.info.Type, a.info.Shape, a.info.Memory = dtype.Int64, []int{len(s.offsets)}, 0
		a.starts = s.offsets
		a.info.DimensionNames = []string{edge}
		return a, nil
	}
	n := s.all.Offsets[len(s.all.Offsets)-1]
	a.info.Type, a.info.Shape = s.all.Native.Type, append([]int{int(n)}, s.all.Native.Shape...)
	a.info.DimensionNames = append([]string{item}, make([]string, len(s.all.Native.Shape))...)
	a.info.Notes = slices.Clone(s.all.Native.Notes)
	if _, ok := ndarray.Bytes(a.info.Type, a.info.Shape); !ok {
		return nil, fmt.Errorf("shape %v is too large for any file: %w", a.info.Shape, errors.ErrUnsupported)
	}
	return a, nil
}

func (a *sequenceArray) Info() *sources.Info { return a.info }

// ShareInfo implements [sources.Shared].
func (a *sequenceArray) ShareInfo(s *sources.Infos) { a.info = s.Share(a.info) }

// ReadRegion implements [sources.Array].
func (a *sequenceArray) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := sources.CheckRegion(a.info, dst, start); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil || slices.Contains(dst.Shape, 0) {
		return err
	}
	if a.offsets {
		some := ndarray.New(dtype.Int64, dst.Shape)
		if to, ok := ndarray.As[int64](some); ok {
			copy(to, a.starts[start[0]:])
		}
		ndarray.Copy(dst, some)
		return nil
	}
	// Values have all dimensions of an array datatype here; a region may have a part of them.
	whole := dst
	part := ndarray.Region{Start: slices.Clone(start), Shape: dst.Shape}
	part.Start[0] = 0
	if partial := !slices.Equal(dst.Shape[1:], a.info.Shape[1:]); partial {
		whole = ndarray.New(dst.Type, append([]int{dst.Shape[0]}, a.info.Shape[1:]...))
	}
	if err := a.all.ReadValues(ctx, whole, start[0]); err != nil {
		return fmt.Errorf("%s: array %q, values from %d on: %w", a.url, a.info.Path, start[0], err)
	}
	if !slices.Equal(whole.Shape, dst.Shape) {
		ndarray.Copy(dst, whole.Sub(part))
	}
	return nil
}
