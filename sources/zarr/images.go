package zarr

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/ngff"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// convertImages changes the OME-NGFF metadata of the groups to those of version 0.5, and sets
// s.axes.
func (s *source) convertImages() {
	of := func(path string) zarr.Attributes { // as the source has them
		i, known := slices.BinarySearchFunc(s.groups, path, func(g sources.Group, path string) int { return strings.Compare(g.Path, path) })
		switch {
		case !known:
			return nil
		case s.groups[i].Own != nil:
			return s.groups[i].Own
		}
		return s.groups[i].Attributes
	}
	for i := range s.groups {
		g := &s.groups[i]
		if g.Err != nil || !ngff.Concerned(g.Attributes) {
			continue
		}
		images := g.Attributes.Get("multiscales")
		list, finding := ngff.Convert(g.Path, g.Attributes, of)
		if finding == nil {
			continue
		}
		own := g.Attributes
		g.Attributes, g.Findings = list, append(slices.Clip(g.Findings), *finding)
		if finding.Code == ngff.Converted {
			g.Own = own
			if s.axes == nil {
				s.axes = map[string][]string{}
			}
			maps.Copy(s.axes, ngff.AxisNames(g.Path, images))
		}
	}
}

// nameByAxes gives the dimensions of an array the names of the axes of its image.
func (s *source) nameByAxes(info *sources.Info) {
	names, own := s.axes[info.Path], info.DimensionNames
	switch {
	case names == nil || slices.Equal(names, own):
		return
	case len(names) != len(info.Shape):
		info.Findings = append(slices.Clip(info.Findings), cf.Finding{
			Code:    ngff.Axes,
			Message: fmt.Sprintf("it has %d dimensions, and the OME-NGFF metadata of its group give it %d axes, %q", len(info.Shape), len(names), names),
			Hint:    "give the group right metadata in the section groups",
		})
		return
	case own != nil:
		info.Findings = append(slices.Clip(info.Findings), cf.Finding{
			Code:    ngff.Axes,
			Message: fmt.Sprintf("its dimensions were named %q; they get the names %q of the axes of its image, which OME-NGFF 0.5 demands", own, names),
			Hint:    "dimension_names gives them other names, and source.ngff: keep leaves them as they are",
		})
	}
	info.DimensionNames, info.OwnNames, info.Axes = names, own, true
}
