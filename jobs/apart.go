package jobs

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/zarr"
)

// apart refuses a target or a checkpoint that holds files of the source, which a
// run would change while it reads them, or remove, and one within a hierarchy of
// the source, which would be part of that.
func (p *Plan) apart() error {
	checkpoint, err := p.Job.CheckpointURL()
	if err != nil {
		return err
	}
	var ps Problems
	var places store.Places
	for _, place := range []struct{ field, what, url string }{
		{"target.url", "target", p.Job.Target.URL}, {"run.checkpoint.url", "checkpoint", checkpoint},
	} {
		message := p.within(&places, place.what, place.url)
		if message != "" && ps == nil { // the place of the checkpoint may follow from that of the target
			ps = append(ps, p.Job.Problem(place.field, message, "choose another place for the "+place.what))
		}
	}
	return ps.Err()
}

// within says which file of the source lies inside of a place, or which hierarchy
// around it; "" for none. Files are told apart by the servers, too, that the job
// names for its sources.
func (p *Plan) within(places *store.Places, what, place string) string {
	locations := p.Job.Source.Locations
	for _, a := range p.Job.Source.Arrays {
		locations = slices.Concat(locations, a.Locations)
	}
	servers := map[string]bool{}
	for _, l := range locations {
		_, query, _ := strings.Cut(l.URL, "?")
		servers[query] = true
	}
	for _, f := range p.Files {
		folder, document := hierarchyOf(f.URL)
		for query := range servers {
			if !store.Local(f.URL) {
				query = "?" + query
			} else {
				query = ""
			}
			switch {
			case places.Inside(f.URL+query, place):
				return fmt.Sprintf("the source file %s lies inside the %s", f.URL, what)
			case document && places.Inside(place, folder+query):
				return fmt.Sprintf("the %s lies inside of %s, which is part of the source", what, folder)
			}
		}
	}
	return ""
}

// hierarchyOf returns the folder of a group or array whose document a file is.
func hierarchyOf(url string) (folder string, ok bool) {
	name := path.Base(strings.ReplaceAll(url, `\`, "/"))
	if !slices.Contains([]string{zarr.MetadataKey, zarr.ConsolidatedKeyV2, zarr.GroupKeyV2, zarr.ArrayKeyV2}, name) {
		return "", false
	}
	folder = url[:len(url)-len(name)]
	return strings.TrimRight(folder, `/\`), true
}
