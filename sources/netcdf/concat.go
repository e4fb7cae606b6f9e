package netcdf

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
)

// compareBytes is the size up to which the values of a variable that is not
// joined are compared between the files.
const compareBytes = 1 << 20

// packing lists the attributes that say what a stored value means, those of the
// valid range only where codecs are to tell that. Values from files that differ
// in one cannot be in one array.
func packing(info *sources.Info) []string {
	if info.Packing != nil {
		return cf.Names()
	}
	return []string{"_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned"}
}

// join returns a variable of all files, joined along the source's dimension if
// it has that, else the one of the first file.
func (s *source) join(ctx context.Context, name string) (sources.Array, error) {
	parts := make([]sources.Array, len(s.files))
	for i, f := range s.files {
		if _, ok := f.stated(name); !ok {
			return nil, fmt.Errorf("%s: no variable %q, which other files have", f.URL, name)
		}
		part, err := s.open(ctx, f, name)
		if err != nil {
			return nil, err
		}
		parts[i] = part
		if i > 0 {
			if err := s.checkAlike(name, i, parts[0].Info(), part.Info()); err != nil {
				return nil, err
			}
		}
	}
	info := *parts[0].Info()
	info.Notes = append(slices.Clip(info.Notes), s.differences(parts)...)
	if dim := slices.Index(info.DimensionNames, s.concat); dim >= 0 {
		if slices.Contains(info.DimensionNames[dim+1:], s.concat) {
			return nil, fmt.Errorf("variable %q has the dimension %q twice and cannot be joined along it: exclude it", name, s.concat)
		}
		return sources.Join(info, dim, parts)
	}
	compared, err := s.compareValues(ctx, parts)
	if err != nil {
		return nil, err
	}
	if !compared {
		note(&info, "taken from %s; the values in the other files are not compared", s.files[0].URL)
	}
	return &described{parts[0], &info}, nil
}

// described is an array with another description.
type described struct {
	sources.Array
	info *sources.Info
}

func (d *described) Info() *sources.Info { return d.info }

// checkAlike compares a variable of file i with that of the first file.
func (s *source) checkAlike(name string, i int, first, other *sources.Info) error {
	a, b := s.files[0], s.files[i]
	if !dtype.Same(first.Type, other.Type) {
		return fmt.Errorf("variable %q is %s in %s and %s in %s", name, first.Type.Name(), a.URL, other.Type.Name(), b.URL)
	}
	if !slices.Equal(first.DimensionNames, other.DimensionNames) {
		return fmt.Errorf("variable %q has dimensions %q in %s and %q in %s", name, first.DimensionNames, a.URL, other.DimensionNames, b.URL)
	}
	for k, dim := range first.DimensionNames {
		if dim != s.concat && first.Shape[k] != other.Shape[k] {
			return fmt.Errorf("variable %q: dimension %q is %d long in %s and %d in %s", name, dim, first.Shape[k], a.URL, other.Shape[k], b.URL)
		}
	}
	for _, attr := range packing(first) {
		x, y := a.kept(first, attr), b.kept(other, attr)
		if !same(x, y) {
			return fmt.Errorf("variable %q: the attribute %s is %s in %s and %s in %s; the stored values do not mean the same",
				name, attr, showBeside(x, y), a.URL, showBeside(y, x), b.URL)
		}
	}
	return nil
}

// kept returns an attribute of the variable that info describes, nil where
// the file has none or unpacking has removed it: it makes no difference then.
func (f file) kept(info *sources.Info, attr string) *attribute {
	if info.Attributes.Get(attr) == nil {
		return nil
	}
	list, _ := f.stated(info.Path)
	return find(list, attr)
}

// differences lists, once each, the attributes of a variable that are not the
// same in all files.
func (s *source) differences(parts []sources.Array) []string {
	var notes []string
	first := s.files[0].allKept(parts[0].Info())
	reported := map[string]bool{}
	for i, f := range s.files[1:] {
		other := f.allKept(parts[i+1].Info())
		names := slices.Concat(slices.Collect(maps.Keys(first)), slices.Collect(maps.Keys(other)))
		slices.Sort(names)
		for _, attr := range names {
			x, y := first[attr], other[attr]
			if !reported[attr] && !same(x, y) {
				reported[attr] = true
				notes = append(notes, fmt.Sprintf("the attribute %s is %s in %s, which is kept, and %s in %s",
					attr, show(x), s.files[0].URL, show(y), f.URL))
			}
		}
	}
	return notes
}

// allKept returns the attributes of a variable by their names.
func (f file) allKept(info *sources.Info) map[string]*attribute {
	m := make(map[string]*attribute, len(info.Attributes))
	for _, a := range info.Attributes {
		m[a.Name] = f.kept(info, a.Name)
	}
	return m
}

func same(x, y *attribute) bool {
	if x == nil || y == nil {
		return x == y
	}
	return x.kind == y.kind && bytes.Equal(x.values, y.values)
}

// show writes the values of an attribute for a message.
func show(a *attribute) string {
	if a == nil {
		return "absent"
	}
	const most = 80
	s := string(a.json())
	if len(s) > most {
		s = s[:most] + "…"
	}
	return s
}

// showBeside is show with the type where that alone tells an attribute from
// another one.
func showBeside(a, other *attribute) string {
	if a == nil || other == nil || a.kind == other.kind || show(a) != show(other) {
		return show(a)
	}
	return show(a) + " of " + dataType(a.kind).Name()
}

// compareValues compares a small variable of the first file with the same one
// of all others. It returns false when the variable is too large for that.
func (s *source) compareValues(ctx context.Context, parts []sources.Array) (bool, error) {
	info := parts[0].Info()
	if n, ok := ndarray.Bytes(info.Type, info.Shape); !ok || n > compareBytes {
		return false, nil
	}
	origin := make([]int, len(info.Shape))
	want := ndarray.New(info.Type, info.Shape)
	if err := parts[0].ReadRegion(ctx, want, origin); err != nil {
		return false, err
	}
	err := sources.InParallel(ctx, len(parts)-1, func(ctx context.Context, i int) error {
		got := ndarray.New(info.Type, info.Shape)
		if err := parts[i+1].ReadRegion(ctx, got, origin); err != nil {
			return err
		}
		if !bytes.Equal(got.Data, want.Data) {
			return fmt.Errorf("variable %q differs between %s and %s, and has no dimension %q to join it along: exclude it if its values do not matter",
				info.Path, s.files[0].URL, s.files[i+1].URL, s.concat)
		}
		return nil
	})
	return err == nil, err
}
