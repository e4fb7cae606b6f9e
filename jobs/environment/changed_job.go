package environment

import (
	"fmt"
	"strings"
)

// ChangedError says that a checkpoint belongs to another job, to sources that have changed
// since, or to a version of the program that plans the same in another way.
type ChangedError struct {
	Checkpoint  string
	Complete    bool // the earlier job ran to its end
	Appends     bool // the job appends to the target
	Appended    bool // the earlier job did so
	Program     bool // neither the job nor the sources have changed
	Differences []string
}

func (e *ChangedError) Error() string {
	what := "interrupted"
	if e.Complete {
		what = "completed"
	}
	with, back := "with something else", "put it back as it was"
	if e.Program {
		with = "by another version of zmigrate. Job and source are the same, but this version makes something else of them, see its CHANGELOG.md"
		back = "use that version"
	}
	wayOut := back + ", choose another target, or set target.existing: overwrite to begin anew"
	switch {
	case e.Appended && !e.Appends:
		wayOut = "set target.existing: append to go on with it as it was, or choose another target; overwrite would remove the rows of all earlier runs, too"
	case e.Appends && e.Program:
		wayOut = "use that version to complete it; only then can more rows be appended. If that is impossible, delete the checkpoint, which gives up what was begun"
	case e.Appends:
		wayOut = "run that job as it was to complete it; only then can more rows be appended. If that is impossible, delete the checkpoint, which gives up what was begun"
	}
	return fmt.Sprintf("the checkpoint %s is of a job that was %s %s:\n  %s\n%s",
		e.Checkpoint, what, with, strings.Join(e.Differences, "\n  "), wayOut)
}
