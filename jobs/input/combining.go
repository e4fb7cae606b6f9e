package input

import (
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
	"github.com/zmigrate/zmigrate/zarr"
)

// TypeOf is the data type that the job gives to an array, nil if it gives none. A type
// that cannot be parsed is reported with the array.
func TypeOf(j *jobfile.Job, path string, types *dtype.Registry) dtype.Type {
	o, _ := j.Options(path)
	if o.DataType == nil {
		return nil
	}
	t, err := types.ParseV3(o.DataType)
	if err != nil {
		return nil
	}
	return t
}

// combining says how the files of the source become one.
func combining(j *jobfile.Job, types *dtype.Registry) sources.Joining {
	s := &j.Source
	overlap := map[string]sources.Overlap{"first": sources.OverlapFirst, "last": sources.OverlapLast}[s.Overlap]
	return sources.Joining{
		Concat: s.Concat, Stack: s.Stack, Override: s.Join == "override", Order: s.Coordinate(),
		Wanted: func(path string) bool { return j.Selected(path) || j.Compares(path) }, Coordinates: j.Accompanies,
		Disordered: s.Disordered(), Overlap: overlap,
		Time: sources.Rebasing{Keep: s.Time.Keep, Units: s.Time.Units, Type: func(path string) dtype.Type { return TypeOf(j, path, types) }},
		Given: func(path, attribute string) bool {
			o, _ := j.Options(path)
			return slices.ContainsFunc(o.Attributes, func(a zarr.Attribute) bool {
				// A job that removes such an attribute does not say that all files mean the same.
				return a.Name == attribute && (string(a.Value) != "null" || compare.WeightOf(attribute) != compare.Meaning)
			})
		},
	}
}
