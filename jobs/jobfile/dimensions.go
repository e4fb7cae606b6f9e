package jobfile

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
)

// Names returns the names of dimensions that a job gives, "" for none.
func Names(given []*string) []string {
	if given == nil {
		return nil
	}
	list := make([]string, len(given))
	for i, name := range given {
		if name != nil {
			list[i] = *name
		}
	}
	return list
}

// DimensionsOf are the names of the dimensions of an array, which the job may give.
func (j *Job) DimensionsOf(info *sources.Info) []string {
	if o, _ := j.Options(info.Path); o.DimensionNames != nil {
		return Names(o.DimensionNames)
	}
	return info.DimensionNames
}

// declared describes the dimensions of the declared arrays that the job migrates: the arrays
// that it selects and their coordinates.
func (j *Job) declared() (list []*sources.Info) {
	all, taken := map[string]*sources.Info{}, map[string]bool{}
	exists := func(path string) bool { return all[path] != nil }
	for _, a := range j.Source.Arrays {
		info := &sources.Info{Path: a.Name, Shape: a.Shape, DimensionNames: Names(a.DimensionNames), Attributes: a.Attributes}
		if a.Stack != "" && len(info.DimensionNames) <= len(a.Shape) {
			rest := slices.Grow(info.DimensionNames, len(a.Shape))[:len(a.Shape)]
			info.Shape, info.DimensionNames = slices.Concat([]int{1}, a.Shape), slices.Concat([]string{a.Stack}, rest)
		}
		if all[a.Name] = info; j.Selected(a.Name) {
			list, taken[a.Name] = append(list, info), true
		}
	}
	for i := 0; i < len(list); i++ { // coordinates have coordinates
		for _, at := range compare.CoordinatesOf(list[i], exists) {
			if j.Accompanies(at) && !taken[at] {
				list, taken[at] = append(list, all[at]), true
			}
		}
	}
	return list
}

// CheckDimensions returns what is wrong with the names of dimensions, over the arrays that
// the job migrates.
func (j *Job) CheckDimensions(arrays iter.Seq[*sources.Info]) Problems {
	if len(j.Source.Select)+len(j.Dimensions) == 0 {
		return j.checkExtents(arrays)
	}
	known := map[string]bool{}
	for info := range arrays {
		for _, name := range info.DimensionNames {
			known[name] = true
		}
	}
	delete(known, "")
	sorted := slices.Sorted(maps.Keys(known))
	var ps Problems
	for _, s := range j.Source.Select {
		if !known[s.Dimension] {
			ps = append(ps, j.Problem(s.Field(), fmt.Sprintf("no array that the job selects has the dimension %q", s.Dimension), DidYouMean(s.Dimension, sorted)))
		}
	}
	for _, from := range slices.Sorted(maps.Keys(j.Dimensions)) {
		field, to := FieldPath("dimensions", from), j.Dimensions[from]
		_, moves := j.Dimensions[to]
		switch {
		case !known[from]:
			ps = append(ps, j.Problem(field, fmt.Sprintf("no array of the source has the dimension %q", from), DidYouMean(from, sorted)))
		case known[to] && !moves:
			ps = append(ps, j.Problem(field, fmt.Sprintf("the source has a dimension %q already", to), "choose another name"))
		}
	}
	return append(ps, j.checkExtents(arrays)...)
}

