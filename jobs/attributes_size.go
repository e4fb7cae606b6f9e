package jobs

import (
	"fmt"

	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// maxAttributes is the most bytes, as JSON, of the attributes of one array or group. A
// reader of the target has all of them in memory with each document that has them.
const maxAttributes = 64 << 20

// tooLarge says that attributes are too large to be copied, and returns the name of the
// largest; "" where they are not.
func tooLarge(list zarr.Attributes) (message, largest string) {
	all, most := 0, -1
	for _, a := range list {
		size := len(a.Name) + len(a.Value)
		all += size
		if size > most {
			most, largest = size, a.Name
		}
	}
	if all <= maxAttributes {
		return "", ""
	}
	return fmt.Sprintf("its %d attributes have %d bytes as JSON, at most %d are copied; the largest is %.60q with %d", len(list), all, maxAttributes, largest, most), largest
}

// attributesFit refuses attributes that are too large.
func (b *builder) attributesFit(list zarr.Attributes) {
	if message, largest := tooLarge(list); message != "" {
		b.wrong("attributes", message, fmt.Sprintf("attributes: {%s: null} leaves one out", jobfile.QuoteJSON(jobfile.Clip(largest, 60))))
	}
}
