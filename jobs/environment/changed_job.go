package environment

import (
	"fmt"
	"strings"
)

// ChangedError says that a checkpoint belongs to another job, or to sources that have
// changed since.
type ChangedError struct {
	Checkpoint  string
	Complete    bool // the earlier job ran to its end
	Appends     bool // the job appends to the target
	Appended    bool // the earlier job did so
	Differences []string
}

func (e *ChangedError) Error() string {
	what := "interrupted"
	if e.Complete {
		what = "completed"
	}
	wayOut := "put it back as it was, choose another target, or set target.existing: overwrite to begin anew"
	switch {
	case e.Appended && !e.Appends:
		wayOut = "set target.existing: append to go on with it as it was, or choose another target; overwrite would remove the rows of all earlier runs, too"
	case e.Appends:
		wayOut = "run that job as it was to complete it; only then can more rows be appended. If that is impossible, delete the checkpoint, which gives up what was begun"
	}
	return fmt.Sprintf("the checkpoint %s is of a job that was %s with something else:\n  %s\n%s",
		e.Checkpoint, what, strings.Join(e.Differences, "\n  "), wayOut)
}
