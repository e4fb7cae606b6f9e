package input

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
	"github.com/zmigrate/zmigrate/zarr"
)

// selector selects the parts of arrays for source.select. All arrays with a dimension are
// cut in the same way. For a selection by values or dates, each array goes by the nearest
// coordinate of the dimension.
type selector struct {
	job    *jobfile.Job
	source sources.Source
	exists map[string]bool         // the arrays of the source, by their paths
	spans  map[string]sources.Span // the selected indices, by the path of the coordinate
}

// Select replaces arrays, of which some are nil, with the parts that the job selects.
func Select(ctx context.Context, j *jobfile.Job, source sources.Source, paths []string, arrays []sources.Array) error {
	if len(j.Source.Select) == 0 {
		return nil
	}
	s := &selector{job: j, source: source, exists: make(map[string]bool, len(paths)), spans: map[string]sources.Span{}}
	for _, path := range paths {
		s.exists[path] = true
	}
	for i, a := range arrays {
		if a == nil {
			continue
		}
		part, err := s.part(ctx, a)
		if err != nil {
			return err
		}
		arrays[i] = part
	}
	return nil
}

// part returns the selected part of an array.
func (s *selector) part(ctx context.Context, a sources.Array) (sources.Array, error) {
	info := a.Info()
	spans := make([]sources.Span, len(info.Shape))
	for k, n := range info.Shape {
		spans[k] = sources.Span{Count: n, Step: 1}
	}
	for _, selection := range s.job.Source.Select {
		if slices.Contains(info.Ragged, selection.Dimension) {
			return nil, s.wrong(selection, info.Path, fmt.Sprintf("lists of different lengths belong to the indices of %q, and a part of them cannot be selected", selection.Dimension), "exclude the array")
		}
	}
	var notes []string
	for k, name := range info.DimensionNames {
		for _, selection := range s.job.Source.Select {
			if name == "" || selection.Dimension != name {
				continue
			}
			span, err := s.span(ctx, selection, info, info.Shape[k])
			if err != nil {
				return nil, err
			}
			if whole := spans[k]; span != whole {
				spans[k] = span
				notes = append(notes, fmt.Sprintf("select takes %d of %d along %s, from index %d on", span.Count, whole.Count, name, span.First))
			}
		}
	}
	if notes == nil {
		return a, nil
	}
	a = sources.Selected(a, spans)
	described := *a.Info()
	described.Notes = slices.Concat(described.Notes, notes)
	return sources.Described(a, &described), nil
}

// span returns the selected indices of one dimension of an array. n is its extent.
func (s *selector) span(ctx context.Context, selection jobfile.Selection, info *sources.Info, n int) (sources.Span, error) {
	if selection.Indices != nil {
		span, message := indexSpan(*selection.Indices, n)
		if message != "" {
			return span, s.wrong(selection, info.Path, message, "")
		}
		return span, nil
	}
	at, ok := compare.Nearest(info.Path, selection.Dimension, func(path string) bool { return s.exists[path] })
	if !ok {
		return sources.Span{}, s.wrong(selection, info.Path, fmt.Sprintf("the dimension %q has no coordinate, which would have values", selection.Dimension), selectByIndex)
	}
	span, known := s.spans[at]
	if !known {
		coordinate, err := s.source.Array(ctx, at)
		if err != nil {
			return span, fmt.Errorf("array %q: %w", at, err)
		}
		if !slices.Equal(coordinate.Info().DimensionNames, []string{selection.Dimension}) {
			return span, s.wrong(selection, at, fmt.Sprintf("it is no coordinate of the dimension %q: its dimensions are %q", selection.Dimension, coordinate.Info().DimensionNames), selectByIndex)
		}
		if span, err = s.search(ctx, selection, coordinate); err != nil {
			return span, err
		}
		s.spans[at] = span
	}
	if span.First+span.Count > n {
		return span, s.wrong(selection, info.Path, fmt.Sprintf("its extent along %s is %d, less than that of its coordinate %q", selection.Dimension, n, at), selectByIndex)
	}
	return span, nil
}

const selectByIndex = `select by index, such as "0:100"`

