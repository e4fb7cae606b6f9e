package plan

import (
	"fmt"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
)

// takeCharacters makes texts of an array of characters if the job asks for them, and numbers
// if it does not.
func (b *builder) takeCharacters() {
	if !b.options.Texts() {
		b.array = sources.Numbers(b.array)
		return
	}
	texts, ok := sources.Texts(b.array)
	switch info := b.array.Info(); {
	case ok:
		b.array = texts
	case b.options.FromDefaults.DataType:
		b.array = sources.Numbers(b.array)
	default:
		b.problems = append(b.problems, b.plan.Job.Problem(b.field+".data_type",
			fmt.Sprintf("array %q: %s without length_bytes is for characters of NetCDF, and the array has %s of shape %v", info.Path, jobfile.TextType, info.Type.Name(), info.Shape), ""))
	}
	b.options.DataType = nil
}
