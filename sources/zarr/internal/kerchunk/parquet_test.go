package kerchunk

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store"
)

// openGolden opens a table in testdata. It counts the files that are read.
func openGolden(t *testing.T, name string) (store.ReferenceTable, *int) {
	t.Helper()
	folder := filepath.Join("testdata", name)
	text, err := os.ReadFile(filepath.Join(folder, ".zmetadata"))
	if err != nil {
		t.Fatal(err)
	}
	documents, err := Documents(text)
	if err != nil {
		t.Fatal(err)
	}
	reads := new(int)
	table, err := Parquet(documents, RecordSize(text), 64<<20, func(_ context.Context, key string) ([]byte, error) {
		*reads++
		return os.ReadFile(filepath.Join(folder, filepath.FromSlash(key)))
	})
	if err != nil {
		t.Fatal(err)
	}
	return table, reads
}

// TestParquet reads the tables of other programs.
func TestParquet(t *testing.T) {
	text, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string]map[string]string
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	for name, want := range expected {
		table, _ := openGolden(t, name)
		got := listed(t, table, "")
		for key, text := range got {
			if strings.HasPrefix(text, "={") { // fsspec does not keep how a document is written
				var a, b any
				if err := errors.Join(json.Unmarshal([]byte(text[1:]), &a), json.Unmarshal([]byte(want[key][1:]), &b)); err != nil {
					t.Error(err)
				}
				if diff := cmp.Diff(b, a); diff != "" {
					t.Errorf("%s: %s", key, diff)
				}
				got[key] = want[key]
			} else if strings.HasPrefix(text, "=") {
				got[key] = latin1(text)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// latin1 is the text in which each byte is a character.
func latin1(bytes string) string {
	var b strings.Builder
	for i := range len(bytes) {
		b.WriteRune(rune(bytes[i]))
	}
	return b.String()
}

// TestParquetPrefix lists a part of a table, and reads no files for the rest.
func TestParquetPrefix(t *testing.T) {
	table, reads := openGolden(t, "pyarrow")
	if got := listed(t, table, "deep/b/"); len(got) != 2 || *reads != 1 {
		t.Errorf("%q, by reading %d files", got, *reads)
	}
	if got := listed(t, table, "many/1"); len(got) != 3 {
		t.Errorf("%q", got)
	}
	if got := listed(t, table, "man"); len(got) != 13 {
		t.Errorf("%q", got)
	}
	for prefix, want := range map[string][]string{"": {"a", "deep", "many", "none"}, "deep/": {"b"}, "a/": nil} {
		got, err := table.Folders(t.Context(), prefix)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", prefix, diff)
		}
	}
	for _, key := range []string{"a/4.0", "a/0.3", "a/0", "a/0.0.0", "a/00.0", "a/-1.0", "none/0", "none/3", "x", "deep/b/1", "deep/0", "many/refs.0.parq", "a/1.1"} {
		if r, err := table.Find(t.Context(), key); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %+v, %v", key, r, err)
		}
	}
}

// TestParquetKept reads each file once, as long as memory allows.
func TestParquetKept(t *testing.T) {
	table, reads := openGolden(t, "fastparquet")
	for range 3 {
		for _, key := range []string{"many/0", "many/11", "many/1"} {
			if _, err := table.Find(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
	}
	if *reads != 2 {
		t.Errorf("%d reads of 2 files", *reads)
	}
}

// TestGrid numbers chunks.
func TestGrid(t *testing.T) {
	g, err := newGrid([]byte(`{"shape": [7, 0, 5], "chunks": [2, 1, 2], "dimension_separator": "/"}`))
	if err != nil || g.all != 0 {
		t.Errorf("%+v, %v", g, err)
	}
	g, err = newGrid([]byte(`{"shape": [7, 3, 5], "chunks": [2, 1, 2], "dimension_separator": "/"}`))
	if err != nil {
		t.Fatal(err)
	}
	for n := range g.all {
		if got, ok := g.number(g.key(n)); !ok || got != n {
			t.Errorf("%s: %d", g.key(n), got)
		}
	}
	if g.key(5) != "0/1/2" || g.all != 36 {
		t.Errorf("chunk 5 of %d is %s", g.all, g.key(5))
	}
	for _, text := range []string{`{"shape": [1], "chunks": []}`, `{"shape": [1], "chunks": [0]}`, `{"shape": [-1], "chunks": [1]}`, `{"shape": [4294967296, 4294967296], "chunks": [1, 1]}`, `{"shape": "x"}`, `[`} {
		if _, err := newGrid([]byte(text)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestDamagedRecords: no damage of a file of references makes it something else than an error or
// references.
func TestDamagedRecords(t *testing.T) {
	for _, name := range []string{"fastparquet", "pyarrow"} {
		data, err := os.ReadFile(filepath.Join("testdata", name, "a", "refs.0.parq"))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for at := range data {
			damaged := append([]byte{}, data...)
			damaged[at] ^= 0xff
			if _, err := parseRecord(t.Context(), damaged); err != nil {
				found++
			}
		}
		for n := range data {
			if _, err := parseRecord(t.Context(), data[:n]); err == nil {
				t.Errorf("%s: the first %d of %d bytes are a file of references", name, n, len(data))
			}
		}
		if found == 0 {
			t.Errorf("%s: no damage was found", name)
		}
	}
}

// TestDocuments refuses other documents.
func TestDocuments(t *testing.T) {
	for _, text := range []string{`{}`, `[`, `{"metadata": []}`} {
		if _, err := Documents([]byte(text)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]int{`{"record_size": 7}`: 7, `{"record_size": -7}`: 0, `{"record_size": "7"}`: 0, `{}`: 0, `x`: 0} {
		if got := RecordSize([]byte(text)); got != want {
			t.Errorf("%s: %d", text, got)
		}
	}
}
