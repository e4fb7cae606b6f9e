package jobfile

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// rawArray checks an array that the job itself describes.
func (c *checker) rawArray(a RawArray) {
	field := FieldPath("source", "arrays", a.Name)
	if a.DataType == nil || a.Shape == nil {
		return // reported by Load
	}
	own, _, at, err := a.Type(c.types)
	if err != nil {
		c.report(field+"."+at, "", "%v", err)
		return
	}
	rank := len(a.Shape)
	if a.Stack != "" {
		rank++
	}
	if n := len(a.DimensionNames); a.DimensionNames != nil && n != len(a.Shape) && n != rank {
		c.report(field+".dimension_names", "", "has %d entries, but the array has %d dimensions", n, rank)
	}
	if _, err := own.V3(); err != nil {
		c.report(field+".data_type", "", "%v", err)
		return
	}
	if own.Size() == 0 {
		c.report(field+".data_type", "name a type of fixed size, such as fixed_length_utf32 or raw_bytes", "elements of data type %s have no fixed size, as those of a raw file need", own.Name())
		return
	}
	if _, ok := ndarray.Bytes(own, a.Shape); !ok {
		c.report(field+".shape", "", "%v elements of %d bytes are more than 64 bits can count", a.Shape, own.Size())
		return
	}
	if len(a.Locations) > 1 && a.Stack == "" && a.Concat == "" {
		c.report(field+".url", "stack: NAME or concat: NAME", "the job does not say how several files become one array")
	}
	if a.Concat != "" && !slices.ContainsFunc(a.DimensionNames, func(n *string) bool { return n != nil && *n == a.Concat }) {
		c.report(field+".concat", "name it in dimension_names", "the array has no dimension %q", a.Concat)
	}
	o, where := c.job.Options(a.Name)
	s := section{where, o}
	for _, f := range o.dimensioned() {
		if f.entries >= 0 && f.entries != rank && !f.inherited {
			c.report(where+"."+f.name, "", "has %d entries, but array %s has %d dimensions", f.entries, a.Name, rank)
			return
		}
	}
	if o.DataType != nil {
		wanted, err := c.types.ParseV3(o.DataType)
		if err != nil {
			return // reported with the section
		}
		if !SameElements(own, wanted) {
			_, problems := c.job.Conversion(c.codecs, where, o, own, wanted)
			c.add(problems...)
		}
	}
	target := own
	if o.DataType != nil {
		target, _ = c.types.ParseV3(o.DataType) // read above
	}
	c.chain(s, target, c.fill(s, target), rank)
}

// Type returns the data type of a raw array and its byte order. The order is NoOrder for
// types without a byte order. Otherwise it comes from data_type if that is NumPy's spelling,
// then from endian, and is Little if neither names one. After an error, field is the field
// at fault.
func (a RawArray) Type(types *dtype.Registry) (t dtype.Type, order dtype.Order, field string, err error) {
	var name string
	if a.DataType[0] == '[' || json.Unmarshal(a.DataType, &name) == nil && name != "" && strings.ContainsAny(name[:1], "<>|=") {
		t, order, err = types.ParseV2(a.DataType, "")
		if err != nil {
			return nil, dtype.NoOrder, "data_type", err
		}
		if order != dtype.NoOrder && a.Endian != "" && a.Endian != order.String() {
			return nil, dtype.NoOrder, "endian", fmt.Errorf("%s contradicts data_type %s, which is %s-endian", a.Endian, a.DataType, order)
		}
		return t, order, "", nil
	}
	if t, err = types.ParseV3(a.DataType); err != nil {
		return nil, dtype.NoOrder, "data_type", err
	}
	if _, ordered := t.(dtype.Ordered); !ordered {
		return t, dtype.NoOrder, "", nil
	}
	if a.Endian == "big" {
		return t, dtype.Big, "", nil
	}
	return t, dtype.Little, "", nil
}

// targetNames reports arrays that the job names and that would get the same path in
// the target, or lie inside of one another.
func (c *checker) targetNames() {
	type place struct{ path, rename string }
	var places []place
	at := func(name string) place {
		o, field := c.job.Options(name)
		if o.Rename == "" {
			return place{name, FieldPath("arrays", name)}
		}
		return place{path.Join(path.Dir(name), o.Rename), field + ".rename"}
	}
	if c.job.traits().Declared {
		for _, a := range c.job.Source.Arrays {
			if !c.job.Selected(a.Name) {
				continue
			}
			p := at(a.Name)
			if o, _ := c.job.Options(a.Name); o.Rename == "" {
				p.rename = FieldPath("source", "arrays", a.Name)
			}
			places = append(places, p)
		}
	} else {
		for _, r := range c.job.Arrays {
			if !isGlob(r.Pattern) && c.job.Selected(r.Pattern) {
				places = append(places, at(r.Pattern))
			}
		}
	}
	taken := map[string]bool{}
	for _, p := range places {
		if taken[p.path] {
			c.report(p.rename, "give it another name with rename", "another array is named %s in the target already", p.path)
		}
		taken[p.path] = true
	}
	for _, p := range places {
		for i, char := range p.path {
			if above := p.path[:i]; char == '/' && taken[above] {
				c.report(p.rename, "", "%s cannot lie below %s, which is an array", p.path, above)
			}
		}
	}
}
