package combine

import (
	"fmt"

	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
)

// remarks returns the notes and findings of the parts of a variable. A note or finding that
// not all parts have begins with the name of the first member that has it.
func (c *combined) remarks(v *variable) (notes []string, findings []cf.Finding) {
	var noted, found tally
	infos := map[*sources.Info]int{} // how many parts have each description
	for _, p := range v.parts {
		infos[p.Info()]++
	}
	for i, p := range v.parts {
		info := p.Info()
		n := infos[info]
		if n == 0 {
			continue // looked at already
		}
		infos[info] = 0
		for _, note := range info.Notes {
			noted.add(cf.Finding{Message: note}, i, n)
		}
		for _, finding := range info.Findings {
			found.add(finding, i, n)
		}
	}
	for _, note := range noted.told(c.names) {
		notes = append(notes, note.Message)
	}
	return notes, found.told(c.names)
}

// groupFindings returns the findings of the members' groups, by the paths of the groups.
func (c *combined) groupFindings() map[string][]cf.Finding {
	found := map[string]*tally{}
	for i, groups := range c.groups {
		for _, g := range groups {
			for _, f := range g.Findings {
				if found[g.Path] == nil {
					found[g.Path] = &tally{}
				}
				found[g.Path].add(f, i, 1)
			}
		}
	}
	told := map[string][]cf.Finding{}
	for path, t := range found {
		told[path] = t.told(c.names)
	}
	return told
}

// tally counts, for each finding, the members that have it.
type tally struct {
	order []cf.Finding
	of    map[cf.Finding]*occurrence
}

// occurrence is the first member that has a finding, and how many have it.
type occurrence struct{ first, members int }

// add adds a finding that n members have, the first of which is member i.
func (t *tally) add(f cf.Finding, i, n int) {
	if t.of == nil {
		t.of = map[cf.Finding]*occurrence{}
	}
	if o := t.of[f]; o != nil {
		o.members += n
		return
	}
	t.of[f] = &occurrence{i, n}
	t.order = append(t.order, f)
}

// told returns the findings. A finding that not all members have begins with the name of a
// member. [sources.MostReported] of these are spelled out, and the others are counted.
func (t *tally) told(names []string) (list []cf.Finding) {
	some, more := 0, 0
	for _, f := range t.order {
		o := t.of[f]
		if o.members < len(names) {
			if some++; some > sources.MostReported {
				more++
				continue
			}
			who := names[o.first]
			switch n := o.members - 1; n {
			case 0:
			case 1:
				who += " and another file"
			default:
				who = fmt.Sprintf("%s and %d other files", who, n)
			}
			f.Message = who + ": " + f.Message
		}
		list = append(list, f)
	}
	if more > 0 {
		code := t.order[len(t.order)-1].Code
		list = append(list, cf.Finding{Code: code, Message: fmt.Sprintf("there are %d more such remarks, each about some of the files", more)})
	}
	return list
}
