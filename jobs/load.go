package jobs

import "github.com/zmigrate/zmigrate/jobs/jobfile"

// A program that runs jobs needs this package alone: here is what it uses of the
// job file.
type (
	Job         = jobfile.Job
	LoadOptions = jobfile.LoadOptions
	Problem     = jobfile.Problem
	Problems    = jobfile.Problems
)

// Load reads a job file; see [jobfile.Load].
func Load(path string, opt LoadOptions) (*Job, error) { return jobfile.Load(path, opt) }

// Parse is Load for text that was read already; see [jobfile.Parse].
func Parse(name string, text []byte, dir string, opt LoadOptions) (*Job, error) {
	return jobfile.Parse(name, text, dir, opt)
}
