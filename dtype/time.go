package dtype

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
)

// temporal is numpy.datetime64 or numpy.timedelta64.
type temporal struct {
	unit  string
	scale int
	span  bool
}

// units are NumPy's, as the registry of Zarr extensions lists them.
var units = []string{"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic"}

// Datetime64 returns the type of points in time, counted from the Unix epoch in
// multiples of scale units. Datetime64("us", 10) is NumPy's datetime64[10us]. "μs"
// means "us".
func Datetime64(unit string, scale int) (Type, error) { return newTemporal(unit, scale, false) }

// Timedelta64 returns the type of lengths of time, counted in multiples of scale units.
func Timedelta64(unit string, scale int) (Type, error) { return newTemporal(unit, scale, true) }

func newTemporal(unit string, scale int, span bool) (Type, error) {
	if unit == "\u03bcs" || unit == "\u00b5s" { // the Greek letter and the micro sign
		unit = "us"
	}
	t := &temporal{unit, scale, span}
	if !slices.Contains(units, unit) {
		return nil, fmt.Errorf("data type %s: unit %q: want one of %v", t.Name(), clip([]byte(unit)), units)
	}
	if scale < 1 || scale > math.MaxInt32 {
		return nil, fmt.Errorf("data type %s: scale_factor %d: want 1 to %d", t.Name(), scale, math.MaxInt32)
	}
	return t, nil
}

func (t *temporal) Name() string {
	if t.span {
		return "numpy.timedelta64"
	}
	return "numpy.datetime64"
}

func (t *temporal) Size() int    { return 8 }
func (t *temporal) Unit() string { return t.unit }
func (t *temporal) Scale() int   { return t.scale }
func (t *temporal) Span() bool   { return t.span }

// Default returns NaT, "not a time".
func (t *temporal) Default() Scalar {
	s := make(Scalar, 8)
	putBits(s, 1<<63)
	return s
}

func (t *temporal) V3() (json.RawMessage, error) {
	return fmt.Appendf(nil, `{"name":%q,"configuration":{"unit":%q,"scale_factor":%d}}`, t.Name(), t.unit, t.scale), nil
}

// V2 implements [Type]: "<M8[10us]", or "<M8" for the generic unit, of which NumPy has
// no multiples.
func (t *temporal) V2(order Order) (json.RawMessage, error) {
	mark, err := order.mark(t)
	if err != nil {
		return nil, err
	}
	code, unit := t.letter(), "["+t.unit+"]"
	switch {
	case t.unit == "generic" && t.scale == 1:
		unit = ""
	case t.unit == "generic":
		return nil, fmt.Errorf("data type %s: Zarr v2 has no multiples of the generic unit: choose a scale_factor of 1", t.Name())
	case t.scale > 1:
		unit = fmt.Sprintf("[%d%s]", t.scale, t.unit)
	}
	return json.RawMessage(`"` + mark + code + unit + `"`), nil
}

func (t *temporal) letter() string {
	if t.span {
		return "m8"
	}
	return "M8"
}

// SwapInto implements [Ordered].
func (t *temporal) SwapInto(dst, src []byte) { SwapWords(8, dst, src) }

func (t *temporal) words(at int, add func(swap)) { add(swap{offset: at, word: 8, n: 1}) }

// ParseScalar implements [Type]: an integer or "NaT".
func (t *temporal) ParseScalar(_ Format, text json.RawMessage) (Scalar, error) {
	if text = bytes.TrimSpace(text); string(text) == `"NaT"` {
		return t.Default(), nil
	}
	s := make(Scalar, 8)
	// Every writer of Zarr v2 spells times as Zarr v3 does.
	if err := parseInt(V3, s, 64, text); err != nil {
		return nil, fmt.Errorf(`%s is not a %s value: %w, or "NaT"`, clip(text), t.Name(), err)
	}
	return s, nil
}

// FormatScalar implements [Type]. "Not a time" is written as an integer, as zarr-python
// writes it; the registry declares the integer equivalent to "NaT". With the generic
// unit zarr-python reads only "NaT".
func (t *temporal) FormatScalar(_ Format, value Scalar) json.RawMessage {
	if t.unit == "generic" && getBits(value) == 1<<63 {
		return json.RawMessage(`"NaT"`)
	}
	return formatInt(value)
}

func temporalFamily(span bool, summary string) Family {
	t := &temporal{"ns", 1, span}
	pattern := regexp.MustCompile(`^` + t.letter() + `(?:\[([0-9]*)([^0-9\[\]]+)\])?$`)
	return Family{
		Name: t.Name(), Summary: summary, Example: t, FillValue: `an integer or "NaT"`,
		ParseV3: func(configuration json.RawMessage) (Type, error) {
			fields, err := readConfiguration(t.Name(), configuration, "unit", "scale_factor")
			if err != nil {
				return nil, err
			}
			var unit *string
			if err := json.Unmarshal(fields["unit"], &unit); err != nil || unit == nil {
				return nil, fmt.Errorf("data type %s: unit %s: want one of %v", t.Name(), clip(fields["unit"]), units)
			}
			scale, err := strconv.Atoi(string(fields["scale_factor"]))
			if err != nil {
				return nil, fmt.Errorf("data type %s: scale_factor %s: want 1 to %d", t.Name(), clip(fields["scale_factor"]), math.MaxInt32)
			}
			return newTemporal(*unit, scale, span)
		},
		ParseV2: func(code string) (Type, bool, error) {
			parts := pattern.FindStringSubmatch(code)
			if parts == nil {
				return nil, false, nil
			}
			scale := 1
			if parts[1] != "" {
				scale, _ = strconv.Atoi(parts[1]) // 0 if it is too large, which newTemporal refuses
			}
			unit := parts[2]
			if unit == "" {
				unit = "generic"
			}
			typ, err := newTemporal(unit, scale, span)
			return typ, true, err
		},
	}
}
