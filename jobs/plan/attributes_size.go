package plan

import (
	"fmt"

	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/zarr"
)

const (
	// maxAttributes is the most bytes that the attributes of one array or group may have as
	// JSON. A reader of the target holds them in memory twice: with the document of the
	// node, and with the root's document, which repeats them.
	maxAttributes = zarr.MaxDocument / 2
	// attributeCopies is how many copies of attributes are at most in memory while they are
	// read, planned and written. run.memory bounds all copies together.
	attributeCopies = 6
)

// tooLarge checks whether attributes can be copied with so many bytes of memory. If they
// cannot, it returns a message, the name of the largest attribute, and in raise the
// beginning of a hint. raise is "" if more memory does not help. If the attributes are not
// too large, all results are "".
func tooLarge(list zarr.Attributes, memory int64) (message, raise, largest string) {
	all, most := int64(0), -1
	for _, a := range list {
		size := len(a.Name) + len(a.Value)
		all += int64(size)
		if size > most {
			most, largest = size, a.Name
		}
	}
	bound := min(memory/attributeCopies, maxAttributes)
	if all <= bound {
		return "", "", ""
	}
	if all <= maxAttributes {
		const mib = 1 << 20
		raise = fmt.Sprintf("raise run.memory to %dMiB, or ", (all*attributeCopies+mib-1)/mib)
	}
	message = fmt.Sprintf("its %d attributes have %s as JSON, at most %s are copied with run.memory of %s; the largest is %.60q with %s", len(list), words.Size(all), words.Size(bound), words.Size(memory), largest, words.Size(int64(most)))
	return message, raise, largest
}

// attributesFit refuses attributes that are too large.
func (b *builder) attributesFit(list zarr.Attributes) {
	if message, raise, largest := tooLarge(list, b.plan.Job.Run.Memory); message != "" {
		b.wrong("attributes", message, raise+leaveOut(largest))
	}
}

// leaveOut returns the way out: how a job leaves an attribute out.
func leaveOut(attribute string) string {
	return fmt.Sprintf("attributes: {%s: null} leaves one out", jobfile.QuoteJSON(jobfile.Clip(attribute, 60)))
}
