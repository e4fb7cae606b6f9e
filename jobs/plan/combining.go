package plan

import (
	"slices"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
	"github.com/zmigrate/zmigrate/zarr"
)

// combining says how the files of the source become one.
func combining(j *jobfile.Job) sources.Joining {
	s := &j.Source
	return sources.Joining{
		Concat: s.Concat, Stack: s.Stack, Override: s.Join == "override", Order: s.Coordinate(), Wanted: j.Selected, Coordinates: j.Accompanies,
		Given: func(path, attribute string) bool {
			o, _ := j.Options(path)
			return slices.ContainsFunc(o.Attributes, func(a zarr.Attribute) bool {
				// To remove what values mean is not to say that they mean the same.
				return a.Name == attribute && (string(a.Value) != "null" || compare.WeightOf(attribute) != compare.Meaning)
			})
		},
	}
}
