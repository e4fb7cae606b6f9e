package hdf5

import (
	"errors"
	"strings"
	"testing"
)

// TestFilterNames: the error about a filter without a decoder names the filter and a
// way out.
func TestFilterNames(t *testing.T) {
	shared := NewShared(0)
	for _, test := range []struct {
		filter Filter
		want   string
	}{
		{Filter{ID: 32028}, "sperr (filter 32028): "},
		{Filter{ID: 305, Name: "lzo"}, "lzo (filter 305): "},
		{Filter{ID: 32013, Name: "H5Z-ZFP-1.0.1"}, "zfp (filter 32013): "},
		{Filter{ID: 32017}, "sz (filter 32017): "},
		{Filter{ID: 40000, Name: "ours"}, "ours (filter 40000): "},
		{Filter{ID: 40001}, "(filter 40001): "},
	} {
		_, err := shared.steps([]Filter{test.filter})
		if !errors.Is(err, errors.ErrUnsupported) || !strings.HasPrefix(err.Error(), test.want) || !strings.Contains(err.Error(), "h5repack -f NONE") {
			t.Errorf("%v: %v, want %s", test.filter, err, test.want)
		}
	}
}
