package compare

import (
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

// TestSameElement compares elements as values.
func TestSameElement(t *testing.T) {
	for _, test := range []struct {
		t    dtype.Type
		x, y string
		same bool
	}{
		{dtype.Float64, "1.5", "1.5", true}, {dtype.Float64, "1.5", "1.25", false}, {dtype.Float64, "0.0", "-0.0", true},
		{dtype.Float64, `"NaN"`, `"0x7ff8000000000007"`, true}, {dtype.Float64, `"NaN"`, "1.0", false}, {dtype.Float64, "1.0", `"NaN"`, false},
		{dtype.Float64, `"NaN"`, `"Infinity"`, false}, {dtype.Float64, `"-Infinity"`, `"Infinity"`, false},
		{dtype.Float32, "1.5", "1.5", true}, {dtype.Float32, "1.5", "-1.5", false}, {dtype.Float32, "0.0", "-0.0", true},
		{dtype.Float32, `"NaN"`, `"0xffc00007"`, true}, {dtype.Float32, "0.0", `"NaN"`, false},
		{dtype.Int8, "-1", "-1", true}, {dtype.Int8, "-1", "1", false}, {dtype.Uint64, "7", "8", false},
		{dtype.BoolType, "true", "true", true}, {dtype.BoolType, "true", "false", false},
	} {
		var items [2]dtype.Scalar
		for i, text := range []string{test.x, test.y} {
			item, err := test.t.ParseScalar(dtype.V3, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			items[i] = item
		}
		if v := ValuesOf(test.t); v.Same(items[0], items[1]) != test.same {
			t.Errorf("%s: %s is %s: %v", test.t.Name(), test.x, test.y, !test.same)
		}
	}
}

// TestClip shortens texts that are long, between characters.
func TestClip(t *testing.T) {
	for text, want := range map[string]string{
		"": "", strings.Repeat("a", 80): strings.Repeat("a", 80), strings.Repeat("a", 81): strings.Repeat("a", 80) + "…",
		strings.Repeat("a", 79) + "äb": strings.Repeat("a", 79) + "…", strings.Repeat("a", 78) + "äb": strings.Repeat("a", 78) + "ä…",
	} {
		if got := clip(text, 80); got != want {
			t.Errorf("%s becomes %s", text, got)
		}
	}
}
