package plan

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/zarr"
)

// TestUnreadFill plans arrays with an attribute _FillValue that xarray does not read. NaN
// for integers is left out. Other forms stay, with a warning.
func TestUnreadFill(t *testing.T) {
	for name, test := range map[string]struct{ dataType, fill, options, attribute, finding string }{
		"a number for int16":      {"int16", "-1", "", "-1", ""},
		"a fraction for int16":    {"int16", "-1.5", "", "", ""},
		"an integral double":      {"int16", "-1.0", "", "-1.0", ""},
		"beyond int16":            {"int16", "1e20", "", "1e20", ""},
		"an infinity for int16":   {"int16", `"-Infinity"`, "", "", ""},
		"a fraction for float32":  {"float32", `"AAAAAAAA4D8="`, "", `"AAAAAAAA4D8="`, ""},
		"NaN for int16":           {"int16", `"NaN"`, "", "", ""},
		"NaN for uint8":           {"uint8", `"NaN"`, "", "", ""},
		"NaN for int16, unpacked": {"int16", `"NaN", scale_factor: 0.5`, "source.cf=unpack", "", ""},
		"NaN for int16, packed":   {"int16", `"NaN", scale_factor: 0.5`, "source.cf=codecs", "", ""},
		"NaN for int16, kept":     {"int16", `"NaN", scale_factor: 0.5`, "source.cf=keep", "", ""},
		"NaN of the job":          {"int16", "-1", `arrays.v.attributes._FillValue="NaN"`, `"NaN"`, ""},
		"NaN, removed":            {"int16", `"NaN"`, "arrays.v.attributes._FillValue=null", "", ""},
		"text for int16":          {"int16", `"-1"`, "", `"-1"`, `the attribute _FillValue: "-1" of integers`},
		"a list for int16":        {"int16", "[]", "", "[]", "the attribute _FillValue: [] of integers"},
		"text for float32":        {"float32", `"-1"`, "", `"-1"`, `the attribute _FillValue: "-1" of floats`},
		"text for r16":            {"r16", `"AQI="`, "", `"AQI="`, `the attribute _FillValue: "AQI=" of the data type r16`},
		"text for r16, removed":   {"r16", `"AQI="`, "arrays.v.attributes._FillValue=null", "", ""},
		"a number for bool":       {"bool", "1", "", "1", ""},
		"text, unpacked":          {"int16", `"-1", scale_factor: 0.5`, "source.cf=unpack", "", `the attribute _FillValue ("-1") is ignored`},
		"text, removed":           {"int16", `"-1"`, "arrays.v.attributes._FillValue=null", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "v.raw"), make([]byte, 4), 0o600); err != nil {
				t.Fatal(err)
			}
			job := func(set ...string) *jobfile.Job {
				shape := map[string]string{"bool": "4", "uint8": "4", "int16": "2", "r16": "2", "float32": "1"}[test.dataType]
				text := "zmigrate: 1\nsource: {driver: raw, arrays: {v: {url: v.raw, data_type: " + test.dataType + ", shape: [" + shape + "], dimension_names: [x], attributes: {_FillValue: " + test.fill + "}}}}\ntarget: {url: out.zarr}\n"
				j, err := jobfile.Parse("job.yaml", []byte(text), dir, jobfile.LoadOptions{Set: set})
				if err != nil {
					t.Fatal(err)
				}
				return j
			}
			var set []string
			if test.options != "" {
				set = append(set, test.options)
			}
			p := planOf(t, job(set...))
			if got := string(p.Arrays[0].Meta.Attributes.Get("_FillValue")); got != test.attribute {
				t.Errorf("the attribute is %s, want %s", got, test.attribute)
			}
			if got := p.Findings.Error(); (got == "") != (test.finding == "") || !strings.Contains(got, test.finding) {
				t.Errorf("findings %q, want %q", got, test.finding)
			}
		})
	}
}