// wrong is the error about a selection and a variable.
func (s *selector) wrong(selection jobfile.Selection, path, message, hint string) error {
	var where []string
	for _, l := range s.job.Source.Locations {
		where = append(where, store.Shown(l.Text))
	}
	in := ""
	if where != nil {
		in = jobfile.Clip(strings.Join(where, ", "), 200) + ": "
	}
	return jobfile.Problems{s.job.Problem(selection.Field(), fmt.Sprintf("%svariable %q: %s", in, path, message), hint)}
}

// indexSpan returns the indices of a range in a dimension of n. An index beyond the
// dimension, and a range without indices, are refused.
func indexSpan(r jobfile.IndexRange, n int) (span sources.Span, message string) {
	first, end := 0, n
	for dst, given := range map[*int]*int{&first: r.First, &end: r.End} {
		if given == nil {
			continue
		}
		if *dst = *given; *given < 0 {
			*dst = n + *given
		}
		if *dst < 0 || *dst > n {
			return span, fmt.Sprintf("the index %d is outside of the dimension, which has %d", *given, n)
		}
	}
	if first >= end {
		return span, fmt.Sprintf("no index from %d on is before %d; the dimension has %d", first, end, n)
	}
	return sources.Span{First: first, Count: (end - first + r.Step - 1) / r.Step, Step: r.Step}, ""
}

// bound is the least or the greatest selected value, as an element of the coordinate. If
// open is set, that element itself is not selected.
type bound struct {
	item []byte
	open bool
}

// search finds the indices whose values are selected.
func (s *selector) search(ctx context.Context, selection jobfile.Selection, coordinate sources.Array) (span sources.Span, err error) {
	path := coordinate.Info().Path
	if coordinate, err = sources.Packed(coordinate, cf.Unpack, nil); err != nil {
		return span, err
	}
	info := coordinate.Info()
	order := compare.OrderOf(info.Type)
	if order == nil {
		return span, s.wrong(selection, path, fmt.Sprintf("its values are no numbers and no times, but of type %s", info.Type.Name()), selectByIndex)
	}
	bounds, none, err := s.bounds(selection, info)
	if err != nil {
		return span, s.wrong(selection, path, err.Error(), `values are selected as [30, 60], and indices as "0:100"`)
	}
	var first, previous []byte
	direction, at := 0, 0
	for region := range ndarray.Pieces(info.Shape, coordinatePiece) {
		values := ndarray.New(info.Type, region.Shape)
		if err := coordinate.ReadRegion(ctx, values, region.Start); err != nil {
			return span, fmt.Errorf("array %q: %w", path, err)
		}
		for item := range values.Items() {
			if _, ok := order(item); !ok {
				return span, s.wrong(selection, path, fmt.Sprintf("the value at index %d is %s, which has no place in an order", at, compare.Show(info.Type, item)), selectByIndex)
			}
			if previous == nil {
				first = slices.Clone(item)
			} else if step := order.Compare(item, previous); step != 0 {
				if direction != 0 && step != direction {
					return span, s.wrong(selection, path, fmt.Sprintf("its values do not run one way: the value at index %d is %s, after %s", at, compare.Show(info.Type, item), compare.Show(info.Type, previous)), selectByIndex)
				}
				direction = step
			}
			if !none && bounds.hold(order, item) {
				if span.Count == 0 {
					span.First = at
				}
				span.Count++
			}
			previous = append(previous[:0], item...)
			at++
		}
	}
	if span.Step = 1; span.Count > 0 {
		return span, nil
	}
	message, hint := "it has no values", ""
	if previous != nil {
		message = fmt.Sprintf("%s selects nothing: %s", selection.Text, s.reach(info, first, previous))
		if selection.Numbers() != nil && !isTime(info.Type) && s.readsYears(selection, info) {
			hint = fmt.Sprintf("whole numbers are years here; %s selects values", asValues(selection))
		}
	}
	return span, s.wrong(selection, path, message, hint)
}

// asValues spells two years as values, for a job and for the command line.
func asValues(selection jobfile.Selection) string {
	d := selection.Dates
	return fmt.Sprintf("[%s, %s], or %s=%s,%s on the command line,", cmp.Or(d[0], "null"), cmp.Or(d[1], "null"), selection.Dimension, d[0], d[1])
}

