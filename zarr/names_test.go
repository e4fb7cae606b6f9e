package zarr

import (
	"strings"
	"testing"
)

func TestCleanPath(t *testing.T) {
	for path, want := range map[string]string{
		"":                          "",
		"a":                         "a",
		"a b/ c ":                   "a b/ c ",
		"_a/a__":                    "_a/a__",
		"__categories":              "categories",
		"__categories/label":        "categories/label",
		"g/__DATA_TYPES__":          "g/DATA_TYPES",
		"____x_":                    "x_",
		"__":                        "unnamed",
		"______":                    "unnamed",
		".":                         "unnamed",
		"..":                        "unnamed",
		"...":                       "unnamed",
		"__..":                      "unnamed",
		"..a":                       "..a",
		"a//b":                      "a/unnamed/b",
		"/a":                        "unnamed/a",
		"zarr.json":                 "zarr_json",
		"__zarr.json":               "zarr_json",
		"g/zarr.json/x":             "g/zarr_json/x",
		"yy\x00":                    "yy",
		"yy\x00\x00":                "yy",
		"\x00":                      "unnamed",
		"y\x00y":                    "y_y",
		"\x00\x00y":                 "y",
		"tab\tnewline\n":            "tab_newline_",
		`back\slash`:                "back_slash",
		"\xff\xfe.x":                ".x", // the two bytes become underscores first
		"über":                      "über",
		"c1 \u0085":                 "c1 _",
		strings.Repeat("long", 100): strings.Repeat("long", 100),
	} {
		got := CleanPath(path)
		if got != want {
			t.Errorf("%q becomes %q, want %q", path, got, want)
		}
		if again := CleanPath(got); again != got {
			t.Errorf("%q becomes %q, and that %q", path, got, again)
		}
		if err := CheckPath(got); err != nil && len(path) < 256 {
			t.Errorf("%q becomes %q: %v", path, got, err)
		}
	}
	for name, want := range map[string]string{"": "unnamed", "/": "_", "a/b": "a_b", "//a": "a", "a": "a"} {
		if got := CleanName(name); got != want {
			t.Errorf("the name %q becomes %q, want %q", name, got, want)
		}
	}
}

func FuzzCleanPath(f *testing.F) {
	f.Add("__a/b\x00/..")
	f.Fuzz(func(t *testing.T, path string) {
		got := CleanPath(path)
		if CheckPath(path) == nil && got != path {
			t.Errorf("%q becomes %q", path, got)
		}
		if err := CheckPath(got); err != nil && !strings.Contains(err.Error(), "too long") {
			t.Errorf("%q becomes %q: %v", path, got, err)
		}
	})
}
