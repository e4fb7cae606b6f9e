// Package deviation says how far the elements of one array are from those of another: how
// many differ, the greatest difference, the root mean square, and how many differences there
// are of each size.
package deviation

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Deviation says how far the values of an array are from those of its source. The chain of
// the array may change values.
type Deviation struct {
	Array    string   `json:"array"`
	Losses   []string `json:"losses"` // what the chain may change, see [codecs.Loss]
	Elements int64    `json:"elements"`
	Unequal  int64    `json:"unequal_elements"`
	// Max is the greatest difference between a value of the source and the value of the
	// target. RMS is the root mean square of all differences. Both are 0 if the elements are
	// not numbers of at most 64 bits. Both are infinite if a number became NaN or NaN became
	// a number.
	Max Amount `json:"max"`
	RMS Amount `json:"rms"`
	// Bound is the greatest difference that the losses allow; 0: no bound is known.
	Bound float64 `json:"bound,omitempty"`
	// At is the index of the element with the greatest difference; nil: all elements are
	// equal. Source and Target are the values of this element.
	At     []int  `json:"at,omitempty"`
	Source string `json:"source_value,omitempty"`
	Target string `json:"target_value,omitempty"`
	// Errors counts the elements that differ, in groups by the size of their errors. The group
	// with the smallest errors comes first. Elements whose difference is not a finite number
	// are in no group.
	Errors []Errors `json:"errors,omitempty"`

	squares float64
	spread  *spread // nil: no error was counted
}

// Amount is a number that is not negative. In JSON, an infinite Amount is the text "Infinity".
type Amount float64

// MarshalJSON implements [json.Marshaler].
func (s Amount) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(s), 0) {
		return []byte(`"Infinity"`), nil
	}
	return json.Marshal(float64(s))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Amount) UnmarshalJSON(text []byte) error {
	if string(text) == `"Infinity"` {
		*s = Amount(math.Inf(1))
		return nil
	}
	return json.Unmarshal(text, (*float64)(s))
}

// Errors counts the elements whose error is at least From and less than twice From. The first
// group, from 2⁻²⁵⁶ on, also has all smaller errors; the last one, from 2²⁵⁵ on, all larger ones.
type Errors struct {
	From  float64 `json:"from"`
	Below int64   `json:"below"` // elements that are less than those of the source
	Above int64   `json:"above"` // elements that are greater
}

// spread counts errors by their binary exponents, negative errors and positive ones apart.
type spread [2][512]int64

// add counts an error.
func (s *spread) add(by float64) {
	const bias = 1023
	exponent := int(math.Float64bits(by)>>52&0x7ff) - bias
	sign := 0
	if by > 0 {
		sign = 1
	}
	s[sign][min(max(exponent+len(s[0])/2, 0), len(s[0])-1)]++
}

// plus adds the counts of other. Either may be nil. The result does not share memory with
// other.
func (s *spread) plus(other *spread) *spread {
	if other == nil {
		return s
	}
	if s == nil {
		s = new(spread)
	}
	for sign := range s {
		for i, n := range other[sign] {
			s[sign][i] += n
		}
	}
	return s
}

// spreadOf is the inverse of counts.
func spreadOf(list []Errors) *spread {
	if list == nil {
		return nil
	}
	s := new(spread)
	for _, e := range list {
		_, exponent := math.Frexp(e.From)
		i := min(max(exponent-1+len(s[0])/2, 0), len(s[0])-1)
		s[0][i], s[1][i] = e.Below, e.Above
	}
	return s
}

// counts lists the groups that have elements. The spread may be nil.
func (s *spread) counts() []Errors {
	if s == nil {
		return nil
	}
	var list []Errors
	for i := range s[0] {
		if s[0][i]+s[1][i] > 0 {
			list = append(list, Errors{math.Ldexp(1, i-len(s[0])/2), s[0][i], s[1][i]})
		}
	}
	return list
}

// Comparison is the comparison of two boxes.
type Comparison struct {
	Elements, Unequal int64
	Max               float64 // the greatest difference
	Rounding          float64 // by which the value with the greatest difference may be rounded
	At                int     // number of the element with the greatest difference, in C order; -1: all are equal
	squares           float64
	spread            *spread // nil: no element was counted
}

// Saved is the deviation of a part of an array.
type Saved struct {
	Deviation
	Squares Amount `json:"squares"`
}

// Finish sets RMS and Errors, when the last box is added.
func (d *Deviation) Finish() {
	d.RMS = Amount(math.Sqrt(d.squares / float64(max(d.Elements, 1))))
	d.Errors, d.spread = d.spread.counts(), nil
}

// Save returns the deviation so far.
func (d *Deviation) Save() *Saved {
	s := &Saved{*d, Amount(d.squares)}
	s.Errors = d.spread.counts()
	return s
}

// Restore is the inverse of Save.
func (d *Deviation) Restore(s *Saved) {
	*d = s.Deviation
	d.squares, d.spread, d.Errors = float64(s.Squares), spreadOf(s.Errors), nil
}

// Add adds the comparison of a box. start is the index of the box's first element in the
// array.
func (d *Deviation) Add(c Comparison, source, target ndarray.Array, start []int) {
	d.Elements += c.Elements
	d.Unequal += c.Unequal
	d.squares += c.squares
	d.spread = d.spread.plus(c.spread)
	if c.At < 0 || d.At != nil && Amount(c.Max) <= d.Max {
		return
	}
	at := IndexIn(source.Shape, c.At)
	d.Max, d.Source, d.Target = Amount(c.Max), Shown(source, at), Shown(target, at)
	for i := range at {
		at[i] += start[i]
	}
	d.At = at
}

