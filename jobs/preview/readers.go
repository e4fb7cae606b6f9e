package preview

import (
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/readers"
)

// ReadBy says whether one program reads an array: from which version on it opens the array,
// or why its newest version does not.
type ReadBy struct {
	Reader  string           `json:"reader"`
	From    string           `json:"from,omitempty"`    // "" if it does not, or if no version is known
	Refused *readers.Refusal `json:"refused,omitempty"` // nil if it reads the array
	Tried   bool             `json:"tried"`             // false: by the program's documentation
}

// ReadersOf says, for each program of the table of readers, whether it reads an array as it
// will be written.
func ReadersOf(a *plan.Array) []ReadBy {
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