// checkExtents reports chunks and shards by the name of a dimension that no array of the
// section has. In the defaults, it also reports shapes for a number of dimensions that no
// array has.
func (j *Job) checkExtents(arrays iter.Seq[*sources.Info]) (ps Problems) {
	named := func(o ArrayOptions) bool {
		return o.Chunks.By != nil || o.Chunks.Shape != nil || o.ShardsBy != nil || o.Shards != nil
	}
	if !named(j.Defaults) && !slices.ContainsFunc(j.Arrays, func(r ArrayRule) bool { return named(r.ArrayOptions) }) {
		return nil
	}
	type arraysOf struct {
		names map[string]bool
		ranks map[int]string // with an array that has so many dimensions
	}
	sections := map[string]arraysOf{}
	add := func(field string, info *sources.Info) {
		s, ok := sections[field]
		if !ok {
			s = arraysOf{map[string]bool{}, map[int]string{}}
			sections[field] = s
		}
		for _, list := range [][]string{info.DimensionNames, j.DimensionsOf(info)} {
			for _, name := range list {
				s.names[name] = true
				if to := j.Dimensions[name]; to != "" {
					s.names[to] = true
				}
			}
		}
		s.ranks[len(info.Shape)] = info.Path
	}
	known := map[[2]string]bool{} // pairs of fields that name one dimension, and are reported
	for info := range arrays {
		ps = append(ps, j.namedTwice(info, known)...)
		add("defaults", info)
		if _, field := j.Options(info.Path); field != "defaults" {
			add(field, info)
		}
	}
	check := func(field string, o ArrayOptions) {
		s, ok := sections[field]
		if !ok {
			return // no array: reported elsewhere
		}
		delete(s.names, "")
		named := func(option string, by Extents) {
			for _, x := range by {
				if !s.names[x.Dimension] {
					known := slices.Sorted(maps.Keys(s.names))
					hint := DidYouMean(x.Dimension, known)
					if len(known) == 0 {
						hint = "dimension_names gives names to dimensions"
					}
					ps = append(ps, j.Problem(field+"."+FieldPath(option, x.Dimension), fmt.Sprintf("no array has the dimension %q", x.Dimension), hint))
				}
			}
		}
		listed := func(option string, shape []int) {
			if _, ok := s.ranks[len(shape)]; ok || field != "defaults" || shape == nil {
				return
			}
			var has []string
			for _, rank := range slices.Sorted(maps.Keys(s.ranks)) {
				has = append(has, fmt.Sprintf("%q has %d", s.ranks[rank], rank))
			}
			ps = append(ps, j.Problem("defaults."+option, fmt.Sprintf("no array has %d dimensions", len(shape)), "array "+SomeOf(has)))
		}
		if !o.FromDefaults.Chunks || field == "defaults" {
			named("chunks", o.Chunks.By)
			listed("chunks", o.Chunks.Shape)
		}
		if !o.FromDefaults.Shards || field == "defaults" {
			named("shards", o.ShardsBy)
			listed("shards", o.Shards)
		}
	}
	check("defaults", j.Defaults)
	for _, r := range j.Arrays {
		check(FieldPath("arrays", r.Pattern), r.ArrayOptions)
	}
	return ps
}

// ExtentNames returns the names by which the job may give the extent along dimension i of an
// array: those that the dimension has in the source and in the target. A name that is the old one
// of a dimension and the new one of another is taken for the new one.
func (j *Job) ExtentNames(source, target []string, i int) (names []string) {
	if i < len(source) {
		old := source[i]
		same := i < len(target) && target[i] == old
		taken := slices.Contains(target, old)
		for from, to := range j.Dimensions {
			taken = taken || to == old && from != old
		}
		if same || !taken {
			names = append(names, old)
		}
	}
	if i < len(target) {
		names = append(names, target[i])
	}
	return names
}

// namedTwice reports chunks and shards of an array that are given along one dimension by both of
// its names, that in the source and that in the target. reported has pairs of fields that are
// reported already, for another array.
func (j *Job) namedTwice(info *sources.Info, reported map[[2]string]bool) (ps Problems) {
	o, field := j.Options(info.Path)
	target := j.DimensionsOf(info)
	if o.DimensionNames == nil {
		target = slices.Clone(target)
		for i, name := range target {
			target[i] = cmp.Or(j.Dimensions[name], name)
		}
	}
	check := func(option string, by Extents, fromDefaults bool) {
		section := field
		if fromDefaults {
			section = "defaults"
		}
		for i := range info.Shape {
			twice := by.Named(j.ExtentNames(info.DimensionNames, target, i))
			if len(twice) < 2 || twice[0].Dimension == twice[1].Dimension {
				continue
			}
			first, second := section+"."+FieldPath(option, twice[0].Dimension), section+"."+FieldPath(option, twice[1].Dimension)
			if reported[[2]string{first, second}] {
				continue
			}
			reported[[2]string{first, second}] = true
			where := j.Problem(first, "", "")
			at := where.File
			if where.Line > 0 {
				at += fmt.Sprintf(":%d:%d", where.Line, where.Column)
			}
			ps = append(ps, j.Problem(second, fmt.Sprintf("array %q: %q and %q at %s are one dimension, by its names in the source and in the target", info.Path, twice[1].Dimension, twice[0].Dimension, at), "keep one of them"))
		}
	}
	check("chunks", o.Chunks.By, o.FromDefaults.Chunks)
	check("shards", o.ShardsBy, o.FromDefaults.Shards)
	return ps
}