// TestUnreadMissing plans arrays with an attribute missing_value. xarray takes NaN and infinities
// in it for texts, and then no value of the attribute for missing data.
func TestUnreadMissing(t *testing.T) {
	for name, test := range map[string]struct {
		dataType, missing string
		warns             bool
	}{
		"NaN":                    {"float32", `"NaN"`, false},
		"a list of NaN":          {"float32", `["NaN"]`, false},
		"NaN and a number":       {"float32", `["NaN", -5]`, true},
		"NaN and an integer":     {"int32", `["NaN", -5]`, true},
		"an infinity":            {"float32", `"-Infinity"`, true},
		"infinities":             {"float32", `["Infinity", "-Infinity"]`, true},
		"an infinity of int32":   {"int32", `"Infinity"`, false},
		"two numbers":            {"float32", "[-5, 7]", false},
		"a text, as it was read": {"float32", `"-5"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "v.raw"), make([]byte, 4), 0o600); err != nil {
				t.Fatal(err)
			}
			text := "zmigrate: 1\nsource: {driver: raw, arrays: {v: {url: v.raw, data_type: " + test.dataType + ", shape: [1], dimension_names: [x], attributes: {missing_value: " + test.missing + "}}}}\ntarget: {url: out.zarr}\n"
			j, err := jobfile.Parse("job.yaml", []byte(text), dir, jobfile.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			const want = "for missing data: it reads NaN and infinities as texts"
			if got := planOf(t, j).Findings.Error(); strings.Contains(got, want) != test.warns || !test.warns && got != "" {
				t.Errorf("findings %q", got)
			}
		})
	}
}

// TestMissingNaN plans arrays whose missing_value is NaN alone. xarray opens them, but cannot
// write them again if they also have a _FillValue, or are integers.
func TestMissingNaN(t *testing.T) {
	for name, test := range map[string]struct{ dataType, attributes, options, want string }{
		"beside NaN":              {"float32", `_FillValue: "NaN", missing_value: "NaN"`, "", ""},
		"a list beside NaN":       {"float32", `_FillValue: "NaN", missing_value: ["NaN"]`, "", ""},
		"beside a number":         {"float32", `_FillValue: "AAAAAAAA4D8=", missing_value: "NaN"`, "", ""},
		"alone":                   {"float32", `missing_value: "NaN"`, "", `"NaN"`},
		"beside a fill of a job":  {"float32", `missing_value: "NaN"`, `arrays.v.attributes._FillValue="NaN"`, ""},
		"of integers":             {"int32", `missing_value: "NaN"`, "", ""},
		"of packed integers":      {"int32", `_FillValue: -1, scale_factor: 0.5, missing_value: "NaN"`, "", ""},
		"of the job":              {"float32", `_FillValue: "NaN"`, `arrays.v.attributes.missing_value="NaN"`, `"NaN"`},
		"and a number":            {"float32", `_FillValue: "NaN", missing_value: ["NaN", -5]`, "", `["NaN",-5]`},
		"no value":                {"float32", `_FillValue: "NaN", missing_value: []`, "", `[]`},
		"an infinity of integers": {"int32", `missing_value: "Infinity"`, "", `"Infinity"`},
		"a number":                {"float32", `_FillValue: "NaN", missing_value: -5`, "", "-5"},
		"of times":                {"int32", `units: days since 2000-01-01, missing_value: "NaN"`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "v.raw"), make([]byte, 4), 0o600); err != nil {
				t.Fatal(err)
			}
			var set []string
			if test.options != "" {
				set = append(set, test.options)
			}
			text := "zmigrate: 1\nsource: {driver: raw, arrays: {v: {url: v.raw, data_type: " + test.dataType + ", shape: [1], dimension_names: [x], attributes: {" + test.attributes + "}}}}\ntarget: {url: out.zarr}\n"
			j, err := jobfile.Parse("job.yaml", []byte(text), dir, jobfile.LoadOptions{Set: set})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(planOf(t, j).Arrays[0].Meta.Attributes.Get("missing_value")); got != test.want {
				t.Errorf("the attribute is %s, want %s", got, test.want)
			}
		})
	}
}

// TestMissingNaNOfEarlierVersion plans floats whose missing_value is NaN once more, for a target
// in which an earlier version has kept that attribute. It stays.
func TestMissingNaNOfEarlierVersion(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "v.raw"), make([]byte, 4), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := jobfile.Parse("job.yaml", []byte(`
zmigrate: 1
source: {driver: raw, arrays: {v: {url: v.raw, data_type: float32, shape: [1], dimension_names: [x], attributes: {_FillValue: "AAAAAAAA+H8=", missing_value: "NaN"}}}}
target: {url: out.zarr}
`), dir, jobfile.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	keepsEarlier(t, j, "missing_value", `"NaN"`)
}

// TestUnreadFillOfEarlierVersion plans integers whose _FillValue is NaN once more, for a
// target in which an earlier version has kept that attribute. It stays.
func TestUnreadFillOfEarlierVersion(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "v.raw"), make([]byte, 4), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := jobfile.Parse("job.yaml", []byte(`
zmigrate: 1
source: {driver: raw, arrays: {v: {url: v.raw, data_type: int16, shape: [2], dimension_names: [x], attributes: {_FillValue: "NaN"}}}}
target: {url: out.zarr}
`), dir, jobfile.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	keepsEarlier(t, j, "_FillValue", `"NaN"`)
}

// keepsEarlier gives a job with one array the checkpoint of an earlier version, in which the
// array has another value of an attribute, and checks that the array keeps that value.
func keepsEarlier(t *testing.T, j *jobfile.Job, attribute, earlierValue string) {
	t.Helper()
	p := planOf(t, j)
	now, err := p.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	meta := *p.Arrays[0].Meta
	meta.Attributes = meta.Attributes.With(attribute, json.RawMessage(earlierValue))
	beginCheckpoint(t, j, withDigest(t, now, p.Arrays[0].Meta, &meta))
	if got := planOf(t, j).Arrays[0].Meta; digestOf(t, got) != digestOf(t, &meta) {
		t.Error("the metadata are not those of the earlier version")
	}
}

// withDigest returns a manifest with the digest of the metadata of an earlier version in the
// place of the digest of now.
func withDigest(t *testing.T, text []byte, now, earlier *zarr.Array) string {
	t.Helper()
	changed := strings.ReplaceAll(string(text), digestOf(t, now), digestOf(t, earlier))
	if changed == string(text) {
		t.Fatal("the manifest does not have the digest of the metadata")
	}
	return changed
}

func digestOf(t *testing.T, meta *zarr.Array) string {
	t.Helper()
	text, err := json.Marshal(meta)
	if err != nil {
		t.Fatal(err)
	}
	return manifest.MetadataDigest(text)
}
