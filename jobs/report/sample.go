package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// A sample reads no more than this for one array.
const (
	mostDecoded = 256 << 20 // bytes of decoded chunks
	mostRead    = 16 << 20  // bytes of elements in memory
	mostRows    = 320       // of a picture, and most columns of it
	mostColumns = 640
)

// errNoNumbers says that a picture cannot show the values of an array.
var errNoNumbers = errors.New("its values are not real numbers")

// sample is a slice of an array as numbers: a plane, or a line if it has one row.
type sample struct {
	rows, columns int
	values        []float64 // in C order; NaN where data are missing
	missing       int       // how many values are NaN
	low, high     float64   // the least and the greatest value; NaN if all are missing
	units         string    // of the values; "": unknown
	// y and x are the axes of the slice. A line has no y.
	y, x axis
	// at tells where the slice lies along the other axes, such as "time 5 of 0 to 11".
	at []string
}

// axis is a dimension of a slice.
type axis struct {
	dim         int // index in the array; -1: none
	name        string
	first, last int    // indexes of the first and the last element of the part that is read
	step        int    // the slice has every step-th element of this part
	from, to    string // coordinates of first and last, or their indexes
	units       string // of the coordinates
	upwards     bool   // the coordinates grow, so a picture has the last row at the top
}

// sampler takes samples of the arrays of a target.
type sampler struct {
	target   sources.Source
	registry *codecs.Registry
}

// openTarget opens a target as its readers see it: packed values are unpacked, and missing
// ones are NaN.
func openTarget(ctx context.Context, url string, opt zarr.Options) (*sampler, error) {
	opt.CF = func(string) cf.Mode { return cf.Unpack }
	source, err := zarr.Open(ctx, url, opt)
	if err != nil {
		return nil, err
	}
	return &sampler{source, opt.Codecs}, nil
}

// sample reads a slice of an array. The slice lies in the middle of the dimensions that are
// not its axes.
func (s *sampler) sample(ctx context.Context, array string) (*sample, error) {
	a, err := s.target.Array(ctx, array)
	if err != nil {
		return nil, err
	}
	info := a.Info()
	own := info.Type
	if dtype.Same(own, dtype.BoolType) {
		own = dtype.Uint8
	}
	convert, err := jobfile.Cast{}.Bind(s.registry, own, dtype.Float64)
	if err != nil || own.Size() == 0 {
		return nil, errNoNumbers
	}
	if slices.Contains(info.Shape, 0) {
		return nil, errors.New("it has no elements")
	}
	out := &sample{low: math.NaN(), high: math.NaN(), units: sources.AttributeText(info.Attributes, "units")}
	out.y, out.x = axesOf(info)
	if err := out.choose(info); err != nil {
		return nil, err
	}
	s.name(ctx, info, out)
	missing := missingValues(info)
	for _, tile := range out.tiles(info) {
		read := ndarray.New(info.Type, tile.Shape)
		if err := a.ReadRegion(ctx, read, tile.Start); err != nil {
			return nil, err
		}
		read.Type = own
		numbers := ndarray.New(dtype.Float64, tile.Shape)
		if err := convert.Encode(numbers, read); err != nil {
			return nil, err
		}
		values, _ := ndarray.As[float64](numbers)
		out.take(values, tile, missing)
	}
	out.measure()
	return out, nil
}

// axesOf chooses the axes of a picture: the two dimensions that have names of axes, such as
// lat and lon, or else the last two that have more than one element.
func axesOf(info *sources.Info) (y, x axis) {
	y.dim, x.dim = -1, -1
	for i, name := range info.DimensionNames {
		switch strings.ToLower(name) {
		case "y", "lat", "latitude", "nlat", "north_south", "south_north", "rlat", "nav_lat":
			y.dim = i
		case "x", "lon", "longitude", "nlon", "west_east", "rlon", "nav_lon":
			x.dim = i
		}
	}
	if y.dim < 0 || x.dim < 0 || info.Shape[y.dim] < 2 || info.Shape[x.dim] < 2 {
		y.dim, x.dim = -1, -1
		for i, n := range slices.Backward(info.Shape) {
			if n < 2 {
				continue
			}
			if x.dim >= 0 {
				y.dim = i
				break
			}
			x.dim = i
		}
	}
	if x.dim < 0 {
		x.dim = len(info.Shape) - 1 // of one element, or of none for a scalar
	}
	return y, x
}

