package netcdf

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/netcdftype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
)

// classicFile is the content of a file in one of the classic formats.
type classicFile struct {
	file    *sources.OpenFile
	header  *header
	scratch *ndarray.Pool
	pieces  *sources.Pieces
}

func (c *classicFile) groups() []sources.Group {
	list := c.header.attributes
	findings := textFindings(list)
	if cut := c.header.cut; cut.count > 0 {
		findings = append(findings, cf.Finding{
			Code:    sources.Renamed,
			Message: fmt.Sprintf("%d names of dimensions, variables or attributes contain a zero byte and are cut off there: %s", cut.count, strings.Join(cut.first, ", ")),
		})
	}
	return []sources.Group{{Attributes: attributesJSON(list), Findings: findings}}
}

func (c *classicFile) paths() []string {
	var list []string
	for _, v := range c.header.vars {
		list = append(list, v.name)
	}
	return list
}

func (c *classicFile) stated(path string) ([]attribute, bool) {
	v := c.header.byName[path]
	if v == nil {
		return nil, false
	}
	return v.attributes, true
}

func (c *classicFile) open(_ context.Context, path string) (sources.Array, error) {
	f, v := c.file, c.header.byName[path]
	if err := checkName(v.name); err != nil {
		return nil, fmt.Errorf("%s: variable %q: %w", f.URL, v.name, err)
	}
	info := &sources.Info{Path: v.name, Type: dataType(v.kind), Attributes: attributesJSON(v.attributes), Remote: !f.Store.Local(), Findings: textFindings(v.attributes)}
	for _, d := range v.dims {
		info.DimensionNames = append(info.DimensionNames, c.header.dims[d].name)
		info.Shape = append(info.Shape, c.header.dims[d].length)
		if c.header.dims[d].record {
			info.Unlimited = append(info.Unlimited, c.header.dims[d].name)
		}
	}
	if _, ok := ndarray.Bytes(info.Type, info.Shape); !ok {
		return nil, fmt.Errorf("%s: variable %q of shape %v is too large for any file", f.URL, v.name, info.Shape)
	}
	if v.kind == netcdftype.Char {
		info.Characters = sources.SingleCharacters
		if n := len(v.dims); n > 0 && c.header.dims[v.dims[n-1]].texts {
			info.Characters = sources.LastDimension
		}
	}
	setFill(info, v.attributes, v.kind == netcdftype.Char)
	strides := ndarray.CStrides(info.Type.Size(), info.Shape)
	if v.record {
		strides[0] = c.header.recordSize
	}
	place := sources.Place{
		Files: f.Store, Key: f.Key, URL: f.URL, Size: f.Size,
		Order: dtype.Big, Offset: v.begin, Strides: strides, Scratch: c.scratch,
	}
	if c.pieces != nil {
		info.Codecs = []codecs.Spec{serializer(info.Type, dtype.Big)}
		return c.pieces.Cut(info, place)
	}
	return sources.NewStrided(info, place)
}

// checkName refuses names that no array in the root can have.
func checkName(name string) error {
	if name == "" || strings.Contains(name, "/") {
		return errors.New("an array needs a name without slashes")
	}
	return nil // the path in the target is checked, and may differ
}
