package run

import (
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
)

// TestAppendRefusesOtherAttributes appends an array whose attributes differ from those of the
// target. Attributes that say what values mean have to be the same; the job may give an
// attribute the value that the target has.
func TestAppendRefusesOtherAttributes(t *testing.T) {
	for name, test := range map[string]struct{ old, new, want string }{
		"mark in the target alone":    {", _FillValue: 10", "", "the attribute _FillValue is absent, in the target 10"},
		"mark in the source alone":    {"", ", _FillValue: 10", "the attribute _FillValue is 10, in the target absent"},
		"missing in the target alone": {", missing_value: [10]", "", "the attribute missing_value is absent, in the target [10]"},
		"other flags":                 {", flag_meanings: ok bad", ", flag_meanings: bad ok", `the attribute flag_meanings is "bad ok", in the target "ok bad"`},
		"other values of flags":       {", flag_values: [0, 1]", ", flag_values: [1, 2]", "the attribute flag_values is [1,2], in the target [0,1]"},
		"another name":                {", standard_name: air_temperature", ", standard_name: dew_point_temperature", "the attribute standard_name is"},
		"other methods":               {`, cell_methods: "time: mean"`, `, cell_methods: "time: point"`, `the attribute cell_methods is "time: point", in the target "time: mean"`},
		"other direction":             {", positive: up", ", positive: down", `the attribute positive is "down", in the target "up"`},
		"NaN in the target alone":     {", _FillValue: AAAAAAAA+H8=", "", ""},
		"NaN in the source alone":     {"", ", _FillValue: AAAAAAAA+H8=", ""},
		"missing NaN in the source":   {"", ", missing_value: NaN", ""},
		"NaN and a mark":              {", _FillValue: 10", ", _FillValue: AAAAAAAA+H8=", "the attribute _FillValue is NaN, in the target 10"},
		"other valid values":          {", valid_range: [0, 90]", ", valid_range: [0, 50]", "the attribute valid_range is [0,50], in the target [0,90]"},
		"a greatest value alone":      {"", ", valid_max: 50", "the attribute valid_max is 50, in the target absent"},
		"a least value gone":          {", valid_min: 5", "", "the attribute valid_min is absent, in the target 5"},
		"coordinates listed":          {", coordinates: lat", "", ""},
		"other coordinates":           {", coordinates: lat", ", coordinates: lon", `the attribute coordinates is "lon", in the target "lat"`},
		"a remark":                    {", comment: a", ", comment: b", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, env := t.TempDir(), jobtest.Environment()
			with := func(attributes string) []string {
				return []string{"units: K", "units: K" + attributes, "chunks: [4, 2]}", "chunks: [4, 2], cf: keep}"}
			}
			if _, err := execute(t, night{0, 3}.job(t, dir, with(test.old)...), env, Options{}); err != nil {
				t.Fatal(err)
			}
			_, err := execute(t, night{3, 1}.job(t, dir, with(test.new)...), env, Options{})
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), `array "g/v": `+test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			given := with(test.new)
			given[3] = "chunks: [4, 2], cf: keep, attributes: {" + strings.TrimPrefix(test.old, ", ") + "}}"
			if test.old == "" || test.want == "" {
				return
			}
			if _, err := execute(t, night{3, 1}.job(t, dir, given...), env, Options{}); err != nil {
				t.Errorf("with the target's attribute: %v", err)
			}
		})
	}
}
