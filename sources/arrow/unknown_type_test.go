package arrow_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/arrow"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestForeignType has a column of a type that Arrow lacks. Its error names the type, and the column
// beside it is read.
func TestForeignType(t *testing.T) {
	src := open(t, arrow.Options{}, "testdata/int128.arrow")
	_, err := src.Array(t.Context(), "a")
	if err == nil || !sources.Unsupported(err) || !strings.Contains(err.Error(), `column "a": arrow type int128: `) {
		t.Errorf("a: %v", err)
	}
	b, err := src.Array(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	if got := sourcetest.ReadAll(t, b).Data; !bytes.Equal(got, []byte{1, 2}) {
		t.Errorf("b: %v", got)
	}
}

// TestUnknownType: if nobody knows how the values of a type are stored, the errors about all columns
// name that type.
func TestUnknownType(t *testing.T) {
	data, err := os.ReadFile("testdata/int128.arrow")
	if err != nil {
		t.Fatal(err)
	}
	const integers, none = 2, 99 // numbers of types
	url, found := filepath.Join(t.TempDir(), "a.arrow"), false
	for i := range data {
		if data[i] != integers {
			continue
		}
		changed := bytes.Clone(data)
		changed[i] = none
		if err := os.WriteFile(url, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		src, err := arrow.Open(t.Context(), url, arrow.Options{})
		if err != nil {
			continue
		}
		if _, err := src.Array(t.Context(), "a"); err != nil && strings.Contains(err.Error(), `column "a" has the unknown type 99`) {
			found = true
			if _, err := src.Array(t.Context(), "b"); err == nil || !strings.Contains(err.Error(), `column "a" has the unknown type 99`) {
				t.Errorf("b: %v", err)
			}
		}
		if err := src.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !found {
		t.Error("no byte has the number of the type")
	}
}
