package app

import (
	"fmt"
	"runtime"

	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs"
)

// leastFiles is the least number of open files with which a run works. The cache of each
// store and each kind of worker get an eighth of the files.
const leastFiles = 64

// fitFiles lowers the numbers of a job's workers to the number of files that this
// process may have open (ulimit -n). It returns an error if that number is too low.
func (a *app) fitFiles(j *jobs.Job) error {
	files := limits.Descriptors()
	if files < leastFiles {
		return fmt.Errorf("this process may have %d files open at the same time (ulimit -n): a run needs %d", files, leastFiles)
	}
	w, was := &j.Run.Workers, j.Run.Workers
	w.Read, w.Encode, w.Write = atMost(w.Read, files/8), atMost(w.Encode, files/8), atMost(w.Write, files/8)
	if *w != was {
		a.log.Info("the run has fewer workers than the job names, because few files may be open (ulimit -n)", "files", files, "workers", *w)
	}
	return nil
}

// atMost returns a number of workers, no more than most. 0 workers means one for each core.
func atMost(workers, most int) int {
	if workers == 0 && runtime.GOMAXPROCS(0) <= most {
		return 0
	}
	if workers == 0 {
		return most
	}
	return min(workers, most)
}
