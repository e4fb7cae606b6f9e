package jobfile

import (
	"fmt"
	"maps"
	"slices"
)

// Differences names the fields in which two normalised jobs differ, in the
// order of their names, each with both values.
func Differences(was, is []byte) []string {
	a, err := decodeJSON(was)
	if err != nil {
		return []string{"the job on record is not JSON: " + err.Error()}
	}
	b, err := decodeJSON(is)
	if err != nil {
		return []string{"the job is not JSON: " + err.Error()}
	}
	return differ(nil, nil, a, b)
}

// differ appends the differences between two values at a trail.
func differ(list []string, at *trail, a, b any) []string {
	if x, ok := a.(map[string]any); ok {
		if y, ok := b.(map[string]any); ok {
			return differMaps(list, at, x, y)
		}
	}
	x, y := listOfMaps(a), listOfMaps(b)
	if len(x) > 0 && len(x) == len(y) {
		for i := range x {
			list = differ(list, at.item(i), x[i], y[i])
		}
		return list
	}
	if was, is := show(a), show(b); was != is {
		list = append(list, fmt.Sprintf("%s: was %s, is %s", at, Clip(was, 300), Clip(is, 300)))
	}
	return list
}

func differMaps(list []string, at *trail, a, b map[string]any) []string {
	keys := slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
	slices.Sort(keys)
	_, named := a["name"]
	for _, k := range slices.Compact(keys) {
		x, inA := a[k]
		y, inB := b[k]
		field := at.key(k)
		switch {
		case !inA:
			list = append(list, fmt.Sprintf("%s: was not given, is %s", field, Clip(show(y), 300)))
		case !inB:
			list = append(list, fmt.Sprintf("%s: was %s, is not given", field, Clip(show(x), 300)))
		case named && k == "configuration":
			list = differ(list, at, x, y) // fields of a codec are named without it
		default:
			list = differ(list, field, x, y)
		}
	}
	return list
}

// listOfMaps returns the items of a list when all are mappings.
func listOfMaps(v any) []any {
	list, _ := v.([]any)
	for _, item := range list {
		if _, ok := item.(map[string]any); !ok {
			return nil
		}
	}
	return list
}
