package plan

import (
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/readers"
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

// ReadBy says whether one program reads an array: from which version on it opens the array,
// or why its newest version does not.
type ReadBy struct {
	Reader  string           `json:"reader"`
	From    string           `json:"from,omitempty"`    // "" if it does not, or if no version is known
	Refused *readers.Refusal `json:"refused,omitempty"` // nil if it reads the array
	Tried   bool             `json:"tried"`             // false: by the program's documentation
}

// ReadBy says, for each program of the table of readers, whether it reads the array as it
// will be written.
func (a *Array) ReadBy() []ReadBy {
	var list []ReadBy
	for _, r := range readers.All() {
		if len(list) == 0 || list[len(list)-1].Reader != r.Name {
			list = append(list, ReadBy{Reader: r.Name, Tried: r.Tried != ""})
		}
		by := &list[len(list)-1]
		refused, refuses := r.Refuses(a.Meta)
		switch {
		case refuses:
			by.From, by.Refused = "", &refused
		case by.From == "":
			by.From, by.Refused = r.Version, nil
		}
	}
	return list
}
