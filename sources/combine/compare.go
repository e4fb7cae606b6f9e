package combine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
)

// weight is what a difference between the descriptions of an array does.
type weight int

const (
	remark   weight = iota // other attributes: the first ones are taken
	telling                // other attributes of the sort that tells what the array is
	meaning                // values that are the same mean something else
	naming                 // and so by the names that the data type gives them
	breaking               // other types or shapes: nothing fits together
)

// difference is one between two descriptions.
type difference struct {
	weight weight
	what   string // differs: "the attribute units"
	x, y   string // what it is in the first and in the other one
}

// compare compares the descriptions of a variable in all members with that of the
// first.
func (c *combined) compare(v *variable) {
	c.missing(v)
	at := v.first()
	first := v.parts[at].Info()
	known := map[[2]*sources.Info][]difference{{first, c.boundsOf(v, at)}: nil} // members alike share one
	remarks := map[string]int{}                                                 // how many members have another one
	for i, p := range v.parts {
		if p == nil {
			continue
		}
		alike := [2]*sources.Info{p.Info(), c.boundsOf(v, i)}
		list, ok := known[alike]
		if !ok {
			one, other := c.inherit(first, alike[0], c.boundsOf(v, at), alike[1])
			list = c.differences(v, one, other)
			known[alike] = list
		}
		for _, d := range list {
			text := fmt.Sprintf("%s is %s in %s and %s in %s", d.what, d.x, c.names[at], d.y, c.names[i])
			if hint, wrong := c.refuses(v, d); wrong {
				v.report.Add(fmt.Errorf("array %q: %s%s", v.path, text, hint))
				continue
			}
			if remarks[d.what]++; remarks[d.what] == 1 {
				v.note("%s; the first is taken", text)
			}
		}
	}
	for _, what := range sortedKeys(remarks) {
		if n := remarks[what]; n > 1 {
			v.note("%s differs from the first in %d files", what, n)
		}
	}
}

// refuses reports whether a difference is an error, and gives a way out.
func (c *combined) refuses(v *variable, d difference) (hint string, wrong bool) {
	switch {
	case d.weight == remark:
		return "", false
	case !v.joined && c.how.Override:
		return "", false // the first is taken as a whole
	case !v.joined:
		return ": exclude it, or take that of the first file by join: override", true
	case d.weight == breaking:
		return ": exclude it, or leave such files out", true
	case d.weight == meaning:
		return "; the stored values do not mean the same: make the files alike, or name the attribute under arrays if they do", true
	case d.weight == naming:
		return "; the stored values do not mean the same: make the files alike, or give the array the attribute flag_meanings if they do", true
	default:
		return ": join: override takes that of the first file", !c.how.Override
	}
}

// differences lists those of two descriptions of a variable.
func (c *combined) differences(v *variable, a, b *sources.Info) (list []difference) {
	add := func(w weight, what, x, y string) { list = append(list, difference{w, what, x, y}) }
	if !dtype.Same(a.Type, b.Type) {
		add(breaking, "the data type", typeText(a.Type), typeText(b.Type))
	}
	same := slices.Equal(a.DimensionNames, b.DimensionNames) && len(a.Shape) == len(b.Shape)
	if !same {
		add(breaking, "the list of dimensions", dimensions(a), dimensions(b))
	}
	for k, n := range a.Shape {
		if !same || n == b.Shape[k] || v.joined && a.DimensionNames != nil && a.DimensionNames[k] == c.how.Concat && c.how.Concat != "" {
			continue
		}
		what := fmt.Sprintf("the length of dimension %d", k)
		if a.DimensionNames != nil && a.DimensionNames[k] != "" {
			what = fmt.Sprintf("the length of dimension %q", a.DimensionNames[k])
		}
		add(breaking, what, fmt.Sprint(n), fmt.Sprint(b.Shape[k]))
	}
	list = append(list, c.attributeDifferences(v, a, b)...)
	packed := slices.ContainsFunc(list, func(d difference) bool { return d.weight == meaning })
	if x, y := packingText(a), packingText(b); !packed && x != y {
		add(meaning, "the packing", x, y)
	}
	if d, differ := labelDifference(a.Labels, b.Labels); differ && !c.given(v, "flag_meanings") {
		list = append(list, d)
	}
	mark, other := a.Attributes.Get("_FillValue"), b.Attributes.Get("_FillValue")
	marked := !bytes.Equal(mark, other) && SameMasks("_FillValue", mark, other) // with NaN in one of them
	known := a.Fill != nil && b.Fill != nil && dtype.Same(a.Type, b.Type)
	if known && !bytes.Equal(a.Fill, b.Fill) && !packed && !marked && !c.given(v, "_FillValue") {
		add(meaning, "the fill value", fillText(a), fillText(b))
	}
	return list
}

