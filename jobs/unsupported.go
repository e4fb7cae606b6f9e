package jobs

import (
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
)

// unsupported returns a problem for each field whose meaning is fixed but that
// this version of the program does not act on. This is the one list of them;
// addresses that no store can open are refused when they are resolved.
func (j *Job) unsupported() Problems {
	var ps Problems
	refuse := func(used bool, field, what, hint string) {
		if used {
			ps = append(ps, j.Problem(field, "this version cannot "+what+" yet", hint))
		}
	}
	s := j.Source
	refuse(s.Driver == "arrow" || s.Driver == "zarr", "source.driver", "read "+s.Driver+" sources", "it reads raw and netcdf")
	refuse(s.CF != "keep" && s.CF != "", "source.cf", "act on cf: "+s.CF, "cf: keep copies packed values and their attributes")
	refuse(j.Target.Existing == "append", "target.existing", "append to a target", "resume, fail or overwrite")
	for _, section := range j.sections() {
		o := section.options
		refuse(o.CF != "keep" && o.CF != "", section.field+".cf", "act on cf: "+o.CF, "cf: keep copies packed values and their attributes")
	}
	return ps
}

// conversion returns the problem of an array that the job wants to store with
// another data type than its own, and false when the types are the same.
func (j *Job) conversion(field string, own, wanted dtype.Type) (Problem, bool) {
	return j.Problem(field+".data_type",
		fmt.Sprintf("this version cannot convert values yet: the source has %s, the job wants %s", own.Name(), wanted.Name()),
		"leave data_type out"), !sameElements(own, wanted)
}