// reach says, for messages, from which value to which the values of a coordinate run. If the
// coordinate counts time, the values are given as dates, too.
func (s *selector) reach(info *sources.Info, first, last []byte) string {
	numbers := compare.Show(info.Type, first) + " to " + compare.Show(info.Type, last)
	attributes := s.attributes(info)
	if units := attributes.Get("units"); units != nil && !isTime(info.Type) {
		numbers += " " + strings.Trim(string(units), `"`)
	}
	text := "its values run from " + numbers
	if from, to := date(info.Type, attributes, first), date(info.Type, attributes, last); from != "" && to != "" {
		text = fmt.Sprintf("its values run from %s to %s, stored as %s", from, to, numbers)
	}
	return text
}

// attributes returns the attributes of a coordinate, with those that the job gives.
func (s *selector) attributes(info *sources.Info) zarr.Attributes {
	list := info.Attributes
	o, _ := s.job.Options(info.Path)
	for _, a := range o.Attributes {
		list = list.With(a.Name, a.Value)
	}
	return list
}

// date returns an element of a coordinate as a date, "" if it does not stand for one.
func date(t dtype.Type, attributes zarr.Attributes, item []byte) string {
	number, scale := new(big.Rat), big.NewRat(1, 1)
	if times, ok := t.(dtype.Temporal); ok {
		var err error
		if attributes, scale, err = clockOf(times); err != nil {
			return ""
		}
		number.SetInt64(int64(binary.NativeEndian.Uint64(item)))
	} else if _, ok := number.SetString(compare.Show(t, item)); !ok {
		return "" // an infinity
	}
	text, _ := cf.Date(attributes, number.Quo(number, scale))
	return text
}

// coordinatePiece is how many values of a coordinate are read at a time.
const coordinatePiece = 1 << 16

// bounds are the bounds of a selection; nil: there is no bound on that side.
type bounds struct{ low, high *bound }

func (b bounds) hold(order compare.Order, item []byte) bool {
	if b.low != nil && order.Compare(item, b.low.item) < 0 {
		return false
	}
	if b.high == nil {
		return true
	}
	c := order.Compare(item, b.high.item)
	return c < 0 || c == 0 && !b.high.open
}

// bounds returns the bounds of a selection as elements of a coordinate; none says that
// no element can be within them.
func (s *selector) bounds(selection jobfile.Selection, info *sources.Info) (b bounds, none bool, err error) {
	var low, high *big.Rat
	if v := selection.Numbers(); v != nil && !s.readsYears(selection, info) {
		if v[0] != nil && v[1] != nil && v[0].Cmp(v[1]) > 0 {
			return b, false, fmt.Errorf("%s ends before it begins", selection.Text)
		}
		selection.Values, selection.Dates = v, nil
	}
	if v := selection.Values; v != nil {
		if isTime(info.Type) {
			return b, false, fmt.Errorf("its values are times of type %s: select dates, such as 2020-01-01/2020-12-31", info.Type.Name())
		}
		low, high = v[0], v[1]
	} else {
		var attributes zarr.Attributes
		scale := big.NewRat(1, 1) // counts of the type in the clock's units
		if t, ok := info.Type.(dtype.Temporal); ok {
			if attributes, scale, err = clockOf(t); err != nil {
				return b, false, err
			}
		} else {
			if attributes = s.attributes(info); attributes.Get("units") == nil {
				return b, false, fmt.Errorf("it has no units, and dates need those of a time, such as days since 2000-01-01")
			}
		}
		if first := selection.Dates[0]; first != "" {
			if low, _, err = cf.Period(attributes, first); err != nil {
				return b, false, err
			}
			low.Mul(low, scale)
		}
		if last := selection.Dates[1]; last != "" {
			if _, high, err = cf.Period(attributes, last); err != nil {
				return b, false, err
			}
			high.Mul(high, scale)
		}
		if low != nil && high != nil && low.Cmp(high) >= 0 {
			return b, false, fmt.Errorf("%s ends before it begins", selection.Text)
		}
		if isFloat(info.Type) { // such as the days of an hour
			for _, x := range []*big.Rat{low, high} {
				if x != nil {
					x.Sub(x, cf.Tolerance(attributes))
				}
			}
		}
	}
	if low != nil {
		var beyond int
		b.low, beyond = boundOf(info.Type, low, true)
		none = none || beyond > 0
	}
	if high != nil {
		var beyond int
		if b.high, beyond = boundOf(info.Type, high, false); b.high != nil && selection.Dates != nil {
			b.high.open = exact(info.Type, high)
		}
		none = none || beyond < 0
	}
	return b, none, nil
}

