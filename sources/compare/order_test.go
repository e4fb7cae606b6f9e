package compare

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

func TestOrderOf(t *testing.T) {
	dates, err := dtype.Datetime64("s", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		t      dtype.Type
		rising []string
	}{
		{dtype.Int8, []string{"-128", "-1", "0", "127"}},
		{dtype.Uint16, []string{"0", "1", "65535"}},
		{dtype.Int32, []string{"-2147483648", "-65537", "-1", "0", "65536", "2147483647"}},
		{dtype.Uint32, []string{"0", "65535", "65536", "4294967295"}},
		{dtype.Int64, []string{"-9223372036854775808", "-1", "0", "9223372036854775807"}},
		{dtype.Uint64, []string{"0", "18446744073709551615"}},
		{dtype.Float32, []string{`"-Infinity"`, "-2.5", "-1e-40", "0", "1e-40", "3", `"Infinity"`}},
		{dtype.Float64, []string{"-1e300", "-1", "0", "1e-300", "1"}},
		{dates, []string{"-5", "0", "7"}},
	} {
		number := OrderOf(test.t)
		var list []uint64
		for _, text := range test.rising {
			item, err := test.t.ParseScalar(dtype.V3, json.RawMessage(text))
			if err != nil {
				t.Fatal(err)
			}
			x, valid := number(item)
			if !valid {
				t.Errorf("%s of %s has no place", text, test.t.Name())
			}
			list = append(list, x)
		}
		if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
			t.Errorf("%s: %v", test.t.Name(), list)
		}
	}
	if _, valid := OrderOf(dates)(dates.Default()); valid {
		t.Error("not-a-time has a place")
	}
	if x, _ := OrderOf(dtype.Float64)(binary.NativeEndian.AppendUint64(nil, 1<<63)); x != 1<<63 {
		t.Error("-0 is not 0")
	}
	if OrderOf(dtype.StringType) != nil || OrderOf(dtype.BoolType) != nil {
		t.Error("texts or booleans have an order")
	}
}

// TestCompare compares elements. NaN and NaT have no place in the order.
func TestCompare(t *testing.T) {
	for _, test := range []struct {
		kind dtype.Type
		x, y string
		want int
	}{
		{dtype.Float16, "1", "2", -1}, {dtype.Float16, "2", "1", 1}, {dtype.Float16, "0", "-0.0", 0}, {dtype.Float16, `"NaN"`, "1", Unordered},
		{dtype.BFloat16, "-1", "1", -1}, {dtype.Float8E8M0FNU, "1", "2", -1}, {dtype.Float4E2M1FN, "-0.5", "0.5", -1},
		{dtype.Float32, "1", `"NaN"`, Unordered}, {dtype.Float64, `"NaN"`, `"NaN"`, Unordered}, {dtype.Int4, "-8", "7", -1}, {dtype.Uint2, "3", "1", 1},
	} {
		a := column(t, test.kind, test.x, test.y)
		size := test.kind.Size()
		if got := OrderOf(test.kind).Compare(a.Data[:size], a.Data[size:2*size]); got != test.want {
			t.Errorf("%s: %s and %s compare as %d", test.kind.Name(), test.x, test.y, got)
		}
	}
}

func TestTextOrder(t *testing.T) {
	for _, test := range []struct {
		kind dtype.Type
		x, y string
		want int
	}{
		{dtype.StringType, `"a"`, `"b"`, -1}, {dtype.StringType, `"b"`, `"a"`, 1}, {dtype.StringType, `"a"`, `"a"`, 0}, {dtype.StringType, `""`, `"a"`, -1},
		{dtype.FixedUTF32(2), `"ab"`, `"b"`, -1}, {dtype.FixedUTF32(2), `"Ā"`, `"z"`, 1}, {dtype.FixedUTF32(2), `"a"`, `"ab"`, -1}, {dtype.FixedUTF32(2), `"ab"`, `"ab"`, 0},
		{dtype.NullTerminated(1), `"YQ=="`, `"Yg=="`, -1},
	} {
		var items [][]byte
		for item := range column(t, test.kind, test.x, test.y).Items() {
			items = append(items, item)
		}
		if got := TextOrder(test.kind)(items[0], items[1]); got != test.want {
			t.Errorf("%s: %s and %s compare as %d", test.kind.Name(), test.x, test.y, got)
		}
	}
	for _, kind := range []dtype.Type{dtype.Int8, dtype.BytesType, dtype.RawBytes(2), dtype.BoolType} {
		if TextOrder(kind) != nil {
			t.Errorf("%s has texts", kind.Name())
		}
	}
}

func TestTrend(t *testing.T) {
	for _, test := range []struct {
		orders          []int
		rising, falling bool
		turn            int
	}{
		{nil, true, true, 0},
		{[]int{0}, true, true, 0},
		{[]int{Unordered}, false, false, 0},
		{[]int{0, -1, -1}, true, false, 0},
		{[]int{0, 1, 1}, false, true, 0},
		{[]int{0, 0}, false, false, 1},
		{[]int{0, -1, 1, -1}, false, false, 2},
		{[]int{0, 1, Unordered}, false, false, 2},
	} {
		var trend Trend
		for _, order := range test.orders {
			trend.Add(order)
		}
		if trend.Rising() != test.rising || trend.Falling() != test.falling || trend.Turn != test.turn || trend.N != len(test.orders) {
			t.Errorf("%v: %+v", test.orders, trend)
		}
	}
}
