package plan

import (
	"testing"

	"github.com/zmigrate/zmigrate/internal/ngff"
)

// TestNodePlaces names nodes as a group of the target does.
func TestNodePlaces(t *testing.T) {
	nodes := &nodePlaces{
		source: map[string]bool{"": true, "i": true, "i/0": true, "i/1": true, "i/__2": true, "i/labels": true, "i/labels/a": true, "OME": true},
		arrays: map[string]string{"i/0": "i/full", "i/__2": "i/2"},
		groups: map[string]bool{"": true, "i": true, "i/labels": true, "i/labels/a": true, "OME": true},
	}
	for _, c := range []struct {
		group, at, want string
		place           ngff.Place
	}{
		{"i", "0", "full", ngff.There},
		{"i", "__2", "2", ngff.There},
		{"i", "1", "", ngff.Without},
		{"i", "3", "", ngff.Nowhere},
		{"i", "../../i", "", ngff.Nowhere},
		{"", "i/0", "i/full", ngff.There},
		{"", "../i/0", "", ngff.Nowhere},
		{"i/labels", "./a", "./a", ngff.There},
		{"i/labels/a", "../../", "../../", ngff.There},
		{"i/labels/a", "../../0", "../../full", ngff.There},
		{"OME", "../i", "../i", ngff.There},
	} {
		if got, place := nodes.find(c.group, c.group, c.at); got != c.want || place != c.place {
			t.Errorf("%q names %q: %q, %v, want %q, %v", c.group, c.at, got, place, c.want, c.place)
		}
	}
}