// readsYears reports whether whole numbers, such as those of 0/3, are years for a coordinate.
// They are if it counts time. If its units are those of a time that has no dates, such as
// hours since a year 0 that the calendar does not have, only numbers of four digits are taken
// for years, and refused.
func (s *selector) readsYears(selection jobfile.Selection, info *sources.Info) bool {
	if isTime(info.Type) {
		return true
	}
	attributes := s.attributes(info)
	if _, err := cf.ClockOf(attributes); err == nil {
		return true
	}
	return cf.IsClock(attributes.Get("units")) && selection.Years()
}

// isTime reports whether elements are points in time, or lengths of it.
func isTime(t dtype.Type) bool {
	_, ok := t.(dtype.Temporal)
	return ok
}

// clockOf returns the attributes units and calendar that stand for a data type of times, and
// how many of these units one count of the type is.
func clockOf(t dtype.Temporal) (zarr.Attributes, *big.Rat, error) {
	seconds, ok := map[string]*big.Rat{
		"W": big.NewRat(604800, 1), "D": big.NewRat(86400, 1), "h": big.NewRat(3600, 1), "m": big.NewRat(60, 1), "s": big.NewRat(1, 1),
		"ms": big.NewRat(1, 1e3), "us": big.NewRat(1, 1e6), "μs": big.NewRat(1, 1e6), "ns": big.NewRat(1, 1e9), "ps": big.NewRat(1, 1e12),
	}[t.Unit()]
	if !ok || t.Span() {
		return nil, nil, fmt.Errorf("its type %s has no dates that can be selected", t.Name())
	}
	attributes := zarr.Attributes{}.With("units", json.RawMessage(`"seconds since 1970-01-01"`)).With("calendar", json.RawMessage(`"proleptic_gregorian"`))
	count := new(big.Rat).Mul(seconds, big.NewRat(int64(t.Scale()), 1))
	return attributes, count.Inv(count), nil
}

// isFloat reports whether elements are floats. A bound of floats is the float nearest to the
// number.
func isFloat(t dtype.Type) bool {
	n, ok := t.(dtype.Numeric)
	return ok && n.Kind() == dtype.Float
}

// exact reports whether the element that boundOf returns for an upper bound stands for the
// number itself. An integer element does not if the number has been rounded down.
func exact(t dtype.Type, number *big.Rat) bool { return isFloat(t) || number.IsInt() }

// boundOf returns a number as an element of a type. For floats, it is the nearest one. For
// integers, a lower bound is rounded up and an upper bound down. If the number is beyond all
// elements, the bound is nil, and beyond is -1 if the number is below them and 1 if it is
// above.
func boundOf(t dtype.Type, number *big.Rat, lower bool) (b *bound, beyond int) {
	if isFloat(t) {
		value, _ := number.Float64()
		item, err := t.ParseScalar(dtype.V3, json.RawMessage(big.NewFloat(value).Text('g', -1)))
		if err != nil { // beyond a narrower type
			return nil, number.Sign()
		}
		return &bound{item: item}, 0
	}
	whole := new(big.Int).Div(number.Num(), number.Denom()) // downwards
	if lower && !number.IsInt() {
		whole.Add(whole, big.NewInt(1))
	}
	if isTime(t) {
		if !whole.IsInt64() {
			return nil, whole.Sign()
		}
		return &bound{item: binary.NativeEndian.AppendUint64(nil, uint64(whole.Int64()))}, 0
	}
	item, err := t.ParseScalar(dtype.V3, json.RawMessage(whole.String()))
	if err != nil {
		return nil, whole.Sign()
	}
	return &bound{item: item}, 0
}
