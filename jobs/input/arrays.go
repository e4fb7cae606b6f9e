package input

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
)

// Arrays opens the arrays that the job selects and their coordinates, several at once.
// arrays and came are in the order of paths; the arrays that are not opened are nil. For a
// coordinate that the job itself does not select, came has the path of an array that it
// belongs to. left has the arrays that are left out, by their paths, with the reasons. An
// array that the job names is never left out. Another one is left out if its name leads to
// no array. It is also left out if this program does not support it, and either the job
// skips such arrays or the array only comes along as a coordinate. The error tells of all
// other arrays that cannot be opened, in their order, and of a group that cannot be listed.
func Arrays(ctx context.Context, j *jobfile.Job, source sources.Source, paths []string) (arrays []sources.Array, came []string, left map[string]error, err error) {
	arrays, came, left = make([]sources.Array, len(paths)), make([]string, len(paths)), map[string]error{}
	faults := make([]error, len(paths))
	var next []int // to be opened
	for i := range paths {
		if j.Selected(paths[i]) {
			next = append(next, i)
		}
	}
	number := map[string]int{} // of each array, if coordinates can come along
	if len(next) < len(paths) {
		for i := range paths {
			number[paths[i]] = i
		}
	}
	asked := make([]bool, len(paths))
	for len(next) > 0 {
		err = sources.InParallel(ctx, len(next), func(ctx context.Context, k int) error {
			i := next[k]
			arrays[i], faults[i] = source.Array(ctx, paths[i])
			return nil
		})
		if err != nil {
			return nil, nil, nil, err
		}
		for _, i := range next {
			asked[i] = true
		}
		next = coordinatesOf(j, paths, arrays, next, number, asked, came)
	}
	var wrong []arrayFault
	for i, err := range faults {
		skips := j.Source.Unsupported == "skip" || came[i] != ""
		switch {
		case err == nil:
		case errors.Is(err, sources.ErrNoArray) && !j.Names(paths[i]):
			left[paths[i]] = err
		case sources.Unsupported(err) && skips && !j.Names(paths[i]):
			left[paths[i]] = err
		case sources.Unsupported(err):
			wrong = append(wrong, arrayFault{paths[i], err}.unsupported(j))
		case came[i] != "":
			wrong = append(wrong, arrayFault{paths[i], err}.withWay(fmt.Sprintf("a coordinate of %s: source.coordinates: false leaves such arrays out", came[i])))
		case len(paths) > 1 && !limits.Passing(err) && !errors.Is(err, fs.ErrNotExist):
			wrong = append(wrong, arrayFault{paths[i], err}.withWay("source.exclude leaves it out"))
		default:
			wrong = append(wrong, arrayFault{paths[i], err})
		}
	}
	if len(wrong) > 0 && limits.Passing(wrong[0].err) {
		return nil, nil, nil, wrong[0].error() // a transient error of the store, which all have
	}
	if len(wrong) == 1 {
		err = missing(j, wrong[0].error())
	} else {
		err = folded(wrong)
	}
	return arrays, came, left, errors.Join(err, unlisted(j, source))
}

// coordinatesOf returns the indexes of the arrays that are coordinates of the arrays in
// opened and that have not been asked for yet. For each, it sets came to the path of the
// array that it belongs to. number has the indexes of arrays by their paths.
func coordinatesOf(j *jobfile.Job, paths []string, arrays []sources.Array, opened []int, number map[string]int, asked []bool, came []string) (next []int) {
	if len(number) == 0 {
		return nil
	}
	exists := func(path string) bool { _, ok := number[path]; return ok }
	for _, i := range opened {
		if arrays[i] == nil {
			continue
		}
		for _, at := range compare.CoordinatesOf(arrays[i].Info(), exists) {
			if k := number[at]; !asked[k] && came[k] == "" && j.Accompanies(at) {
				came[k], next = paths[i], append(next, k)
			}
		}
	}
	return next
}

// CompanionsOf returns, by the path of an array, the paths of the arrays that its attributes
// name and that are not migrated; see [compare.CompanionsOf]. Arrays that are not migrated
// are nil in arrays.
func CompanionsOf(paths []string, arrays []sources.Array) map[string][]string {
	number := make(map[string]int, len(paths))
	for i, path := range paths {
		number[path] = i
	}
	exists := func(path string) bool { _, ok := number[path]; return ok }
	left := map[string][]string{}
	for i, a := range arrays {
		if a == nil {
			continue
		}
		for _, at := range compare.CompanionsOf(a.Info(), exists) {
			if arrays[number[at]] == nil {
				left[paths[i]] = append(left[paths[i]], at)
			}
		}
	}
	return left
}
