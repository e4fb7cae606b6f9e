package combine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// held is an array in memory, or an array whose elements a function computes from their
// numbers.
type held struct {
	info   *sources.Info
	values []float64
	texts  []string // not nil: the elements of a type whose elements are texts, of any shape
	made   func(number int) float64
	made64 func(number int) int64      // not nil: the elements of a type of integers
	read   func(region ndarray.Region) // not nil: called for every read
	fail   func() error                // not nil: the error of a read
}

func (h *held) Info() *sources.Info { return h.info }

func (h *held) ReadRegion(_ context.Context, dst ndarray.Array, start []int) error {
	if err := sources.CheckRegion(h.info, dst, start); err != nil {
		return err
	}
	if h.read != nil {
		h.read(ndarray.Region{Start: start, Shape: dst.Shape})
	}
	if h.fail != nil {
		if err := h.fail(); err != nil {
			return err
		}
	}
	if h.made != nil {
		h.make(dst, start)
		return nil
	}
	whole := ndarray.New(h.info.Type, h.info.Shape)
	if h.texts != nil {
		number := -1
		if err := whole.SetItems(func() ([]byte, error) { number++; return []byte(h.texts[number]), nil }); err != nil {
			return err
		}
	}
	switch h.info.Type {
	case dtype.Int32:
		list, _ := ndarray.As[int32](whole)
		for i := range list {
			list[i] = int32(h.made64(i))
		}
	case dtype.Int64:
		list, _ := ndarray.As[int64](whole)
		for i := range list {
			list[i] = h.made64(i)
		}
	default:
		list, _ := ndarray.As[float64](whole)
		copy(list, h.values)
	}
	ndarray.Copy(dst, whole.Sub(ndarray.Region{Start: start, Shape: dst.Shape}))
	return nil
}

// make fills dst, whose rows are contiguous, with the elements from start on.
func (h *held) make(dst ndarray.Array, start []int) {
	rows, n := 1, dst.Shape[len(start)-1]
	for _, extent := range dst.Shape[:len(start)-1] {
		rows *= extent
	}
	list, _ := ndarray.As[float64](dst)
	for row := range rows {
		number, at := 0, row
		index := slices.Clone(start)
		for k := len(start) - 2; k >= 0; k-- {
			index[k] += at % dst.Shape[k]
			at /= dst.Shape[k]
		}
		for k, i := range index {
			number = number*h.info.Shape[k] + i
		}
		for i := range n {
			list[row*n+i] = h.made(number + i)
		}
	}
}

func (h *held) ShareInfo(s *sources.Infos) { h.info = s.Share(h.info) }

// member is a hierarchy of arrays in memory.
type member struct {
	names  []string
	arrays map[string]*held
}

// file makes a member of variables such as "tas(t,x)=1,2;units=K". Dimensions are
// as long as their coordinates, the last one as long as there are values.
func file(variables ...string) *member {
	m := &member{arrays: map[string]*held{}}
	lengths := map[string]int{}
	for _, text := range variables {
		fields := strings.Split(text, ";")
		head, values, _ := strings.Cut(fields[0], "=")
		name, dims, _ := strings.Cut(strings.TrimSuffix(head, ")"), "(")
		h := &held{info: &sources.Info{Path: name, Type: dtype.Float64, Shape: []int{}}}
		for word := range strings.FieldsFuncSeq(values, func(r rune) bool { return r == ',' }) {
			var x float64
			if _, err := fmt.Sscan(word, &x); err != nil {
				panic(err)
			}
			h.values = append(h.values, x)
		}
		for dim := range strings.FieldsFuncSeq(dims, func(r rune) bool { return r == ',' }) {
			if _, known := lengths[dim]; !known {
				lengths[dim] = len(h.values)
			}
			h.info.DimensionNames = append(h.info.DimensionNames, dim)
			h.info.Shape = append(h.info.Shape, lengths[dim])
		}
		for _, field := range fields[1:] {
			name, value, _ := strings.Cut(field, "=")
			quoted, _ := json.Marshal(value)
			h.info.Attributes = append(h.info.Attributes, zarr.Attribute{Name: name, Value: quoted})
		}
		m.names, m.arrays[name] = append(m.names, name), h
	}
	return m
}

