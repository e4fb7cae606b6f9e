package places

import (
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr/n5"
	"github.com/zmigrate/zmigrate/zarr"
)

// Apart refuses a target or a checkpoint that holds files of the source: a run would change
// or remove files while it reads them. It also refuses a place inside a hierarchy of the
// source, because the hierarchy would then hold what the run writes. plain tells which of the
// files, in their order, are absolute local paths without links.
func Apart(j *jobfile.Job, files iter.Seq[sources.File]) (plain []bool, err error) {
	checkpoint, err := j.CheckpointURL()
	if err != nil {
		return nil, err
	}
	at := []place{{"target.url", "target", j.Target.URL}, {"run.checkpoint.url", "checkpoint", checkpoint}}
	messages, plain := within(j, files, at)
	for i, message := range messages {
		if message != "" { // only the first: the place of the checkpoint may follow from target.url
			return plain, jobfile.Problems{j.Problem(at[i].field, message, "choose another place for the "+at[i].what)}
		}
	}
	return plain, nil
}

// place is a URL to which a run writes, with its field in the job and its name in messages.
type place struct{ field, what, url string }

// within returns a message for each place: a file of the source lies inside the place, or
// the place lies inside a hierarchy of the source. "" stands for neither. The query of a
// location in the job names its server, so files are compared with the query of each
// location. plain is that of [Apart].
func within(j *jobfile.Job, files iter.Seq[sources.File], at []place) (messages []string, plain []bool) {
	servers := map[string]bool{}
	for _, l := range j.Source.AllLocations() {
		_, query, _ := strings.Cut(l.URL, "?")
		servers["?"+query] = true
	}
	messages = make([]string, len(at))
	var places store.Places
	target := make([]store.Place, len(at))
	for i, to := range at {
		target[i] = places.Place(to.url)
	}
	here := map[string]bool{"": true}
	hierarchy := false
	for f := range files {
		folder, document := HierarchyOf(f.URL)
		hierarchy = hierarchy || document
		queries, isPlain := servers, false
		if store.Local(f.URL) {
			queries = here
		}
		for query := range queries {
			file, around := places.Place(f.URL+query), store.Place{}
			isPlain = file.IsPath(f.URL)
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
		plain = append(plain, isPlain)
	}
	if !hierarchy {
		return messages, plain
	}
	for _, l := range j.Source.AllLocations() { // the root of a hierarchy needs no document
		root := places.Place(l.URL)
		for i, to := range at {
			if messages[i] == "" && target[i].Inside(root) {
				messages[i] = fmt.Sprintf("the %s lies inside of %s, which is the source", to.what, store.Shown(l.URL))
			}
		}
	}
	return messages, plain
}

// HierarchyOf returns the folder of a group or array, given the URL of its metadata
// document. ok is false if the file is no metadata document.
func HierarchyOf(url string) (folder string, ok bool) {
	name := path.Base(strings.ReplaceAll(url, `\`, "/"))
	if !slices.Contains([]string{zarr.MetadataKey, zarr.ConsolidatedKeyV2, zarr.GroupKeyV2, zarr.ArrayKeyV2, n5.Key}, name) {
		return "", false
	}
	folder = url[:len(url)-len(name)]
	return strings.TrimRight(folder, `/\`), true
}
