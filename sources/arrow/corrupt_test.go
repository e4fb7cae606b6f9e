package arrow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/arrow"
	"github.com/zmigrate/zmigrate/sources/arrow/parquet"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// readEverything opens a file and reads all columns that can be read. Errors about a
// corrupt file must come from reading columns.
func readEverything(ctx context.Context, path string, opt arrow.Options, most int) (values map[string][]byte) {
	values = map[string][]byte{}
	src, err := arrow.OpenAll(ctx, files(path), opt)
	if err != nil {
		return values
	}
	defer src.Close() //nolint:errcheck // only read
	for _, name := range src.Arrays() {
		a, err := src.Array(ctx, name)
		if err != nil {
			continue
		}
		if n, ok := ndarray.Bytes(a.Info().Type, a.Info().Shape); !ok || n > most {
			continue
		}
		whole := ndarray.New(a.Info().Type, a.Info().Shape)
		if a.ReadRegion(ctx, whole, make([]int, len(whole.Shape))) != nil {
			continue
		}
		var all bytes.Buffer
		for item := range whole.Items() {
			fmt.Fprintf(&all, "%d:%s", len(item), item)
		}
		values[name] = all.Bytes()
	}
	return values
}

// TestFlippedBytes inverts bytes of small files in turn. Nothing panics or takes
// unbounded memory, and pages with checksums never give other values.
func TestFlippedBytes(t *testing.T) {
	dir := unpack(t)
	for _, name := range []string{"dictionaries_deltas.arrows", "dictionaries_replaced.arrows", "rle.parquet", "empty.arrow", "empty.parquet"} {
		flipEach(t, filepath.Join(dir, name), 2, func(int, map[string][]byte) {})
	}
	for _, name := range []string{"file_lz4.arrow", "stream.arrows", "lists_lz4.arrow", "lists_zstd_v2.parquet", "decimals.arrow", "decimals.parquet", "snappy_v2.parquet", "delta_byte_array.parquet", "delta_binary_packed.parquet"} {
		flipEach(t, filepath.Join(dir, name), 199, func(int, map[string][]byte) {})
	}
	path := filepath.Join(dir, "zstd_v1.parquet")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := readEverything(t.Context(), path, withNull(t), 1<<20)
	footer := len(data) - 8 - int(data[len(data)-8]) - int(data[len(data)-7])<<8
	flipEach(t, path, 307, func(at int, got map[string][]byte) {
		if at >= footer || len(got) < len(want)-2 {
			return
		}
		for column, values := range got {
			if !bytes.Equal(values, want[column]) {
				t.Errorf("byte %d inverted: column %s has other values and no error", at, column)
			}
		}
	})
}

// TestMisplacedNull reads a column of lists of lists in which a repetition level was
// changed: a null begins a list within another list.
func TestMisplacedNull(t *testing.T) {
	data := archived(t, "snappy_v2.parquet")
	data[6019] ^= 0xff
	path := filepath.Join(t.TempDir(), "bad.parquet")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := open(t, withNull(t), path).Array(t.Context(), "matrix_nulls")
	if err != nil {
		t.Fatal(err)
	}
	err = a.ReadRegion(t.Context(), ndarray.New(a.Info().Type, a.Info().Shape), []int{0, 0, 0})
	if err == nil || !strings.Contains(err.Error(), "lists of other lengths than the schema says: want [2 3]") {
		t.Errorf("got %v, want an error about the lengths of lists", err)
	}
}

// flipEach reads a file with one byte inverted, for bytes that are step bytes apart,
// and calls check with the result.
func flipEach(t *testing.T, path string, step int, check func(at int, values map[string][]byte)) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := path + ".bad"
	for at := 0; at < len(data); at += step {
		data[at] ^= 0xff
		if err := os.WriteFile(bad, data, 0o600); err != nil {
			t.Fatal(err)
		}
		check(at, readEverything(t.Context(), bad, withNull(t), 1<<20))
		data[at] ^= 0xff
	}
}

// FuzzOpen opens and reads arbitrary files.
func FuzzOpen(f *testing.F) {
	for _, seed := range []string{"empty.arrow", "dictionaries_deltas.arrows", "rle.parquet", "delta_byte_array.parquet", "file_lz4.arrow", "lists_plain.arrows", "lists_big_endian.arrows", "lists_gzip_v1.parquet", "decimals.parquet", "decimals_big_endian.arrows"} {
		f.Add(archived(f, seed))
	}
	for _, seed := range []string{"ARROW-17100.parquet", "nation.dict.parquet", "unknown_fields_none_v2.parquet", "not_compressed_somebody_zstd_v2.parquet", "values_zero_snappy_v1.parquet"} {
		f.Add(sourcetest.Zipped(f, "testdata/foreign.zip", seed))
	}
	dir := f.TempDir()
	opt := arrow.Options{Null: func(_ string, typ dtype.Type) (dtype.Scalar, error) { return typ.Default(), nil }}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "file")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		readEverything(t.Context(), path, opt, 1<<16)
	})
}

// TestDamagedSchema changes the Arrow schema that a Parquet file has, in base64, in its
// metadata.
func TestDamagedSchema(t *testing.T) {
	for name, damage := range map[string]func(schema []byte){
		"base64":         func(s []byte) { s[10] = '!' },
		"length":         func(s []byte) { copy(s[6:], "zz") },
		"end of message": func(s []byte) { copy(s[6:], "AAAA") },
		"message":        func(s []byte) { copy(s[14:], "////") },
	} {
		data := archived(t, "zstd_v1.parquet")
		at := bytes.Index(data, []byte("/////"))
		damage(data[at:])
		path := filepath.Join(t.TempDir(), "bad.parquet")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		src, err := arrow.OpenAll(t.Context(), files(path), withNull(t))
		if err == nil {
			t.Errorf("%s: no error", name)
			err = src.Close()
		} else if strings.Contains(err.Error(), "ARROW:schema") && errors.Is(err, parquet.ErrCorrupt) {
			err = nil
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
