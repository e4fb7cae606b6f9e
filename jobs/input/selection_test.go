package input_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/plan"
)

// writeChunk writes the only chunk of an array with one dimension.
func writeChunk[T any](t *testing.T, dir, array string, values []T) {
	t.Helper()
	data, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		t.Fatal(err)
	}
	jobtest.WriteTree(t, dir, map[string]string{array + "/c/0": string(data)})
}

// oneDimension is the document of an array with one chunk.
func oneDimension(t, fill, dimension, attributes string, n int) string {
	return fmt.Sprintf(`{"zarr_format": 3, "node_type": "array", "shape": [%d], "data_type": %s, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [%d]}},
	"chunk_key_encoding": {"name": "default"}, "fill_value": %s, "codecs": [{"name": "bytes"}], "dimension_names": ["%s"], "attributes": {%s}}`, n, t, n, fill, dimension, attributes)
}

// TestSelectJoined selects by dates in files that are joined along the time, whose
// coordinate is not migrated, and by values in groups with coordinates of their own.
func TestSelectJoined(t *testing.T) {
	dir := t.TempDir()
	for i := range 2 {
		folder := filepath.Join(dir, fmt.Sprintf("in%d.zarr", i))
		jobtest.WriteTree(t, folder, map[string]string{
			"zarr.json": jobtest.Group, "g/zarr.json": jobtest.Group,
			"time/zarr.json": oneDimension(`"int32"`, "0", "time", `"units": "days since 2000-01-30"`, 3),
			"v/zarr.json":    oneDimension(`"int32"`, "0", "time", "", 3),
			"x/zarr.json":    oneDimension(`"float32"`, "0", "x", "", 3),
			"w/zarr.json":    oneDimension(`"int32"`, "0", "x", "", 3),
			"g/x/zarr.json":  oneDimension(`"float32"`, "0", "x", "", 4),
			"g/w/zarr.json":  oneDimension(`"int32"`, "0", "x", "", 4),
		})
		writeChunk(t, folder, "time", []int32{int32(3 * i), int32(3*i + 1), int32(3*i + 2)})
		writeChunk(t, folder, "v", []int32{int32(3 * i), int32(3*i + 1), int32(3*i + 2)})
		writeChunk(t, folder, "x", []float32{0.1, 0.2, 0.3})
		writeChunk(t, folder, "w", []int32{1, 2, 3})
		writeChunk(t, folder, "g/x", []float32{0.4, 0.3, 0.2, 0.1})
		writeChunk(t, folder, "g/w", []int32{4, 3, 2, 1})
	}
	p := planned(t, dir, `
zmigrate: 1
target: {url: out.zarr}
source:
  driver: zarr
  url: "in*.zarr"
  concat: time
  include: [v, w, g/w]
  coordinates: false
  select: {time: 2000-02, x: [0.2, 0.3]}
`)
	want := map[string][]int32{"v": {2, 3, 4, 5}, "w": {2, 3}, "g/w": {3, 2}}
	if len(p.Arrays) != len(want) {
		t.Errorf("%d arrays", len(p.Arrays))
	}
	for i := range p.Arrays {
		a := &p.Arrays[i]
		dst := ndarray.New(dtype.Int32, a.Meta.Grid.Shape)
		task := p.Task(a)
		if err := task.Source.ReadRegion(t.Context(), dst, []int{0}); err != nil {
			t.Fatal(err)
		}
		if got, _ := ndarray.As[int32](dst); !slices.Equal(got, want[a.Source]) {
			t.Errorf("%s: %v, want %v", a.Source, got, want[a.Source])
		}
		if task.Stored != nil || !strings.Contains(a.Reason, "a part") {
			t.Errorf("%s: carried through, or %q", a.Source, a.Reason)
		}
	}
}

