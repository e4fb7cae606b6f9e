package draft

import (
	"path/filepath"
	"strings"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/internal/store"
)

// SchemaFile is the name of the file with the schema of job files, as the first line of a draft
// has it.
const SchemaFile = "zmigrate.schema.json"

// Options are what a draft is made with. The zero value makes a job in the working directory.
type Options struct {
	// Dir is the folder in which the job file will lie: relative paths begin there. "" is the
	// working directory.
	Dir string
	// Target is the URL of the target; "": the name with the ending .zarr.
	Target string
	Name   string // of the job; "": from the source
	Access string // the use that chunks are chosen for; "": no special use
	// Tolerance is the error that floating-point values may have.
	Tolerance standard.Tolerance
	Readers   []string // programs that have to read the chosen codecs; nil: xarray
	// Trials is how many arrays codecs are tried with. 0: none.
	Trials int
}

// with returns the options with another target.
func (o Options) with(target string) Options {
	o.Target = target
	return o
}

// complete sets what the caller leaves to the draft.
func (o *Options) complete(f *files) {
	if o.Name == "" {
		name := f.locations[0]
		if strings.ContainsAny(filepath.Base(name), "*?[") {
			trimmed := strings.TrimRight(strings.FieldsFunc(filepath.Base(name)+" ", func(c rune) bool { return strings.ContainsRune("*?[", c) })[0], "_-. ")
			if name = trimmed; len(name) < 2 || strings.HasPrefix(filepath.Base(f.locations[0]), "*") {
				name = filepath.Base(filepath.Dir(store.Resolved(f.locations[0])))
			}
		} else {
			name, _, _ = strings.Cut(name, "?")
			name = filepath.Base(name)
			name = strings.TrimSuffix(name, filepath.Ext(name))
		}
		if o.Name = name; name == "" || name == "." || name == "/" {
			o.Name = "migration"
		}
	}
	if o.Target == "" {
		o.Target = o.Name + ".zarr"
		if len(f.urls) == 1 && filepath.Clean(o.Target) == filepath.Clean(f.relativeTo(o.Dir)[0]) {
			o.Target = o.Name + "_v3.zarr"
		}
	}
}
