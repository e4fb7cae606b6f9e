package arrow

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/arrowtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/combine"
	"github.com/zmigrate/zmigrate/zarr"
)

// Open opens the table at a URL: a file, a glob, or a folder with all files below it, see
// [Expand]. The caller closes the source.
func Open(ctx context.Context, url string, opt Options) (sources.Source, error) {
	files, err := Expand(ctx, url, opt.Store)
	if err != nil {
		return nil, err
	}
	return OpenAll(ctx, files, opt)
}

// OpenAll opens several files and combines them into one source, which the caller closes.
func OpenAll(ctx context.Context, files []File, opt Options) (sources.Source, error) {
	urls := make([]string, len(files))
	for i, f := range files {
		urls[i] = f.URL
	}
	set, err := sources.OpenFiles(ctx, urls, opt.Store)
	if err != nil {
		return nil, err
	}
	s := &source{rows: cmp.Or(opt.Combine.Concat, "row"), null: opt.Null, cf: opt.CF, keys: keyTypes(files)}
	how := opt.Combine
	s.stacked = how.Stack != ""
	if how.Stack == "" {
		how.Concat = s.rows
		if len(files) == 1 {
			how = combine.Options{} // the rows of one file are all rows
		}
	}
	return combine.Open(ctx, combine.Members{
		Names: set.Names(urls), Origin: set,
		Open: func(ctx context.Context, i int) (sources.Hierarchy, error) {
			f := set.Get(urls[i])
			t, err := openTable(ctx, f, opt.Drivers)
			if batches, is := t.(*ipcTable); is {
				batches.resident = opt.Resident
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.URL, err)
			}
			o := &hierarchy{source: s, table: t, url: f.URL, gap: f.Store.GapBytes(), remote: !f.Store.Local(), keys: files[i].Keys, columns: map[string]*column{}}
			taken := map[string]bool{}
			for _, name := range o.Arrays() {
				taken[name] = true
			}
			for _, c := range t.columns() {
				o.columns[c.path] = c
			}
			o.names = levelNames(t.metadata(), taken)
			return o, nil
		},
	}, how)
}

// Arrays lists the columns and, behind them, the keys that are not columns of the file.
func (f *hierarchy) Arrays() []string {
	var names []string
	for _, c := range f.table.columns() {
		names = append(names, c.path)
	}
	for _, k := range f.keys {
		if f.columns[k.Name] == nil {
			names = append(names, k.Name)
		}
	}
	return names
}

// Groups implements [sources.Hierarchy]. The root has the metadata of the schema.
func (f *hierarchy) Groups() []sources.Group {
	groups := []sources.Group{{Attributes: attributes(f.table.metadata()), Findings: f.findings()}}
	lists := map[string]zarr.Attributes{}
	for _, c := range f.table.columns() {
		if c.ends && len(c.lists) == 1 {
			lists[path.Dir(c.path)] = attributes(c.field.Metadata).With(sources.SequenceShape, sources.ShapeText([]int{total(f.table.batches())}))
		}
	}
	for _, parent := range zarr.Parents(f.Arrays()) {
		if parent != "" {
			groups = append(groups, sources.Group{Path: parent, Attributes: lists[parent]})
		}
	}
	return groups
}

// total returns the number of rows, or lists, in all batches.
func total(batches []int) (n int) {
	for _, some := range batches {
		n += some
	}
	return n
}

// findings reports faults of the file.
func (f *hierarchy) findings() (list []cf.Finding) {
	t, ok := f.table.(*parquetTable)
	if !ok {
		return nil
	}
	for _, fault := range t.tree.Faults {
		list = append(list, cf.Finding{Code: sources.Faulty, Message: f.url + ": " + fault, Hint: "to avoid this warning, write the file again with another program"})
	}
	return list
}