// attributeDifferences lists the attributes that differ, those aside that the job
// gives.
func (c *combined) attributeDifferences(v *variable, a, b *sources.Info) (list []difference) {
	names := map[string]bool{}
	for _, x := range slices.Concat(a.Attributes, b.Attributes) {
		names[x.Name] = true
	}
	for _, name := range sortedKeys(names) {
		x, y := a.Attributes.Get(name), b.Attributes.Get(name)
		s, t := a.AttributeTypes[name], b.AttributeTypes[name]
		retyped := s != nil && t != nil && !dtype.Same(s, t)
		if bytes.Equal(x, y) && !retyped {
			continue
		}
		w := weightOf(a, name)
		if !retyped && (cf.SameMeaning(name, x, y) || SameMasks(name, x, y)) {
			w = remark
		}
		if c.given(v, name) && (w < meaning || a.Packing == nil) {
			continue
		}
		show := func(text []byte, t dtype.Type) string {
			switch {
			case text == nil:
				return "absent"
			case bytes.Equal(x, y):
				return clip(string(text)) + " of " + t.Name()
			}
			if number, ok := sources.FillText(text); ok && name == "_FillValue" {
				return number
			}
			return clip(string(text))
		}
		list = append(list, difference{w, "the attribute " + name, show(x, s), show(y, t)})
	}
	return list
}

// labelDifference returns the first difference between the names that two data types
// give to values. That one has more of them is no more than a remark.
func labelDifference(a, b map[string]string) (d difference, differ bool) {
	values := map[string]string{} // of the names of b
	for value, name := range b {
		values[name] = value
	}
	for _, value := range sortedKeys(a) {
		name := a[value]
		if other, ok := b[value]; ok && other != name {
			return difference{naming, "the name of the value " + value, clip(name), clip(other)}, true
		}
		if other, ok := values[name]; ok && other != value {
			return difference{naming, fmt.Sprintf("the value with the name %q", clip(name)), value, other}, true
		}
	}
	return difference{remark, "the list of values with names", labelsText(a), labelsText(b)}, !maps.Equal(a, b)
}

func labelsText(labels map[string]string) string {
	var list []string
	for _, value := range sortedKeys(labels) {
		list = append(list, value+": "+labels[value])
	}
	return clip("{" + strings.Join(list, ", ") + "}")
}

func (c *combined) given(v *variable, name string) bool {
	return c.how.Given != nil && c.how.Given(v.path, name)
}

// Decisive reports whether an attribute says what the values of an array mean, or
// what the array is, so that arrays in which it differs are not parts of one.
func Decisive(name string) bool { return weightOf(&sources.Info{}, name) != remark }

// Meaning reports whether an attribute says what the values of an array mean.
func Meaning(name string) bool { return weightOf(&sources.Info{}, name) == meaning }

// SameMasks reports whether two values of an attribute, nil for none, mark the same
// values as missing: writers such as xarray add the mark NaN, which is missing anyway.
func SameMasks(name string, x, y json.RawMessage) bool {
	nothing := func(mark json.RawMessage) bool {
		number, ok := sources.FillText(mark)
		return mark == nil || ok && number == "NaN" || string(mark) == `"NaN"`
	}
	return (name == "_FillValue" || name == "missing_value") && nothing(x) && nothing(y)
}

// weightOf is what a difference in an attribute does.
func weightOf(info *sources.Info, name string) weight {
	means := []string{"units", "calendar", "_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned"}
	tells := []string{"standard_name", "positive", "axis", "cell_methods", "flag_values", "flag_masks", "flag_meanings",
		"valid_range", "valid_min", "valid_max", // by which some readers take values for missing
		"formula_terms", "grid_mapping", "coordinates", "bounds", "climatology", "timezone"}
	switch {
	case slices.Contains(means, name), info.Packing != nil && slices.Contains(cf.Names(), name):
		return meaning
	case slices.Contains(tells, name):
		return telling
	default:
		return remark
	}
}

// typeText is a data type as Zarr v3 writes it, with its configuration.
func typeText(t dtype.Type) string {
	text, err := t.V3()
	if err != nil {
		return t.Name()
	}
	return strings.Trim(clip(string(text)), `"`)
}

func dimensions(info *sources.Info) string {
	if info.DimensionNames == nil {
		return fmt.Sprintf("%d without names", len(info.Shape))
	}
	return fmt.Sprintf("%q", info.DimensionNames)
}

// packingText tells how the elements are packed where codecs are to say so.
func packingText(info *sources.Info) string {
	if info.Packing == nil {
		return "absent"
	}
	o, err := info.Packing.AsCodecs()
	if err != nil {
		return err.Error()
	}
	parts := []string{o.Type.Name()}
	for _, spec := range o.Codecs {
		parts = append(parts, spec.Name+" "+string(spec.Configuration))
	}
	return strings.Join(parts, ", ")
}

func fillText(info *sources.Info) string {
	return fmt.Sprintf("%s, from its %s,", info.Type.FormatScalar(dtype.V3, info.Fill), info.FillFrom)
}
