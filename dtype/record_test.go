package dtype

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// foreign is a type from outside the package with a byte order and words of three
// bytes.
type foreign struct{ Type }

func (foreign) Name() string { return "foreign" }
func (foreign) V2(order Order) (json.RawMessage, error) {
	mark, err := order.mark(Int8)
	return json.RawMessage(`"` + mark + `z3"`), err
}
func (foreign) SwapInto(dst, src []byte) {
	for i := 0; i+3 <= len(src); i += 3 {
		dst[i], dst[i+1], dst[i+2] = src[i+2], src[i+1], src[i]
	}
}

func TestRecord(t *testing.T) {
	r := Standard()
	v3 := `{"name":"struct","configuration":{"fields":[` +
		`{"name":"p","data_type":{"name":"struct","configuration":{"fields":[{"name":"x","data_type":"float32"},{"name":"y","data_type":"int16"}]}}},` +
		`{"name":"n","data_type":"uint8"},{"name":"t","data_type":{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}}]}}`
	typ, err := r.ParseV3([]byte(v3))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := typ.V3(); err != nil || string(text) != v3 {
		t.Errorf("written as %s (%v)", text, err)
	}
	if typ.Size() != 15 {
		t.Errorf("%d bytes", typ.Size())
	}
	if d := typ.Default(); string(typ.FormatScalar(V3, d)) != `{"p":{"x":0.0,"y":0},"n":0,"t":-9223372036854775808}` {
		t.Errorf("the default is %s", typ.FormatScalar(V3, d))
	}
	s, err := typ.ParseScalar(V3, []byte(`{"t":"NaT","n":7,"p":{"y":-2,"x":1.5}}`))
	if err != nil || string(typ.FormatScalar(V3, s)) != `{"p":{"x":1.5,"y":-2},"n":7,"t":-9223372036854775808}` {
		t.Errorf("% x (%v)", s, err)
	}
	for text, want := range map[string]string{
		`{"n":7,"p":{"y":-2,"x":1.5}}`:             `field "t" has no value`,
		`{"n":7,"p":{"y":-2,"x":1.5},"t":1,"z":1}`: `no field "z"`,
		`{"n":7,"n":7,"p":{"y":-2,"x":1.5},"t":1}`: "twice",
		`{"n":700,"p":{"y":-2,"x":1.5},"t":1}`:     `field "n": 700`,
		`{"n":7,"p":{"y":-2},"t":1}`:               `field "x" has no value`,
		`{"n":7,"p":{"y":-2,"x":1.5},"t":1} 5`:     "nothing behind it",
		`{"n":7,"p":{"y":-2,"x":1.5},"t":1}]`:      "nothing behind it",
		`{"n":7,"p":{"y":-2,"x":1.5},"t":1}}`:      "nothing behind it",
		`0`:                                        "want an object",
		`"AAAA"`:                                   "3 bytes, want 15",
		`{"n":7,"p":{"y":-2,"x":1.5},"t":1`:        "not a struct value",
		`[1,2,3]`:                                  "want an object",
	} {
		if s, err := typ.ParseScalar(V3, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: % x, %v, want %q", text, s, err, want)
		}
	}
	if _, ok := typ.(Ordered); !ok {
		t.Error("a record with words has no byte order")
	}
	if _, ok := Type(must(Struct(Field{Name: "a", Type: Int8}, Field{Name: "b", Type: RawBytes(3)}))).(Ordered); ok {
		t.Error("a record of single bytes has a byte order")
	}
}