// Array opens a column.
func (f *hierarchy) Array(ctx context.Context, name string) (sources.Array, error) {
	c := f.columns[name]
	if c == nil {
		for _, k := range f.keys {
			if k.Name == name {
				return f.openKey(k)
			}
		}
		return nil, fmt.Errorf("%s: no column %q", f.url, name)
	}
	var a sources.Array
	err := c.err
	switch {
	case err != nil:
	case len(c.lists) > 0 && f.stacked:
		err = noCounterpart{errors.New("lists of different lengths cannot be stacked: join the files, migrate each file by itself, or leave the column out")}
	case c.ends:
		a, err = f.openOffsets(ctx, c)
	default:
		a, err = f.openValues(ctx, c)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: column %q: %w", f.url, name, err)
	}
	return a, nil
}

// chunkBytes is the memory above which a batch is too large to be a chunk of the
// target.
const chunkBytes = 64 << 20

// chunks makes batches, of which the lengths are given, the chunks of a column, if all but the last have the same
// number of rows and none is too large.
func (f *hierarchy) chunks(info *sources.Info, c *column, batches []int) {
	batches = slices.DeleteFunc(slices.Clone(batches), func(n int) bool { return n == 0 })
	if len(batches) == 0 {
		return
	}
	row, most := max(1, (ndarray.ItemSize(c.typ)+info.ItemBytes)*c.elements()), chunkBytes
	if c.typ.Size() == 0 {
		most = chunkBytes / 8 // its content is only estimated, and a chunk takes three times as much memory
	}
	last := len(batches) - 1
	uneven := slices.ContainsFunc(batches[:last], func(n int) bool { return n != batches[0] }) || batches[last] > batches[0]
	if uneven || batches[0] > most/row {
		// A batch that extends beyond a region is read again for the next region, so
		// regions should be much longer than batches.
		info.LongRun = max(info.LongRun, 4*slices.Max(batches)*row)
		return
	}
	info.Chunks = append([]int{batches[0]}, info.Shape[1:]...)
}

// openValues returns a column, in the form that Options.CF asks for.
func (f *hierarchy) openValues(ctx context.Context, c *column) (sources.Array, error) {
	digits, scale, isDecimal := arrowtype.Decimal(c.field.Type)
	if !isDecimal || scale == 0 || c.typ != dtype.Int64 {
		return f.open(ctx, c, f.null)
	}
	p := &packedDecimals{digits: digits, scale: scale}
	mode := cf.Keep
	if f.cf != nil {
		mode = f.cf(c.path)
	}
	if mode != cf.Unpack && mode != cf.Codecs {
		a, err := f.open(ctx, c, f.null)
		if err != nil {
			return nil, err
		}
		a.info.Attributes = a.info.Attributes.With(scaleFactor, p.factor())
		a.info.Notes = append(a.info.Notes, "decimals are stored as integers, which the attribute scale_factor turns into their values; cf: codecs and cf: unpack have readers see the values")
		return a, nil
	}
	a, err := f.open(ctx, c, func(path string, _ dtype.Type) (dtype.Scalar, error) {
		if f.null == nil {
			return nil, nil
		}
		fill, err := f.null(path, dtype.Float64)
		switch {
		case fill == nil || err != nil:
			return nil, err
		case !math.IsNaN(math.Float64frombits(binary.NativeEndian.Uint64(fill))):
			return nil, fmt.Errorf("with cf: %s, nulls among decimals become NaN", mode)
		}
		p.null = true
		return binary.NativeEndian.AppendUint64(nil, nullDecimal), nil
	})
	if err != nil {
		return nil, err
	}
	if mode == cf.Codecs {
		p.attributes, a.info.Packing = a.info.Attributes, p
		return a, nil
	}
	return p.unpacked(a), nil
}

