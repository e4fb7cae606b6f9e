package zarr

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CleanPath returns a path of a hierarchy of another format as the path of a node that
// a Zarr hierarchy can hold, each name of it by this rule:
//
//   - a name that [CheckPath] accepts stays as it is;
//   - zero bytes at the end are left out, as in the languages whose texts end there;
//   - a control character, a backslash, a slash within a name and what is not UTF-8
//     become an underscore;
//   - underscores in front of a name that begins with two are left out, and those behind
//     it where it ends with two: __categories becomes categories, and __DATA_TYPES__
//     DATA_TYPES;
//   - zarr.json becomes zarr_json;
//   - a name of nothing, or of periods alone, becomes "unnamed".
//
// Names that are too long stay as they are. Two paths may become the same, which the
// caller has to refuse.
func CleanPath(p string) string {
	if CheckPath(p) == nil {
		return p
	}
	names := strings.Split(p, "/")
	for i, name := range names {
		names[i] = CleanName(name)
	}
	return strings.Join(names, "/")
}

// CleanName is [CleanPath] for a single name, which may have slashes.
func CleanName(name string) string {
	if name != "" && !strings.Contains(name, "/") && CheckPath(name) == nil {
		return name
	}
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\\' || r == '/' || r == utf8.RuneError {
			return '_'
		}
		return r
	}, strings.TrimRight(name, "\x00"))
	if strings.HasPrefix(name, "__") {
		if name = strings.TrimLeft(name, "_"); strings.HasSuffix(name, "__") {
			name = strings.TrimRight(name, "_")
		}
	}
	switch {
	case strings.Trim(name, ".") == "":
		return "unnamed"
	case name == MetadataKey:
		return strings.ReplaceAll(name, ".", "_")
	default:
		return name
	}
}
