package e2e

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// classic describes a NetCDF file of format CDF-1: variables of float64 over fixed
// dimensions, with attributes of text, or of float64 if "#" follows the name.
type classic struct {
	dims []classicDim
	vars []classicVar
}

type classicDim struct {
	name string
	n    int
}

type classicVar struct {
	name       string
	dims       []int
	attributes [][2]string
	values     []float64
}

// text appends a string with its length, padded to words.
func text(b []byte, s string) []byte {
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
	return append(b, make([]byte, -len(s)&3)...)
}

// list appends the head of a list: its tag and its length.
func list(b []byte, tag uint32, n int) []byte {
	if n == 0 {
		tag = 0
	}
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, tag), uint32(n))
}

// encode returns the file, according to the NetCDF Classic Format Specification.
func (c classic) encode() []byte {
	size := len(c.header(make([]int, len(c.vars))))
	begins := make([]int, len(c.vars))
	for i, v := range c.vars {
		begins[i] = size
		size += 8 * len(v.values)
	}
	b := c.header(begins)
	for _, v := range c.vars {
		for _, x := range v.values {
			b = binary.BigEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return b
}

func (c classic) header(begins []int) []byte {
	const tagDimension, tagVariable, tagAttribute, char, double = 10, 11, 12, 2, 6
	b := list([]byte("CDF\x01\x00\x00\x00\x00"), tagDimension, len(c.dims))
	for _, d := range c.dims {
		b = binary.BigEndian.AppendUint32(text(b, d.name), uint32(d.n))
	}
	b = list(list(b, tagAttribute, 0), tagVariable, len(c.vars))
	for i, v := range c.vars {
		b = binary.BigEndian.AppendUint32(text(b, v.name), uint32(len(v.dims)))
		for _, d := range v.dims {
			b = binary.BigEndian.AppendUint32(b, uint32(d))
		}
		b = list(b, tagAttribute, len(v.attributes))
		for _, a := range v.attributes {
			name, isNumber := strings.CutSuffix(a[0], "#")
			if isNumber {
				words := strings.Split(a[1], ",")
				b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(text(b, name), double), uint32(len(words)))
				for _, word := range words {
					x, err := strconv.ParseFloat(word, 64)
					if err != nil {
						panic(err)
					}
					b = binary.BigEndian.AppendUint64(b, math.Float64bits(x))
				}
				continue
			}
			b = text(binary.BigEndian.AppendUint32(text(b, a[0]), char), a[1])
		}
		b = binary.BigEndian.AppendUint32(b, double)
		b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, uint32(8*len(v.values))), uint32(begins[i]))
	}
	return b
}

// netcdfFile writes a file with variables like "tas(time,lat)=1,2;units=K". The first
// variable that has only one dimension gives the dimension's length.
func netcdfFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: netcdf FILE VARIABLE…")
	}
	var c classic
	for _, arg := range args[1:] {
		fields := strings.Split(arg, ";")
		head, values, _ := strings.Cut(fields[0], "=")
		name, dims, ok := strings.Cut(strings.TrimSuffix(head, ")"), "(")
		if !ok {
			ts.Fatalf("%q has no dimensions: NAME(DIMENSIONS)=VALUES;ATTRIBUTE=TEXT;ATTRIBUTE#=NUMBER", arg)
		}
		v := classicVar{name: name}
		for word := range strings.SplitSeq(values, ",") {
			x, err := strconv.ParseFloat(word, 64)
			ts.Check(err)
			v.values = append(v.values, x)
		}
		for dim := range strings.FieldsFuncSeq(dims, func(r rune) bool { return r == ',' }) {
			at := slices.IndexFunc(c.dims, func(d classicDim) bool { return d.name == dim })
			if at < 0 {
				at = len(c.dims)
				c.dims = append(c.dims, classicDim{dim, len(v.values)})
			}
			v.dims = append(v.dims, at)
		}
		for _, field := range fields[1:] {
			name, value, _ := strings.Cut(field, "=")
			v.attributes = append(v.attributes, [2]string{name, value})
		}
		c.vars = append(c.vars, v)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), c.encode(), 0o666))
}

// day returns one of many small files of a series.
func day(i int) []byte {
	c := classic{
		dims: []classicDim{{"time", 1}, {"lat", 4}, {"lon", 8}},
		vars: []classicVar{
			{"time", []int{0}, [][2]string{{"units", "days since 2000-01-01"}, {"calendar", "standard"}}, []float64{float64(i)}},
			{"lat", []int{1}, [][2]string{{"units", "degrees_north"}}, []float64{-60, -20, 20, 60}},
			{"lon", []int{2}, [][2]string{{"units", "degrees_east"}}, []float64{0, 45, 90, 135, 180, 225, 270, 315}},
		},
	}
	for k := range 6 {
		v := classicVar{fmt.Sprintf("field_%d", k), []int{0, 1, 2}, [][2]string{
			{"units", "K"}, {"long_name", "one of the fields of a model, " + strings.Repeat("described at length, ", 10)},
			{"standard_name", "air_temperature"},
		}, make([]float64, 32)}
		if k < 2 { // some files have an attribute that no other file has
			v.attributes = append(v.attributes, [2]string{"history", fmt.Sprintf("made on day %d", i)})
		}
		for j := range v.values {
			v.values[j] = float64(1000*i + 100*k + j)
		}
		c.vars = append(c.vars, v)
	}
	return c.encode()
}
