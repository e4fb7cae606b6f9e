package stages

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/sources/arrow/ipc"
	"github.com/zmigrate/zmigrate/sources/arrow/parquet"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// TestDamagedSource: the error about a damaged chunk of the source names a way out. A source that is
// one array cannot do without it.
func TestDamagedSource(t *testing.T) {
	const copied = "(the source is damaged: take another copy of it"
	for _, test := range []struct {
		path, doing string
		err         error
		want        string // end of the message
	}{
		{"x", "read", codecs.ErrCorrupt, copied + ", or leave the array out with source.exclude)"},
		{"x", "read", hdf5.ErrCorrupt, copied + ", or leave the array out with source.exclude)"},
		{"x", "read", parquet.ErrCorrupt, copied + ", or leave the array out with source.exclude)"},
		{"x", "read", ipc.ErrCorrupt, copied + ", or leave the array out with source.exclude)"},
		{"x", "read", codecs.ErrTooLarge, copied + ", or leave the array out with source.exclude)"},
		{"", "read", codecs.ErrCorrupt, copied + ")"},
		{"x", "encode", codecs.ErrCorrupt, "sum: corrupt data"},
		{"x", "read", errors.New("no network"), "sum: no network"},
	} {
		err := (&Task{Path: test.path}).fail([]int{3}, test.doing, fmt.Errorf("sum: %w", test.err))
		if got := err.Error(); !strings.HasPrefix(got, fmt.Sprintf("array %q, chunk [3]: %s: sum: ", test.path, test.doing)) || !strings.HasSuffix(got, test.want) || !errors.Is(err, test.err) {
			t.Errorf("%q, %s: %s, want %s", test.path, test.doing, got, test.want)
		}
	}
}
