package sources

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/zarr"
)

// Clock says what the numbers of an array of times count. Attributes has the attributes
// units and calendar, and those that define a calendar. Type is the data type of the
// numbers.
type Clock struct {
	Attributes zarr.Attributes
	Type       dtype.Type
}

// clockAttributes are the attributes that say what the numbers of times count.
var clockAttributes = []string{"units", "calendar", "month_lengths", "leap_year", "leap_month"}

// InheritClock returns the attributes of bounds with the attributes of a clock that they lack
// and that their coordinate has (CF, section 7.1).
func InheritClock(bounds, coordinate zarr.Attributes) zarr.Attributes {
	for _, name := range clockAttributes {
		if of := coordinate.Get(name); of != nil && bounds.Get(name) == nil {
			bounds = bounds.With(name, of)
		}
	}
	return bounds
}

// Rebased returns an array with the times of array, as numbers of the clock to. own is the
// clock of the numbers of array; that of bounds is from [InheritClock]. where
// names the file in messages. If array itself has attributes of a clock, those of to
// replace them, and limits such as valid_max become limits in its units. Rebased returns an error if a clock cannot be read, if the calendars never
// agree, or if the new data type does not hold the fill value. If a time has no exact
// number, ReadRegion returns an error with the element's index, whose cause is a
// [cf.RefusedTime].
func Rebased(array Array, own, to Clock, where string) (Array, error) {
	info := *array.Info()
	fail := func(err error) error { return fmt.Errorf("%s: array %q: %w", where, info.Path, err) }
	from, err := cf.ClockOf(own.Attributes)
	if err != nil {
		return nil, fail(err)
	}
	then, err := cf.ClockOf(to.Attributes)
	if err != nil {
		return nil, fail(err)
	}
	bound, err := cf.NewRebase(from, then, info.Type, to.Type, info.Attributes.Get("_FillValue"), info.Attributes.Get("missing_value"))
	if err != nil {
		return nil, fail(err)
	}
	for _, name := range clockAttributes {
		if info.Attributes.Get("units") != nil || info.Attributes.Get(name) != nil {
			info.Attributes = info.Attributes.With(name, to.Attributes.Get(name))
		}
	}
	for _, a := range info.Attributes {
		if cf.IsLimit(a.Name) {
			info.Attributes = info.Attributes.With(a.Name, bound.Limits(a.Name, a.Value, info.AttributeTypes[a.Name]))
			info.AttributeTypes = maps.Clone(info.AttributeTypes)
			delete(info.AttributeTypes, a.Name)
		}
	}
	if !dtype.Same(info.Type, to.Type) && info.Fill != nil {
		fill, err := to.Type.ParseScalar(dtype.V3, info.Type.FormatScalar(dtype.V3, info.Fill))
		if err != nil {
			return nil, fail(fmt.Errorf("the fill value %s is not a value of the data type %s", info.FillValue(), to.Type.Name()))
		}
		info.Fill = fill
		if info.Attributes.Get("_FillValue") != nil {
			info.Attributes = info.Attributes.With("_FillValue", FillAttribute(to.Type, fill))
		}
	}
	info.Type, info.Codecs, info.Obstacle = to.Type, nil, "source.time: rebase changes the numbers"
	info.Rebased = AttributeText(to.Attributes, "units")
	info.Memory = cmp.Or(info.Memory, ScratchBytes) + convertedPiece*(ndarray.ItemSize(to.Type)+ndarray.ItemSize(array.Info().Type))
	return &rebased{array: array, info: &info, rebase: bound, where: where}, nil
}

// rebased is the result of Rebased.
type rebased struct {
	array  Array
	info   *Info
	rebase *cf.Rebase
	where  string
}

func (r *rebased) Info() *Info { return r.info }

// ShareInfo implements [Shared].
func (r *rebased) ShareInfo(s *Infos) { r.info = s.Share(r.info) }

// ReadRegion implements [Array].
func (r *rebased) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := CheckRegion(r.info, dst, start); err != nil {
		return err
	}
	for piece := range ndarray.Pieces(dst.Shape, convertedPiece) {
		own, made := ndarray.New(r.array.Info().Type, piece.Shape), ndarray.New(r.info.Type, piece.Shape)
		at := slices.Clone(start)
		for i, n := range piece.Start {
			at[i] += n
		}
		if err := r.array.ReadRegion(ctx, own, slices.Clone(at)); err != nil {
			return err
		}
		if err := r.rebase.Convert(made, own); err != nil {
			if refused, ok := errors.AsType[*cf.RefusedTime](err); ok {
				rest := refused.Index
				for k := len(at) - 1; k >= 0; k-- {
					at[k] += rest % piece.Shape[k]
					rest /= piece.Shape[k]
				}
			}
			return fmt.Errorf("%s: array %q: element %v: %w", r.where, r.info.Path, at, err)
		}
		ndarray.Copy(dst.Sub(piece), made)
	}
	return nil
}

// AttributeText returns the text of an attribute. It returns "" if the attribute is missing
// or is not a text.
func AttributeText(list zarr.Attributes, name string) string {
	var text string
	if json.Unmarshal(list.Get(name), &text) != nil {
		return ""
	}
	return text
}

// TextAttribute returns the value of an attribute that is a text.
func TextAttribute(text string) json.RawMessage {
	value, err := json.Marshal(text)
	if err != nil {
		panic(err) // no text can cause an error
	}
	return value
}

// ReadThrough reads all elements of an array, and keeps none.
func ReadThrough(ctx context.Context, array Array) error {
	info := array.Info()
	for piece := range ndarray.Pieces(info.Shape, convertedPiece) {
		if err := array.ReadRegion(ctx, ndarray.New(info.Type, piece.Shape), piece.Start); err != nil {
			return err
		}
	}
	return nil
}
