package jobs

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
	refuse(j.Target.Existing == "append", "target.existing", "append to a target", "resume, fail or overwrite")
	return ps
}
