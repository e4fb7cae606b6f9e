package arrowtype_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/arrowtype"
)

// datetime and timedelta are data_type fields of Zarr v3 metadata.
func datetime(unit string) string { return temporal("datetime64", unit) }

func timedelta(unit string) string { return temporal("timedelta64", unit) }

func temporal(name, unit string) string {
	return fmt.Sprintf(`{"name":"numpy.%s","configuration":{"unit":%q,"scale_factor":1}}`, name, unit)
}

func raw(n int) string {
	return fmt.Sprintf(`{"name":"raw_bytes","configuration":{"length_bytes":%d}}`, n)
}

// read returns the type with this data_type field.
func read(t *testing.T, v3 string) dtype.Type {
	t.Helper()
	typ, err := dtype.Standard().ParseV3([]byte(v3))
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

func plainTypes() map[string][]arrow.DataType {
	return map[string][]arrow.DataType{
		`"bool"`:    {arrow.FixedWidthTypes.Boolean},
		`"int8"`:    {arrow.PrimitiveTypes.Int8},
		`"int16"`:   {arrow.PrimitiveTypes.Int16},
		`"int32"`:   {arrow.PrimitiveTypes.Int32},
		`"int64"`:   {arrow.PrimitiveTypes.Int64, &arrow.Decimal128Type{Precision: 18, Scale: 2}, &arrow.Decimal256Type{Precision: 1, Scale: -76}},
		`"uint8"`:   {arrow.PrimitiveTypes.Uint8},
		`"uint16"`:  {arrow.PrimitiveTypes.Uint16},
		`"uint32"`:  {arrow.PrimitiveTypes.Uint32},
		`"uint64"`:  {arrow.PrimitiveTypes.Uint64},
		`"float16"`: {arrow.FixedWidthTypes.Float16},
		`"float32"`: {arrow.PrimitiveTypes.Float32},
		`"float64"`: {arrow.PrimitiveTypes.Float64},
		`"string"`:  {arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView, &arrow.Decimal128Type{Precision: 19, Scale: 2}, &arrow.Decimal256Type{Precision: 76, Scale: 76}},
		`"bytes"`:   {arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.BinaryView},

		raw(1):       {&arrow.FixedSizeBinaryType{ByteWidth: 1}},
		raw(1 << 20): {&arrow.FixedSizeBinaryType{ByteWidth: 1 << 20}},

		datetime("s"):  {&arrow.TimestampType{Unit: arrow.Second}, &arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}},
		datetime("ms"): {&arrow.TimestampType{Unit: arrow.Millisecond}, arrow.FixedWidthTypes.Date64},
		datetime("us"): {&arrow.TimestampType{Unit: arrow.Microsecond}},
		datetime("ns"): {&arrow.TimestampType{Unit: arrow.Nanosecond}, &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "no such place"}},
		datetime("D"):  {arrow.FixedWidthTypes.Date32},

		timedelta("s"):  {&arrow.DurationType{Unit: arrow.Second}, arrow.FixedWidthTypes.Time32s},
		timedelta("ms"): {&arrow.DurationType{Unit: arrow.Millisecond}, arrow.FixedWidthTypes.Time32ms},
		timedelta("us"): {&arrow.DurationType{Unit: arrow.Microsecond}, arrow.FixedWidthTypes.Time64us},
		timedelta("ns"): {&arrow.DurationType{Unit: arrow.Nanosecond}, arrow.FixedWidthTypes.Time64ns},
		timedelta("M"):  {arrow.FixedWidthTypes.MonthInterval},

		`{"name":"struct","configuration":{"fields":[{"name":"x","data_type":"float32"},` +
			`{"name":"in","data_type":{"name":"struct","configuration":{"fields":[{"name":"é","data_type":"int16"},{"name":"t","data_type":` + datetime("us") + `}]}}}]}}`: {
			arrow.StructOf(
				arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float32},
				arrow.Field{Name: "in", Type: arrow.StructOf(
					arrow.Field{Name: "é", Type: arrow.PrimitiveTypes.Int16},
					arrow.Field{Name: "t", Type: &arrow.TimestampType{Unit: arrow.Microsecond}, Nullable: true},
				)},
			),
			arrow.StructOf(
				arrow.Field{Name: "x", Type: extension(arrow.PrimitiveTypes.Float32), Nullable: true},
				arrow.Field{Name: "in", Type: arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.StructOf(
					arrow.Field{Name: "é", Type: dictionary(arrow.PrimitiveTypes.Int16)},
					arrow.Field{Name: "t", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}},
				))},
			),
		},
	}
}