func (m *member) Groups() []sources.Group { return []sources.Group{{}} }
func (m *member) Arrays() []string        { return m.names }

func (m *member) Array(_ context.Context, path string) (sources.Array, error) {
	if a := m.arrays[path]; a != nil {
		return a, nil
	}
	return nil, errors.New("no such array")
}

// nowhere is the origin of members in memory.
type nowhere struct{}

func (nowhere) Files() iter.Seq[sources.File] { return func(func(sources.File) bool) {} }
func (nowhere) Changed(context.Context) error { return nil }
func (nowhere) Close() error                  { return nil }

func everything(string) bool { return true }

// combineAll combines members called a, b and so on; nil cannot be opened.
func combineAll(t *testing.T, how Options, members ...*member) (sources.Source, error) {
	t.Helper()
	m := Members{Origin: nowhere{}}
	for i := range members {
		m.Names = append(m.Names, string(rune('a'+i)))
	}
	m.Open = func(_ context.Context, i int) (sources.Hierarchy, error) {
		if members[i] == nil {
			return nil, fmt.Errorf("%s: damaged", m.Names[i])
		}
		return members[i], nil
	}
	return Open(t.Context(), m, how)
}

// dump is what users see of an array: its dimensions and its elements.
func dump(t *testing.T, src sources.Source, path string) string {
	t.Helper()
	a, err := src.Array(t.Context(), path)
	if err != nil {
		return err.Error()
	}
	whole := ndarray.New(a.Info().Type, a.Info().Shape)
	if err := a.ReadRegion(t.Context(), whole, make([]int, len(whole.Shape))); err != nil {
		t.Fatal(err)
	}
	if values, ok := ndarray.As[int32](whole); ok && whole.Type == dtype.Int32 {
		return fmt.Sprint(a.Info().DimensionNames, a.Info().Shape, values)
	}
	values, _ := ndarray.As[float64](whole)
	return fmt.Sprint(a.Info().DimensionNames, a.Info().Shape, values)
}

