package parquet_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/sources/arrow/parquet"
)

// levels writes the levels of all columns.
func levels(f *parquet.File) string {
	var text strings.Builder
	for _, leaf := range f.Leaves {
		fmt.Fprintf(&text, "%d/%d ", leaf.MaxDef, leaf.MaxRep)
	}
	return text.String()
}

// TestDamagedFooter changes each byte of footers in turn. If a required field is lost,
// there is an error, and no file has another number of rows.
func TestDamagedFooter(t *testing.T) {
	missing := map[string]bool{}
	for _, name := range []string{"empty.parquet", "rle.parquet", "snappy_v2.parquet"} {
		file, footer := archived(t, name)
		sound, err := parquet.ParseFooter(footer, int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		step := 1 + len(footer)/1000
		for at := 0; at < len(footer); at += step {
			for _, mask := range []byte{1, 0x10, 0x80, 0xff} {
				damaged := bytes.Clone(footer)
				damaged[at] ^= mask
				f, err := parquet.ParseFooter(damaged, int64(len(file)))
				switch {
				case err == nil && levels(f) != levels(sound):
					t.Errorf("%s, byte %d with %#x: other columns may have nulls", name, at, mask)
				case err == nil && (f.Rows != sound.Rows || len(f.Groups) != len(sound.Groups)):
					t.Errorf("%s, byte %d with %#x: %d rows in %d groups, want %d in %d", name, at, mask, f.Rows, len(f.Groups), sound.Rows, len(sound.Groups))
				case err != nil && !errors.Is(err, parquet.ErrCorrupt) && !errors.Is(err, parquet.ErrUnsupported):
					t.Errorf("%s, byte %d with %#x: %v", name, at, mask, err)
				case err != nil:
					if _, what, found := strings.Cut(err.Error(), "the footer lacks "); found {
						missing[what] = true
					}
				}
			}
		}
	}
	for _, what := range []string{"version of the file", "num_rows of the file", "row_groups of the file", "columns of a row group", "num_values of a column chunk", "name of a node of the schema"} {
		if !missing[what] {
			t.Errorf("nothing lacked %s", what)
		}
	}
}
