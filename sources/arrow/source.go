package arrow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/arrowtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/sources"
)

// Options are the settings of Open. The zero value is usable.
type Options struct {
	Store store.Options
	// Rows is the name of the dimension that all rows make, "" for "row".
	Rows string
	// Null returns the value, of type t, that takes the place of nulls in the
	// column at a path, nil where there is none; an error says why. Without
	// Null there is none for any column.
	Null func(path string, t dtype.Type) (dtype.Scalar, error)
}

// Open opens one file, or several whose rows follow each other in the order of
// the files. All columns of all files are listed; whether a column is the same
// in all of them is looked at when it is opened.
func Open(ctx context.Context, urls []string, opt Options) (sources.Source, error) {
	if len(urls) == 0 {
		return nil, errors.New("no Arrow or Parquet files")
	}
	set, err := sources.OpenFiles(ctx, urls, opt.Store)
	if err != nil {
		return nil, err
	}
	s := &source{set: set, opt: opt, files: make([]opened, len(urls))}
	err = sources.InParallel(ctx, len(urls), func(ctx context.Context, i int) error {
		f := set.Get(urls[i])
		t, err := openTable(ctx, f)
		if err != nil {
			return fmt.Errorf("%s: %w", f.URL, err)
		}
		s.files[i] = opened{table: t, url: f.URL, gap: f.Store.GapBytes(), columns: map[string]*column{}}
		for _, c := range t.columns() {
			s.files[i].columns[c.path] = c
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, set.Close())
	}
	seen := map[string]bool{}
	for _, f := range s.files {
		for _, c := range f.table.columns() {
			if !seen[c.path] {
				seen[c.path] = true
				s.names = append(s.names, c.path)
			}
		}
	}
	return s, nil
}

// opened is a file and its columns by their paths.
type opened struct {
	table   table
	url     string
	gap     int // store.Store.GapBytes
	columns map[string]*column
}

// source implements [sources.Source].
type source struct {
	set   *sources.FileSet
	opt   Options
	files []opened
	names []string
}

func (s *source) Arrays() []string      { return s.names }
func (s *source) Files() []sources.File { return s.set.Files() }
func (s *source) Close() error          { return s.set.Close() }

// Changed implements [sources.Source].
func (s *source) Changed(ctx context.Context) error { return s.set.Changed(ctx) }

// Groups implements [sources.Source]: the root has the metadata of the first
// file's schema.
func (s *source) Groups() []sources.Group {
	groups := []sources.Group{{Attributes: attributes(s.files[0].table.metadata())}}
	for _, path := range zarr.Parents(s.names) {
		if path != "" {
			groups = append(groups, sources.Group{Path: path})
		}
	}
	return groups
}

// Array opens a column.
func (s *source) Array(ctx context.Context, path string) (sources.Array, error) {
	if !slices.Contains(s.names, path) {
		return nil, fmt.Errorf("%s: no column %q", s.files[0].url, path)
	}
	if err := s.compare(path); err != nil {
		return nil, err
	}
	var parts []sources.Array
	var batches []int // rows
	for _, f := range s.files {
		a, err := s.open(ctx, f, f.columns[path])
		if err != nil {
			return nil, fmt.Errorf("%s: column %q: %w", f.url, path, err)
		}
		parts = append(parts, a)
		batches = append(batches, f.table.batches()...)
	}
	info := *parts[0].Info()
	for _, p := range parts[1:] {
		info.Memory = max(info.Memory, p.Info().Memory)
	}
	row := max(1, ndarray.ItemSize(info.Type)*s.files[0].columns[path].elements()) // bytes
	if info.Chunks = chunks(batches, info.Shape[1:]); info.Chunks != nil && info.Chunks[0] > chunkBytes/row {
		info.Chunks = nil
	}
	joined, err := sources.Join(info, 0, parts)
	if err != nil {
		return nil, err
	}
	if info := joined.Info(); info.Chunks == nil && len(batches) > 0 {
		// A batch that ends beyond a region is read again with the next one:
		// regions are to be longer than batches by far.
		info.LongRun = max(info.LongRun, 4*slices.Max(batches)*row)
	}
	return joined, nil
}

// chunkBytes is the size in memory above which a batch is too large for a chunk
// of the target.
const chunkBytes = 64 << 20

// chunks is the shape of the batches where all but the last have the same number
// of rows, else nil.
func chunks(batches, row []int) []int {
	batches = slices.DeleteFunc(slices.Clone(batches), func(n int) bool { return n == 0 })
	if len(batches) == 0 {
		return nil
	}
	for i, n := range batches {
		if n != batches[0] && (i < len(batches)-1 || n > batches[0]) {
			return nil
		}
	}
	return append([]int{batches[0]}, row...)
}

// compare looks at a column of all files, and reports at once how they differ
// from the first.
func (s *source) compare(path string) error {
	const most = 10 // differences that are spelled out
	var differences []string
	first := s.files[slices.IndexFunc(s.files, func(f opened) bool { return f.columns[path] != nil })]
	want := first.columns[path]
	if want.err != nil {
		return fmt.Errorf("%s: column %q: %w", first.url, path, want.err)
	}
	for _, f := range s.files {
		switch c := f.columns[path]; {
		case c == nil:
			differences = append(differences, fmt.Sprintf("%s has no such column", f.url))
		case c.err != nil:
			differences = append(differences, fmt.Sprintf("%s: %v", f.url, c.err))
		case !dtype.Same(c.typ, want.typ) || !slices.Equal(c.shape(), want.shape()):
			differences = append(differences, fmt.Sprintf("%s has %s of shape %v", f.url, c.typ.Name(), c.shape()))
		case arrowtype.Zone(c.field.Type) != arrowtype.Zone(want.field.Type):
			differences = append(differences, fmt.Sprintf("%s has the time zone %q", f.url, arrowtype.Zone(c.field.Type)))
		}
	}
	if len(differences) == 0 {
		return nil
	}
	more := ""
	if n := len(differences) - most; n > 0 {
		differences, more = differences[:most], fmt.Sprintf("; and %d more", n)
	}
	return fmt.Errorf("column %q is not the same in all files: %s has %s of shape %v in each row; %s%s: exclude it, or migrate the files one by one",
		path, first.url, want.typ.Name(), want.shape(), strings.Join(differences, "; "), more)
}

// open returns a column of one file. Where it has nulls and there is no value
// for them, that is an error with the first of them.
func (s *source) open(ctx context.Context, f opened, c *column) (*array, error) {
	a := &array{column: c, url: f.url, swap: dtype.Swapper(c.typ, dtype.Little)}
	a.info = &sources.Info{
		Path: c.path, Type: c.typ, Attributes: attributes(c.field.Metadata), LongRun: 32 * f.gap,
	}
	end := 0
	for _, n := range f.table.batches() {
		if end += n; end < 0 {
			return nil, errors.New("too many rows")
		}
		a.ends = append(a.ends, end)
	}
	a.info.Shape = append([]int{end}, c.shape()...)
	if _, ok := ndarray.Bytes(c.typ, a.info.Shape); !ok {
		return nil, fmt.Errorf("shape %v is too large for any file", a.info.Shape)
	}
	s.name(a.info, c)
	var err error
	if a.reader, err = f.table.reader(c); err != nil {
		return nil, err
	}
	for batch := range a.ends {
		a.info.Memory = max(a.info.Memory, a.reader.memory(batch))
	}
	// With a piece that is moved, and which of its elements are null.
	a.info.Memory += max(movedBytes, c.elements()*ndarray.ItemSize(c.typ)) + max(pieceElements, c.elements())
	a.noFill = errors.New("give the array a fill_value, which takes the place of nulls")
	if s.opt.Null != nil {
		if a.fill, err = s.opt.Null(c.path, c.typ); err != nil {
			a.fill, a.noFill = nil, fmt.Errorf("the array's fill_value cannot take its place: %w", err)
		}
	}
	return a, a.findNull(ctx)
}

// name gives the dimensions of an array their names, those of lists and tensors
// without names after the column, because xarray opens no array without them.
// It notes what the data type does not say.
func (s *source) name(info *sources.Info, c *column) {
	info.DimensionNames = []string{cmp.Or(s.opt.Rows, "row")}
	for i := range c.row {
		name := fmt.Sprintf("%s_%d", c.field.Name, i)
		if c.names != nil && c.names[i] != "" {
			name = c.names[i]
		}
		info.DimensionNames = append(info.DimensionNames, name)
	}
	if zone := arrowtype.Zone(c.field.Type); zone != "" {
		info.Attributes = info.Attributes.With("timezone", text(zone))
	}
	if !slices.IsSorted(c.order) {
		info.Slowest = []int{0}
		for k := range c.order {
			info.Slowest = append(info.Slowest, 1+slices.Index(c.order, k))
		}
	}
	if name, ok := metadataOf(c.field, extensionName); ok && name != tensorName {
		info.Notes = append(info.Notes, fmt.Sprintf("the extension type %s is stored as what it is made of, %s", name, c.field.Type))
	}
}
