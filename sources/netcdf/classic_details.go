package netcdf

import (
	"context"
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/sources"
)

// details implements contents.
func (c *classicFile) details(_ context.Context, path string) ([]sources.Detail, error) {
	if v := c.header.byName[path]; v != nil {
		return append([]sources.Detail{{Name: "stored type", Text: v.kind.String()}}, attributeDetails(v.attributes)...), nil
	}
	dims := make([]string, len(c.header.dims))
	for i, d := range c.header.dims {
		dims[i] = dimensionText(d.name, d.length, d.record)
	}
	list := []sources.Detail{
		{Name: "format", Text: fmt.Sprintf("NetCDF classic, CDF-%d", c.header.version)},
		{Name: "dimensions", Text: strings.Join(dims, ", ")},
	}
	return append(list, attributeDetails(c.header.attributes)...), nil
}

// attributeDetails lists the types of attributes. It also shows the value of the attribute
// _FillValue, which has another form in Zarr.
func attributeDetails(attributes []attribute) []sources.Detail {
	var list []sources.Detail
	for i := range attributes {
		a := &attributes[i]
		text := a.kind.String()
		if a.name == attrFill {
			text += " = " + strings.Trim(string(a.json()), `"`)
		}
		list = append(list, sources.Detail{Name: a.name, Text: text, Attribute: true})
	}
	return list
}

func dimensionText(name string, length int, unlimited bool) string {
	text := fmt.Sprintf("%s = %d", name, length)
	if unlimited {
		text += " (unlimited)"
	}
	return text
}
