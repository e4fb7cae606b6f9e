package jobs

import (
	"bytes"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

func TestDifference(t *testing.T) {
	for _, test := range []struct {
		kind dtype.Type
		a, b []string
		want int
	}{
		{dtype.Float64, []string{"1", "0"}, []string{"1", "-0.0"}, -1},
		{dtype.Float32, []string{"-0.0", "2"}, []string{"0", "3"}, 1},
		{dtype.Float32, []string{`"NaN"`, "2"}, []string{`"0x7fc00001"`, "2"}, -1},
		{dtype.Float32, []string{`"NaN"`, "2"}, []string{"0", "2"}, 0},
		{dtype.Float16, []string{"-0.0", "2"}, []string{"0", "2"}, -1},
		{dtype.Float16, []string{`"NaN"`}, []string{"0"}, 0},
		{dtype.Int16, []string{"0", "-1"}, []string{"0", "1"}, 1},
		{dtype.Int16, []string{"-32768"}, []string{"0"}, 0},
	} {
		a, b := column(t, test.kind, test.a...), column(t, test.kind, test.b...)
		at, x, y := difference(a.values, b.values)
		if at != test.want || at >= 0 && bytes.Equal(x, y) {
			t.Errorf("%v, %v: %d, %v, %v", test.a, test.b, at, x, y)
		}
	}
}
