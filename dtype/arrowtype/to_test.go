package arrowtype_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/arrowtype"
)

// TestFamilies maps every data type to an Arrow type that reads back as the same data
// type, or to an error that names a data type which has an Arrow type.
func TestFamilies(t *testing.T) {
	opaque := map[string]dtype.Type{ // Arrow has one type for all of these
		"r*":                    dtype.RawBytes(2),
		"null_terminated_bytes": dtype.RawBytes(4),
	}
	mapped := 0
	for _, f := range dtype.Standard().Families() {
		to, err := arrowtype.To(f.Example)
		if err != nil {
			_, hint, ok := strings.Cut(err.Error(), "choose ")
			name, _, _ := strings.Cut(strings.TrimPrefix(hint, "a struct of two "), " ")
			if !ok {
				t.Errorf("%s: error %q gives no way out", f.Name, err)
				continue
			}
			if _, err := arrowtype.To(read(t, `"`+strings.Trim(name, ",:")+`"`)); err != nil {
				t.Errorf("%s: instead of it: %v", f.Name, err)
			}
			continue
		}
		mapped++
		want := f.Example
		if other, ok := opaque[f.Name]; ok {
			want = other
		}
		got, shape, err := arrowtype.Of(to)
		if err != nil || !dtype.Same(got, want) || len(shape) > 0 {
			t.Errorf("%s: %v reads as %v, %v, %v", f.Name, to, got, shape, err)
		}
	}
	// The core has 14 numbers, of which two complex ones have no Arrow type. Then two
	// types of time, two of variable size, three of opaque bytes, struct and
	// structured.
	if mapped != 12+2+2+3+2 {
		t.Errorf("%d families have an Arrow type", mapped)
	}
}

func TestToRefuses(t *testing.T) {
	inner, err := dtype.Struct(dtype.Field{Name: "z", Type: dtype.Complex64})
	if err != nil {
		t.Fatal(err)
	}
	subarray, _, err := dtype.Standard().ParseV2([]byte(`[["v","<f4",[2]]]`), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from dtype.Type
		want string
	}{
		{dtype.Int2, "choose int8"},
		{dtype.Int4, "choose int8"},
		{dtype.Uint2, "choose uint8"},
		{dtype.Uint4, "choose uint8"},
		{dtype.BFloat16, "choose float32"},
		{dtype.Float8E5M2, "choose float32"},
		{dtype.Float8E8M0FNU, "choose float32"},
		{dtype.Float6E2M3FN, "choose float32"},
		{dtype.Float4E2M1FN, "choose float32"},
		{dtype.Complex64, "choose a struct of two float32,"},
		{dtype.Complex128, "choose a struct of two float64,"},
		{dtype.ComplexFloat16, "choose a struct of two float32,"},
		{dtype.ComplexFloat8E5M2, "choose a struct of two float32,"},
		{dtype.FixedUTF32(4), "choose string for text"},
		{inner, `field "z": data type complex64`},
		{subarray, `field "v": data type subarray has no arrow type: choose string for text, or raw_bytes with length_bytes 8`},
		{nil, "no data type"},

		// Types from outside the package.
		{packed{unpacked{dtype.Uint16, dtype.Uint, 2}, 12}, "choose uint16"},
		{packed{unpacked{dtype.Int64, dtype.Int, 3}, 24}, "choose int32"},
		{packed{unpacked{dtype.Int64, dtype.Int, 16}, 128}, "choose raw_bytes with length_bytes 16"},
		{packed{unpacked{dtype.Float64, dtype.Float, 10}, 80}, "choose raw_bytes with length_bytes 10"},
		{packed{unpacked{dtype.BoolType, dtype.Bool, 4}, 1}, "choose bool"},
		{unpacked{dtype.Uint16, dtype.Uint, 3}, "choose uint32"},
		{unpacked{dtype.Complex128, dtype.Complex, 16}, "choose a struct of two float64,"},
		{object{dtype.StringType}, "choose string or bytes"},
	} {
		got, err := arrowtype.To(c.from)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("To(%v) = %v, %v, want an error with %q", c.from, got, err, c.want)
		}
	}
}

func TestToRefusesUnits(t *testing.T) {
	type key struct {
		unit  string
		scale int
		span  bool
	}
	for k, want := range map[key]string{
		{"us", 10, false}:     `in units of 10 us has no arrow type: choose the unit "us" with scale_factor 1`,
		{"ns", 2, true}:       `"ns"`,
		{"D", 7, false}:       `"D"`,
		{"Y", 1, false}:       `"D"`,
		{"M", 1, false}:       `"D"`,
		{"W", 1, false}:       `"D"`,
		{"h", 1, false}:       `"s"`,
		{"m", 1, false}:       `"s"`,
		{"as", 1, false}:      `"ns"`,
		{"Y", 1, true}:        `"M"`,
		{"M", 3, true}:        `"M"`,
		{"W", 1, true}:        `"s"`,
		{"D", 1, true}:        `"s"`,
		{"ps", 1, true}:       `"ns"`,
		{"generic", 1, false}: "choose int64",
		{"generic", 5, true}:  "choose int64",
	} {
		build := dtype.Datetime64
		if k.span {
			build = dtype.Timedelta64
		}
		from, err := build(k.unit, k.scale)
		if err != nil {
			t.Fatal(err)
		}
		got, err := arrowtype.To(from)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("To(%v of %d %s) = %v, %v, want an error with %s", from.Name(), k.scale, k.unit, got, err, want)
		}
	}
}

// TestToStruct checks that only fields of times may be null.
func TestToStruct(t *testing.T) {
	from := read(t, `{"name":"struct","configuration":{"fields":[{"name":"n","data_type":"int8"},{"name":"t","data_type":`+datetime("s")+`}]}}`)
	got, err := arrowtype.To(from)
	if err != nil {
		t.Fatal(err)
	}
	fields := got.(*arrow.StructType).Fields()
	if fields[0].Nullable || !fields[1].Nullable {
		t.Errorf("fields are %v", fields)
	}
}

// unpacked is a number from outside the package that implements no optional interface.
type unpacked struct {
	dtype.Type
	kind dtype.Kind
	size int
}

func (t unpacked) Name() string                 { return "outside" }
func (t unpacked) Size() int                    { return t.size }
func (t unpacked) Kind() dtype.Kind             { return t.kind }
func (t unpacked) V3() (json.RawMessage, error) { return json.RawMessage(`"outside"`), nil }

// packed is one that also implements Packed.
type packed struct {
	unpacked
	bits int
}

func (t packed) Packing() dtype.Packing {
	return dtype.Packing{Components: 1, Bits: t.bits, Signed: t.kind == dtype.Int}
}

// object is a type of variable size from outside the package.
type object struct{ dtype.Object }

func (object) V3() (json.RawMessage, error) { return json.RawMessage(`"object"`), nil }
