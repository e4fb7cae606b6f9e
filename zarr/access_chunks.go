package zarr

import (
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Values of the parameter access of AccessChunks.
const (
	AccessMap        = "map"
	AccessTimeSeries = "time-series"
	AccessBoth       = "both"
)

// accessBytes is the size that AccessChunks aims at, in bytes of elements. A reader of a
// map or a time series uses a part of each chunk, so smaller chunks than those of
// AutoChunks spare it more than their requests cost.
const accessBytes = 2 << 20

// AccessChunks chooses the chunk shape of an array for a use. A map is the last two
// dimensions that are not time; a time series is one element of each map.
//
//   - map: chunks are whole maps, divided only beyond 8 MiB. Small maps are put together,
//     first along the dimensions between time and map, then along time.
//   - time-series: chunks are as long as time, and small tiles of maps.
//   - both: a map and a time series meet equally many chunks, the square root of the
//     number of all chunks. That is the shape of Russ Rew's "Chunking Data: Choosing Shapes".
//
// time is the dimension of time, -1 if it is not known: then it is the first of three or
// more dimensions. Without time, chunks are those of AutoChunksWith, which describes
// given, units and size. An extent that is longer than a unit is a multiple of it.
func AccessChunks(access string, time int, shape, given, units []int, size int) []int {
	if time < 0 && len(shape) > 2 {
		time = 0
	}
	if time < 0 || len(shape) < 2 {
		return AutoChunksWith(shape, given, units, size)
	}
	s := shaping{size: size, whole: make([]int, len(shape)), chunk: make([]int, len(shape)), units: units}
	var plane, others []int // dimensions that are chosen, the last first
	maps := 0
	for i := len(shape) - 1; i >= 0; i-- {
		s.whole[i], s.chunk[i] = max(shape[i], 1), 1
		free := given == nil || given[i] == 0
		switch {
		case !free:
			s.chunk[i] = given[i]
		case i == time:
		case maps < 2:
			plane = append(plane, i)
		default:
			others = append(others, i)
		}
		if i != time && maps < 2 {
			maps++
		}
	}
	var times []int
	if given == nil || given[time] == 0 {
		times = []int{time}
	}
	switch access {
	case AccessMap:
		s.fill(MostAutoBytes, plane, nil)
		for _, i := range others {
			s.fill(accessBytes, []int{i}, nil)
		}
		s.fill(accessBytes, times, nil)
	case AccessTimeSeries:
		s.fill(accessBytes, times, nil)
		s.fill(accessBytes, plane, nil)
		s.fill(accessBytes, others, nil)
	default:
		s.fill(accessBytes, plane, times)
		s.fill(accessBytes, others, nil)
	}
	return s.chunk
}

// shaping is a chunk shape that is being chosen.
type shaping struct {
	size         int
	whole, chunk []int
	units        []int // nil for none
}

// fill makes the chunk as long as the array along dims and alone. Then it divides the
// chunk along these dimensions until it has no more than most bytes. All dimensions in dims are
// divided into equally many pieces. alone has at most one dimension, which is divided into
// as many pieces as all of dims together.
func (s *shaping) fill(most int, dims, alone []int) {
	pieces := make([]int, len(s.chunk))
	all := slices.Concat(alone, dims)
	for _, i := range all {
		s.chunk[i], pieces[i] = s.whole[i], 1
	}
	for {
		if n, ok := ndarray.Elements(append([]int{s.size}, s.chunk...)); ok && n <= most {
			break
		}
		next, least := -1, 0.0
		for _, i := range all {
			n := float64(pieces[i])
			if len(alone) > 0 && len(dims) > 1 && i != alone[0] {
				n *= n
			}
			if s.chunk[i] > 1 && (next < 0 || n < least) {
				next, least = i, n
			}
		}
		if next < 0 {
			break
		}
		pieces[next] += max(1, pieces[next]/16)
		s.chunk[next] = (s.whole[next] + pieces[next] - 1) / pieces[next]
	}
	if s.units == nil {
		return
	}
	for _, i := range all {
		if n := s.chunk[i]; n < s.whole[i] {
			s.chunk[i] = min(fitted(n, max(s.units[i], 1)), s.whole[i])
		}
	}
}

// fitted returns the multiple of unit that is nearest to n. If n is below unit, it returns
// a divisor of unit that is a little smaller than n, if there is one.
func fitted(n, unit int) int {
	if n >= unit {
		return (n + unit/2) / unit * unit
	}
	for d := n; 4*d > 3*n; d-- {
		if unit%d == 0 {
			return d
		}
	}
	return n
}
