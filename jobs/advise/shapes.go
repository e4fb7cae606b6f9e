package advise

import (
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/zarr"
)

// Shape is a shape of chunks, and what it costs to read a map or a time series of the array. A
// map is the last two dimensions that are not time, and a time series is one element of each
// map. Sizes are in bytes of elements.
type Shape struct {
	Access  string  `json:"access"` // the use that the shape is for; "" for the shape of the job
	Chunks  []int   `json:"chunk_shape"`
	Objects int     `json:"chunks"`
	Bytes   int     `json:"chunk_bytes"`
	Ratio   float64 `json:"ratio"` // with the chosen chain; 0: not measured
	// MapChunks and SeriesChunks are how many chunks hold a map, and a time series. Both are 0
	// if the array has no such thing.
	MapChunks    int  `json:"map_chunks,omitempty"`
	SeriesChunks int  `json:"series_chunks,omitempty"`
	Current      bool `json:"current,omitempty"` // the chunks of the job
}

// timeOf returns the dimension of an array that is time: the one whose coordinate has units of
// CF time. It is -1 if there is none.
func timeOf(p *plan.Plan, a *plan.Array) int {
	for i, name := range a.Meta.DimensionNames {
		for k := range p.Arrays {
			c := &p.Arrays[k]
			if name == "" || len(c.Meta.DimensionNames) != 1 || c.Meta.DimensionNames[0] != name || c.Target != name && !strings.HasSuffix(c.Target, "/"+name) {
				continue
			}
			if strings.Contains(string(c.Meta.Attributes.Get("units")), " since ") {
				return i
			}
		}
	}
	return -1
}

// shapesOf returns the chunks of the job, and those that each access would have.
func shapesOf(p *plan.Plan, a *plan.Array) []Shape {
	t := p.Task(a)
	current := a.Chain.Chunk().Shape
	if s, ok := a.Chain.InnerChunks(); ok {
		current = s.Inner().Chunk().Shape
	}
	time, shape := timeOf(p, a), a.Meta.Grid.Shape
	size := zarr.ItemBytes(a.Meta.Type, t.Source.Info().ItemBytes)
	list := []Shape{{Chunks: current, Current: true}}
	for _, access := range []string{zarr.AccessMap, zarr.AccessTimeSeries, zarr.AccessBoth} {
		if time < 0 && len(shape) < 3 || len(shape) < 2 || slices.Contains(shape, 0) {
			break // without time, there are no maps and no time series
		}
		list = append(list, Shape{Access: access, Chunks: zarr.AccessChunks(access, time, shape, nil, t.Source.Info().Chunks, size)})
	}
	if time < 0 {
		time = 0 // as AccessChunks has it
	}
	for i := range list {
		list[i].measure(shape, time, size, len(list) > 1)
	}
	return list
}

// measure sets what follows from the shape of the chunks.
func (s *Shape) measure(shape []int, time, size int, maps bool) {
	n, _ := ndarray.Elements(s.Chunks)
	s.Bytes = n * size
	s.Objects = 1
	s.MapChunks, s.SeriesChunks = 1, 1
	plane := 0
	for i, extent := range slices.Backward(shape) {
		count := (extent + s.Chunks[i] - 1) / s.Chunks[i]
		s.Objects *= count
		switch {
		case i == time:
			s.SeriesChunks = count
		case plane < 2:
			plane++
			s.MapChunks *= count
		}
	}
	if !maps {
		s.MapChunks, s.SeriesChunks = 0, 0
	}
}
