package combine

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

func TestOrderOf(t *testing.T) {
	dates, err := dtype.Datetime64("s", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		t      dtype.Type
		rising []string
	}{
		{dtype.Int8, []string{"-128", "-1", "0", "127"}},
		{dtype.Uint16, []string{"0", "1", "65535"}},
		{dtype.Int32, []string{"-2147483648", "-65537", "-1", "0", "65536", "2147483647"}},
		{dtype.Uint32, []string{"0", "65535", "65536", "4294967295"}},
		{dtype.Int64, []string{"-9223372036854775808", "-1", "0", "9223372036854775807"}},
		{dtype.Uint64, []string{"0", "18446744073709551615"}},
		{dtype.Float32, []string{`"-Infinity"`, "-2.5", "-1e-40", "0", "1e-40", "3", `"Infinity"`}},
		{dtype.Float64, []string{"-1e300", "-1", "0", "1e-300", "1"}},
		{dates, []string{"-5", "0", "7"}},
	} {
		number := orderOf(test.t)
		var list []uint64
		for _, text := range test.rising {
			item, err := test.t.ParseScalar(dtype.V3, json.RawMessage(text))
			if err != nil {
				t.Fatal(err)
			}
			x, valid := number(item)
			if !valid {
				t.Errorf("%s of %s has no place", text, test.t.Name())
			}
			list = append(list, x)
		}
		if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
			t.Errorf("%s: %v", test.t.Name(), list)
		}
	}
	if _, valid := orderOf(dates)(dates.Default()); valid {
		t.Error("not-a-time has a place")
	}
	if x, _ := orderOf(dtype.Float64)(binary.NativeEndian.AppendUint64(nil, 1<<63)); x != 1<<63 {
		t.Error("-0 is not 0")
	}
	if orderOf(dtype.StringType) != nil || orderOf(dtype.BoolType) != nil {
		t.Error("texts and truth have an order")
	}
}

// TestTooManyIndexes warns where the indexes of files that are not in order are too
// many to be compared.
func TestTooManyIndexes(t *testing.T) {
	long := func(first float64) *member {
		m := file("t(t)=")
		h := m.arrays["t"]
		h.info.Shape = []int{comparedIndexes/2 + 1}
		h.made = func(i int) float64 { return first + float64(2*i) }
		return m
	}
	for _, override := range []bool{false, true} {
		src, err := combineAll(t, Options{Concat: "t", Wanted: everything, Override: override}, long(0), long(1))
		if err != nil {
			t.Fatal(err)
		}
		a, err := src.Array(t.Context(), "t")
		if err != nil {
			t.Fatal(err)
		}
		told := a.Info().Notes
		if findings := a.Info().Findings; !override {
			told = nil
			for _, f := range findings {
				told = append(told, f.Message)
			}
		}
		if !slices.ContainsFunc(told, func(text string) bool { return strings.Contains(text, "4194306 values, too many to look for") }) {
			t.Errorf("override %v: %q", override, told)
		}
	}
}

// TestDisorder warns, with Override, of values that do not go on as the order of the
// files has it; that files have one index twice is then as it is to be.
func TestDisorder(t *testing.T) {
	for name, test := range map[string]struct {
		order   string
		members []*member
		want    []string // messages of findings
	}{
		"overlap":       {"t", []*member{file("t(t)=0,2"), file("t(t)=1,3")}, []string{`ends with 2.0 in a and begins with 1.0 in b: they overlap`}},
		"up and down":   {"t", []*member{file("t(t)=0,1,0.5"), file("t(t)=3")}, []string{`goes neither up nor down throughout in a, from 0.0 to 0.5, as at index 2`}},
		"in order":      {"t", []*member{file("t(t)=3"), file("t(t)=0,1")}, nil},
		"without order": {"", []*member{file("t(t)=0,2"), file("t(t)=2,3")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			src, err := combineAll(t, Options{Concat: "t", Order: test.order, Wanted: everything, Override: true}, test.members...)
			if err != nil {
				t.Fatal(err)
			}
			a, err := src.Array(t.Context(), "t")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range a.Info().Findings {
				if got = append(got, f.Message); f.Code != Disordered {
					t.Errorf("code %q", f.Code)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("findings %q, want %q", got, test.want)
			}
		})
	}
}
