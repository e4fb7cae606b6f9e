package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/input"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// apart refuses a target or a checkpoint that holds files of the source: a run would change
// or remove files while it reads them. It also refuses a place inside a hierarchy of the
// source, because the hierarchy would then hold what the run writes.
func (p *Plan) apart() error {
	checkpoint, err := p.Job.CheckpointURL()
	if err != nil {
		return err
	}
	at := []place{{"target.url", "target", p.Job.Target.URL}, {"run.checkpoint.url", "checkpoint", checkpoint}}
	messages := p.within(at)
	for i, message := range messages {
		if message != "" { // only the first: the place of the checkpoint may follow from target.url
			return jobfile.Problems{p.Job.Problem(at[i].field, message, "choose another place for the "+at[i].what)}
		}
	}
	return nil
}

// place is a URL to which a run writes, with its field in the job and its name in messages.
type place struct{ field, what, url string }

// within returns a message for each place: a file of the source lies inside the place, or
// the place lies inside a hierarchy of the source. "" stands for neither. The query of a
// location in the job names its server, so files are compared with the query of each
// location. within also sets p.plain.
func (p *Plan) within(at []place) []string {
	locations := p.Job.Source.Locations
	for _, a := range p.Job.Source.Arrays {
		locations = slices.Concat(locations, a.Locations)
	}
	servers := map[string]bool{}
	for _, l := range locations {
		_, query, _ := strings.Cut(l.URL, "?")
		servers["?"+query] = true
	}
	messages := make([]string, len(at))
	var places store.Places
	target := make([]store.Place, len(at))
	for i, to := range at {
		target[i] = places.Place(to.url)
	}
	here := map[string]bool{"": true}
	p.plain = nil
	for f := range p.source.Files() {
		folder, document := input.HierarchyOf(f.URL)
		queries, plain := servers, false
		if store.Local(f.URL) {
			queries = here
		}
		for query := range queries {
			file, around := places.Place(f.URL+query), store.Place{}
			plain = file.IsPath(f.URL)
			if document {
				around = places.Place(folder + query)
			}
			for i, to := range at {
				switch {
				case messages[i] != "":
				case file.Inside(target[i]):
					messages[i] = fmt.Sprintf("the source file %s lies inside the %s", f.URL, to.what)
				case target[i].Inside(around):
					messages[i] = fmt.Sprintf("the %s lies inside of %s, which is part of the source", to.what, folder)
				}
			}
		}
		p.plain = append(p.plain, plain)
	}
	return messages
}
