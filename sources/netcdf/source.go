package netcdf

import (
	"context"
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// Options are the settings of Open. The zero value is usable.
type Options struct {
	Store store.Options
	// Concat is the dimension along which several files are joined, in their
	// order; one file needs none.
	Concat string
	// CF says of each variable what becomes of its values where they are
	// packed; nil: they are kept. See [sources.Packed].
	CF func(path string) cf.Mode
}

// keptMetadata is how many bytes of the metadata of HDF5 files are kept in memory,
// those of all files together.
const keptMetadata = 32 << 20

// Open opens one file, or several that are joined along a dimension.
//
// Of several files, the variables that have the dimension are joined; all
// files must have them. The others must be the same in all files and are
// taken from the first one. Group attributes are those of the first file.
func Open(ctx context.Context, urls []string, opt Options) (sources.Source, error) {
	switch {
	case len(urls) == 0:
		return nil, errors.New("no NetCDF files")
	case len(urls) > 1 && opt.Concat == "":
		return nil, fmt.Errorf("%d NetCDF files need concat, the dimension to join them along", len(urls))
	}
	set, err := sources.OpenFiles(ctx, urls, opt.Store)
	if err != nil {
		return nil, err
	}
	s := &source{
		set: set, concat: opt.Concat, cf: opt.CF,
		scratch: &ndarray.Pool{Keep: 4 * sources.ScratchBytes}, shared: hdf5.NewShared(keptMetadata),
	}
	s.files = make([]file, len(urls))
	err = sources.InParallel(ctx, len(urls), func(ctx context.Context, i int) error {
		f := set.Get(urls[i])
		c, err := s.read(ctx, f)
		s.files[i] = file{f, c}
		return err
	})
	if err == nil && opt.Concat != "" {
		err = s.checkConcat()
	}
	if err != nil {
		return nil, errors.Join(err, set.Close())
	}
	s.listNames()
	return s, nil
}

// contents is what a file says of itself, of either format.
type contents interface {
	// groups lists the groups, the root first.
	groups() []sources.Group
	// paths lists the variables.
	paths() []string
	// stated returns the attributes of a variable, and false where there is no
	// such variable.
	stated(path string) ([]attribute, bool)
	// hasDimension reports whether a dimension has this name.
	hasDimension(name string) bool
	// open returns a variable with its stored values.
	open(ctx context.Context, path string) (sources.Array, error)
}

// file is an opened file and what it says of itself.
type file struct {
	*sources.OpenFile
	contents
}

// read reads the header of a file in the format that its first bytes tell.
func (s *source) read(ctx context.Context, f *sources.OpenFile) (contents, error) {
	if f.Err != nil {
		return nil, f.Err
	}
	beginning := make([]byte, min(firstRead, f.Size))
	if err := f.Store.ReadRange(ctx, f.Key, beginning, 0); err != nil {
		return nil, err
	}
	if isClassic(beginning) {
		h, err := readHeader(ctx, f, beginning)
		return &classicFile{f, h, s.scratch}, err
	}
	return s.readTree(ctx, f, beginning)
}

// source implements [sources.Source].
type source struct {
	set     *sources.FileSet
	files   []file
	concat  string // "": there is one file
	cf      func(path string) cf.Mode
	names   []string
	scratch *ndarray.Pool
	shared  *hdf5.Shared
}

// listNames lists the variables of all files: one that only a later file has
// is not to be lost in silence.
func (s *source) listNames() {
	seen := map[string]bool{}
	for _, f := range s.files {
		for _, path := range f.paths() {
			if !seen[path] {
				seen[path] = true
				s.names = append(s.names, path)
			}
		}
	}
}

// checkConcat refuses a dimension that a file does not have.
func (s *source) checkConcat() error {
	for _, f := range s.files {
		if !f.hasDimension(s.concat) {
			return fmt.Errorf("%s: no dimension %q to join the files along", f.URL, s.concat)
		}
	}
	return nil
}

func (s *source) Groups() []sources.Group {
	return s.files[0].groups()
}

func (s *source) Arrays() []string      { return s.names }
func (s *source) Files() []sources.File { return s.set.Files() }
func (s *source) Close() error          { return s.set.Close() }

// Changed implements [sources.Source].
func (s *source) Changed(ctx context.Context) error { return s.set.Changed(ctx) }

// Array opens a variable.
func (s *source) Array(ctx context.Context, path string) (sources.Array, error) {
	found := false
	for _, f := range s.files {
		_, has := f.stated(path)
		found = found || has
	}
	if !found {
		return nil, fmt.Errorf("%s: no variable %q", s.files[0].URL, path)
	}
	if len(s.files) == 1 {
		return s.open(ctx, s.files[0], path)
	}
	return s.join(ctx, path)
}

// open returns a variable of one file.
func (s *source) open(ctx context.Context, f file, path string) (sources.Array, error) {
	a, err := f.open(ctx, path)
	if err != nil {
		return nil, err
	}
	list, _ := f.stated(path)
	packed, err := sources.Packed(a, s.mode(path), func(name string) dtype.Type { return attributeType(list, name) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.URL, err)
	}
	return packed, nil
}

// mode says what becomes of the values of a variable that is packed.
func (s *source) mode(name string) cf.Mode {
	if s.cf == nil {
		return cf.Keep
	}
	return s.cf(name)
}
