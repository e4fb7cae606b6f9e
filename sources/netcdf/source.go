package netcdf

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/combine"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// keptMetadata is how many bytes of metadata of HDF5 files are kept in memory, for all
// files together. As many bytes of chunk indexes are kept. With many files, which are
// mostly small, fewer bytes are kept and more are read again.
const (
	keptMetadata = 32 << 20
	keptOfMany   = 4 << 20
)

// Open opens the file at a URL. The caller closes the source.
func Open(ctx context.Context, url string, opt Options) (sources.Source, error) {
	return OpenAll(ctx, []string{url}, opt)
}

// OpenAll opens several files and combines them into one source, which the caller closes.
// The headers are read once, and only the needed parts stay in memory.
func OpenAll(ctx context.Context, urls []string, opt Options) (sources.Source, error) {
	set, err := sources.OpenFiles(ctx, urls, opt.Store)
	if err != nil {
		return nil, err
	}
	many, kept := len(urls) > fewFiles, keptMetadata
	if many {
		kept = keptOfMany
	}
	s := &source{
		cf: opt.CF, kept: opt.Kept, drivers: opt.Drivers,
		scratch: &ndarray.Pool{Keep: 4 * sources.ScratchBytes}, shared: hdf5.NewShared(kept),
		follow: opt.Follow, fields: opt.Fields, skipReferences: opt.SkipReferences, pieces: opt.Pieces, resident: opt.Resident, files: set, opened: map[[2]*sources.OpenFile]*hdf5.File{}, places: map[*hdf5.File]*sources.OpenFile{},
	}
	if opt.Codecs == nil {
		opt.Codecs = standard.Registry(dtype.Standard())
	}
	s.chains = codecs.NewChains(opt.Codecs)
	return combine.Open(ctx, combine.Members{
		Names: set.Names(urls), Origin: set,
		Open: func(ctx context.Context, i int) (sources.Hierarchy, error) {
			f := set.Get(urls[i])
			c, err := s.read(ctx, f)
			if err != nil {
				return nil, err
			}
			return &file{f, c, s.cf, many}, nil
		},
	}, opt.Combine)
}

// contents describes the content of a file in either format.
type contents interface {
	// groups lists the groups, the root first.
	groups() []sources.Group
	// paths lists the variables.
	paths() []string
	// stated returns the attributes of a variable. It returns false if there is no such
	// variable.
	stated(path string) ([]attribute, bool)
	// open returns a variable with its stored values.
	open(ctx context.Context, path string) (sources.Array, error)
	// details returns the details of a variable or of a group, see [sources.Detailed].
	details(ctx context.Context, path string) ([]sources.Detail, error)
}

// read reads the header of a file. The first bytes tell the format.
func (s *source) read(ctx context.Context, f *sources.OpenFile) (contents, error) {
	if f.Err != nil {
		return nil, f.Err
	}
	buffer := s.scratch.Get(int(min(firstRead, f.Size)))
	defer buffer.Release() // no result of reading refers to it
	beginning := buffer.Bytes
	if err := f.Store.ReadRange(ctx, f.Key, beginning, 0); err != nil {
		return nil, err
	}
	if isClassic(beginning) {
		h, err := readHeader(ctx, f, beginning)
		return &classicFile{f, h, s.scratch, s.pieces}, err
	}
	return s.readTree(ctx, f, beginning)
}

// file is an opened file with its contents. It implements [sources.Hierarchy].
type file struct {
	*sources.OpenFile
	contents
	cf   func(path string) cf.Mode
	lean bool // there are so many files that each may take little memory
}

func (f *file) Groups() []sources.Group { return f.groups() }
func (f *file) Arrays() []string        { return f.paths() }

// Details implements [sources.Detailed].
func (f *file) Details(ctx context.Context, path string) ([]sources.Detail, error) {
	list, err := f.details(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %q: %w", f.URL, path, err)
	}
	return list, nil
}

// Array opens a variable.
func (f *file) Array(ctx context.Context, path string) (sources.Array, error) {
	list, found := f.stated(path)
	if !found {
		return nil, fmt.Errorf("%s: no variable %q", f.URL, path)
	}
	a, err := f.open(ctx, path)
	if err != nil {
		return nil, err
	}
	a.Info().AttributeTypes = packingTypes(list) // nobody else has the array yet
	if t, ok := f.contents.(*tree); ok && f.lean {
		a = t.distant(a, path)
	}
	mode := cf.Keep
	if f.cf != nil {
		mode = f.cf(path)
	}
	typeOf := func(name string) dtype.Type { return attributeType(list, name) }
	packed, err := sources.Packed(a, mode, typeOf)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.URL, err)
	}
	return packed, nil
}

// packingTypes returns the types of the attributes that say what stored values mean, or
// nil if there are none.
func packingTypes(list []attribute) map[string]dtype.Type {
	var types map[string]dtype.Type
	for _, name := range cf.Names() {
		if t := attributeType(list, name); t != nil {
			if types == nil {
				types = map[string]dtype.Type{}
			}
			types[name] = t
		}
	}
	return types
}