func TestOpen(t *testing.T) {
	january := file("t(t)=0,1", "x(x)=5,6", "v(t,x)=1,2,3,4", "n()=7")
	february := file("t(t)=2", "x(x)=5,6", "v(t,x)=5,6", "n()=7")
	for name, test := range map[string]struct {
		how     Options
		members []*member
		want    map[string]string
	}{
		"concat": {Options{Concat: "t"}, []*member{january, february}, map[string]string{
			"t": "[t] [3] [0 1 2]", "x": "[x] [2] [5 6]", "v": "[t x] [3 2] [1 2 3 4 5 6]", "n": "[] [] [7]"}},
		"one file": {Options{Concat: "t"}, []*member{january}, map[string]string{"v": "[t x] [2 2] [1 2 3 4]", "n": "[] [] [7]"}},
		"in order": {Options{Concat: "t", Order: "t"}, []*member{february, january}, map[string]string{
			"t": "[t] [3] [0 1 2]", "v": "[t x] [3 2] [1 2 3 4 5 6]"}},
		"in order, downwards": {Options{Concat: "t", Order: "t"}, []*member{file("t(t)=-5,-6"), file("t(t)=1"), file("t(t)=3,2.5")},
			map[string]string{"t": "[t] [5] [3 2.5 1 -5 -6]"}},
		"stack": {Options{Stack: "run"}, []*member{file("x(x)=5,6", "v(x)=1,2"), file("x(x)=5,6", "v(x)=3,4")},
			map[string]string{"x": "[x] [2] [5 6]", "v": "[run x] [2 2] [1 2 3 4]"}},
		"stack with a coordinate": {Options{Stack: "run", Order: "run"}, []*member{file("run()=9", "h()=2", "v()=1;coordinates=h run"), file("run()=-8", "h()=2", "v()=2;coordinates=h run")},
			map[string]string{"run": "[run] [2] [-8 9]", "h": "[] [] [2]", "v": "[run] [2] [2 1]"}},
		"stack with a grid mapping of some coordinates": {Options{Stack: "run"}, []*member{file("crs()=1", "v()=1;grid_mapping=crs: x y"), file("crs()=1", "v()=2;grid_mapping=crs: x y")},
			map[string]string{"crs": "[] [] [1]", "v": "[run] [2] [1 2]"}},
		"stack with coordinates of the groups above": {Options{Stack: "run"}, []*member{file("h()=1", "n()=3", "g/v()=1;coordinates=h /n"), file("h()=1", "n()=3", "g/v()=2;coordinates=h /n")},
			map[string]string{"h": "[] [] [1]", "n": "[] [] [3]", "g/v": "[run] [2] [1 2]"}},
		"names against the order": {Options{Concat: "t"}, []*member{february, january}, map[string]string{
			"t": "[t] [3] [0 1 2]", "v": "[t x] [3 2] [1 2 3 4 5 6]"}},
		"names against the order, as they are": {Options{Concat: "t", Disordered: true}, []*member{february, january}, map[string]string{"t": "[t] [3] [2 0 1]"}},
		"falling":                              {Options{Concat: "t"}, []*member{file("t(t)=3,2"), file("t(t)=1")}, map[string]string{"t": "[t] [3] [3 2 1]"}},
		"overlap, first": {Options{Concat: "t", Overlap: sources.OverlapFirst}, []*member{file("t(t)=0,1,2,5", "v(t)=1,2,3,4"), file("t(t)=1,2,3", "v(t)=5,6,7")},
			map[string]string{"t": "[t] [5] [0 1 2 3 5]", "v": "[t] [5] [1 2 3 7 4]"}},
		"overlap, last": {Options{Concat: "t", Overlap: sources.OverlapLast}, []*member{file("t(t)=0,1,2,5", "v(t)=1,2,3,4"), file("t(t)=1,2,3", "v(t)=5,6,7")},
			map[string]string{"t": "[t] [5] [0 1 2 3 5]", "v": "[t] [5] [1 5 6 7 4]"}},
		"overlap, falling": {Options{Concat: "t", Overlap: sources.OverlapLast}, []*member{file("t(t)=3,2", "v(t)=1,2"), file("t(t)=2,1", "v(t)=5,6")},
			map[string]string{"t": "[t] [3] [3 2 1]", "v": "[t] [3] [1 5 6]"}},
		"overlap in name alone": {Options{Concat: "t", Overlap: sources.OverlapLast}, []*member{february, january}, map[string]string{"t": "[t] [3] [0 1 2]"}},
		"overlap in a stack": {Options{Stack: "run", Overlap: sources.OverlapFirst}, []*member{file("run()=9", "v()=1"), file("run()=8", "v()=2"), file("run()=9", "v()=3")},
			map[string]string{"run": "[run] [2] [8 9]", "v": "[run] [2] [2 1]"}},
		"stack of one": {Options{Stack: "run"}, []*member{file("v(x)=1,2")}, map[string]string{"v": "[run x] [1 2] [1 2]"}},
	} {
		t.Run(name, func(t *testing.T) {
			src, err := combineAll(t, test.how, test.members...)
			if err != nil {
				t.Fatal(err)
			}
			for path, want := range test.want {
				if got := dump(t, src, path); got != want {
					t.Errorf("%s is %s, want %s", path, got, want)
				}
			}
		})
	}
}

