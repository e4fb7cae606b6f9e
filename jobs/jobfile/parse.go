package jobfile

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/zmigrate/zmigrate/zarr"
)

// version checks the field zmigrate. It returns false for a file of another version,
// which is not read any further.
func (p *parser) version() bool {
	n := p.job.root.get("zmigrate")
	if n == nil {
		if refs := p.job.root.get("refs"); refs != nil {
			p.report(refs.at, (*trail)(nil).key("refs"), "the file is a table of references and not a job",
				"zmigrate copy makes a hierarchy of it; to verify a table, run the job again that has written it")
			return false
		}
		return true // reported with the other required fields
	}
	if v := n.literal(); v.kind != numberKind || v.text != fmt.Sprint(Version) {
		p.report(n.at, (*trail)(nil).key("zmigrate"),
			fmt.Sprintf("version %s of the job file is not known; this program reads version %d",
				n.shown(), Version), fmt.Sprintf("zmigrate: %d", Version))
		return false
	}
	return true
}

// parse fills the job from its root.
func (p *parser) parse() {
	j, root := p.job, p.job.root
	j.Target = Target{Consolidated: true, Existing: "resume"}
	j.Run = Run{
		Memory: 1 << 30, Workers: Workers{Read: unnamed, Write: unnamed}, PerSecond: 500, Retries: 10,
		Every: 5 * time.Second, LockLifetime: 2 * time.Minute, Path: "auto",
	}
	// Each rule starts from the defaults, so these are read first, wherever they stand.
	if d := root.get("defaults"); d != nil && d.kind != nullKind {
		p.options(d, (*trail)(nil).key("defaults"), &j.Defaults, false)
		j.Defaults.Codecs.Inherited = j.Defaults.Codecs.Chain != nil
		j.Defaults.FromDefaults = FromDefaults{Chunks: true, Shards: true, DataType: true}
	}
	p.fields(root, nil, map[string]setter{
		"zmigrate":   func(n *node, _ *trail) { n.takes(schema{"const": Version}) }, // read before
		"name":       p.str(&j.Name),
		"include":    p.locations(new([]Location)), // read before, for a job
		"source":     p.source,
		"target":     p.target,
		"attributes": p.rootAttributes,
		"groups":     p.groups,
		"dimensions": p.dimensions,
		"defaults": func(n *node, at *trail) {
			if n.probe != nil { // otherwise it has been read
				p.options(n, at, &j.Defaults, false)
			}
		},
		"arrays": p.arrays,
		"run":    p.run,
	}, "zmigrate", "source", "target")
	p.referring()
	j.Run.Workers.setDefaults(j.Source.Far(), j.Target.Far())
}

func (p *parser) dataType(dst *json.RawMessage) setter {
	return p.raw(dst, "the name of a data type, or a mapping with name and configuration", stringKind, mapKind)
}

func (p *parser) target(n *node, at *trail) {
	t := &p.job.Target
	p.fields(n, at, map[string]setter{
		"url":                p.location(&t.Location),
		"references":         p.enum(&t.References, ReferencesJSON, ReferencesParquet),
		"consolidated":       p.boolean(&t.Consolidated),
		"existing":           p.enum(&t.Existing, "resume", "fail", "overwrite", "append"),
		"append":             p.appending,
		"readers":            p.requiredReaders,
		"store_empty_chunks": p.boolean(&t.StoreEmptyChunks),
		"digest_attribute":   p.boolean(&t.DigestAttribute),
	}, "url")
}

// dimensions reads new names of dimensions.
func (p *parser) dimensions(n *node, at *trail) {
	p.job.Dimensions = map[string]string{}
	from := map[string]string{} // by the new names
	for _, m := range p.members(n, at, "a mapping from the dimensions' names to new ones", "dimensions: {lat: latitude}", p.str(new(string))) {
		var to string
		field := at.key(m.name)
		if p.str(&to)(m.value, field); to == "" {
			continue
		}
		p.nodeName(to, m.value.at, field) // of the coordinate
		if other, taken := from[to]; taken {
			p.report(m.value.at, field, fmt.Sprintf("%s becomes %s already", other, to), "")
		}
		from[to], p.job.Dimensions[m.name] = m.name, to
	}
}