// TestSelectTypes selects dates and values of coordinates of several types.
// TestSelectRoundedTimes selects an hour of days that are floats. They are multiples of a
// rounded hour, so some of them are a little less than the hour, as in files of models.
func TestSelectRoundedTimes(t *testing.T) {
	dir := t.TempDir()
	in, hour := filepath.Join(dir, "in.zarr"), 1.0/24
	days := make([]int64, 480)
	for i := range days {
		days[i] = int64(math.Float64bits(float64(i) * hour))
	}
	document := oneDimension(`"float64"`, "0.0", "t", `"units": "days since 2001-01-01"`, len(days))
	jobtest.WriteTree(t, in, map[string]string{"zarr.json": jobtest.Group, "t/zarr.json": document})
	writeChunk(t, in, "t", days)
	for i := range days {
		hour := fmt.Sprintf("2001-01-%02dT%02d", 1+i/24, i%24)
		p := planned(t, dir, "zmigrate: 1\ntarget: {url: out.zarr}\nsource: {driver: zarr, url: in.zarr, select: {t: "+hour+"}}\n")
		info := p.Arrays[0].Meta
		want := "select takes 1 of 480 along t, from index " + strconv.Itoa(i) + " on"
		if info.Grid.Shape[0] != 1 || !slices.Contains(p.Arrays[0].Notes, want) {
			t.Errorf("%s: %v, %q", hour, info.Grid.Shape, p.Arrays[0].Notes)
		}
	}
}

