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
		t.Error("texts and truth have an order")
	}
}
