package arrow

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
)

// TestEscapedKeys has keys with escapes, in names of local files and in URLs, where the
// escapes are escaped again.
func TestEscapedKeys(t *testing.T) {
	const name = "the time=00%3A30 h/part.parquet"
	local, memory := t.TempDir(), &store.Memory{}
	opt := store.Options{Memory: memory}
	st, err := store.Open(t.Context(), "mem://bucket/table", opt)
	if err == nil {
		file := filepath.Join(local, name)
		err = errors.Join(st.Put(t.Context(), name, []byte("x")), os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("x"), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, location := range []string{local, "mem://bucket/table"} {
		for _, url := range []string{location, location + "/*/*.parquet"} {
			files, err := Expand(t.Context(), url, opt)
			if err != nil {
				t.Fatal(err)
			}
			if want := (Key{"the time", "00:30 h"}); len(files) != 1 || !slices.Equal(files[0].Keys, []Key{want}) {
				t.Errorf("%s: %q, want the key %q", url, files, want)
			}
		}
	}
}

// long is a table that claims many rows.
type long struct{ table }

func (long) batches() []int { return []int{math.MaxInt / 4} }

// TestLongKey refuses more rows than any array can have.
func TestLongKey(t *testing.T) {
	f := &hierarchy{source: &source{rows: "row", keys: map[string]dtype.Type{"year": dtype.Int64}}, table: long{}}
	if a, err := f.openKey(Key{"year", "2024"}); err == nil {
		t.Errorf("an array of shape %v", a.Info().Shape)
	}
}
