package combine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
)

// compare compares the description of a variable in each member with that in the first
// member, whose attributes are kept. It reports the differences. It returns an error only
// if an array cannot be read.
func (c *combined) compare(ctx context.Context, v *variable) error {
	c.missing(v)
	at := v.first()
	first := v.parts[at].Info()
	known := map[[2]*sources.Info]*differences{{first, c.boundsOf(v, at)}: {}} // members with equal descriptions share an entry
	remarks := map[string]int{}                                                // in how many members each thing differs
	early := map[int]string{}                                                  // what c.early found in each member
	for i, p := range v.parts {
		if p == nil {
			continue
		}
		alike := [2]*sources.Info{p.Info(), c.boundsOf(v, i)}
		if known[alike] == nil {
			one, other := c.inherit(first, alike[0], c.boundsOf(v, at), alike[1])
			known[alike] = c.differences(v, one, other)
		}
		for _, d := range known[alike].list {
			text := fmt.Sprintf("%s is %s in %s and %s in %s", d.What, d.X, c.names[at], d.Y, c.names[i])
			hint, wrong := c.refuses(v, d)
			if reform := known[alike].reform; wrong && reform != nil && d.Attribute == "calendar" {
				why, err := c.early(ctx, v, []int{at, i}, *reform, early)
				if err != nil {
					return err
				}
				if wrong = why != ""; wrong {
					text += ", and " + why + ", when the calendars differ"
				} else {
					text += ": the calendars agree from 1582-10-15 on, and no time is earlier"
				}
			}
			if wrong {
				v.report.Add(fmt.Errorf("array %q: %s%s", v.path, text, hint))
				continue
			}
			if remarks[d.What]++; remarks[d.What] == 1 {
				kept := "the first is taken"
				if joinsLimits(v, d.Attribute) {
					kept = "the joined array gets limits that hold in all files"
				}
				v.note("%s; %s", text, kept)
			}
		}
	}
	for _, what := range slices.Sorted(maps.Keys(remarks)) {
		if n := remarks[what]; n > 1 {
			v.note("%s differs from the first in %d files", what, n)
		}
	}
	return nil
}

// differences says how the descriptions of a variable differ in two members.
type differences struct {
	list []compare.Difference
	// reform is the least value from which on the calendars of both members agree. It is
	// nil if the calendars agree for all values, or for none.
	reform *float64
}

// differences compares the descriptions of a variable in two members.
func (c *combined) differences(v *variable, a, b *sources.Info) *differences {
	along := ""
	if v.joined {
		along = c.how.Concat
	}
	if v.lists && a.DimensionNames != nil {
		along = a.DimensionNames[0]
	}
	d := &differences{list: compare.Descriptions(a, b, along, func(attribute string) bool { return c.given(v, attribute) })}
	least, ok := compare.Calendars(a.Attributes.Get("calendar"), b.Attributes.Get("calendar"), a.Attributes.Get("units"))
	if ok && compare.HasTimes(a) && compare.HasTimes(b) {
		d.reform = &least
	}
	return d
}

// early looks, in some members, for a value of a variable that is less than least: a time
// before 1582-10-15. It returns a text that names the value, or "" if there is none. known
// keeps the text of each member that was searched.
func (c *combined) early(ctx context.Context, v *variable, members []int, least float64, known map[int]string) (string, error) {
	for _, i := range members {
		text, ok := known[i]
		if !ok {
			index, value, err := compare.Before(ctx, v.parts[i], least)
			if err != nil {
				return "", err
			}
			if index != nil {
				text = fmt.Sprintf("element %v in %s, %s, is a time before 1582-10-15", index, c.names[i], value)
			}
			known[i] = text
		}
		if text != "" {
			return text, nil
		}
	}
	return "", nil
}

// refuses reports whether a difference is an error, and gives a way out.
func (c *combined) refuses(v *variable, d compare.Difference) (hint string, wrong bool) {
	const files = "; the stored values do not mean the same: make the files alike, "
	switch {
	case d.Weight <= compare.Remark:
		return "", false
	case !v.joined && c.how.Override:
		return "", false // the first is taken as a whole
	case !v.joined:
		return ": exclude it, or take that of the first file by join: override", true
	case d.Weight == compare.Breaking:
		return ": exclude it, or leave such files out", true
	case unpackingHelps(v.parts[v.first()].Info(), d.Attribute):
		return "; the stored values do not mean the same: cf: unpack takes the values that each file means; if the stored values do mean the same, name the attribute under arrays", true
	case d.Attribute == "units" && c.how.Time.Keep && cf.IsClock(v.parts[v.first()].Info().Attributes.Get("units")):
		return "; the stored values do not mean the same: leave source.time: keep out, and all files get the units of the first", true
	case d.Weight == compare.Meaning:
		return files + "or name the attribute under arrays if they do", true
	case d.Weight == compare.Naming:
		return files + "or give the array the attribute flag_meanings if they do", true
	default:
		return ": join: override takes that of the first file", !c.how.Override
	}
}

// unpackingHelps reports whether files may differ in an attribute of an array if each file is
// unpacked by its own attributes. Times that are unpacked are brought to one origin.
func unpackingHelps(first *sources.Info, attribute string) bool {
	switch attribute {
	case "scale_factor", "add_offset":
		return true
	case "_FillValue", "missing_value":
		return sources.IsPacked(first)
	case "units":
		return sources.IsPacked(first) && cf.IsClock(first.Attributes.Get("units"))
	}
	return false
}

// missing reports the members that lack a variable: as faults, or with Override as a note
// if the variable is not joined.
func (c *combined) missing(v *variable) {
	first := c.names[v.first()]
	lacking := 0
	for i, p := range v.parts {
		switch {
		case p != nil:
			continue
		case v.joined || !c.how.Override:
			v.report.Add(fmt.Errorf("%s: no array %q, which %s has: exclude it if it is not needed", c.names[i], v.path, first))
		case lacking == 0:
			v.note("taken from %s; %s has none", first, c.names[i])
		}
		lacking++
	}
	if lacking > 1 && c.how.Override && !v.joined {
		v.note("%d files have no such array", lacking)
	}
}
