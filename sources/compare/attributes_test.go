package compare

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

func TestSameJSON(t *testing.T) {
	for _, c := range []struct {
		x, y string
		same bool
	}{
		{"1", "1.0", true},
		{"1e3", "1000", true},
		{"-9223372036854775807", "-9223372036854775807", true},
		{"-9223372036854775807", "-9223372036854775806", false},
		{"[18446744073709551615]", "[18446744073709551614]", false},
		{`{"a": [1, 9007199254740993]}`, `{"a": [1.0, 9007199254740992]}`, false},
		{`"NaN"`, `"NaN"`, true},
		{`"K"`, `"degC"`, false},
		{"1e+20", "100000000000000000000", true},
		{"-0", "0", true},
		{"[1]", "[1, 1]", false},
		{"1e999", "1e998", false},
		{"null", "null", true},
		{"", "null", false},
		{"null", "", false},
		{"", "", true},
		{"[1", "{1", false}, // not JSON
	} {
		raw := func(text string) []byte {
			if text == "" {
				return nil
			}
			return []byte(text)
		}
		if got := SameJSON(raw(c.x), raw(c.y)); got != c.same {
			t.Errorf("%s, %s: %v", c.x, c.y, got)
		}
	}
}

// TestAttribute weighs the difference between the values of an attribute in an array that
// is kept and in an array that is joined to it.
func TestAttribute(t *testing.T) {
	const nan, tens = `"AAAAAAAA+H8="`, `"AAAAAAAAJEA="` // NaN and 10 in base64
	for _, test := range []struct {
		name, stays, comes string // "": none
		want               Weight
		differ             bool
	}{
		{"comment", `"a"`, `"a"`, Spelling, false},
		{"comment", `"a"`, `"b"`, Remark, true},
		{"comment", "", `"b"`, Remark, true},
		{"comment", "null", "", Remark, true},
		{"units", `"K"`, `"degC"`, Meaning, true},
		{"units", `"K"`, "", Meaning, true},
		{"units", `"days since 2000-01-01"`, `"day since 2000-1-1 00:00"`, Spelling, true},
		{"calendar", "", `"gregorian"`, Spelling, true},
		{"calendar", "", `"noleap"`, Meaning, true},
		{"calendar", `"standard"`, `"proleptic_gregorian"`, Meaning, true},
		{"scale_factor", "1", "1.0", Spelling, false},
		{"scale_factor", "1", "1.5", Meaning, true},
		{"add_offset", "1", "", Meaning, true},
		{"_Unsigned", `"true"`, "", Meaning, true},
		{"_FillValue", nan, "", Remark, true},
		{"_FillValue", "", nan, Remark, true},
		{"_FillValue", nan, `"NaN"`, Spelling, true},
		{"_FillValue", tens, "10", Spelling, true},
		{"_FillValue", "10.0", tens, Spelling, true},
		{"_FillValue", tens, "11", Meaning, true},
		{"_FillValue", tens, "", Meaning, true},
		{"_FillValue", tens, nan, Meaning, true},
		{"_FillValue", `"Infinity"`, `"AAAAAAAA8H8="`, Spelling, true},
		{"_FillValue", `"Infinity"`, `"AAAAAAAA8P8="`, Meaning, true},
		{"_FillValue", "1e20", `"QIy1eB2vFUQ="`, Spelling, true},
		{"_FillValue", "null", `"AAAAAAAAAAA="`, Meaning, true},
		{"_FillValue", "0", `"AAAAAAAAAAA="`, Spelling, true},
		{"_FillValue", "[10]", tens, Meaning, true},
		{"_FillValue", "9007199254740993", "9007199254740992", Meaning, true},
		{"missing_value", "", `"NaN"`, Remark, true},
		{"missing_value", "10", `"NaN"`, Meaning, true},
		{"missing_value", "[10]", "10", Meaning, true},
		{"comment", "10", tens, Remark, true},
		{"comment", nan, "", Remark, true},
		{"valid_max", nan, "", Telling, true},
		{"coordinates", `"lat lon"`, "", Remark, true},
		{"coordinates", "", `"lat lon"`, Telling, true},
		{"coordinates", `"lat lon"`, `"lat"`, Telling, true},
		{"bounds", `"b"`, "", Telling, true},
		{"flag_meanings", `"a b"`, `"b a"`, Telling, true},
	} {
		raw := func(text string) json.RawMessage {
			if text == "" {
				return nil
			}
			return json.RawMessage(text)
		}
		if w, differ := Attribute(test.name, raw(test.stays), raw(test.comes)); w != test.want || differ != test.differ {
			t.Errorf("%s %s and %s: weight %d, differ %v", test.name, test.stays, test.comes, w, differ)
		}
	}
}

