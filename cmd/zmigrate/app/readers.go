package app

import (
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs/preview"
)

// readersText gathers which programs read which arrays of a plan. Arrays that the same
// programs read share one row.
type readersText struct {
	rows   []string
	arrays map[string][]string // by row
	// Whether there are arrays that xarray opens, and the first array that it does not open.
	opened bool
	closed string
}

func (r *readersText) add(x preview.Description) {
	row := readBy(x.ReadBy)
	if r.arrays == nil {
		r.arrays = map[string][]string{}
	}
	if !slices.Contains(r.rows, row) {
		r.rows = append(r.rows, row)
	}
	r.arrays[row] = append(r.arrays[row], nodeName(x.Target))
	for _, by := range x.ReadBy {
		switch {
		case by.Reader != "xarray":
		case by.Refused == nil:
			r.opened = true
		case r.closed == "":
			r.closed = nodeName(x.Target)
		}
	}
}

// print prints a row for each group of arrays.
func (r *readersText) print(a *app) {
	for _, row := range r.rows {
		names := r.arrays[row]
		text := strings.Join(names, ", ")
		if len(names) > 1 && len(r.rows) == 1 {
			text = "all arrays"
		} else if len(names) > 5 {
			text = strings.Join(names[:4], ", ") + " and " + words.Count(len(names)-4, "more array")
		}
		a.printf("readers of %s: %s\n", text, row)
	}
	if r.opened && r.closed != "" {
		a.printf("xarray opens all arrays of a group or none: it does not open the group of %s, unless you leave that array out (exclude) or write it to another target\n", r.closed)
	}
}

// readBy lists the programs that read an array, and why others do not.
func readBy(list []preview.ReadBy) string {
	var yes, reasons []string
	no := map[string][]string{} // programs, by what they refuse
	for _, by := range list {
		name := by.Reader
		if by.Refused != nil {
			why := by.Refused.String()
			if no[why] == nil {
				reasons = append(reasons, why)
			}
			no[why] = append(no[why], name)
			continue
		}
		if by.From != "" {
			name += " ≥ " + by.From
		}
		if !by.Tried {
			name += " (by its documentation)"
		}
		yes = append(yes, name)
	}
	text := strings.Join(yes, ", ")
	if len(yes) == 0 {
		text = "none that is known"
	}
	for _, why := range reasons {
		text += "; " + strings.Join(no[why], ", ") + ": not " + why
	}
	return text
}