func TestCombineRefuses(t *testing.T) {
	days := "t(t)=0,1;units=days since 2001-01-01"
	concat := Options{Concat: "t", Wanted: everything}
	override := Options{Concat: "t", Wanted: everything, Override: true}
	keep := Options{Concat: "t", Wanted: everything, Override: true, Time: sources.Rebasing{Keep: true}}
	allow := Options{Concat: "t", Wanted: everything, Disordered: true}
	for name, test := range map[string]struct {
		how     Options
		members []*member
		want    []string // of the error; none: accepted
	}{
		"no dimension":                  {Options{}, []*member{file("v()=1"), file("v()=1")}, []string{"2 files need concat"}},
		"two dimensions":                {Options{Concat: "t", Stack: "u"}, []*member{file("v()=1")}, []string{"exclude each other"}},
		"a dimension too many":          {Options{Stack: "t", Wanted: everything}, []*member{file(days), file(days)}, []string{`array "t" has the dimension "t" to stack along already`}},
		"unknown dimension":             {concat, []*member{file("x(x)=1"), file("x(x)=1")}, []string{`a: no array has the dimension "t"`, `["x"]`}},
		"damaged files":                 {concat, []*member{nil, file(days), nil}, []string{"2 files cannot be read", "a: damaged", "c: damaged"}},
		"units of time":                 {concat, []*member{file(days), file("t(t)=2;units=days since 2002-01-01"), file("t(t)=3")}, []string{`units is "days since 2001-01-01" in a and absent in c`}},
		"units of time, in spite of it": {keep, []*member{file(days), file("t(t)=2;units=days since 2002-01-01")}, []string{"do not mean the same"}},
		"calendar, in spite of it":      {override, []*member{file("t(t)=1;calendar=noleap"), file("t(t)=2;calendar=standard")}, []string{"the attribute calendar"}},
		"packing":                       {concat, []*member{file("t(t)=0", "v(t)=1;scale_factor=2"), file("t(t)=1", "v(t)=1;scale_factor=3")}, []string{"do not mean the same: cf: unpack takes"}},
		"fill values of packed data":    {concat, []*member{file("t(t)=0", "v(t)=1;scale_factor=2;_FillValue=5"), file("t(t)=1", "v(t)=1;scale_factor=2;_FillValue=6")}, []string{"the attribute _FillValue is \"5\" in a and \"6\" in b; the stored values do not mean the same: cf: unpack takes"}},
		"fill values":                   {concat, []*member{file("t(t)=0", "v(t)=1;_FillValue=5"), file("t(t)=1", "v(t)=1;_FillValue=6")}, []string{"the attribute _FillValue is \"5\" in a and \"6\" in b; the stored values do not mean the same: make the files alike"}},
		"units of packed times":         {concat, []*member{file(days + ";add_offset=2"), file("t(t)=2;units=days since 2002-01-01;add_offset=2")}, []string{`units is "days since 2001-01-01" in a and "days since 2002-01-01" in b; the stored values do not mean the same: cf: unpack takes`}},
		"units of packed lengths":       {concat, []*member{file("t(t)=0", "v(t)=1;scale_factor=2;units=m"), file("t(t)=1", "v(t)=1;scale_factor=2;units=km")}, []string{"the attribute units is", "make the files alike"}},
		"missing":                       {concat, []*member{file(days, "v(t)=1,2"), file("t(t)=7;units=days since 2001-01-01")}, []string{`b: no array "v", which a has: exclude it`}},
		"missing, in spite of it":       {override, []*member{file(days, "v(t)=1,2"), file("t(t)=7;units=days since 2001-01-01")}, []string{`b: no array "v"`}},
		"missing coordinate":            {concat, []*member{file("v(t)=1"), file("t(t)=3", "v(t)=1")}, []string{`a: no array "t", which b has`}},
		"coordinates":                   {concat, []*member{file("t(t)=0", "x(x)=1,2"), file("t(t)=1", "x(x)=1,3")}, []string{`array "x": the value at [1] is 2.0 in a and 3.0 in b`, "exclude it"}},
		"coordinates, in spite of it":   {override, []*member{file("t(t)=0", "x(x)=1,2"), file("t(t)=1", "x(x)=1,3")}, nil},
		"shapes":                        {override, []*member{file("t(t)=0", "x(x)=1,2", "v(t,x)=1,2"), file("t(t)=1", "x(x)=1", "v(t,x)=1")}, []string{`array "v": the length of dimension "x" is 2 in a and 1 in b`}},
		"what it is":                    {concat, []*member{file("t(t)=0;standard_name=time"), file("t(t)=1;standard_name=forecast_period")}, []string{"standard_name is", "join: override"}},
		"valid values":                  {concat, []*member{file("t(t)=0;valid_max=9"), file("t(t)=1;valid_max=5")}, []string{"valid_max is", "join: override"}},
		"valid values of the first":     {override, []*member{file("t(t)=0;valid_max=9"), file("t(t)=1;valid_max=5")}, nil},
		"what it is, in spite of it":    {override, []*member{file("t(t)=0;standard_name=time"), file("t(t)=1;standard_name=forecast_period")}, nil},
		"NaN in the first alone":        {concat, []*member{file("t(t)=0;_FillValue=NaN"), file("t(t)=1")}, nil},
		"NaN in the second alone":       {concat, []*member{file("t(t)=0"), file("t(t)=1;missing_value=NaN")}, nil},
		"NaN and a mark":                {override, []*member{file("t(t)=0;_FillValue=NaN"), file("t(t)=1;_FillValue=10")}, []string{`_FillValue is "NaN" in a and "10" in b`}},
		"a mark in one":                 {override, []*member{file("t(t)=0;_FillValue=10"), file("t(t)=1")}, []string{`_FillValue is "10" in a and absent in b`}},
		"a word in it":                  {concat, []*member{file("t(t)=0;comment=x"), file("t(t)=1;comment=y")}, nil},
		"one index twice":               {concat, []*member{file("t(t)=0,1,2"), file("t(t)=2,3")}, []string{`array "t" ends with 2.0 in a and begins with 2.0 in b: both have this index`}},
		"one index twice, far apart":    {concat, []*member{file("t(t)=5"), file("t(t)=0"), file("t(t)=5")}, []string{`ends with 5.0 in a and begins with 5.0 in c: both have this index`}},
		"counted anew in each file":     {concat, []*member{file("t(t)=0"), file("t(t)=0"), file("t(t)=0,1")}, []string{"ends with 0.0 in a and begins with 0.0 in b", "order: allow"}},
		"counted anew, as it is to be":  {allow, []*member{file("t(t)=0"), file("t(t)=0"), file("t(t)=0,1")}, nil},
		"a time that repeats":           {concat, []*member{file("t(t)=0;units=days since 2001-01-01"), file("t(t)=0;units=days since 2001-01-01")}, []string{"0.0 in a and begins with 0.0 in b", "overlap: first", "order: allow"}},
		"one index twice, all the same": {override, []*member{file("t(t)=0,1,2"), file("t(t)=2,3")}, []string{"both have this index"}},
		"interleaved":                   {concat, []*member{file("t(t)=0,2"), file("t(t)=1,3")}, []string{"they overlap"}},
		"names against the order":       {concat, []*member{file("t(t)=2,3"), file("t(t)=0,1")}, nil},
		"overlap without a coordinate":  {Options{Concat: "t", Wanted: everything, Overlap: sources.OverlapFirst}, []*member{file("v(t)=2,3"), file("v(t)=0,1")}, []string{`rows are the same if they have the same value of the coordinate "t", but not every file has a coordinate of this name`}},
		"overlap, up and down":          {Options{Concat: "t", Wanted: everything, Overlap: sources.OverlapFirst}, []*member{file("t(t)=2,3,1"), file("t(t)=0,1")}, []string{"neither rises nor falls"}},
		"interleaved, in order":         {Options{Concat: "t", Order: "t", Wanted: everything}, []*member{file("t(t)=0,2"), file("t(t)=1,3")}, []string{"ends with 2.0 in a and begins with 1.0 in b: they overlap"}},
		"one index twice, in order":     {Options{Concat: "t", Order: "t", Wanted: everything}, []*member{file("t(t)=2,3"), file("t(t)=0,2")}, []string{"ends with 2.0 in b and begins with 2.0 in a: both have this index"}},
		"up and down":                   {Options{Concat: "t", Order: "t", Wanted: everything}, []*member{file("t(t)=2,3"), file("t(t)=0,1,0.5")}, []string{`array "t" neither rises nor falls throughout in b`}},
		"down in one file":              {Options{Concat: "t", Order: "t", Wanted: everything}, []*member{file("t(t)=0,1,2"), file("t(t)=5,4,3"), file("t(t)=6,7,8")}, []string{`array "t" falls in b, from 5.0 to 3.0, but rises in a`}},
		"down in the last":              {Options{Concat: "t", Order: "t", Wanted: everything}, []*member{file("t(t)=9,8"), file("t(t)=0,1,2"), file("t(t)=5")}, []string{`array "t" falls in a, from 9.0 to 8.0, but rises in b`}},
		"one file, up and down":         {Options{Concat: "t", Order: "t", Wanted: everything}, []*member{file("t(t)=0,1,0.5")}, []string{`array "t" neither rises nor falls throughout in a: it goes from 0.0 to 0.5, with a break at index 2`}},
		"one index twice in one file":   {Options{Concat: "t", Order: "t", Wanted: everything}, []*member{file("t(t)=0,1,1")}, []string{`array "t" neither rises nor falls throughout in a: it goes from 0.0 to 1.0, with a break at index 2`}},
		"one index twice, falling":      {Options{Concat: "t", Order: "t", Wanted: everything}, []*member{file("t(t)=9,8,8,7")}, []string{`array "t" neither rises nor falls throughout in a: it goes from 9.0 to 7.0, with a break at index 2`}},
		"falling files that meet":       {Options{Concat: "t", Order: "t", Wanted: everything}, []*member{file("t(t)=9,8"), file("t(t)=8,7")}, []string{"ends with 8.0 in a and begins with 8.0 in b: both have this index"}},
		"falling, all in one order":     {Options{Concat: "t", Order: "t", Wanted: everything}, []*member{file("t(t)=9,8"), file("t(t)=7,6")}, nil},
		"falling to NaN":                {Options{Concat: "t", Order: "t", Wanted: everything}, []*member{file("t(t)=9,8,NaN")}, []string{"neither rises nor falls"}},
		"the dimension twice":           {concat, []*member{file("t(t)=0", "v(t,t)=1"), file("t(t)=1", "v(t,t)=2")}, []string{`array "v" has the dimension "t" twice`}},
		"down in one, up in two values": {Options{Concat: "t", Order: "t", Wanted: everything}, []*member{file("t(t)=0,1"), file("t(t)=5,4,3")}, []string{"falls in b, from 5.0 to 3.0, but rises in a"}},
		"other values that repeat":      {concat, []*member{file("t(t)=0,1", "v(t)=1,5"), file("t(t)=2,3", "v(t)=5,1")}, nil},
		"a field of that name":          {concat, []*member{file("t(t,x)=1,1;units=d"), file("t(t,x)=1,1;units=d")}, nil},
		"up and down, and nothing":      {concat, []*member{file("t(t)=0,1,0"), file("t(t)=")}, []string{"neither rises nor falls throughout in a"}},
		"lists of dimensions":           {concat, []*member{file("t(t)=0", "v(t)=1"), file("t(t)=1", "x(x)=1", "v(t,x)=1")}, []string{`array "v": the list of dimensions is ["t"] in a and ["t" "x"] in b`}},
		"bounds without their time":     {concat, []*member{file("t(t)=0;bounds=b", "b(t)=7"), file("b(t)=8")}, []string{`b: no array "t"`}},
		"order by several values":       {Options{Stack: "run", Order: "v"}, []*member{file("v(x)=1,2"), file("v(x)=3,4")}, []string{`a: the files cannot be ordered by array "v": it has the shape [2], not one value for each file`}},
		"order by NaN":                  {Options{Concat: "t", Order: "t"}, []*member{file("t(t)=2,3"), file("t(t)=NaN,1")}, []string{`b: the files cannot be ordered by array "t": it begins with `}},
		"order by NaN alone":            {Options{Concat: "t", Order: "t"}, []*member{file("t(t)=2"), file("t(t)=NaN")}, []string{`b: the files cannot be ordered by array "t": it begins with `}},
		"order by a field":              {Options{Concat: "t", Order: "v"}, []*member{file("t(t)=2", "v(t,x)=1,2")}, []string{`["t" "x"] dimensions, not "t" alone`}},
		"order by nothing":              {Options{Concat: "t", Order: "v"}, []*member{file("t(t)=2"), file("t(t)=1", "v(t)=1")}, []string{`a: no array "v" to order the files by`}},
		"a grid of the ensemble":        {Options{Stack: "run", Wanted: everything}, []*member{file("x(x)=1,2", "v(x)=1,2"), file("x(x)=1,3", "v(x)=3,4")}, []string{`array "x": the value at [1]`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := combineAll(t, test.how, test.members...)
			if err == nil && len(test.want) > 0 || err != nil && len(test.want) == 0 {
				t.Fatalf("got %v, want %q", err, test.want)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want an error with %q", err, want)
				}
			}
		})
	}
}

