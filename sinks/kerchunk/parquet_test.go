package kerchunk

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/sources/arrow/parquet"
)

func TestParquet(t *testing.T) {
	var keys []string
	var last []byte
	fill(t, Parquet(func(key string, data []byte) error {
		keys, last = append(keys, key), bytes.Clone(data)
		return nil
	}))
	if want := []string{"a/refs.0.parq", "g/b/refs.0.parq", ".zmetadata"}; !slices.Equal(keys, want) {
		t.Errorf("%q, want %q", keys, want)
	}
	const want = `{"metadata":{
".zgroup":{"zarr_format":2},
"a/.zarray":{"chunks":[2,2],"shape":[4,4]},
"g/b/.zarray":{"chunks":[],"shape":[]}
},
"record_size":10000,"zarr_consolidated_format":1}
`
	if string(last) != want || !json.Valid(last) {
		t.Errorf("%s\nwant %s", last, want)
	}
}

// The chunks of an array are in files of 10,000 rows. Files without any reference are not
// written, even if chunks are added that are stored nowhere.
func TestParquetRecords(t *testing.T) {
	rows := map[string]int{}
	write := func() {
		to := Parquet(func(key string, data []byte) error {
			if key == ".zmetadata" {
				return nil
			}
			end := len(data) - 8
			f, err := parquet.ParseFooter(data[end-int(binary.LittleEndian.Uint32(data[end:])):end], int64(len(data)))
			if err != nil {
				return err
			}
			if len(data) > 200<<10 {
				t.Errorf("%s has %d bytes", key, len(data))
			}
			rows[fmt.Sprintf("%s of %d bytes", key, len(data))] = f.Rows
			return nil
		})
		if err := to.Array("a", 45000); err != nil {
			t.Fatal(err)
		}
		for n := range 45000 {
			if n%10000 < 3 && n != 0 || n/10000 == 2 { // many rows share the bytes
				if err := to.Chunk(Chunk{Number: n, Inline: bytes.Repeat([]byte{1}, 60<<10), Unstored: true}); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if err := to.Chunk(Chunk{Number: n, URL: fmt.Sprintf("file:///%d.nc", n%700), Offset: int64(n) * 800, Length: 800}); err != nil {
				t.Fatal(err)
			}
		}
		if err := to.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write()
	write() // the same bytes, and so the same keys
	var sizes []int
	for _, n := range rows {
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	if !slices.Equal(sizes, []int{5000, 10000, 10000, 10000}) {
		t.Errorf("%v", rows)
	}
}

func TestParquetFull(t *testing.T) {
	to := Parquet(func(string, []byte) error { return errFull })
	err := errors.Join(to.Array("a", 2), to.Chunk(Chunk{Number: 0, Inline: []byte{1}}), to.Array("b", 1))
	if !errors.Is(err, errFull) {
		t.Error(err)
	}
}

func TestRecordNumber(t *testing.T) {
	for key, want := range map[string]int{"a/refs.0.parq": 0, "refs.12.parq": 12, "refs.-1.parq": -1, "refs.01.parq": -1, "refs.1.parquet": -1, "refs.parq": -1, "x.refs.1.parq": -1, "refs.1.parq/x": -1} {
		if n, ok := RecordNumber(key); ok != (want >= 0) || ok && n != want {
			t.Errorf("%s: %d, %v", key, n, ok)
		}
	}
}
