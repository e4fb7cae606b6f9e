package arrow_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/arrow"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestIntegration compares columns of files of Arrow 0.14 and of files of big-endian machines
// with what pyarrow reads; see testdata/README.md. Columns of other types are refused, and
// the cause says so.
func TestIntegration(t *testing.T) {
	dir := sourcetest.Unzip(t, "testdata/integration.zip")
	equal := 0
	for name, want := range readGolden(t, dir) {
		t.Run(name, func(t *testing.T) {
			opt := arrow.Options{Null: func(_ string, typ dtype.Type) (dtype.Scalar, error) { return null(t, typ), nil }}
			src := open(t, opt, filepath.Join(dir, name))
			listed := map[string]bool{}
			for _, path := range src.Arrays() {
				listed[path] = true
			}
			for path, c := range want.Columns {
				_, err := src.Array(t.Context(), path)
				if !listed[path] {
					// It belongs to a column that is refused as a whole.
					whole, _, _ := strings.Cut(path, "/")
					_, err = src.Array(t.Context(), whole)
				}
				switch {
				case err == nil:
					equal++
					t.Run(path, func(t *testing.T) { checkColumn(t, src, path, c) })
				case !sources.Unsupported(err):
					t.Errorf("%s of type %s: %v", path, c.Type, err)
				}
			}
		})
	}
	if equal < 500 {
		t.Errorf("only %d columns were read", equal)
	}
}
