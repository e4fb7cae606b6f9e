package jobfile

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/zarr"
)

// matches reports whether a glob matches the path of an array, such as
// "group/SST". The parts between slashes are matched one by one as path.Match
// does; a part ** stands for any number of parts, none included. A malformed
// glob matches nothing.
func matches(pattern, name string) bool {
	globs, parts := strings.Split(pattern, "/"), strings.Split(name, "/")
	// reach[j]: the globs so far match the first j parts.
	reach := make([]bool, len(parts)+1)
	reach[0] = true
	for _, g := range globs {
		next := make([]bool, len(parts)+1)
		for j := range next {
			switch {
			case g == "**":
				next[j] = reach[j] || j > 0 && next[j-1]
			case j > 0 && reach[j-1]:
				ok, err := path.Match(g, parts[j-1])
				next[j] = ok && err == nil
			}
		}
		reach = next
	}
	return reach[len(parts)]
}

// isGlob reports whether a pattern can match more than itself.
func isGlob(pattern string) bool { return strings.ContainsAny(pattern, `*?[\`) }

// Selected reports whether the node at a path, an array or a group without arrays, is
// migrated: source.include matches it or is not given, and source.exclude does not
// match it.
func (j *Job) Selected(path string) bool {
	return (len(j.Source.Include) == 0 || matchAny(j.Source.Include, path)) && !matchAny(j.Source.Exclude, path)
}

// SelectedBelow reports whether the job may migrate the group at a path of the source, or arrays
// below it.
func (j *Job) SelectedBelow(path string) bool {
	below := func(pattern string) bool {
		globs := strings.Split(pattern, "/")
		for n := 1; n < len(globs); n++ {
			if means(strings.Join(globs[:n], "/"), path) {
				return true
			}
		}
		return false
	}
	included := len(j.Source.Include) == 0 || matchAny(j.Source.Include, path) || slices.ContainsFunc(j.Source.Include, below)
	return included && !matchAny(j.Source.Exclude, path)
}

// Accompanies reports whether the array at a path comes along if it is a coordinate of a
// migrated array. It does, unless the job wants no coordinates or excludes this one by its
// path. A glob of source.exclude does not exclude coordinates, because it is meant for data.
func (j *Job) Accompanies(path string) bool {
	named := func(pattern string) bool { return !isGlob(pattern) && means(pattern, path) }
	return !j.Source.NoCoordinates && !slices.ContainsFunc(j.Source.Exclude, named)
}

func matchAny(patterns []string, path string) bool {
	for _, p := range patterns {
		if means(p, path) {
			return true
		}
	}
	return false
}

// means reports whether a pattern matches the node at a path of the source: by this
// path, or by the path that the node gets in a Zarr hierarchy.
func means(pattern, path string) bool {
	if pattern == path || matches(pattern, path) {
		return true
	}
	clean := zarr.CleanPath(path)
	return clean != path && (pattern == clean || matches(pattern, clean))
}

// indexRules makes the index of rules.
func indexRules(rules []ArrayRule) ruleIndex {
	index := ruleIndex{exact: make(map[string]int, len(rules))}
	for i, r := range rules {
		if isGlob(r.Pattern) {
			index.globs = append(index.globs, i)
		} else if _, twice := index.exact[r.Pattern]; !twice {
			index.exact[r.Pattern] = i
		}
	}
	return index
}

// Options returns the options of the array at a path and the field that they
// stand in, for [Job.Problem]: those of the rule with exactly this path, else
// those of the last glob that matches, else the defaults.
func (j *Job) Options(path string) (opts ArrayOptions, field string) {
	rule := j.rules.named(path)
	for _, i := range slices.Backward(j.rules.globs) {
		if rule >= 0 {
			break
		}
		if means(j.Arrays[i].Pattern, path) {
			rule = i
		}
	}
	if rule < 0 {
		return j.Defaults, "defaults"
	}
	return j.Arrays[rule].ArrayOptions, FieldPath("arrays", j.Arrays[rule].Pattern)
}

// Unmatched returns a problem for each rule, and each pattern of
// source.include and source.exclude, that matches none of a source's arrays:
// an error for a plain path, and a warning for a glob or an exclusion. groups are the paths
// of groups without arrays, which include and exclude select, too.
func (j *Job) Unmatched(paths []string, groups ...string) Problems {
	var ps Problems
	all := slices.Concat(paths, groups)
	exist := make(map[string]bool, len(paths)) // the arrays, by both of their paths
	for _, p := range paths {
		exist[p], exist[zarr.CleanPath(p)] = true, true
	}
	report := func(field, pattern string, paths []string, mild bool) {
		if !isGlob(pattern) && exist[pattern] || slices.ContainsFunc(paths, func(p string) bool { return means(pattern, p) }) {
			return
		}
		p := j.Problem(field, "no array of the source is named "+pattern, "")
		if isGlob(pattern) {
			p.Message = hide(j.hidden, "no array of the source matches "+pattern)
		} else {
			p.Hint = DidYouMean(pattern, paths)
		}
		if mild || isGlob(pattern) {
			p.Warning, p.Code = true, "unmatched-pattern"
		}
		ps = append(ps, p)
	}
	for _, r := range j.Arrays {
		report(FieldPath("arrays", r.Pattern), r.Pattern, paths, false)
	}
	for i, pattern := range j.Source.Include {
		report(fmt.Sprintf("source.include[%d]", i), pattern, all, false)
	}
	for i, pattern := range j.Source.Exclude {
		report(fmt.Sprintf("source.exclude[%d]", i), pattern, all, true)
	}
	ps.Sort()
	return ps
}

// Names reports whether the job names the array at a path, in source.include or in a rule. A
// glob that matches the path does not name the array.
func (j *Job) Names(path string) bool {
	by := func(name string) bool { return name == path || name == zarr.CleanPath(path) }
	return slices.ContainsFunc(j.Source.Include, by) || j.rules.named(path) >= 0
}