// TestCombineNothing has no files.
func TestCombineNothing(t *testing.T) {
	if src, err := combineAll(t, Options{Concat: "t"}); err == nil || err.Error() != "no files" {
		t.Errorf("%v, %v", src, err)
	}
}

// TestCombineInterrupted cancels the context while files are opened.
func TestCombineInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := Members{Origin: nowhere{}, Names: []string{"a", "b"}, Open: func(context.Context, int) (sources.Hierarchy, error) { cancel(); return file("t(t)=0"), nil }}
	if _, err := Open(ctx, m, Options{Concat: "t", Wanted: everything}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestCombinedShares has equal arrays in many files. They share one description, which is
// compared once.
func TestCombinedShares(t *testing.T) {
	var members []*member
	for i := range 12 {
		units := "c"
		if i == 0 {
			units = "b"
		}
		members = append(members, file(fmt.Sprintf("t(t)=%d", i), "x(x)=1;comment="+units))
	}
	asked := 0
	how := Options{Concat: "t", Wanted: everything, Given: func(string, string) bool { asked++; return false }}
	if _, err := combineAll(t, how, members...); err != nil {
		t.Fatal(err)
	}
	for _, m := range members[2:] {
		if m.arrays["x"].info != members[1].arrays["x"].info {
			t.Fatal("equal descriptions do not share memory")
		}
	}
	if asked != 1 { // Given is called once for the only attribute
		t.Errorf("the descriptions were compared %d times", asked)
	}
}

// linked is a member in which a name leads to no array, or to one that cannot be read.
type linked struct {
	*member
	err error
}

func (l linked) Array(ctx context.Context, path string) (sources.Array, error) {
	if path == "bad" {
		return nil, l.err
	}
	return l.member.Array(ctx, path)
}

// TestNamesOfNoArray has a name that leads to no array. If it does so in all files, this is
// reported once. Otherwise the fault of each file is reported.
func TestNamesOfNoArray(t *testing.T) {
	none, damaged := fmt.Errorf("a link: %w", sources.ErrNoArray), errors.New("damaged")
	for _, test := range []struct {
		faults []error
		want   string
		all    bool // opening all arrays is an error
	}{
		{[]error{none, none, none}, "a link: there is no array", false},
		{[]error{damaged, damaged}, "2 differences between the files\n  damaged\n  damaged", true},
		{[]error{none, damaged}, "2 differences between the files\n  a link: there is no array\n  damaged", true},
	} {
		m := Members{Origin: nowhere{}, Open: func(_ context.Context, i int) (sources.Hierarchy, error) {
			f := file(fmt.Sprintf("t(t)=%d", i))
			f.names = append(f.names, "bad")
			return linked{f, test.faults[i]}, nil
		}}
		for i := range test.faults {
			m.Names = append(m.Names, string(rune('a'+i)))
		}
		src, err := Open(t.Context(), m, Options{Concat: "t"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := src.Array(t.Context(), "bad"); err == nil || err.Error() != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
		if _, err := Open(t.Context(), m, Options{Concat: "t", Wanted: everything}); (err != nil) != test.all {
			t.Errorf("%v: %v", test.faults, err)
		}
	}
}

// TestCombineGiven has differences that the job overrules.
func TestCombineGiven(t *testing.T) {
	how := Options{Concat: "t", Wanted: everything, Given: func(path, attribute string) bool { return path == "t" && attribute == "units" }}
	src, err := combineAll(t, how, file("t(t)=0;units=d"), file("t(t)=1;units=days"))
	if err != nil {
		t.Fatal(err)
	}
	if a, err := src.Array(t.Context(), "t"); err != nil || len(a.Info().Notes) > 0 {
		t.Errorf("%v, %v", a, err)
	}
	if _, err := combineAll(t, how, file("t(t)=0", "v(t)=1;units=d"), file("t(t)=1", "v(t)=1;units=days")); err == nil {
		t.Error("another array's units were accepted")
	}
}

// TestCombineReport has more differences than are spelled out: the others are counted. The
// order is that of the files.
func TestCombineReport(t *testing.T) {
	var members []*member
	for i := range 26 {
		members = append(members, file(fmt.Sprintf("t(t)=%d;units=u%d", i, i)))
	}
	_, err := combineAll(t, Options{Concat: "t", Wanted: everything}, members...)
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 22 || lines[0] != "25 differences between the files" || !strings.Contains(lines[1], ` in b;`) || lines[21] != "  and 5 more" {
		t.Errorf("got %q", lines)
	}
}

// TestWanted opens only the arrays that are wanted.
func TestWanted(t *testing.T) {
	broken := file("t(t)=0")
	broken.names = append(broken.names, "bad")
	how := Options{Concat: "t"}
	src, err := combineAll(t, how, broken, file("t(t)=1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := src.Array(t.Context(), "bad"); err == nil || !strings.Contains(err.Error(), "no such array") {
		t.Errorf("got %v", err)
	}
	if a, err := src.Array(t.Context(), "none"); err == nil || err.Error() != `no file has an array "none"` {
		t.Errorf("%v, %v", a, err)
	}
	how.Wanted = func(path string) bool { return path == "t" }
	if src, err = combineAll(t, how, broken, file("t(t)=1")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"t", "bad"}, src.Arrays()); diff != "" {
		t.Errorf("arrays (-want +got):\n%s", diff)
	}
	how.Wanted = everything
	if _, err := combineAll(t, how, broken, file("t(t)=1")); err == nil || !strings.Contains(err.Error(), "no such array") {
		t.Errorf("got %v", err)
	}
}

// TestPackedIndexes joins files whose coordinates are packed and overlap. The message has the
// values that the numbers mean.
func TestPackedIndexes(t *testing.T) {
	first, second := file("t(t)=0,1,2"), file("t(t)=2,3")
	for _, m := range []*member{first, second} {
		m.arrays["t"].info.Attributes = zarr.Attributes{{Name: "scale_factor", Value: []byte("6.0")}, {Name: "add_offset", Value: []byte("100.0")}}
	}
	_, err := combineAll(t, Options{Concat: "t", Wanted: everything}, first, second)
	if err == nil || !strings.Contains(err.Error(), `array "t" ends with 112.0 in a and begins with 112.0 in b: both have this index`) {
		t.Errorf("got %v", err)
	}
}