// A v2 record may have a byte order for each field; its base64 fill value has these
// orders.
func TestMixedRecord(t *testing.T) {
	const v2 = `[["a",">i2"],["b","<i4"],["c",[["d",">i2",[2]],["e","|u1"]],[2]],["f","|S2"]]`
	typ, order, err := Standard().ParseV2([]byte(v2), "")
	if err != nil || order != Mixed {
		t.Fatalf("%v (%v)", order, err)
	}
	for _, o := range []Order{Mixed, NoOrder} {
		if text, err := typ.V2(o); err != nil || string(text) != v2 {
			t.Errorf("written as %s (%v)", text, err)
		}
	}
	const big = `[["a",">i2"],["b",">i4"],["c",[["d",">i2",[2]],["e","|u1"]],[2]],["f","|S2"]]`
	if text, err := typ.V2(Big); err != nil || string(text) != big {
		t.Errorf("big-endian: %s (%v)", text, err)
	}
	if text, err := InOrder(typ, Big).V2(NoOrder); err != nil || string(text) != big {
		t.Errorf("declared big-endian: %s (%v)", text, err)
	}
	stored := []byte{1, 2, 4, 3, 2, 1, 1, 2, 3, 4, 9, 5, 6, 7, 8, 9, 'x', 'y'}
	want := Scalar{}
	for _, v := range []uint16{0x0102} {
		want = binary.NativeEndian.AppendUint16(want, v)
	}
	want = binary.NativeEndian.AppendUint32(want, 0x01020304)
	for _, v := range [][]uint16{{0x0102, 0x0304}, {0x0506, 0x0708}} {
		want = binary.NativeEndian.AppendUint16(want, v[0])
		want = binary.NativeEndian.AppendUint16(want, v[1])
		want = append(want, 9)
	}
	want = append(want, "xy"...)
	got, err := typ.ParseScalar(V2, formatBase64(stored))
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("% x (%v), want % x", got, err, want)
	}
	if text := typ.FormatScalar(V2, want); string(text) != string(formatBase64(stored)) {
		t.Errorf("written as %s", text)
	}
	dst := make([]byte, 3*len(stored))
	Swapper(typ, order).SwapInto(dst, slices.Repeat(stored, 3))
	if !slices.Equal(dst, slices.Repeat([]byte(want), 3)) {
		t.Errorf("three elements become % x", dst)
	}
	if Swapper(typ, Native) != nil || Swapper(Int8, Mixed) != nil || Swapper(RawBytes(2), Big) != nil {
		t.Error("something to swap where there is nothing")
	}
	other, _, err := Standard().ParseV2([]byte(big), "")
	if err != nil || !Same(typ, other) {
		t.Errorf("the byte order is part of the type (%v)", err)
	}
}

// Swapping a record swaps each of its words, wherever it is.
func TestRecordSwap(t *testing.T) {
	outside := foreign{RawBytes(3)}
	inner := must(Struct(Field{Name: "z", Type: outside}, Field{Name: "b", Type: Uint8}, Field{Name: "c", Type: Complex64}))
	for _, typ := range []Type{
		inner,
		must(Struct(Field{Name: "a", Type: Float32}, Field{Name: "b", Type: Int32})),
		must(Struct(Field{Name: "a", Type: Int16}, Field{Name: "in", Type: inner}, Field{Name: "u", Type: FixedUTF32(2)}, Field{Name: "n", Type: newSubarray(inner, []int{2})})),
	} {
		const n = 5
		src := make([]byte, n*typ.Size())
		for i := range src {
			src[i] = byte(rand.Uint32())
		}
		before := slices.Clone(src)
		want := slices.Clone(src)
		for e := range slices.Chunk(want, typ.Size()) {
			swapSlowly(typ, e)
		}
		dst := make([]byte, len(src))
		typ.(Ordered).SwapInto(dst, src)
		if !slices.Equal(dst, want) || !slices.Equal(src, before) {
			t.Errorf("%d bytes: % x, want % x", typ.Size(), dst, want)
		}
		typ.(Ordered).SwapInto(src, src)
		if !slices.Equal(src, want) {
			t.Errorf("%d bytes in place: % x, want % x", typ.Size(), src, want)
		}
	}
}

// swapSlowly swaps the words of one element, field by field.
func swapSlowly(t Type, e []byte) {
	switch t := t.(type) {
	case Record:
		for _, f := range t.Fields() {
			swapSlowly(f.Type, e[f.Offset:f.Offset+f.Type.Size()])
		}
	case subarrayType:
		for part := range slices.Chunk(e, t.subarrayOf().element.Size()) {
			swapSlowly(t.subarrayOf().element, part)
		}
	case *utf32:
		for word := range slices.Chunk(e, 4) {
			slices.Reverse(word)
		}
	case Ordered:
		parts := 1
		if n, ok := t.(Numeric); ok && n.Kind() == Complex {
			parts = 2
		}
		for word := range slices.Chunk(e, len(e)/parts) {
			slices.Reverse(word)
		}
	}
}

// Arrays of the legacy type structured have a fill value in base64, in the byte order
// of their bytes codec.
func TestStructuredFill(t *testing.T) {
	typ, err := Standard().ParseV3([]byte(`{"name":"structured","configuration":{"fields":[["x","int16"],["y","int8"]]}}`))
	if err != nil {
		t.Fatal(err)
	}
	for order, want := range map[Order]string{Little: `{"x":513,"y":3}`, Big: `{"x":258,"y":3}`} {
		s, err := InOrder(typ, order).ParseScalar(V3, []byte(`"AQID"`))
		if err != nil || string(typ.FormatScalar(V3, s)) != want {
			t.Errorf("%v: %s (%v), want %s", order, typ.FormatScalar(V3, s), err, want)
		}
	}
}