// Join adds the deviation of other boxes of the same array. The boxes of the two have no element in
// common.
func (d *Deviation) Join(other *Deviation) {
	d.Elements += other.Elements
	d.Unequal += other.Unequal
	d.squares += other.squares
	d.spread = d.spread.plus(other.spread)
	if other.At != nil && (d.At == nil || other.Max > d.Max) {
		d.Max, d.At, d.Source, d.Target = other.Max, other.At, other.Source, other.Target
	}
}

// IndexIn returns the index of an element, whose number counts elements in C order.
func IndexIn(shape []int, number int) []int {
	index := make([]int, len(shape))
	for i, n := range slices.Backward(shape) {
		index[i], number = number%n, number/n
	}
	return index
}

// Shown spells an element.
func Shown(a ndarray.Array, index []int) string {
	one := ndarray.Region{Start: index, Shape: slices.Repeat([]int{1}, len(index))}
	element := a.Sub(one)
	if element.Heap != nil {
		for item := range element.Items() {
			return strconv.Quote(string(item))
		}
	}
	bits := element.Data[element.Offset : element.Offset+ndarray.ItemSize(a.Type)]
	return string(a.Type.FormatScalar(dtype.V3, dtype.Scalar(bits)))
}

// Compare compares two arrays of the same type and shape. Both must be in C order.
func Compare(source, target ndarray.Array) Comparison {
	c := Comparison{Elements: int64(source.Len()), At: -1}
	if source.Heap != nil {
		return c.items(source, target)
	}
	a, _ := source.Contiguous()
	b, _ := target.Contiguous()
	if bytes.Equal(a, b) {
		return c
	}
	if compare := comparerOf(source.Type); compare != nil && compare(&c, source, target) {
		return c
	}
	size := ndarray.ItemSize(source.Type)
	for i := range source.Len() {
		if !bytes.Equal(a[i*size:][:size], b[i*size:][:size]) {
			c.differs(i, math.NaN())
		}
	}
	return c
}

// Measured reports whether a number can express the difference of two elements of a type.
// Elements of other types are equal or not.
func Measured(t dtype.Type) bool { return comparerOf(t) != nil }

// comparerOf returns the loop that compares elements of a type. It is nil if the elements are
// not numbers of at most 64 bits.
func comparerOf(t dtype.Type) func(*Comparison, ndarray.Array, ndarray.Array) bool {
	n, ok := t.(dtype.Numeric)
	if !ok {
		return nil
	}
	type form struct {
		kind dtype.Kind
		size int
	}
	return map[form]func(*Comparison, ndarray.Array, ndarray.Array) bool{
		{dtype.Float, 4}: numbers[float32], {dtype.Float, 8}: numbers[float64],
		{dtype.Int, 1}: numbers[int8], {dtype.Int, 2}: numbers[int16], {dtype.Int, 4}: numbers[int32], {dtype.Int, 8}: numbers[int64],
		{dtype.Uint, 1}: numbers[uint8], {dtype.Uint, 2}: numbers[uint16], {dtype.Uint, 4}: numbers[uint32], {dtype.Uint, 8}: numbers[uint64],
	}[form{n.Kind(), t.Size()}]
}

// differs counts an element that differs. by is its value in the target minus its value in
// the source. by is NaN if a number cannot express the difference.
func (c *Comparison) differs(i int, by float64) {
	c.Unequal++
	if c.At < 0 {
		c.At = i
	}
	if by != 0 && !math.IsNaN(by) && !math.IsInf(by, 0) {
		if c.spread == nil {
			c.spread = new(spread)
		}
		c.spread.add(by)
	}
	if by = math.Abs(by); by > c.Max {
		c.Max, c.At = by, i
	}
	if !math.IsNaN(by) {
		c.squares += by * by
	}
}

// items compares elements of variable size.
func (c Comparison) items(source, target ndarray.Array) Comparison {
	var other [][]byte
	for item := range target.Items() {
		other = append(other, item)
	}
	i := 0
	for item := range source.Items() {
		if !bytes.Equal(item, other[i]) {
			c.differs(i, math.NaN())
		}
		i++
	}
	return c
}

// numbers compares elements of type T. It returns false if the elements have another type.
// Two zeros, or two NaNs, differ if their bits differ.
func numbers[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](c *Comparison, source, target ndarray.Array) bool {
	a, ok := ndarray.As[T](source)
	if !ok {
		return false
	}
	b, _ := ndarray.As[T](target)
	size := ndarray.ItemSize(source.Type)
	for i, x := range a {
		y := b[i]
		if x == y && x != 0 {
			continue
		}
		at := source.Offset + i*size
		if bytes.Equal(source.Data[at:at+size], target.Data[target.Offset+i*size:][:size]) {
			continue
		}
		by := float64(y) - float64(x)
		if math.IsNaN(by) && math.IsNaN(float64(x)) != math.IsNaN(float64(y)) {
			by = math.Inf(1)
		}
		c.differs(i, by)
		if c.At == i {
			c.Rounding = roundingOf(x)
		}
	}
	return true
}

// roundingOf returns how far arithmetic in the type of x may be from the exact result x: two
// units in the last place.
func roundingOf[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](x T) float64 {
	switch any(x).(type) {
	case float32:
		return math.Abs(float64(x)) * 0x1p-22
	case float64:
		return math.Abs(float64(x)) * 0x1p-51
	default:
		return 0
	}
}
