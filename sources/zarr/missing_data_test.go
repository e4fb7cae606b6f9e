package zarr_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// TestMissingOfV2: xarray takes the same values for missing data in an array of v2 and,
// by the attribute _FillValue, in the array of v3.
func TestMissingOfV2(t *testing.T) {
	const named = `"_ARRAY_DIMENSIONS":["x"]`
	for name, test := range map[string]struct {
		dtype, fill, attributes string
		mode                    cf.Mode
		want                    string // the expected attribute
		said                    string // text of a note or of a finding
	}{
		"packed":                {"<i2", "-32768", named + `,"scale_factor":0.5`, cf.Keep, "-32768", "says so"},
		"packed, no dimensions": {"<i2", "-32768", `"scale_factor":0.5`, cf.Keep, "", "[fill-value-meaning]"},
		"packed zero":           {"<i2", "0", named + `,"scale_factor":0.5`, cf.Keep, "", "[fill-value-meaning]"},
		"packed zero, undone":   {"<i2", "0", `"scale_factor":0.5`, cf.Codecs, "0", ""},
		"float":                 {"<f4", "-9999.0", named, cf.Keep, `"AAAAAICHw8A="`, "-9999, for missing"},
		"float, unpack":         {"<f4", "-9999.0", named, cf.Unpack, `"AAAAAICHw8A="`, "-9999, for missing"},
		"NaN":                   {"<f8", `"NaN"`, named, cf.Keep, "", ""},
		"infinity":              {"<f8", `"Infinity"`, named, cf.Keep, `"AAAAAAAA8H8="`, "+Inf, for missing"},
		"minus zero":            {"<f8", "-0.0", named, cf.Keep, `"AAAAAAAAAIA="`, "says so"},
		"zero":                  {"<f8", "0.0", named, cf.Keep, "", "[fill-value-meaning]"},
		"null":                  {"|u1", "null", named, cf.Keep, "", ""},
		"bytes":                 {"|u1", "255", named, cf.Keep, "255", "255, for missing"},
		"bytes, no dimensions":  {"|u1", "255", `"units":"1"`, cf.Keep, "", ""},
		"times":                 {"<i8", "-9223372036854775808", named + `,"units":"days since 2000-01-01"`, cf.Keep, "-9223372036854775808", "says so"},
		"booleans":              {"|b1", "true", named, cf.Keep, "", "[fill-value-meaning]"},
		"named in both ways":    {"<i2", "-1", named + `,"_FillValue":-1`, cf.Keep, "-1", ""},
		"named otherwise":       {"<i2", "-1", named + `,"_FillValue":-2`, cf.Keep, "-2", "[fill-value-meaning]"},
		"a number for a float":  {"<f8", "null", named + `,"_FillValue":-9999.0`, cf.Keep, `"AAAAAICHw8A="`, ""},
		"in the form of v3":     {"<f8", "null", named + `,"_FillValue":"AAAAAICHw8A="`, cf.Keep, `"AAAAAICHw8A="`, ""},
		"a word for a number":   {"<i2", "null", named + `,"_FillValue":"none"`, cf.Keep, `"none"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{
				".zarray": fmt.Sprintf(`{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":%q,"compressor":null,"filters":null,"fill_value":%s,"order":"C"}`, test.dtype, test.fill),
				".zattrs": "{" + test.attributes + "}",
			} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			a, err := open(t, dir, zarr.Options{CF: func(string) cf.Mode { return test.mode }}).Array(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			info := a.Info()
			if got := string(info.Attributes.Get("_FillValue")); got != test.want {
				t.Errorf("the attribute is %s, want %s", got, test.want)
			}
			said := strings.Join(info.Notes, "\n")
			for _, f := range info.Findings {
				said += "[" + f.Code + "]"
			}
			if test.fill == "null" {
				said = strings.TrimPrefix(said, "the fill value is null: chunks that are not stored are read as the default value of the data type")
			}
			if test.said == "" && said != "" || !strings.Contains(said, test.said) {
				t.Errorf("says %q, want %q", said, test.said)
			}
			plain, err := open(t, dir, zarr.Options{}).Array(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			if own := plain.Info().Attributes.Get("_FillValue") != nil; own != strings.Contains(test.attributes, "_FillValue") {
				t.Errorf("as it is, it has the attribute: %v", own)
			}
		})
	}
}

// TestZeroThatIsMissing has a fill value of zero beside arrays without fill values,
// which xarray writes for arrays without missing data. It does not matter which array is
// opened first. An array that is opened twice is the same array.
func TestZeroThatIsMissing(t *testing.T) {
	const named = `{"_ARRAY_DIMENSIONS":["x"]}`
	for name, test := range map[string]struct {
		other, attributes string // fill value and attributes of another array
		want              string
	}{
		"null": {"null", named, "0"}, "NaN": {"NaN", named, "0"}, "zero": {"0", named, ""}, "null, of another writer": {"null", `{}`, ""},
	} {
		dir := t.TempDir()
		for file, text := range map[string]string{
			"a/.zarray": `{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":"|u1","compressor":null,"filters":null,"fill_value":0,"order":"C"}`,
			"a/.zattrs": named,
			"b/.zarray": `{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":"<f4","compressor":null,"filters":null,"fill_value":` + test.other + `,"order":"C"}`,
			"b/.zattrs": test.attributes,
		} {
			if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700), os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		s := open(t, dir, zarr.Options{CF: func(string) cf.Mode { return cf.Keep }})
		_, errB := s.Array(t.Context(), "b")
		a, errA := s.Array(t.Context(), "a")
		again, err := s.Array(t.Context(), "a")
		if err := errors.Join(errB, errA, err); err != nil {
			t.Fatal(err)
		}
		if again != a {
			t.Errorf("%s: opened twice, a is %v and %v", name, a, again)
		}
		if got := string(a.Info().Attributes.Get("_FillValue")); got != test.want || (len(a.Info().Findings) == 0) != (got != "") {
			t.Errorf("%s: the attribute is %s, want %s; findings %v", name, got, test.want, a.Info().Findings)
		}
	}
}
