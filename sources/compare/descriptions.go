package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/sources"
)

// Descriptions lists the differences between two arrays. Along the dimension of the name
// along, they may have different lengths; with "" along no dimension. given reports whether
// the job gives an attribute. Such an attribute replaces that of both arrays and is not a
// difference, unless the elements are packed by it.
func Descriptions(stays, comes *sources.Info, along string, given func(attribute string) bool) (list []Difference) {
	add := func(w Weight, attribute, what, x, y string) {
		list = append(list, Difference{w, attribute, what, x, y})
	}
	if !dtype.Same(stays.Type, comes.Type) {
		add(Breaking, "", "the data type", TypeText(stays.Type), TypeText(comes.Type))
	}
	same := slices.Equal(stays.DimensionNames, comes.DimensionNames) && len(stays.Shape) == len(comes.Shape)
	if !same {
		add(Breaking, "", "the list of dimensions", DimensionsText(stays), DimensionsText(comes))
	}
	for k, n := range stays.Shape {
		name := ""
		if stays.DimensionNames != nil {
			name = stays.DimensionNames[k]
		}
		if !same || n == comes.Shape[k] || name == along && along != "" {
			continue
		}
		what := fmt.Sprintf("the length of dimension %d", k)
		if name != "" {
			what = fmt.Sprintf("the length of dimension %q", name)
		}
		add(Breaking, "", what, fmt.Sprint(n), fmt.Sprint(comes.Shape[k]))
	}
	for _, d := range Attributes(stays, comes) {
		if !given(d.Attribute) || d.Weight >= Meaning && stays.Packing != nil {
			list = append(list, d)
		}
	}
	packed := slices.ContainsFunc(list, func(d Difference) bool { return d.Weight == Meaning })
	if x, y := packingText(stays), packingText(comes); !packed && x != y {
		add(Meaning, "", "the packing", x, y)
	}
	if d, differ := labels(stays.Labels, comes.Labels); differ && !given(d.Attribute) {
		list = append(list, d)
	}
	if otherFill(stays, comes) && !packed && !given("_FillValue") {
		add(Meaning, "_FillValue", "the fill value", fillText(stays), fillText(comes))
	}
	return list
}

// otherFill reports whether the fill values of two arrays are different values. It is false
// if one array marks NaN as missing and the other array marks nothing, because then neither
// fill value matters.
func otherFill(a, b *sources.Info) bool {
	const name = "_FillValue"
	if a.Fill == nil || b.Fill == nil || !dtype.Same(a.Type, b.Type) {
		return false
	}
	mark, other := a.Attributes.Get(name), b.Attributes.Get(name)
	if !SameJSON(mark, other) && marksNothing(name, mark) && marksNothing(name, other) {
		return false
	}
	v := ValuesOf(a.Type)
	return !v.Same(a.Fill, b.Fill)
}

// labels returns the first difference between the names that two data types give to values.
// If one data type only names more values than the other, the difference is a remark.
func labels(a, b map[string]string) (d Difference, differ bool) {
	const attribute = "flag_meanings"
	values := map[string]string{} // of the names of b
	for value, name := range b {
		values[name] = value
	}
	for _, value := range slices.Sorted(maps.Keys(a)) {
		name := a[value]
		if other, ok := b[value]; ok && other != name {
			return Difference{Naming, attribute, "the name of the value " + value, clip(name, mostShown), clip(other, mostShown)}, true
		}
		if other, ok := values[name]; ok && other != value {
			return Difference{Naming, attribute, fmt.Sprintf("the value with the name %q", clip(name, mostShown)), value, other}, true
		}
	}
	return Difference{Remark, attribute, "the list of values with names", labelsText(a), labelsText(b)}, !maps.Equal(a, b)
}

func labelsText(labels map[string]string) string {
	var list []string
	for _, value := range slices.Sorted(maps.Keys(labels)) {
		list = append(list, value+": "+labels[value])
	}
	return clip("{"+strings.Join(list, ", ")+"}", mostShown)
}

// TypeText spells a data type with all that it is made of.
func TypeText(t dtype.Type) string {
	const most = 300 // a record has many fields
	text, err := t.V3()
	if err != nil {
		return t.Name()
	}
	return strings.Trim(clip(string(text), most), `"`)
}

// DimensionsText lists the dimensions of an array.
func DimensionsText(info *sources.Info) string {
	if info.DimensionNames == nil {
		return fmt.Sprintf("%d without names", len(info.Shape))
	}
	return fmt.Sprintf("%q", info.DimensionNames)
}

// packingText returns a text that says how the elements are packed, if codecs are to
// describe that.
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