// choose chooses the part of the plane that is read: the whole plane, or its middle if the
// chunks of the whole plane are more than mostDecoded.
func (s *sample) choose(info *sources.Info) error {
	other := 1 // elements of a chunk along the dimensions that have no axis
	for i := range info.Shape {
		if i != s.y.dim && i != s.x.dim && info.Chunks != nil {
			other *= info.Chunks[i]
		}
	}
	axes := []*axis{&s.y, &s.x}
	length := func(a *axis) (elements, chunk int) {
		if a.dim < 0 {
			return 1, 1
		}
		if info.Chunks != nil {
			chunk = info.Chunks[a.dim]
		} else {
			chunk = min(info.Shape[a.dim], 256)
		}
		return info.Shape[a.dim], max(chunk, 1)
	}
	reach := [2]int{} // in chunks
	for i, a := range axes {
		n, chunk := length(a)
		reach[i] = (n + chunk - 1) / chunk
	}
	_, high := length(axes[0])
	_, wide := length(axes[1])
	one := float64(other) * float64(high) * float64(wide) * float64(info.Type.Size())
	if one > mostDecoded {
		return fmt.Errorf("its chunks of %d MiB are too large for a picture", int64(one)>>20)
	}
	for one*float64(reach[0])*float64(reach[1]) > mostDecoded {
		if reach[0]*high >= reach[1]*wide && reach[0] > 1 || reach[1] == 1 {
			reach[0] = (reach[0] + 1) / 2
		} else {
			reach[1] = (reach[1] + 1) / 2
		}
	}
	for i, a := range axes {
		n, chunk := length(a)
		most := []int{mostRows, mostColumns}[i]
		begin := ((n+chunk-1)/chunk - reach[i]) / 2 * chunk
		a.first, a.last = begin, min(begin+reach[i]*chunk, n)-1
		a.step = (a.last - a.first + most) / most
		if a.dim >= 0 && a.dim < len(info.DimensionNames) {
			a.name = info.DimensionNames[a.dim]
		}
		if a.name == "" && a.dim >= 0 {
			a.name = fmt.Sprintf("dimension %d", a.dim)
		}
	}
	s.rows, s.columns = s.y.count(), s.x.count()
	s.values = make([]float64, s.rows*s.columns)
	for i, n := range info.Shape {
		if i != s.y.dim && i != s.x.dim && n > 1 {
			name := fmt.Sprintf("dimension %d", i)
			if i < len(info.DimensionNames) && info.DimensionNames[i] != "" {
				name = info.DimensionNames[i]
			}
			s.at = append(s.at, fmt.Sprintf("%s %d of 0 to %d", name, n/2, n-1))
		}
	}
	return nil
}

// count returns how many elements the slice has along the axis.
func (a axis) count() int { return (a.last-a.first)/a.step + 1 }

// tiles lists the regions of the array that are read one after the other. A region has whole
// chunks, as many side by side as mostRead allows.
func (s *sample) tiles(info *sources.Info) []ndarray.Region {
	base := ndarray.Region{Start: make([]int, len(info.Shape)), Shape: slices.Repeat([]int{1}, len(info.Shape))}
	for i, n := range info.Shape {
		base.Start[i] = n / 2
	}
	high, wide := 1, 1
	if info.Chunks != nil && s.y.dim >= 0 {
		high = info.Chunks[s.y.dim]
	} else if s.y.dim >= 0 {
		high = 64
	}
	if len(info.Shape) == 0 {
		return []ndarray.Region{base}
	}
	if info.Chunks != nil {
		wide = info.Chunks[s.x.dim]
	}
	for wide <= s.x.last && 2*high*wide*info.Type.Size() <= mostRead {
		wide *= 2
	}
	var list []ndarray.Region
	for y := s.y.first; y <= s.y.last; y += high {
		for x := s.x.first; x <= s.x.last; x += wide {
			tile := ndarray.Region{Start: slices.Clone(base.Start), Shape: slices.Clone(base.Shape)}
			if s.y.dim >= 0 {
				tile.Start[s.y.dim], tile.Shape[s.y.dim] = y, min(high, s.y.last-y+1)
			}
			tile.Start[s.x.dim], tile.Shape[s.x.dim] = x, min(wide, s.x.last-x+1)
			list = append(list, tile)
		}
	}
	return list
}

