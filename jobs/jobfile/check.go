package jobfile

import (
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/internal/store"
)

// Check returns what is wrong with a job, or worth a warning, as far as that
// can be told without opening its source: codec chains, data types, fill
// values, shapes, and what this version does not do. A job that Load returned
// along with problems can be checked too.
func (j *Job) Check(registry *codecs.Registry) Problems {
	c := &checker{job: j, codecs: registry, types: registry.Types(), seen: map[Problem]bool{}}
	for _, s := range j.sections() {
		c.options(s)
	}
	if j.traits().Declared {
		names := make([]string, len(j.Source.Arrays))
		for i, a := range j.Source.Arrays {
			names[i] = a.Name
			if j.Selected(a.Name) {
				c.rawArray(a)
			}
		}
		c.add(j.Unmatched(names)...)
		if len(names) > 0 {
			c.add(j.CheckDimensions(slices.Values(j.declared()))...)
		}
	}
	if j.Target.Append != "" && j.Target.Existing != "append" {
		p := j.Problem("target.append", "has no effect without existing: append", "")
		p.Warning, p.Code = true, "unused-field"
		c.add(p)
	}
	if j.Target.DigestAttribute && j.Run.Digest == "none" {
		c.report("target.digest_attribute", "set run.digest to auto or all", "the attribute is the digest of the values, and run.digest: none takes none")
	}
	if j.Target.Existing == "append" && j.driver != nil && !j.driver.Unlimited && j.AppendDimension() == "" {
		c.add(j.NeedsDimension(fmt.Sprintf("sources of the driver %s have none that is unlimited", j.Source.Driver)))
	}
	c.targetNames()
	for field, at := range map[string]Location{"target.url": j.Target.Location, "run.checkpoint.url": j.Run.Checkpoint} {
		if err := store.Writable(at.URL); err != nil {
			c.report(field, "name a folder or a bucket", "%v", err)
		}
		if what := Unreplaced(at.Text); what != "" {
			c.report(field, "a folder of that very name needs its file:/// URL", "%s: %s", at.Text, what)
		}
	}
	if j.Run.Checkpoint.URL == "" && j.Target.URL != "" {
		if _, err := store.Sibling(j.Target.URL, ""); err != nil {
			c.report("target.url", "or name a place for the checkpoint, outside of the target, in run.checkpoint.url", "%v", err)
		}
	}
	if store.Inside(j.Run.Checkpoint.URL, j.Target.URL) {
		c.report("run.checkpoint.url", "put it beside the target", "lies inside the target, where nothing but the hierarchy may be")
	}
	c.problems.Sort()
	return c.problems
}
