package cf

import (
	"encoding/json"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

// TestJoinLimits joins limits of two arrays.
func TestJoinLimits(t *testing.T) {
	for _, c := range []struct{ name, x, y, want string }{
		{"valid_min", "0", "24.0", "0"},
		{"valid_min", "0.5", "-24", "-24"},
		{"valid_max", "6", "30.0", "30.0"},
		{"valid_max", "[6]", "30", "[30]"},
		{"valid_max", "30", "[6]", "30"},
		{"actual_range", "[0, 6.0]", "[24,30.0]", "[0,30.0]"},
		{"actual_range", "[0,6]", "[-1,7]", "[-1,7]"},
		{"actual_range", "[-1,7]", "[0,6]", "[-1,7]"},
		{"actual_range", "[90,0]", "[0,-90]", "[90,-90]"},
		{"actual_range", "[-2.5,-2.5]", "[0,-90]", "[0,-90]"},
		{"actual_range", "[5,5]", "[0,3]", "[0,5]"},
		{"actual_range", "[90,0]", "[-90,0]", ""}, // they run both ways
		{"actual_range", "[0,6]", `["NaN","NaN"]`, ""},
		{"actual_range", "[0,6]", `[0,"Infinity"]`, ""},
		{"actual_range", "[0,6]", "", ""},
		{"actual_range", "", "[0,6]", ""},
		{"valid_range", "[0,6,7]", "[0,6,7]", ""},
		{"valid_range", "[]", "[]", ""},
		{"valid_max", "[1,2]", "3", ""},
		{"valid_max", `"late"`, "3", ""},
	} {
		raw := func(s string) json.RawMessage {
			if s == "" {
				return nil
			}
			return json.RawMessage(s)
		}
		got, ok := JoinLimits(c.name, raw(c.x), raw(c.y), nil, nil)
		if ok != (c.want != "") || string(got) != c.want {
			t.Errorf("%s: %s and %s became %s, want %s", c.name, c.x, c.y, got, c.want)
		}
	}
	// 0.1 as float32 is greater than 0.1 as float64.
	if got, _ := JoinLimits("valid_max", json.RawMessage("0.10"), json.RawMessage("0.1"), dtype.Float64, dtype.Float32); string(got) != "0.1" {
		t.Errorf("got %s", got)
	}
}
