package arrow_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/sources/arrow"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestSets reads maps that have keys and no values: they are lists of keys, as in pyarrow.
func TestSets(t *testing.T) {
	zero := func(_ string, typ dtype.Type) (dtype.Scalar, error) {
		return typ.ParseScalar(dtype.V3, json.RawMessage("0"))
	}
	src := open(t, arrow.Options{Null: zero}, "testdata/sets.parquet")
	for path, want := range map[string]string{"set/values": "[3 1 7]", "set/offsets": "[0 2 2 2 3]"} {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Errorf("%v; the arrays are %q", err, src.Arrays())
			continue
		}
		if got := shown(sourcetest.ReadAll(t, a)); fmt.Sprint(got) != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// TestBoolRepetition reads what fastparquet writes if it looks for nulls: it states the repetition
// of columns as bools.
func TestBoolRepetition(t *testing.T) {
	src := open(t, withNull(t), "testdata/bool_repetition.parquet")
	for path, want := range map[string]string{"whole": "[1 2 3]", "real": "[0.5 1.5 2.5]", "text": "[a no value ccc]", "flag": "[true false true]"} {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if got := shown(sourcetest.ReadAll(t, a)); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
