package input

import (
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// CFMode returns what becomes of an array if its elements are packed, and the field of the
// job that says so.
func CFMode(j *jobfile.Job, path string) (mode cf.Mode, field string) {
	if o, section := j.Options(path); o.CF != "" {
		return cf.Mode(o.CF), section + ".cf"
	}
	return cf.Mode(j.Source.CF), "source.cf"
}

// modesOf is CFMode without the field.
func modesOf(j *jobfile.Job) func(path string) cf.Mode {
	return func(path string) cf.Mode {
		mode, _ := CFMode(j, path)
		return mode
	}
}
