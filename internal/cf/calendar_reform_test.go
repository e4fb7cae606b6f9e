package cf

import (
	"encoding/json"
	"strconv"
	"testing"
)

func TestSameAfterReform(t *testing.T) {
	for _, test := range []struct {
		a, b string // "": no attribute
		want bool
	}{
		{"standard", "proleptic_gregorian", true}, {"", "proleptic_gregorian", true}, {"gregorian", "Proleptic_Gregorian", true},
		{"standard", "", false}, {"proleptic_gregorian", "proleptic_gregorian", false}, {"julian", "proleptic_gregorian", false},
		{"noleap", "standard", false}, {"standard", "360_day", false},
	} {
		raw := func(text string) json.RawMessage {
			if text == "" {
				return nil
			}
			return json.RawMessage(strconv.Quote(text))
		}
		if SameAfterReform(raw(test.a), raw(test.b)) != test.want || SameAfterReform(raw(test.b), raw(test.a)) != test.want {
			t.Errorf("%q and %q: want %v", test.a, test.b, test.want)
		}
	}
}

func TestReform(t *testing.T) {
	for _, test := range []struct {
		units string
		least float64
		ok    bool
	}{
		{"days since 1582-10-15", 0, true},
		{"days since 1582-10-14", 0, false},
		{"days since 1582-10-14 23:00 -01:00", 0, true},
		{"days since 1582-10-15 00:00 +01:00", 0, false},
		{"days since 1582-10-16", -1, true},
		{"days since 1582-10-16 12:00", -1, true},
		{"hours since 1582-10-16 12:30", -36, true},
		{"seconds since 1970-01-01", -12219292800, true},
		{"milliseconds since 1970-01-01", -12219292800000, true},
		{"months since 2000-01-01", 0, true},
		{"years since 1000", 0, false},
		{"days since 1-1-1", 0, false},
		{"days since -4713-01-01", 0, false},
		{"days", 0, false},
		{"K", 0, false},
	} {
		if least, ok := Reform(json.RawMessage(strconv.Quote(test.units))); least != test.least || ok != test.ok {
			t.Errorf("%s: %v, %v", test.units, least, ok)
		}
	}
	if _, ok := Reform(nil); ok {
		t.Error("no units")
	}
}
