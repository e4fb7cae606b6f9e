package zarr

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseKey(t *testing.T) {
	for _, c := range []struct {
		key  string
		want []int // nil: the key belongs to no chunk
	}{
		{"c", []int{}},
		{"c/0", []int{0}},
		{"c/12/0/7", []int{12, 0, 7}},
		{"", nil},
		{"c/", nil},
		{"c/0/", nil},
		{"c//0", nil},
		{"c/01", nil},
		{"c/-1", nil},
		{"c/+1", nil},
		{"c0", nil},
		{"c/x", nil},
		{"d/0", nil},
		{"notes.txt", nil},
		{"c/99999999999999999999", nil},
	} {
		got, ok := ParseKey(c.key)
		if ok != (c.want != nil) || ok && cmp.Diff(c.want, got) != "" {
			t.Errorf("%q gives %v, %v", c.key, got, ok)
		}
		if key := (KeyEncoding{}).Key(got); ok && key != c.key {
			t.Errorf("%q comes back as %q", c.key, key)
		}
	}
}
