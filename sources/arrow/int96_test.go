package arrow_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/arrow"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestInt96 reads timestamps of Spark, some of which nanoseconds in 64 bits cannot say, and one
// of which is null. The error names the row, and what to do.
func TestInt96(t *testing.T) {
	null := func(string, dtype.Type) (dtype.Scalar, error) {
		return dtype.Scalar{0, 0, 0, 0, 0, 0, 0, 0x80}, nil
	}
	a, err := open(t, arrow.Options{Null: null}, "testdata/int96_from_spark.parquet").Array(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		start int
		want  []int64 // microseconds since 1970, 0: null
		err   string
	}{
		{0, []int64{1704141296123456, 1704070800000000}, ""},
		{3, []int64{1735599600000000, 0}, ""},
		{0, make([]int64, 6), `column "a": batch 0, row 2: a timestamp of 9999-12-31 (Julian day 5373484) is not between`},
		{2, make([]int64, 1), "row 2: a timestamp of 9999-12-31"},
		{3, make([]int64, 3), "row 5: a timestamp of -294554-12-14 (Julian day -105862232)"},
		{5, make([]int64, 1), "row 5: a timestamp of -294554-12-14 (Julian day -105862232)"},
	} {
		dst := ndarray.New(a.Info().Type, []int{len(test.want)})
		err := a.ReadRegion(t.Context(), dst, []int{test.start})
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) || !strings.Contains(err.Error(), "TIMESTAMP_MICROS") {
				t.Errorf("rows from %d on: %v, want %s", test.start, err, test.err)
			}
			continue
		}
		got, _ := ndarray.As[int64](ndarray.Array{Type: dtype.Int64, Data: dst.Data, Shape: dst.Shape, Strides: dst.Strides})
		for i, v := range test.want {
			if test.want[i] = v * 1000; v == 0 {
				test.want[i] = -1 << 63
			}
		}
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("rows from %d on: %v, %v, want %v", test.start, got, err, test.want)
		}
	}
}

// TestInt96Limits reads the first and the last timestamps that nanoseconds in 64 bits can say.
func TestInt96Limits(t *testing.T) {
	a, err := open(t, arrow.Options{}, "testdata/int96_limits.parquet").Array(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	all := sourcetest.ReadAll(t, a)
	got, _ := ndarray.As[int64](ndarray.Array{Type: dtype.Int64, Data: all.Data, Shape: all.Shape, Strides: all.Strides})
	const days = 106751 * 86400e9
	if want := []int64{-math.MaxInt64, -days - 1, -days, -1, math.MaxInt64}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
