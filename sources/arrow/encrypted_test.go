package arrow_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/arrow"
	"github.com/zmigrate/zmigrate/sources/arrow/parquet"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestEncryptedColumn reads the plain column of a file, and refuses to open the
// encrypted one.
func TestEncryptedColumn(t *testing.T) {
	src := open(t, arrow.Options{}, "testdata/encrypted_column.parquet")
	if _, err := src.Array(t.Context(), "a"); !errors.Is(err, parquet.ErrUnsupported) || !strings.Contains(err.Error(), "without encryption") {
		t.Errorf("the encrypted column: error %v", err)
	}
	b, err := src.Array(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := ndarray.As[int64](sourcetest.ReadAll(t, b)); !slices.Equal(got, []int64{3, 4}) {
		t.Errorf("got %v", got)
	}
}