// TestTypes maps every Arrow type of the table, as a column and within lists,
// dictionaries and the like. It maps the data type back to the first Arrow type of its
// line.
func TestTypes(t *testing.T) {
	for v3, list := range plainTypes() {
		want := read(t, v3)
		for _, from := range list {
			for _, c := range []struct {
				from  arrow.DataType
				shape []int
			}{
				{from, nil},
				{dictionary(from), nil},
				{arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, from), nil},
				{extension(from), nil},
				{extension(extension(dictionary(from))), nil},
				{arrow.FixedSizeListOf(3, from), []int{3}},
				{arrow.FixedSizeListOf(2, arrow.FixedSizeListOf(3, dictionary(from))), []int{2, 3}},
				{extension(arrow.FixedSizeListOfNonNullable(20, from)), []int{20}},
			} {
				got, shape, err := arrowtype.Of(c.from)
				if err != nil || !dtype.Same(got, want) || !cmp.Equal(shape, c.shape) {
					t.Errorf("Of(%v) = %v, %v, %v, want %s, %v", c.from, got, shape, err, v3, c.shape)
				}
			}
		}
		if got, err := arrowtype.To(want); err != nil || !arrow.TypeEqual(got, list[0]) {
			t.Errorf("To(%s) = %v, %v, want %v", v3, got, err, list[0])
		}
	}
}

func TestOfRefuses(t *testing.T) {
	list := "cast it to fixed_size_list"
	field := func(typ arrow.DataType) arrow.DataType {
		return arrow.StructOf(arrow.Field{Name: "f", Type: typ})
	}
	huge := arrow.FixedSizeListOf(1<<30, arrow.FixedSizeListOf(1<<30, arrow.PrimitiveTypes.Int8))
	for _, c := range []struct {
		from arrow.DataType
		want []string
	}{
		{&arrow.Decimal128Type{Precision: 0, Scale: 2}, []string{"decimal", "0 digits", "cast it to float64"}},
		{&arrow.Decimal256Type{Precision: 77, Scale: 2}, []string{"decimal256", "77 digits", "cast it to float64"}},
		{&arrow.Decimal128Type{Precision: 9, Scale: 1000}, []string{"decimal", "a scale of 1000", "cast it to float64"}},
		{arrow.Null, []string{"null", "leave it out"}},
		{arrow.ListOf(arrow.PrimitiveTypes.Int8), []string{"list", list}},
		{arrow.LargeListOf(arrow.PrimitiveTypes.Int8), []string{"large_list", list}},
		{arrow.ListViewOf(arrow.PrimitiveTypes.Int8), []string{"list_view", list}},
		{arrow.LargeListViewOf(arrow.PrimitiveTypes.Int8), []string{"large_list_view", list}},
		{arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int8), []string{"map", list}},
		{arrow.FixedSizeListOf(2, arrow.ListOf(arrow.PrimitiveTypes.Int8)), []string{"type list:", list}},
		{arrow.SparseUnionOf(nil, nil), []string{"sparse_union", "a column for each member"}},
		{arrow.DenseUnionOf(nil, nil), []string{"dense_union", "a column for each member"}},
		{arrow.FixedWidthTypes.DayTimeInterval, []string{"day_time_interval", "cast it to duration"}},
		{arrow.FixedWidthTypes.MonthDayNanoInterval, []string{"month_day_nano_interval", "cast it to duration"}},
		{foreign{}, []string{"foreign", "cast it to a number"}},

		{&arrow.FixedSizeBinaryType{}, []string{"fixed_size_binary", "0 bytes", "want 1 to 1048576"}},
		{&arrow.FixedSizeBinaryType{ByteWidth: -1}, []string{"-1 bytes", "want 1 to 1048576"}},
		{&arrow.FixedSizeBinaryType{ByteWidth: 1<<20 + 1}, []string{"1048577 bytes", "cast it to binary"}},
		{huge, []string{"fixed_size_list", "[1073741824 1073741824]", "at most 8796093022207"}},
		{&arrow.TimestampType{Unit: 4}, []string{"timestamp", `unit "4"`, "want one of"}},
		{&arrow.Time32Type{Unit: -1}, []string{"time32", `unit "-1"`, "want one of"}},
		{nest(extension, 32), []string{"32 deep"}},
		{nest(func(t arrow.DataType) arrow.DataType { return arrow.FixedSizeListOf(1, t) }, 32), []string{"32 deep"}},
		{endless{}, []string{"32 deep"}},

		{nil, []string{"no arrow type"}},
		{(*arrow.TimestampType)(nil), []string{"no arrow type"}},
		{&arrow.FixedSizeListType{}, []string{"0 elements"}},
		{&arrow.DictionaryType{}, []string{"no arrow type"}},
		{arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, nil), []string{"no arrow type"}},
		{extension(nil), []string{"no arrow type"}},

		{arrow.StructOf(), []string{"struct", "at least one"}},
		{arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int8}, arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int8}), []string{`"a" is there twice`}},
		{arrow.StructOf(arrow.Field{Type: arrow.PrimitiveTypes.Int8}), []string{"no name"}},
		{arrow.StructOf(arrow.Field{Name: "a\xff", Type: arrow.PrimitiveTypes.Int8}), []string{`"a\xff"`, "rename it"}},
		{field(arrow.Null), []string{`field "f"`, "type null"}},
		{field(arrow.BinaryTypes.String), []string{`field "f"`, "string", "cast it to fixed_size_binary"}},
		{field(arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int8)), []string{`field "f"`, "[2] elements of int8", "a field for each"}},
		{arrow.StructOf(
			arrow.Field{Name: "a", Type: &arrow.FixedSizeBinaryType{ByteWidth: 1 << 20}},
			arrow.Field{Name: "b", Type: arrow.PrimitiveTypes.Int8},
		), []string{"more than 1048576 bytes"}},
		{nest(field, 25), []string{"more than 24 structs"}},
	} {
		got, shape, err := arrowtype.Of(c.from)
		if err == nil {
			t.Errorf("Of(%#v) = %v, %v, want an error with %q", c.from, got, shape, c.want)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("Of(%#v): error %q does not say %q", c.from, err, want)
			}
		}
	}
}

