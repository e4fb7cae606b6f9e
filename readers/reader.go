package readers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/zarr"
)

// Reader is a program that reads Zarr v3, from one version on. It is immutable.
type Reader struct {
	Name    string
	Version string // the first version that the entry holds for
	Tried   string // the release that the matrix has tried; "" if the entry is from Page
	Page    string // the documentation that the entry is taken from
	types   []string
	codecs  []string
	limits  []limit
}

// limit returns what a reader does not open in an array whose codecs and data types it
// knows. What is "" if there is no such thing.
type limit func(a *zarr.Array, specs []codecs.Spec) Refusal

// Refusal is why a reader does not open an array.
type Refusal struct {
	Field   string `json:"field"`             // of the array's options in a job, such as "codecs"
	What    string `json:"what"`              // such as "the codec zfp"
	Instead string `json:"instead,omitempty"` // what the reader does open, or what to do; ""
}

// String returns what the reader does not open, and what it opens instead.
func (r Refusal) String() string {
	if r.Instead == "" {
		return r.What
	}
	return r.What + " (instead: " + r.Instead + ")"
}

// String returns the name with the version.
func (r *Reader) String() string {
	if r.Version == "" {
		return r.Name
	}
	return r.Name + " " + r.Version
}

// Refuses returns why the reader does not open an array, or false if it does.
func (r *Reader) Refuses(a *zarr.Array) (Refusal, bool) {
	if refused, ok := r.RefusesType(a.Type); ok {
		return refused, true
	}
	specs := flat(a.Codecs)
	if refused, ok := r.refusesOneOf(specs); ok {
		return refused, true
	}
	for _, l := range r.limits {
		if refused := l(a, specs); refused.What != "" {
			return refused, true
		}
	}
	return Refusal{}, false
}

// RefusesCodecs returns the codec of a chain that the reader does not know, or false if it
// knows all of them.
func (r *Reader) RefusesCodecs(chain []codecs.Spec) (Refusal, bool) {
	return r.refusesOneOf(flat(chain))
}

func (r *Reader) refusesOneOf(specs []codecs.Spec) (Refusal, bool) {
	for _, s := range specs {
		if !slices.Contains(r.codecs, s.Name) {
			return Refusal{"codecs", "the codec " + s.Name, r.instead(s.Name, replacements)}, true
		}
	}
	return Refusal{}, false
}

// RefusesType returns why the reader does not open elements of a data type, or false if it
// does.
func (r *Reader) RefusesType(t dtype.Type) (Refusal, bool) {
	if record, ok := t.(dtype.Record); ok && slices.Contains(r.types, t.Name()) {
		for _, field := range record.Fields() {
			if refused, ok := r.RefusesType(field.Type); ok {
				return refused, true
			}
		}
		return Refusal{}, false
	}
	name := t.Name()
	if slices.Contains(r.types, name) || isRawBits(name) && slices.Contains(r.types, "r*") {
		return Refusal{}, false
	}
	if isRawBits(name) {
		name = "r*"
	}
	return Refusal{"data_type", "the data type " + t.Name(), r.instead(name, otherTypes)}, true
}

func isRawBits(name string) bool {
	return len(name) > 1 && name[0] == 'r' && strings.Trim(name[1:], "0123456789") == ""
}

// instead returns the first replacement that the reader opens.
func (r *Reader) instead(name string, replacements map[string][]string) string {
	for _, other := range replacements[name] {
		word, _, _ := strings.Cut(other, " ")
		if slices.Contains(r.codecs, word) || slices.Contains(r.types, word) || strings.HasPrefix(other, "leave ") || strings.HasPrefix(other, "exclude ") {
			return other
		}
	}
	return ""
}

// flat returns the codecs of a chain with those within them.
func flat(specs []codecs.Spec) []codecs.Spec {
	list := make([]codecs.Spec, 0, len(specs))
	for _, s := range specs {
		list = append(list, s)
		if !mayHold(s.Configuration, "codecs") {
			continue
		}
		var inside struct {
			Codecs []codecs.Spec `json:"codecs"`
			Index  []codecs.Spec `json:"index_codecs"`
		}
		if json.Unmarshal(s.Configuration, &inside) == nil {
			list = append(append(list, flat(inside.Codecs)...), flat(inside.Index)...)
		}
	}
	return list
}

// mayHold reports whether a JSON text may hold a word. Most texts do not, and need no parser.
func mayHold(text []byte, word string) bool {
	return bytes.Contains(text, []byte(word)) || bytes.IndexByte(text, '\\') >= 0
}

// Newest reports whether the entry is the last one of its program.
func (r *Reader) Newest() bool {
	for _, other := range slices.Backward(table) {
		if other.Name == r.Name {
			return other == r
		}
	}
	return false
}

// Names lists the readers of the table, each once.
func Names() []string {
	var names []string
	for _, r := range All() {
		if !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}

// UnknownError is a name that no reader of the table has.
type UnknownError struct {
	Name    string
	Package string // the reader in a package of that name, or ""
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("no reader %q is known: they are %s, each with >=VERSION behind it if need be", e.Name, strings.Join(Names(), ", "))
}

// packages are the names of packages that hold a reader of another name.
var packages = map[string]string{"zarr": "zarr-python", "zarrita": "zarrita.js", "rasterio": "gdal"}

// Parse returns the reader that a requirement such as "xarray" or "zarr-python>=3.1" means:
// the entry of the table for the oldest version that the requirement allows. A version that
// is older or newer than those of the table is an error.
func Parse(requirement string) (*Reader, error) {
	name, least, versioned := strings.Cut(requirement, ">=")
	name, least = strings.TrimSpace(name), strings.TrimSpace(least)
	var entries []*Reader // the oldest first
	for _, r := range All() {
		if r.Name == name {
			entries = append(entries, r)
		}
	}
	if entries == nil {
		return nil, &UnknownError{name, packages[name]}
	}
	oldest, newest := entries[0], entries[len(entries)-1]
	wanted := parts(least)
	if len(wanted) == 1 {
		wanted = append(wanted, 0)
	}
	switch {
	case !versioned:
		return oldest, nil
	case wanted == nil:
		return nil, fmt.Errorf("%q is no version: want numbers with dots between them, as in zarr-python>=3.1", least)
	case newest.Version == "":
		return nil, fmt.Errorf("%s: the table of readers has no versions of %s: write %s alone", requirement, name, name)
	case slices.Compare(wanted, parts(oldest.Version)) < 0:
		return nil, fmt.Errorf("%s: what %s reads is known from version %s on: write %s>=%s", requirement, name, oldest.Version, name, oldest.Version)
	case slices.Compare(wanted[:2], parts(newest.Version)) > 0:
		return nil, fmt.Errorf("%s: what %s reads is known up to version %s, and newer ones should read the same: write %s>=%s", requirement, name, newest.Version, name, newest.Version)
	}
	found := oldest
	for _, r := range entries {
		if slices.Compare(parts(r.Version), wanted) <= 0 {
			found = r
		}
	}
	return found, nil
}

// parts returns the numbers of a version, or nil if it has others than numbers.
func parts(version string) []int {
	var list []int
	for part := range strings.SplitSeq(version, ".") {
		n := 0
		if _, err := fmt.Sscanf(part, "%d", &n); err != nil || fmt.Sprint(n) != part {
			return nil
		}
		list = append(list, n)
	}
	return list
}
