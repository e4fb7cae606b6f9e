package plan

import (
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// readable reports a problem for each required reader that does not open the array. The
// offline check of a job has reported the codecs of the job before.
func (b *builder) readable(a *Array) {
	for _, r := range b.plan.Job.RequiredReaders() {
		if refused, refuses := r.Refuses(a.Meta); refuses {
			message, hint := jobfile.Unreadable(r, refused)
			b.wrong(refused.Field, message, hint)
		}
	}
}