// take takes the values of a tile that are in the slice. In the array, either of the two
// axes may be the faster one.
func (s *sample) take(values []float64, tile ndarray.Region, missing []float64) {
	y0, high, x0, wide := 0, 1, 0, 1
	if s.y.dim >= 0 {
		y0, high = tile.Start[s.y.dim]-s.y.first, tile.Shape[s.y.dim]
	}
	if len(tile.Shape) > 0 {
		x0, wide = tile.Start[s.x.dim]-s.x.first, tile.Shape[s.x.dim]
	}
	yStride, xStride := wide, 1
	if s.y.dim > s.x.dim {
		yStride, xStride = 1, high
	}
	for i := range high {
		if (y0+i)%s.y.step != 0 {
			continue
		}
		row := s.values[(y0+i)/s.y.step*s.columns:]
		for j := range wide {
			if (x0+j)%s.x.step != 0 {
				continue
			}
			v := values[i*yStride+j*xStride]
			if slices.Contains(missing, v) || math.IsInf(v, 0) {
				v = math.NaN()
			}
			row[(x0+j)/s.x.step] = v
		}
	}
}

// missingValues lists the numbers that stand for missing data in an array that is not packed.
func missingValues(info *sources.Info) (list []float64) {
	for _, name := range []string{"_FillValue", "missing_value"} {
		value := info.Attributes.Get(name)
		if text, ok := sources.FillText(value); ok {
			value = json.RawMessage(text)
		}
		var v float64
		if json.Unmarshal(value, &v) == nil {
			if dtype.Same(info.Type, dtype.Float32) {
				v = float64(float32(v))
			}
			list = append(list, v)
		}
	}
	return list
}

// measure counts the missing values, and finds the least and the greatest of the others.
func (s *sample) measure() {
	for _, v := range s.values {
		if math.IsNaN(v) {
			s.missing++
			continue
		}
		if !(v >= s.low) {
			s.low = v
		}
		if !(v <= s.high) {
			s.high = v
		}
	}
}

// name sets the texts for the ends of the axes: coordinates, or indexes if the target has no
// coordinate of the dimension.
func (s *sampler) name(ctx context.Context, info *sources.Info, of *sample) {
	for _, a := range []*axis{&of.y, &of.x} {
		if a.dim < 0 {
			continue
		}
		a.from, a.to = fmt.Sprint(a.first), fmt.Sprint(a.last)
		c := s.coordinate(ctx, info, a.dim)
		if c == nil {
			continue
		}
		var ends [2]float64
		convert, err := jobfile.Cast{}.Bind(s.registry, c.Info().Type, dtype.Float64)
		for i, at := range []int{a.first, a.last} {
			read, number := ndarray.New(c.Info().Type, []int{1}), ndarray.New(dtype.Float64, []int{1})
			if err == nil {
				err = c.ReadRegion(ctx, read, []int{at})
			}
			if err == nil {
				err = convert.Encode(number, read)
			}
			if err != nil {
				break
			}
			values, _ := ndarray.As[float64](number)
			ends[i] = values[0]
		}
		if err != nil {
			continue
		}
		a.from, a.to, a.units = short(ends[0]), short(ends[1]), sources.AttributeText(c.Info().Attributes, "units")
		a.upwards = ends[1] > ends[0]
	}
}

// coordinate returns the coordinate of a dimension of an array: a variable of one dimension
// with its name, in the group of the array or in a group around it. nil: there is none.
func (s *sampler) coordinate(ctx context.Context, info *sources.Info, dim int) sources.Array {
	if dim >= len(info.DimensionNames) || info.DimensionNames[dim] == "" {
		return nil
	}
	for group := path.Dir(info.Path); ; group = path.Dir(group) {
		at := path.Join(group, info.DimensionNames[dim])
		if slices.Contains(s.target.Arrays(), at) {
			c, err := s.target.Array(ctx, at)
			if err == nil && len(c.Info().Shape) == 1 && c.Info().Shape[0] == info.Shape[dim] && c.Info().Type.Size() > 0 {
				return c
			}
			return nil
		}
		if group == "." || group == "/" {
			return nil
		}
	}
}

// short spells a number in at most six digits.
func short(v float64) string { return fmt.Sprintf("%.6g", v) }
