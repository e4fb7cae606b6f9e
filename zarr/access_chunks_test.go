package zarr

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

func TestAccessChunks(t *testing.T) {
	hours := []int{8760, 721, 1440} // a year of ERA5
	for _, c := range []struct {
		name, access        string
		time                int
		shape, given, units []int
		size                int
		want                []int
	}{
		{"one map is large enough", AccessMap, 0, hours, nil, nil, 4, []int{1, 721, 1440}},
		{"maps are not divided up to 8 MiB", AccessMap, 0, hours, nil, nil, 8, []int{1, 721, 1440}},
		{"large maps are divided", AccessMap, 0, []int{10, 20000, 20000}, nil, nil, 4, []int{1, 1429, 1429}},
		{"small maps are put together", AccessMap, 0, []int{8760, 73, 144}, nil, nil, 4, []int{48, 73, 144}},
		{"levels before time", AccessMap, 0, []int{365, 17, 73, 144}, nil, nil, 4, []int{2, 17, 73, 144}},
		{"steps of the source", AccessMap, 0, []int{8760, 73, 144}, nil, []int{20, 10, 10}, 4, []int{40, 73, 144}},
		{"all of time", AccessTimeSeries, 0, hours, nil, nil, 4, []int{8760, 5, 10}},
		{"more of time than a chunk has", AccessTimeSeries, 0, []int{10_000_000, 10, 10}, nil, nil, 8, []int{250000, 1, 1}},
		{"small arrays are one chunk", AccessTimeSeries, 0, []int{12, 90, 180}, nil, nil, 4, []int{12, 90, 180}},
		{"one level", AccessTimeSeries, 0, []int{3650, 37, 721, 1440}, nil, nil, 4, []int{3650, 1, 8, 16}},
		{"a map and a series meet 144 and 129 chunks", AccessBoth, 0, hours, nil, nil, 4, []int{68, 61, 120}},
		{"time is the last dimension", AccessBoth, 2, []int{721, 1440, 8760}, nil, nil, 4, []int{61, 120, 68}},
		{"time is the first of three dimensions", AccessTimeSeries, -1, []int{100, 1000, 1000}, nil, nil, 4, []int{100, 72, 72}},
		{"stations", AccessMap, 0, []int{100000, 500}, nil, nil, 4, []int{1031, 500}},
		{"stations over time", AccessTimeSeries, 0, []int{100000, 500}, nil, nil, 4, []int{100000, 5}},
		{"a field without time", AccessMap, -1, []int{4000, 4000}, nil, nil, 4, []int{1000, 1000}},
		{"some are given", AccessTimeSeries, 0, hours, []int{100, 0, 0}, nil, 4, []int{100, 52, 96}},
		{"empty", AccessBoth, 0, []int{0, 90, 90}, nil, nil, 4, []int{1, 90, 90}},
		{"product beyond an int", AccessBoth, 0, []int{1 << 40, 1 << 40, 1 << 40}, nil, nil, 4, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := AccessChunks(c.access, c.time, c.shape, c.given, c.units, c.size)
			if diff := cmp.Diff(c.want, got); diff != "" && c.want != nil {
				t.Error(diff)
			}
			n, ok := ndarray.Elements(append([]int{c.size}, got...))
			whole, fits := ndarray.Elements(append([]int{c.size}, c.shape...))
			if !ok || n > MostAutoBytes || n < leastBytes && (!fits || whole > accessBytes) {
				t.Errorf("chunks %v have %d bytes", got, n)
			}
		})
	}
}

// TestAccessBalance counts the chunks that a map and a time series meet with
// access: both, for arrays of many shapes.
func TestAccessBalance(t *testing.T) {
	for _, shape := range [][]int{{8760, 721, 1440}, {1_000_000, 73, 144}, {3650, 180, 360}, {500, 5000, 5000}} {
		got := AccessChunks(AccessBoth, 0, shape, nil, nil, 4)
		count := func(i int) float64 { return float64((shape[i] + got[i] - 1) / got[i]) }
		if ratio := count(0) / (count(1) * count(2)); ratio < 0.75 || ratio > 1.34 {
			t.Errorf("shape %v: chunks %v, a series meets %v chunks and a map %v", shape, got, count(0), count(1)*count(2))
		}
	}
}