func TestSelectTypes(t *testing.T) {
	const datetime = `{"name": "numpy.datetime64", "configuration": {"unit": "h", "scale_factor": 6}}`
	for name, test := range map[string]struct {
		document  string
		values    []int64
		selection string
		want      int // elements
		fails     string
	}{
		"datetime64":               {oneDimension(datetime, `"NaT"`, "t", "", 5), []int64{0, 1, 2, 3, 4}, "1970-01-01", 4, ""},
		"datetime64, an hour":      {oneDimension(datetime, `"NaT"`, "t", "", 5), []int64{0, 1, 2, 3, 4}, "1970-01-01T06/1970-01-01T12", 2, ""},
		"datetime64, by values":    {oneDimension(datetime, `"NaT"`, "t", "", 2), []int64{0, 1}, "[0, 1]", 0, "select dates"},
		"NaT":                      {oneDimension(datetime, `"NaT"`, "t", "", 2), []int64{0, -1 << 63}, "1970", 0, "no place in an order"},
		"int64 beyond 2^53":        {oneDimension(`"int64"`, "0", "t", "", 3), []int64{1 << 60, 1<<60 + 1, 1<<60 + 2}, "[1152921504606846977, 1152921504606846977]", 1, ""},
		"uint64 of all sizes":      {oneDimension(`"uint64"`, "0", "t", "", 3), []int64{1, 2, -1}, "[-5, 1e30]", 3, ""},
		"packed":                   {oneDimension(`"int64"`, "0", "t", `"scale_factor": 0.5, "add_offset": 10`, 3), []int64{2, 4, 6}, "[12, 13]", 2, ""},
		"fractions":                {oneDimension(`"int64"`, "0", "t", "", 3), []int64{1, 2, 3}, "[1.5, 2.5]", 1, ""},
		"above all":                {oneDimension(`"int64"`, "0", "t", "", 3), []int64{1, 2, 3}, "[1e30, null]", 0, "selects nothing"},
		"text":                     {oneDimension(`{"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}`, `""`, "t", "", 1), []int64{0}, "[1, 2]", 0, "no numbers and no times"},
		"units of the job's":       {oneDimension(`"int64"`, "0", "t", `"units": "1"`, 3), []int64{0, 1, 2}, "2001-01-02", 1, ""},
		"nothing, in datetime64":   {oneDimension(datetime, `"NaT"`, "t", "", 2), []int64{1, 3}, "2000", 0, "from 1970-01-01T06:00 to 1970-01-01T18:00"},
		"nothing, by value":        {oneDimension(`"int64"`, "0", "t", `"units": "days since 2001-01-01"`, 2), []int64{0, 31}, "[100, 200]", 0, "from 2001-01-01 to 2001-02-01, stored as 0 to 31 days since 2001-01-01"},
		"nothing, packed":          {oneDimension(`"int64"`, "0", "t", `"scale_factor": 0.5, "units": "days since 2001-01-01", "calendar": "360_day"`, 2), []int64{1, 118}, "2002", 0, "from 2001-01-01T12:00 to 2001-02-30, stored as 0.5 to 59.0 days"},
		"no date of the calendar":  {oneDimension(`"int64"`, "0", "t", `"units": "days since 2001-01-01", "calendar": "360_day"`, 1), []int64{1}, "2001-01-31", 0, "the calendar 360_day has no date 2001-01-31"},
		"an empty coordinate":      {oneDimension(`"int64"`, "0", "t", "", 0), nil, "[1, 2]", 0, "it has no values"},
		"two numbers":              {oneDimension(`"int64"`, "0", "t", `"units": "degrees_east"`, 3), []int64{1, 2, 3}, "-10/2", 2, ""},
		"two numbers, no units":    {oneDimension(`"int64"`, "0", "t", "", 3), []int64{1990, 1991, 1992}, "1991/1992", 2, ""},
		"one bound of two":         {oneDimension(`"int64"`, "0", "t", "", 3), []int64{1, 2, 3}, "2/", 2, ""},
		"two fractions":            {oneDimension(`"int64"`, "0", "t", `"units": "days since 2001-01-01"`, 3), []int64{1, 2, 3}, "1.5/2e0", 1, ""},
		"the greater number first": {oneDimension(`"int64"`, "0", "t", "", 2), []int64{1, 2}, "2/1", 0, `"2/1" ends before it begins`},
		"two years":                {oneDimension(`"int64"`, "0", "t", `"units": "days since 0001-01-01", "calendar": "noleap"`, 3), []int64{1, 365, 366}, "2/3", 2, ""},
		"a time without dates":     {oneDimension(`"int64"`, "0", "t", `"units": "hours since 0000-01-01"`, 3), []int64{0, 366, 8000}, "0/3000", 2, ""},
		"years that are values":    {oneDimension(`"int64"`, "0", "t", `"units": "hours since 2001-01-01", "calendar": "proleptic_gregorian"`, 2), []int64{0, 1}, "../3", 0, "whole numbers are years here; [null, 3], or t=,3 on the command line, selects values"},
		"years without dates":      {oneDimension(`"int64"`, "0", "t", `"units": "hours since 0000-01-01"`, 3), []int64{0, 1990, 8000}, "1990/1995", 0, "the calendar standard has no date 0-01-01"},
		"one number":               {oneDimension(`"int64"`, "0", "t", "", 2), []int64{1, 2}, "2", 0, "it has no units"},
		"values that are repeated": {oneDimension(`"int64"`, "0", "t", "", 4), []int64{1, 2, 2, 3}, "[2, 2]", 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			in := filepath.Join(dir, "in.zarr")
			document := strings.ReplaceAll(test.document, "[0]}}", "[1]}}")
			jobtest.WriteTree(t, in, map[string]string{"zarr.json": jobtest.Group, "t/zarr.json": document})
			writeChunk(t, in, "t", test.values)
			text := "zmigrate: 1\ntarget: {url: out.zarr}\nsource: {driver: zarr, url: in.zarr, select: {t: " + test.selection + "}}\n"
			if strings.HasPrefix(name, "units") {
				text += "arrays: {t: {attributes: {units: days since 2001-01-01}}}\n"
			}
			j := jobtest.Parse(t, dir, text)
			p, err := plan.New(t.Context(), j, jobtest.Environment())
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) || !strings.Contains(err.Error(), `in.zarr: variable "t"`) {
					t.Errorf("error %v, want one with %q", err, test.fails)
				}
				if _, err := os.Stat(filepath.Join(dir, "out.zarr")); err == nil {
					t.Error("something was written")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Arrays[0].Meta.Grid.Shape[0]; got != test.want {
				t.Errorf("%d elements, want %d", got, test.want)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
