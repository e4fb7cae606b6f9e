package ipc_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	written "github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/sources/arrow/ipc"
)

// schema returns a schema with a field of every type.
func schema() *arrow.Schema {
	var fields []arrow.Field
	for _, t := range []arrow.DataType{
		arrow.Null, arrow.FixedWidthTypes.Boolean,
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
		arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
		arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary,
		&arrow.FixedSizeBinaryType{ByteWidth: 3}, &arrow.Decimal128Type{Precision: 9, Scale: 2},
		arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time32ms,
		arrow.FixedWidthTypes.Time64us, arrow.FixedWidthTypes.Time64ns, arrow.FixedWidthTypes.MonthInterval,
		arrow.FixedWidthTypes.DayTimeInterval, arrow.FixedWidthTypes.MonthDayNanoInterval,
		&arrow.TimestampType{Unit: arrow.Second}, &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Europe/Berlin"},
		&arrow.DurationType{Unit: arrow.Second}, &arrow.DurationType{Unit: arrow.Microsecond},
		arrow.ListOf(arrow.PrimitiveTypes.Int8), arrow.LargeListOf(arrow.PrimitiveTypes.Int8),
		arrow.FixedSizeListOf(4, arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int16)),
		arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int8}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Float64),
	} {
		fields = append(fields, arrow.Field{Name: t.String(), Type: t, Nullable: len(fields)%2 == 0})
	}
	m := arrow.NewMetadata([]string{"made by"}, []string{"a test"})
	return arrow.NewSchema(fields, &m)
}

// messages returns the metadata of a stream that Arrow's library writes: its schema and
// a batch.
func messages(t testing.TB) (list [][]byte) {
	t.Helper()
	var out bytes.Buffer
	w := written.NewWriter(&out, written.WithSchema(schema()))
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema())
	defer b.Release()
	for _, field := range b.Fields() {
		field.AppendNull()
	}
	record := b.NewRecord()
	defer record.Release()
	if err := w.Write(record); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for data := out.Bytes(); len(data) >= 8; {
		n := int(binary.LittleEndian.Uint32(data[4:]))
		if n == 0 {
			break
		}
		text := data[8 : 8+n]
		m, err := ipc.ParseMessage(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, text)
		data = data[8+n+int(m.Body):]
	}
	return list
}

// TestSchema reads every type as Arrow's library writes it.
func TestSchema(t *testing.T) {
	list := messages(t)
	m, err := ipc.ParseMessage(list[0])
	if err != nil {
		t.Fatal(err)
	}
	want := schema()
	if len(m.Schema.Fields) != want.NumFields() || m.Schema.BigEndian {
		t.Fatalf("%d fields, want %d", len(m.Schema.Fields), want.NumFields())
	}
	for i, f := range want.Fields() {
		got := m.Schema.Fields[i]
		if got.Name != f.Name || !arrow.TypeEqual(got.Type, f.Type) || got.Nullable != f.Nullable || got.Unknown != 0 {
			t.Errorf("field %d is %v, want %v", i, got.Field, f)
		}
	}
	if diff := cmp.Diff(want.Metadata().ToMap(), m.Schema.Metadata.ToMap()); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	batch, err := ipc.ParseMessage(list[1])
	if err != nil || batch.Batch == nil || batch.Batch.Rows != 1 {
		t.Errorf("a batch of one row is %+v, %v", batch, err)
	}
}

// TestMetadataVersion refuses versions that are too old, and those to come.
func TestMetadataVersion(t *testing.T) {
	for version, want := range map[uint16]string{2: "V3, of a release before Arrow 0.8", 3: "", 4: "", 5: "V6, which this program does not know"} {
		message := bytes.Clone(messages(t)[0])
		root := binary.LittleEndian.Uint32(message)
		vtable := root - binary.LittleEndian.Uint32(message[root:])
		place := root + uint32(binary.LittleEndian.Uint16(message[vtable+4:])) // field 0 of the message
		binary.LittleEndian.PutUint16(message[place:], version)
		_, err := ipc.ParseMessage(message)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("version %d: error %v, want %q", version, err, want)
		}
	}
}

// earlyBatch returns the message of the batch in a file of Arrow 0.17.
func earlyBatch(t testing.TB) []byte {
	t.Helper()
	file, err := os.ReadFile("../testdata/v0.17.0.version.2-compression.lz4.feather")
	if err != nil {
		t.Fatal(err)
	}
	return file[0x90:][:0xd8]
}

// TestEarlyCompression finds the compression that Arrow 0.17 names in the metadata of a batch.
func TestEarlyCompression(t *testing.T) {
	for name, want := range map[string]ipc.Codec{"LZ4": ipc.LZ4Frame, "lz4": ipc.LZ4Frame, "ZSTD": ipc.Zstd} {
		m, err := ipc.ParseMessage(namedCodec(t, name))
		if err != nil || m.Batch.Codec != want {
			t.Errorf("%s: codec %v, want %v, error %v", name, m.Batch.Codec, want, err)
		}
	}
	if _, err := ipc.ParseMessage(namedCodec(t, "LZO")); !errors.Is(err, ipc.ErrCorrupt) || !strings.Contains(err.Error(), `"LZO"`) {
		t.Errorf("an unknown compression: error %v", err)
	}
}

// namedCodec returns earlyBatch with another name of its compression.
func namedCodec(t *testing.T, name string) []byte {
	t.Helper()
	message := bytes.Clone(earlyBatch(t))
	at := bytes.Index(message, []byte("LZ4\x00\x00"))
	copy(message[at:], name)
	message[at-4] = byte(len(name))
	return message
}

func FuzzParseMessage(f *testing.F) {
	f.Add(earlyBatch(f))
	for _, m := range messages(f) {
		f.Add(m)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ipc.ParseMessage(data)
		if err != nil || m.Batch == nil {
			return
		}
		for _, span := range m.Batch.Buffers {
			if span.Offset < 0 || span.Length < 0 || span.Offset+span.Length > m.Body {
				t.Fatalf("a buffer at %v in a body of %d bytes", span, m.Body)
			}
		}
	})
}

func FuzzParseFooter(f *testing.F) {
	f.Add([]byte{16, 0, 0, 0, 0, 0, 10, 0, 12, 0, 6, 0, 5, 0, 8, 0, 10, 0, 0, 0}, int64(100))
	f.Fuzz(func(t *testing.T, data []byte, size int64) {
		footer, err := ipc.ParseFooter(data, size)
		if err != nil {
			return
		}
		for _, b := range append(footer.Batches, footer.Dictionaries...) {
			if b.Offset < 0 || b.Offset+int64(b.Metadata)+b.Body > size {
				t.Fatalf("a batch at %v in a file of %d bytes", b, size)
			}
		}
	})
}
