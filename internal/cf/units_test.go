package cf

import (
	"encoding/json"
	"strconv"
	"testing"
)

func TestSameMeaning(t *testing.T) {
	for _, test := range []struct {
		name, a, b string // "": no attribute
		want       bool
	}{
		{"calendar", "", `"standard"`, true},
		{"calendar", `"gregorian"`, `"standard"`, true},
		{"calendar", `"Gregorian"`, "", true},
		{"calendar", `""`, "", true},
		{"calendar", `"proleptic_gregorian"`, "", false},
		{"calendar", `"noleap"`, `"365_day"`, true},
		{"calendar", `"all_leap"`, `"366_day"`, true},
		{"calendar", `"360_day"`, `"365_day"`, false},
		{"calendar", "7", "", false},
		{"calendar", "7", "7", true},
		{"units", "", "", true},
		{"units", `"K"`, "", false},
		{"units", "", `""`, false},
		{"units", `"K"`, `"K "`, true},
		{"units", `"K"`, `"k"`, false},
		{"units", "1", "1", true},
		{"units", "1", "2", false},
		{"units", `"days since 2000-01-01"`, "1", false},
		{"standard_name", `"time"`, `"time"`, true},
		{"standard_name", `"time"`, `"times"`, false},
	} {
		raw := func(text string) json.RawMessage {
			if text == "" {
				return nil
			}
			return json.RawMessage(text)
		}
		if got := SameMeaning(test.name, raw(test.a), raw(test.b)); got != test.want {
			t.Errorf("%s: %s and %s: %v", test.name, test.a, test.b, got)
		}
	}
}

// TestSameMeaningOfTimes has many spellings of moments.
func TestSameMeaningOfTimes(t *testing.T) {
	same := func(a, b string) bool {
		return SameMeaning("units", json.RawMessage(strconv.Quote(a)), json.RawMessage(strconv.Quote(b)))
	}
	const first = "days since 2000-01-01"
	for _, other := range []string{
		"days since 2000-01-01 00:00:00", "days since 2000-1-1 0:0:0", "days since 2000-01-01T00:00:00Z", "days since 2000-01-01T00:00:00",
		"days since 2000-01-01 00:00:00 UTC", "days since 2000-01-01 00:00:00.0", "days since 2000-01-01 00:00", "days since 2000-01-01 0",
		"Days Since 2000-01-01", "day since 2000-01-01", "d since 2000-01-01", "days  since\t2000-01-01 ", "days since 2000-01-01 00:00:00 +00:00",
		"days since 2000-01-01 00:00:00+0000", "days since 2000-01-01 00:00:00 -0:00", "days since 2000-01-01 00:00:00 0:00", "days since 2000-01-01 UTC",
		"days since 2000-01-01Z", "days since 2000-01-01 05:30:00 +05:30", "days since 2000-01-01 05:30:00 +0530", "days since 2000-01-01 00:00:00 GMT", "days since 2000",
		"days since 2000-01", "days since 20000101", "days since 20000101T00:00:00Z",
	} {
		if !same(first, other) || !same(other, first) {
			t.Errorf("%q is not taken for %q", other, first)
		}
	}
	for _, other := range []string{
		"hours since 2000-01-01", "days since 2001-01-01", "days since 2000-02-01", "days since 2000-01-02", "days since 2000-01-01 12:00:00",
		"days since 2000-01-01 00:00:00.5", "days since 2000-01-01 00:00:00 +1:00", "days since -2000-01-01", "days before 2000-01-01", "days",
		"days since", "days since noon", "days since 2000-01-01-01", "days since 2000-001-01", "days since 2000-01-01 0:0:0:0", "days since 2000-01-01 0:.5",
		"days since 2000-01-01 00:00:00 CET", "fortnights since 2000-01-01", "", "days since 200001", "days since 20000102", "days since 2000010100", "days since --2000-01-01", "days since 2000-01-01 0:0.0",
		"days since 2000-01-01 : +", "days since 2000-01-01 0 +", "days since 2000-01-01 00:00:00 +", "days since 99999999999-01-01",
	} {
		if same(first, other) || same(other, first) {
			t.Errorf("%q is taken for %q", other, first)
		}
		if !same(other, other) && other != "" {
			t.Errorf("%q is not the same as itself", other)
		}
	}
	if !same("seconds since 1970-01-01 00:00:00.50", "s since 1970-1-1T0:0:0.5") {
		t.Error("fractions of seconds")
	}
}

// FuzzSameMeaning compares any two texts: the comparison is symmetric, and every text
// means the same as itself.
func FuzzSameMeaning(f *testing.F) {
	f.Add("days since 2000-01-01", "day since 2000-1-1T00:00:00.000Z")
	f.Add("hours since -4713-11-24 12:00 +01:00", "hours since 1-1-1 6 -530")
	f.Add("gregorian", "standard")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		y, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"units", "calendar", "comment"} {
			if !SameMeaning(name, x, x) || SameMeaning(name, x, y) != SameMeaning(name, y, x) {
				t.Errorf("%s: %s, %s", name, x, y)
			}
		}
	})
}
