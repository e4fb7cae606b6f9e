package compare

import "testing"

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
		{"", "", true},
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