// open returns a column. null is that of [Options]. If the column has nulls and no value replaces them, open
// returns an error about the first null.
func (f *hierarchy) open(ctx context.Context, c *column, null func(path string, t dtype.Type) (dtype.Scalar, error)) (*array, error) {
	batches := f.table.batches()
	var l *lists
	if len(c.lists) > 0 {
		var err error
		if l, err = f.openLists(ctx, c); err != nil {
			return nil, err
		}
		batches = l.counts
	}
	a := &array{column: c, url: f.url, swap: dtype.Swapper(c.typ, f.table.order())}
	a.info = &sources.Info{
		Path: c.path, Name: f.names[c.path], Type: c.typ, Attributes: attributes(c.field.Metadata), LongRun: 32 * f.gap, Remote: f.remote,
	}
	end := 0
	for _, n := range batches {
		if end += n; end < 0 {
			return nil, errors.New("too many rows")
		}
		a.ends = append(a.ends, end)
	}
	a.info.Shape = append([]int{end}, c.shape()...)
	if _, ok := ndarray.Bytes(c.typ, a.info.Shape); !ok {
		return nil, fmt.Errorf("shape %v is too large for any file", a.info.Shape)
	}
	f.name(a.info, c)
	if len(c.lists) > 0 {
		a.info.Lists = &sources.Lists{Along: f.rows, Shape: []int{total(l.outer)}, Count: end}
	}
	var err error
	if a.reader, err = f.table.reader(c, l); err != nil {
		return nil, err
	}
	content := int64(0)
	for batch := range a.ends {
		a.info.Memory = max(a.info.Memory, a.reader.memory(batch))
		content += min(a.reader.content(batch), 1<<50)
	}
	if n := int64(end) * int64(c.elements()); c.typ.Size() == 0 && n > 0 {
		a.info.ItemBytes = int((content + n - 1) / n)
	}
	f.chunks(a.info, c, batches)
	// a piece that is moved, and the marks of its nulls
	a.info.Memory += max(movedBytes, c.elements()*ndarray.ItemSize(c.typ)) + max(pieceElements, c.elements())
	a.noFill = errors.New("give the array a fill_value, which takes the place of nulls")
	if null != nil {
		if a.fill, err = null(c.path, c.typ); err != nil {
			a.fill, a.noFill = nil, fmt.Errorf("the array's fill_value cannot take its place: %w", err)
		}
	}
	return a, a.findNull(ctx)
}

// name names the dimensions of an array. Dimensions of lists and tensors without names
// are called after the column, because xarray opens no array without names. It also
// notes what the data type does not tell.
func (s *source) name(info *sources.Info, c *column) {
	info.DimensionNames = []string{s.rows}
	if len(c.lists) > 0 {
		info.DimensionNames, info.Ragged = []string{c.list().item}, s.ragged(c)
	}
	for i := range c.row {
		name := fmt.Sprintf("%s_%d", c.field.Name, i)
		if c.names[i] != "" {
			name = c.names[i]
		}
		info.DimensionNames = append(info.DimensionNames, name)
	}
	if zone := arrowtype.Zone(c.field.Type); zone != "" {
		info.Attributes = info.Attributes.With("timezone", text(zone))
	}
	if _, _, ok := arrowtype.Decimal(c.field.Type); ok && c.typ == dtype.StringType {
		info.Notes = append(info.Notes, "decimals that int64 does not hold are stored as texts")
	}
	if !slices.IsSorted(c.order) {
		info.Slowest = []int{0}
		for k := range c.order {
			info.Slowest = append(info.Slowest, 1+slices.Index(c.order, k))
		}
	}
	if part := partOf(c.field); part != c.field.Name {
		info.Findings = append(info.Findings, cf.Finding{
			Code: sources.Renamed, Message: fmt.Sprintf("its name in the file is %q, which no path can have", c.field.Name), Hint: "rename gives it another name",
		})
	}
	if name, ok := metadataOf(c.field, extensionName); ok && name != tensorName {
		info.Notes = append(info.Notes, fmt.Sprintf("the extension type %s is stored as its storage type, %s", name, c.field.Type))
	}
}