// rootAttributes reads the attributes of the root.
func (p *parser) rootAttributes(n *node, at *trail) {
	root := GroupRule{}
	p.attributes(&root.Attributes)(n, at)
	p.job.Groups = slices.Concat([]GroupRule{root}, p.job.Groups)
}

// groups reads what the job says of groups below the root.
func (p *parser) groups(n *node, at *trail) {
	one := func(n *node, at *trail) { p.group(n, at, &GroupRule{}) }
	for _, m := range p.members(n, at, "a mapping from the groups' paths", "", one) {
		rule, field := GroupRule{Path: m.name}, at.key(m.name)
		switch {
		case m.name == "" || m.name == "/":
			p.report(m.at, field, "the root is no group in another one", "its attributes stand in the field attributes, outside of groups")
			continue
		case isGlob(m.name):
			p.report(m.at, field, "is a glob, and a path of one group is wanted", "")
			continue
		}
		p.pattern(m.name, m.at, field)
		if m.value.kind != nullKind {
			p.group(m.value, field, &rule)
		}
		p.job.Groups = append(p.job.Groups, rule)
	}
}

// group reads what the job says of one group.
func (p *parser) group(n *node, at *trail, rule *GroupRule) {
	p.fields(n, at, map[string]setter{"attributes": p.attributes(&rule.Attributes)})
}

// arrays reads the rules of arrays.
func (p *parser) arrays(n *node, at *trail) {
	one := func(n *node, at *trail) { p.options(n, at, &ArrayOptions{}, true) }
	for _, m := range p.members(n, at, arraysMapping, "", one) {
		rule := ArrayRule{Pattern: m.name, ArrayOptions: p.job.Defaults}
		p.pattern(m.name, m.at, at.key(m.name))
		if m.value.kind != nullKind {
			p.options(m.value, at.key(m.name), &rule.ArrayOptions, true)
		}
		p.job.Arrays = append(p.job.Arrays, rule)
	}
}

// options reads the options of one rule, or the defaults, into o. Options that are
// not given keep the value that o has.
func (p *parser) options(n *node, at *trail, o *ArrayOptions, rule bool) {
	known := map[string]setter{
		"chunks": p.chunks(o),
		"access": p.enum(&o.Access, zarr.AccessMap, zarr.AccessTimeSeries, zarr.AccessBoth),
		"shards": p.shards(o),
		"fill_value": func(n *node, at *trail) {
			if n.probe == nil {
				n = n.literal()
			}
			p.raw(&o.FillValue, "a scalar, a list, or for records a mapping", boolKind, numberKind, stringKind, listKind, mapKind)(n, at)
		},
		"dimension_names": p.names(&o.DimensionNames),
		"attributes":      p.attributes(&o.Attributes),
		"data_type": func(n *node, at *trail) {
			o.FromDefaults.DataType = false
			p.dataType(&o.DataType)(n, at)
		},
		"cast":          p.cast(&o.Cast),
		"allow_inexact": p.boolean(&o.AllowInexact),
		"codecs":        p.codecs(&o.Codecs),
		"cf":            p.cf(&o.CF),
	}
	known["rename"] = func(n *node, at *trail) {
		if !rule && n.takes(schema{"not": schema{}}) {
			return
		}
		if !rule {
			p.report(n.at, at, "one name cannot be the default of all arrays", "rename belongs to an array under arrays")
			return
		}
		if p.str(&o.Rename)(n, at); o.Rename != "" {
			p.nodeName(o.Rename, n.at, at)
		}
	}
	p.fields(n, at, known)
	p.access(n, o)
}

func (p *parser) cast(dst *Cast) setter {
	return func(n *node, at *trail) {
		p.fields(n, at, map[string]setter{
			"rounding": p.enum(&dst.Rounding, "nearest-even", "towards-zero", "towards-positive",
				"towards-negative", "nearest-away"),
			"out_of_range": p.enum(&dst.OutOfRange, "clamp", "wrap"),
			"scalar_map":   p.raw(&dst.ScalarMap, "a mapping", mapKind),
		})
	}
}
