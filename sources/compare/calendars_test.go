package compare

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
)

// held is an array in memory.
type held struct {
	info   sources.Info
	values ndarray.Array
	fail   error
}

func (h *held) Info() *sources.Info { return &h.info }

func (h *held) ReadRegion(_ context.Context, dst ndarray.Array, start []int) error {
	ndarray.Copy(dst, h.values.Sub(ndarray.Region{Start: start, Shape: dst.Shape}))
	return h.fail
}

func TestBefore(t *testing.T) {
	for _, kind := range []dtype.Type{dtype.Int8, dtype.Uint16, dtype.Float16, dtype.Float32, dtype.Float64, dtype.Int64} {
		values := column(t, kind, "3", "2", "5")
		h := &held{info: sources.Info{Type: kind, Shape: []int{3}}, values: values}
		if !HasTimes(h.Info()) {
			t.Errorf("%s: no times", kind.Name())
		}
		for least, want := range map[float64][]int{2: nil, 2.5: {1}, 4: {0}, -1: nil} {
			index, text, err := Before(t.Context(), h, least)
			if err != nil || !slices.Equal(index, want) || (text == "") != (want == nil) {
				t.Errorf("%s before %v: %v, %s, %v", kind.Name(), least, index, text, err)
			}
		}
		h.fail = errors.New("failed")
		if _, _, err := Before(t.Context(), h, 0); !errors.Is(err, h.fail) {
			t.Errorf("got %v", err)
		}
	}
	nan := &held{info: sources.Info{Type: dtype.Float64, Shape: []int{2}}, values: column(t, dtype.Float64, `"NaN"`, "1")}
	if index, _, err := Before(t.Context(), nan, 1); index != nil || err != nil {
		t.Errorf("NaN: %v, %v", index, err)
	}
	long := &held{info: sources.Info{Type: dtype.Int8, Shape: []int{3, calendarPiece}}, values: ndarray.New(dtype.Int8, []int{3, calendarPiece})}
	long.values.Data[2*calendarPiece+7] = 255
	if index, text, err := Before(t.Context(), long, 0); !slices.Equal(index, []int{2, 7}) || text != "-1" || err != nil {
		t.Errorf("in the third piece: %v, %s, %v", index, text, err)
	}
	for _, info := range []*sources.Info{{Type: dtype.StringType}, {Type: dtype.BoolType}, {Type: dtype.Complex64}, {Type: dtype.Int16, Packing: packed{}}} {
		if HasTimes(info) {
			t.Errorf("%s has times", info.Type.Name())
		}
	}
}

func TestCalendars(t *testing.T) {
	text := func(s string) json.RawMessage {
		if s == "" {
			return nil
		}
		return json.RawMessage(`"` + s + `"`)
	}
	for _, test := range []struct {
		x, y, units string
		least       float64
		ok          bool
	}{
		{"", "proleptic_gregorian", "days since 1582-10-15", 0, true},
		{"proleptic_gregorian", "gregorian", "days since 1582-10-16", -1, true},
		{"standard", "proleptic_gregorian", "days since 1500-01-01", 0, false},
		{"standard", "proleptic_gregorian", "K", 0, false},
		{"standard", "noleap", "days since 2000-01-01", 0, false},
		{"standard", "gregorian", "days since 2000-01-01", 0, false},
	} {
		least, ok := Calendars(text(test.x), text(test.y), text(test.units))
		if ok != test.ok || ok && least != test.least {
			t.Errorf("%q and %q of %s: %v, %v", test.x, test.y, test.units, least, ok)
		}
	}
}
