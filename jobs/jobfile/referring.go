package jobfile

import (
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
)

// referring checks a job whose target is a table of references, and makes all of its arrays
// keep the chunks and the codecs of the source: nothing is decoded, so nothing else can be
// chosen.
func (p *parser) referring() {
	j := p.job
	if j.Target.References == "" {
		return
	}
	for _, problem := range j.unreferable() {
		p.problems.add(problem)
	}
	if t := j.traits(); j.driver != nil && !t.Located {
		var names []string
		for _, d := range p.drivers {
			if d.Located {
				names = append(names, d.Name)
			}
		}
		p.problems.add(j.Problem("target.references", "the driver "+j.driver.Name+" does not know where chunks lie in files",
			"sources of the driver "+strings.Join(names, ", ")+" can have references"))
		return
	}
	keep := func(o *ArrayOptions) { o.Chunks, o.Codecs = Chunks{Keep: true}, Codecs{Keep: true} }
	keep(&j.Defaults)
	for i := range j.Arrays {
		keep(&j.Arrays[i].ArrayOptions)
	}
}

// unreferable returns problems about fields that a table of references cannot have.
func (j *Job) unreferable() (ps Problems) {
	refuse := func(given bool, field, message, hint string) {
		p := j.Problem(field, message, hint)
		if given && !slices.Contains(ps, p) { // rules inherit from the defaults
			ps = append(ps, p)
		}
	}
	t := &j.Target
	name := t.URL
	if !store.Local(name) {
		name, _, _ = strings.Cut(name, "?")
	}
	name = path.Base(strings.TrimRight(name, "/"))
	refuse(t.References == ReferencesJSON && !strings.HasSuffix(name, ".json"), "target.url", "readers know a table of references in JSON by its name", "let the name end in .json")
	refuse(t.References == ReferencesParquet && strings.Contains(name, ".json"), "target.url", "readers take a name with .json for a table of references in JSON", "let the name end in .parq")
	const whole = "a table of references is made anew, as a whole"
	refuse(t.Existing == "append", "target.existing", whole, "overwrite replaces a table")
	refuse(t.Append != "", "target.append", whole, "")
	refuse(t.Readers != nil, "target.readers", "readers of Zarr v3 do not read a table of references", "docs/target-references.md says what reads it")
	refuse(t.StoreEmptyChunks, "target.store_empty_chunks", "a table of references has the chunks that the source stores", "")
	refuse(t.DigestAttribute, "target.digest_attribute", "values are not read for a table of references, so they have no digest", "")
	refuse(j.Source.CF != "keep", "source.cf", packed, "keep")
	refuse(j.Run.Path == "decode", "run.path", "chunks are not decoded for a table of references", "")
	refuse(j.Run.Verify != "" && j.Run.Verify != "none", "run.verify", "a table of references has no record to verify", "run the job again: it compares the table with the source")
	j.unreferableOptions("defaults", &j.Defaults, refuse)
	for i := range j.Arrays {
		j.unreferableOptions(FieldPath("arrays", j.Arrays[i].Pattern), &j.Arrays[i].ArrayOptions, refuse)
	}
	return ps
}

const packed = "references lead to the values as they are stored, which stay packed"

// unreferableOptions calls refuse for options that a table of references cannot have.
func (j *Job) unreferableOptions(field string, o *ArrayOptions, refuse func(given bool, field, message, hint string)) {
	const chunks, values = "references lead to the chunks of the source as they are", "references lead to the values as they are stored"
	refuse(o.Chunks.Auto || o.Chunks.Shape != nil || o.Chunks.By != nil, field+".chunks", chunks, "leave it out")
	refuse(o.Shards != nil || o.ShardsBy != nil, field+".shards", chunks, "leave it out")
	refuse(o.Access != "", field+".access", chunks, "leave it out")
	refuse(o.Codecs.Chain != nil, field+".codecs", chunks, "leave it out")
	refuse(o.DataType != nil, field+".data_type", values, "leave it out")
	refuse(o.FillValue != nil, field+".fill_value", values, "leave it out")
	refuse(o.CF != "" && o.CF != "keep", field+".cf", packed, "keep")
}
