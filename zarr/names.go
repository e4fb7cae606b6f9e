package zarr

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CleanPath turns a path of another format's hierarchy into the path of a node that a
// Zarr hierarchy can hold. It treats each name in the path by these rules:
//
//   - a name that [CheckPath] accepts stays unchanged;
//   - zero bytes at the end are left out, because texts of C end there;
//   - a control character, a backslash, a slash within a name, and bytes that are not
//     UTF-8 become an underscore;
//   - a name that begins with two underscores loses all underscores in front and, if it
//     ends with two as well, all underscores at its end: __categories becomes categories,
//     and __DATA_TYPES__ becomes DATA_TYPES;
//   - zarr.json becomes zarr_json;
//   - an empty name, or one of periods alone, becomes "unnamed".
//
// Names that are too long stay unchanged. Two paths may become the same, which the
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
