package kerchunk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/zmigrate/zmigrate/codecs/zstd"
	"github.com/zmigrate/zmigrate/zarr"
)

// recordSize is how many references a Parquet file holds, as in fsspec.
const recordSize = 10000

// parquetTable is a table in Parquet. It implements [Table].
type parquetTable struct {
	put       func(key string, data []byte) error
	encoder   *zstd.Encoder
	documents map[string]json.RawMessage
	array     string
	chunks    int // of the array
	number    int // of the file of references that is being filled
	record    record
	names     map[string]int // numbers of URLs in the record
}

// Parquet returns a table in Parquet. put writes an object in the folder of the table, and
// borrows data. The document .zmetadata is the last object: the folder is a table once it has
// that document.
func Parquet(put func(key string, data []byte) error) Table {
	return &parquetTable{put: put, encoder: newEncoder(), documents: map[string]json.RawMessage{}, names: map[string]int{}}
}

// RecordNumber returns the number of a file of references, by its key in the folder of a table.
// It returns false for other keys.
func RecordNumber(key string) (int, bool) {
	var n int
	name := path.Base(key)
	if _, err := fmt.Sscanf(name, "refs.%d.parq", &n); err != nil || n < 0 || name != recordName(n) {
		return 0, false
	}
	return n, true
}

func recordName(n int) string { return "refs." + strconv.Itoa(n) + ".parq" }

// Document implements [Table].
func (t *parquetTable) Document(key string, text json.RawMessage) error {
	t.documents[key] = text
	return nil
}

// Array implements [Table].
func (t *parquetTable) Array(at string, chunks int) error {
	err := t.flush()
	t.array, t.chunks, t.number = at, chunks, 0
	return err
}

// Chunk implements [Table].
func (t *parquetTable) Chunk(c Chunk) error {
	if number := c.Number / recordSize; number != t.number {
		if err := t.flush(); err != nil {
			return err
		}
		t.number = number
	}
	t.record.add(c.Number%recordSize, c, t.names)
	return nil
}

// flush writes the file of references that is being filled.
func (t *parquetTable) flush() error {
	r := t.record
	t.record, t.names = record{}, map[string]int{}
	if !r.some {
		return nil
	}
	r.skip(min(recordSize, t.chunks-t.number*recordSize))
	return t.put(path.Join(t.array, recordName(t.number)), r.encode(t.encoder))
}

// Close implements [Table].
func (t *parquetTable) Close() error {
	if err := t.flush(); err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString(`{"metadata":{`)
	keys := make([]string, 0, len(t.documents))
	for key := range t.documents {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for i, key := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(quote(key))
		b.WriteByte(':')
		b.Write(t.documents[key])
	}
	fmt.Fprintf(&b, "\n},\n\"record_size\":%d,\"zarr_consolidated_format\":1}\n", recordSize)
	return t.put(zarr.ConsolidatedKeyV2, b.Bytes())
}
