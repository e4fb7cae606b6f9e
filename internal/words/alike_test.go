package words

import "testing"

// Messages are alike if only names, paths and numbers differ.
func TestAlike(t *testing.T) {
	for name, test := range map[string]struct {
		a, b string
		want bool
	}{
		"arrays":      {`array "a": is odd`, `array "b \"c\"": is odd`, true},
		"paths":       {`units is "K" in /d/a.nc and "m" in s3://b/x.nc; no`, `units is "K" in /d/a.nc and "s" in s3://b/y z.nc; no`, false}, // a space ends a path
		"more paths":  {`units is "K" in /d/a.nc and "m" in s3://b/x.nc; no`, `units is "s" in /d/b.nc and "m" in s3://b/q.nc; no`, true},
		"numbers":     {"32768 values, 1.5 to -2e+03", "7 values, 2 to 4", true},
		"other words": {`the attribute units is "K"`, `the attribute title is "K"`, false},
	} {
		if got := Alike(test.a) == Alike(test.b); got != test.want {
			t.Errorf("%s: %q and %q: alike is %t", name, Alike(test.a), Alike(test.b), got)
		}
	}
	if got, want := Some([]string{"a", "b", "c", "d", "e", "f"}), "a, b, c, d, e, …"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