// The fields of a type from Zarr v3 declare no byte order. InOrder declares one, and
// the fill value of a big-endian Zarr v2 array has it.
func TestRecordFromV3ToV2(t *testing.T) {
	r := Standard()
	from, err := r.ParseV3([]byte(`{"name":"struct","configuration":{"fields":[{"name":"x","data_type":"int16"},{"name":"in","data_type":` +
		`{"name":"struct","configuration":{"fields":[{"name":"y","data_type":"float32"}]}}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	value, err := from.ParseScalar(V3, []byte(`{"x":258,"in":{"y":1.0}}`))
	if err != nil {
		t.Fatal(err)
	}
	for order, want := range map[Order]string{Little: "AgEAAIA/", Big: "AQI/gAAA"} {
		typ := InOrder(from, order)
		text, err := typ.V2(order)
		if err != nil {
			t.Fatal(err)
		}
		fill := typ.FormatScalar(V2, value)
		if string(fill) != `"`+want+`"` {
			t.Errorf("%v: fill value %s, want %s", order, fill, want)
		}
		again, read, err := r.ParseV2(text, "")
		if err != nil || read != order || !Same(again, from) {
			t.Fatalf("%s is read as %v, %v (%v)", text, again, read, err)
		}
		if back, err := again.ParseScalar(V2, fill); err != nil || !slices.Equal(back, value) {
			t.Errorf("%v: the fill value is read as % x (%v), want % x", order, back, err, value)
		}
	}
}

// short is a type from outside the package whose scalars are too short.
type short struct{ Type }

func (short) ParseScalar(Format, json.RawMessage) (Scalar, error) { return Scalar{1}, nil }

func TestStructRefusals(t *testing.T) {
	for want, field := range map[string]Field{
		`"x" has no type`:         {Name: "x"},
		"field 0 has no name":     {Type: Int8},
		"no name in UTF-8":        {Name: "\xff", Type: Int8},
		"no fixed size":           {Name: "x", Type: StringType},
		"more than 1048576 bytes": {Name: "x", Type: foreign{newSubarray(RawBytes(MaxSize), []int{2})}},
	} {
		if typ, err := Struct(field); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v, want %q", typ, err, want)
		}
	}
	typ := must(Struct(Field{Name: "x", Type: short{Int16}}))
	if s, err := typ.ParseScalar(V3, []byte(`{"x":1}`)); err == nil || !strings.Contains(err.Error(), "int16 gave 1 bytes, want its size 2") {
		t.Errorf("a scalar that is too short: % x, %v", s, err)
	}
}

// The memory that a type takes grows with its text, not with the numbers in it.
func TestManyWords(t *testing.T) {
	const n, depth = 349_000, 22
	for inner, order := range map[string]Order{`[["x","|u1"],["y",">i2"]]`: Big, `[["a",">u2"],["y","|u1"]]`: Big, `[["x",">i2"],["y","<i2"]]`: Mixed} {
		count := n
		if order == Mixed {
			count = MaxSize / 4
		}
		text := strings.Repeat(`[["x",`, depth) + inner + fmt.Sprintf(`,[%d]`, count) + strings.Repeat(`]]`, depth)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		typ, read, err := Standard().ParseV2([]byte(text), "")
		if err != nil || read != order {
			t.Fatalf("%s: %v (%v)", inner, read, err)
		}
		swapper := Swapper(typ, order)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
			t.Errorf("%s: reading the type took %d bytes", inner, used)
		}
		src := make([]byte, typ.Size())
		for i := range src {
			src[i] = byte(rand.Uint32())
		}
		dst := make([]byte, len(src))
		swapper.SwapInto(dst, src)
		element := typ
		for range depth {
			element = element.(Record).Fields()[0].Type
		}
		record := element.(subarrayType).subarrayOf().element.(Record)
		for i, e := 0, src; len(e) > 0; i, e = i+1, e[record.Size():] {
			for _, f := range record.Fields() {
				if f.Order != Native {
					swapSlowly(f.Type, e[f.Offset:f.Offset+f.Type.Size()])
				}
			}
		}
		if !slices.Equal(dst, src) {
			t.Errorf("%s: words are swapped wrongly", inner)
		}
	}
}

// Nested records keep a long list of words once.
func TestManyFields(t *testing.T) {
	var fields []Field
	for i := range 100 {
		fields = append(fields, Field{Name: fmt.Sprint(i), Type: []Type{Int16, Float32, Uint8}[i%3]})
	}
	typ := must(Struct(fields...))
	for range 20 {
		typ = must(Struct(Field{Name: "b", Type: Uint8}, Field{Name: "x", Type: typ}))
		if n := len(typ.(*orderedRecord).swaps); n != 1 {
			t.Fatalf("%d swaps", n)
		}
	}
	src := make([]byte, 3*typ.Size())
	for i := range src {
		src[i] = byte(rand.Uint32())
	}
	want, dst := slices.Clone(src), make([]byte, len(src))
	for e := range slices.Chunk(want, typ.Size()) {
		swapSlowly(typ, e)
	}
	typ.(Ordered).SwapInto(dst, src)
	if !slices.Equal(dst, want) {
		t.Error("words are swapped wrongly")
	}
}