// TestAttributes lists differences, including types of numbers that are known in both
// arrays. Attributes that packed elements depend on weigh more.
func TestAttributes(t *testing.T) {
	described := func(text string, types map[string]dtype.Type) *sources.Info {
		info := &sources.Info{AttributeTypes: types}
		if err := json.Unmarshal([]byte(text), &info.Attributes); err != nil {
			t.Fatal(err)
		}
		return info
	}
	a := described(`{"valid_max": 3, "units": "K", "comment": "a", "_FillValue": "AAAAAAAA+H8=", "scale_factor": 2}`,
		map[string]dtype.Type{"valid_max": dtype.Int8, "scale_factor": dtype.Float32})
	b := described(`{"comment": "b", "valid_max": 3, "scale_factor": 2.0}`, map[string]dtype.Type{"valid_max": dtype.Uint8})
	want := []Difference{
		{Remark, "_FillValue", "the attribute _FillValue", "NaN", "absent"},
		{Remark, "comment", "the attribute comment", `"a"`, `"b"`},
		{Meaning, "units", "the attribute units", `"K"`, "absent"},
		{Telling, "valid_max", "the attribute valid_max", "3 of int8", "3 of uint8"},
	}
	if diff := cmp.Diff(want, Attributes(a, b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	a.Packing = packed{}
	want[3].Weight = Meaning
	if diff := cmp.Diff(want, Attributes(a, b)); diff != "" {
		t.Errorf("packed (-want +got):\n%s", diff)
	}
}

// packed is a packing in float32. If fault is set, no codecs can describe it.
type packed struct{ fault error }

func (p packed) AsCodecs() (*cf.Outcome, error) { return &cf.Outcome{Type: dtype.Float32}, p.fault }

// TestAttributeText spells values for people.
func TestAttributeText(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"units", `"K"`, `"K"`}, {"valid_range", "[ 1,\n 2 ]", "[1,2]"}, {"_FillValue", `"AAAAAAAAJEA="`, "10"},
		{"comment", `"AAAAAAAAJEA="`, `"AAAAAAAAJEA="`}, {"comment", "[", "["}, {"_FillValue", "7", "7"},
	} {
		if got := AttributeText(test.name, json.RawMessage(test.value)); got != test.want {
			t.Errorf("%s %s is %s, want %s", test.name, test.value, got, test.want)
		}
	}
	if got := AttributeText("units", nil); got != "absent" {
		t.Errorf("none is %s", got)
	}
}

// TestInherit gives bounds the attributes of their coordinate that they lack.
func TestInherit(t *testing.T) {
	own := zarr.Attributes{{Name: "units", Value: json.RawMessage(`"s"`)}}
	coordinate := zarr.Attributes{{Name: "units", Value: json.RawMessage(`"h"`)}, {Name: "calendar", Value: json.RawMessage(`"noleap"`)}}
	for name, want := range map[string]string{"units": `"s"`, "calendar": `"noleap"`, "axis": ""} {
		if got := Inherit(name, own, coordinate); string(got) != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