// TestLimits compares the limits of this package with those of Zarr's metadata.
func TestLimits(t *testing.T) {
	field := func(typ arrow.DataType) arrow.DataType {
		return arrow.StructOf(arrow.Field{Name: "f", Type: typ})
	}
	widest := &arrow.FixedSizeBinaryType{ByteWidth: 1 << 20}
	for _, from := range []arrow.DataType{widest, field(widest), nestIn(field, 24, widest), nest(extension, 31)} {
		typ, _, err := arrowtype.Of(from)
		if err != nil {
			t.Error(err)
			continue
		}
		text, err := typ.V3()
		if err != nil {
			t.Error(err)
			continue
		}
		if got, err := dtype.Standard().ParseV3(text); err != nil || !dtype.Same(got, typ) {
			t.Errorf("%s reads as %v, %v", text, got, err)
		}
	}
	if _, err := dtype.Standard().ParseV3([]byte(raw(1<<20 + 1))); err == nil {
		t.Error("data types may be larger than fixed_size_binary")
	}
}

func TestZone(t *testing.T) {
	utc := &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}
	for _, c := range []struct {
		from arrow.DataType
		want string
	}{
		{utc, "UTC"},
		{arrow.FixedSizeListOf(2, dictionary(extension(utc))), "UTC"},
		{&arrow.TimestampType{TimeZone: "+01:00"}, "+01:00"},
		{&arrow.TimestampType{}, ""},
		{arrow.FixedWidthTypes.Date32, ""},
		{arrow.ListOf(utc), ""},
		{(*arrow.TimestampType)(nil), ""},
		{nil, ""},
	} {
		if got := arrowtype.Zone(c.from); got != c.want {
			t.Errorf("Zone(%v) = %q, want %q", c.from, got, c.want)
		}
	}
}

func dictionary(values arrow.DataType) arrow.DataType {
	return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: values}
}

func extension(storage arrow.DataType) arrow.DataType {
	return &opinion{arrow.ExtensionBase{Storage: storage}}
}

// nest wraps an int8 in n layers.
func nest(layer func(arrow.DataType) arrow.DataType, n int) arrow.DataType {
	return nestIn(layer, n, arrow.PrimitiveTypes.Int8)
}

func nestIn(layer func(arrow.DataType) arrow.DataType, n int, t arrow.DataType) arrow.DataType {
	for range n {
		t = layer(t)
	}
	return t
}

// opinion is an extension type of another program.
type opinion struct{ arrow.ExtensionBase }

func (*opinion) ArrayType() reflect.Type                  { return nil }
func (*opinion) ExtensionName() string                    { return "opinion" }
func (*opinion) ExtensionEquals(arrow.ExtensionType) bool { return false }
func (*opinion) Serialize() string                        { return "" }
func (*opinion) Deserialize(arrow.DataType, string) (arrow.ExtensionType, error) {
	return &opinion{}, nil
}

// endless is an extension whose storage is the extension itself.
type endless struct{ *opinion }

func (t endless) StorageType() arrow.DataType { return t }

// foreign is a type that Arrow does not have.
type foreign struct{}

func (foreign) ID() arrow.Type               { return 1000 }
func (foreign) Name() string                 { return "foreign" }
func (foreign) Fingerprint() string          { return "" }
func (foreign) Layout() arrow.DataTypeLayout { return arrow.DataTypeLayout{} }
func (foreign) String() string               { return "foreign" }
