package plan

import (
	"fmt"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/zarr"
)

const (
	// maxAttributes is the most bytes, as JSON, of the attributes of one array or group.
	// A reader of the target has all of them in memory with each document that has
	// them, and the root's document has them, too.
	maxAttributes = zarr.MaxDocument / 2
	// attributeCopies is how many times attributes are in memory while they are read,
	// planned and written, at the most: run.memory bounds all of these together.
	attributeCopies = 6
)

// tooLarge says that attributes are too large to be copied with so much memory, what to
// raise for that, "" where nothing helps, and the name of the largest; message is ""
// where they are not too large.
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
	message = fmt.Sprintf("its %d attributes have %d bytes as JSON, at most %d are copied with run.memory of %d; the largest is %.60q with %d", len(list), all, bound, memory, largest, most)
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
