package jobfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/zmigrate/zmigrate/sources"
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

func (p *parser) source(n *node, at *trail) {
	s := &p.job.Source
	s.CF = "keep"
	coordinates := true
	required := []string{"driver", "url"}
	if n.probe != nil {
		required = required[:1] // a driver may have arrays in place of url
	}
	if d := n.get("driver"); d != nil {
		// What the other fields mean depends on it, so it is read first.
		p.job.driver, _ = p.drivers.Lookup(d.text)
	}
	traits := p.job.traits()
	if traits.Declared {
		required = []string{"driver", "arrays"}
		// The arrays inherit both, so these are read first, wherever they stand.
		if c := n.get("concat"); c != nil && c.kind == stringKind {
			s.Concat = c.text
		}
		if c := n.get("stack"); c != nil && c.kind == stringKind {
			s.Stack = c.text
		}
	}
	p.fields(n, at, map[string]setter{
		"driver":         p.driver,
		"url":            p.locations(&s.Locations),
		"concat":         p.str(&s.Concat),
		"stack":          p.str(&s.Stack),
		"join":           p.enum(&s.Join, "exact", "override"),
		"order":          p.str(&s.Order),
		"overlap":        p.enum(&s.Overlap, "error", "first", "last"),
		"time":           p.time,
		"cf":             p.cf(&s.CF),
		"missing_chunks": p.enum(&s.MissingChunks, "fill", "error"),
		"ngff":           p.enum(&s.NGFF, "convert", "keep"),
		"unsupported":    p.enum(&s.Unsupported, "error", "skip"),
		"follow":         p.follow,
		"compound":       p.enum(&s.Compound, "struct", "fields"),
		"references":     p.enum(&s.References, "path", "skip"),
		"include":        p.patterns(&s.Include),
		"exclude":        p.patterns(&s.Exclude),
		"coordinates":    p.boolean(&coordinates),
		"select":         p.selections,
		"arrays":         p.rawArrays,
	}, required...)
	s.NoCoordinates = !coordinates
	p.joining(at)
	if p.job.driver == nil {
		return
	}
	if traits.Declared && len(s.Locations) > 0 {
		p.problems.add(p.job.Problem(at.key("url").String(), fmt.Sprintf("the %s driver takes its files from source.arrays", s.Driver), "move it to source.arrays.NAME.url"))
	}
	if !traits.MissingChunks && s.MissingChunks != "" {
		p.onlyOf(at.key("missing_chunks"), func(t sources.Traits) bool { return t.MissingChunks }, "")
	}
	if !traits.Follows && (s.Follow.Nothing || s.Follow.Folders != nil) {
		p.onlyOf(at.key("follow"), func(t sources.Traits) bool { return t.Follows }, "")
	}
	for name, given := range map[string]string{"compound": s.Compound, "references": s.References} {
		if !traits.HDF5 && given != "" {
			p.onlyOf(at.key(name), func(t sources.Traits) bool { return t.HDF5 }, "")
		}
	}
	if !traits.NGFF && s.NGFF != "" {
		p.onlyOf(at.key("ngff"), func(t sources.Traits) bool { return t.NGFF }, "")
	}
	if !traits.Declared && len(s.Arrays) > 0 {
		p.onlyOf(at.key("arrays"), func(t sources.Traits) bool { return t.Declared }, "options for arrays stand under the top-level arrays")
	}
}

// follow reads which files may be read because others refer to them: one of two words, or a
// list of folders.
func (p *parser) follow(n *node, at *trail) {
	f := &p.job.Source.Follow
	folders := func(n *node, at *trail) {
		list := make([]Location, len(n.items))
		if p.list(n, at, "folder, none, or a list of folders", func(i int) setter { return p.location(&list[i]) }) {
			f.Folders = list
		}
	}
	word := "folder"
	words := p.enum(&word, "folder", "none")
	switch {
	case n.takesEither(at, words, folders):
	case n.kind == stringKind:
		words(n, at)
		f.Nothing = word == "none"
	default:
		folders(n, at)
	}
}

// driver reads the name of the driver. An alias becomes the driver's own name.
func (p *parser) driver(n *node, at *trail) {
	p.enum(&p.job.Source.Driver, p.drivers.Names()...)(n, at)
	if p.job.driver != nil {
		p.job.Source.Driver = p.job.driver.Name
	}
}

// onlyOf reports a field that the driver does not have, with the names of those that
// have it.
func (p *parser) onlyOf(at *trail, has func(sources.Traits) bool, hint string) {
	var names []string
	for _, d := range p.drivers {
		if has(d.Traits) {
			names = append(names, d.Name)
		}
	}
	what := "only the " + strings.Join(names, ", ") + " driver has it"
	if len(names) > 1 {
		what = "only the drivers " + strings.Join(names, ", ") + " have it"
	}
	p.problems.add(p.job.Problem(at.String(), what, hint))
}

func (p *parser) cf(dst *string) setter { return p.enum(dst, "keep", "codecs", "unpack") }

// patterns reads a list of globs.
func (p *parser) patterns(dst *[]string) setter {
	return func(n *node, at *trail) {
		n = n.structured()
		list := make([]string, len(n.items))
		p.list(n, at, "a list of globs", func(i int) setter {
			return func(n *node, at *trail) {
				p.str(&list[i])(n, at)
				p.pattern(list[i], n.at, at)
			}
		})
		*dst = list
	}
}

// pattern checks a path or glob of arrays.
func (p *parser) pattern(glob string, where position, at *trail) {
	if _, err := path.Match(glob, ""); err != nil {
		p.report(where, at, fmt.Sprintf("%q is not a valid glob", Clip(glob, 60)), "a bracket or a backslash has no end")
	}
	if len(glob) > maxPath {
		p.report(where, at, fmt.Sprintf("the path is longer than %d bytes", maxPath), "")
	}
	if strings.HasPrefix(glob, "/") {
		p.report(where, at, "paths of arrays do not begin with a slash", "")
	}
}

// Every array is matched against every rule, so the number of rules and the length
// of a pattern are bounded.
const (
	maxNames = 10000 // entries of arrays and source.arrays
	maxPath  = 4096  // bytes of a path or glob
)

func (p *parser) tooMany(n *node, at *trail) {
	if len(n.members) > maxNames {
		p.report(n.at, at, fmt.Sprintf("has %d entries, more than %d", len(n.members), maxNames), "")
	}
}

// rawArrays reads source.arrays.
func (p *parser) rawArrays(n *node, at *trail) {
	if n.takesNamed(at, p.rawArray) {
		return
	}
	if n.kind != mapKind {
		p.want(n, at, "a mapping from the arrays' names", "")
		return
	}
	if len(n.members) == 0 {
		p.report(n.at, at, "names no array", "")
	}
	p.tooMany(n, at)
	for _, m := range n.members[:min(len(n.members), maxNames)] {
		a := RawArray{Name: m.name, Order: "C", Concat: p.job.Source.Concat, Stack: p.job.Source.Stack}
		field := at.key(m.name)
		if len(m.name) > maxPath {
			p.report(m.at, field, fmt.Sprintf("the path is longer than %d bytes", maxPath), "")
			continue
		}
		for part := range strings.SplitSeq(m.name, "/") {
			p.nodeName(part, m.at, field)
		}
		if v := m.value.get("stack"); v != nil {
			a.Concat = ""
		} else if v := m.value.get("concat"); v != nil {
			a.Stack = ""
		}
		p.rawArrayFields(m.value, field, &a)
		if a.Stack != "" && a.Concat != "" {
			p.problems.add(p.job.Problem(field.key("concat").String(), "stack and concat exclude each other", ""))
		}
		p.job.Source.Arrays = append(p.job.Source.Arrays, a)
	}
}

// rawArray reads one array of source.arrays, for a schema.
func (p *parser) rawArray(n *node, at *trail) { p.rawArrayFields(n, at, &RawArray{}) }

// rawArrayFields reads the fields of one array of source.arrays.
func (p *parser) rawArrayFields(n *node, at *trail, a *RawArray) {
	p.fields(n, at, map[string]setter{
		"url":             p.locations(&a.Locations),
		"stack":           p.str(&a.Stack),
		"concat":          p.str(&a.Concat),
		"data_type":       p.raw(&a.DataType, "the name of a data type, a mapping with name and configuration, or a list of a record's fields", stringKind, mapKind, listKind),
		"endian":          p.enum(&a.Endian, "little", "big"),
		"shape":           p.shape(&a.Shape, 0),
		"order":           p.enum(&a.Order, "C", "F"),
		"offset":          p.integer(&a.Offset, 0, math.MaxInt64),
		"dimension_names": p.names(&a.DimensionNames),
		"attributes":      p.attributes(&a.Attributes),
	}, "url", "data_type", "shape")
}

// nodeName checks the name of a node, which has no slash.
func (p *parser) nodeName(name string, where position, at *trail) {
	err := zarr.CheckPath(name)
	if name == "" || strings.Contains(name, "/") {
		err = fmt.Errorf("the name %q is empty or has a slash", Clip(name, 60))
	}
	if err != nil {
		p.report(where, at, err.Error(), "")
	}
}

func (p *parser) dataType(dst *json.RawMessage) setter {
	return p.raw(dst, "the name of a data type, or a mapping with name and configuration", stringKind, mapKind)
}

// attributes reads a mapping with values of any kind. The value of a name replaces
// the one that the defaults give it.
func (p *parser) attributes(dst *zarr.Attributes) setter {
	return func(n *node, at *trail) {
		if n.takes(schema{"type": "object"}) {
			return
		}
		if n.kind != mapKind {
			p.want(n, at, "a mapping", "")
			return
		}
		merged := slices.Clone(*dst)
		place := map[string]int{}
		for i, a := range merged {
			place[a.Name] = i
		}
		for _, m := range n.members {
			i, known := place[m.name]
			if !known {
				i = len(merged)
				place[m.name] = i
				merged = append(merged, zarr.Attribute{Name: m.name})
			}
			merged[i].Value = m.value.json()
		}
		*dst = merged
	}
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
	if n.takesNamed(at, p.str(new(string))) {
		return
	}
	if n.kind != mapKind {
		p.want(n, at, "a mapping from the dimensions' names to new ones", "dimensions: {lat: latitude}")
		return
	}
	p.tooMany(n, at)
	p.job.Dimensions = map[string]string{}
	from := map[string]string{} // by the new names
	for _, m := range n.members[:min(len(n.members), maxNames)] {
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
	if n.takesNamed(at, func(n *node, at *trail) { p.group(n, at, &GroupRule{}) }) {
		return
	}
	if n.kind != mapKind {
		p.want(n, at, "a mapping from the groups' paths", "")
		return
	}
	p.tooMany(n, at)
	for _, m := range n.members[:min(len(n.members), maxNames)] {
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

func (p *parser) arrays(n *node, at *trail) {
	if n.takesNamed(at, func(n *node, at *trail) { p.options(n, at, &ArrayOptions{}, true) }) {
		return
	}
	if n.kind != mapKind {
		p.want(n, at, "a mapping from the arrays' names", "")
		return
	}
	p.tooMany(n, at)
	for _, m := range n.members[:min(len(n.members), maxNames)] {
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

func (p *parser) run(n *node, at *trail) {
	r := &p.job.Run
	const most = 1 << 20 // more workers or retries than that are a mistake
	p.fields(n, at, map[string]setter{
		"memory": p.size(&r.Memory, 16<<20),
		"workers": func(n *node, at *trail) {
			p.fields(n, at, map[string]setter{
				"read":   p.count(&r.Workers.Read, 0, most),
				"encode": p.count(&r.Workers.Encode, 0, most),
				"write":  p.count(&r.Workers.Write, 0, most),
			})
		},
		"requests": func(n *node, at *trail) {
			p.fields(n, at, map[string]setter{
				"per_second": p.rate(&r.PerSecond),
				"retries":    p.count(&r.Retries, 0, most),
			})
		},
		"checkpoint": func(n *node, at *trail) {
			p.fields(n, at, map[string]setter{
				"url":   p.location(&r.Checkpoint),
				"every": p.duration(&r.Every),
			})
		},
		"lock_ttl": p.durationFrom(time.Second, &r.LockLifetime),
		"path":     p.enum(&r.Path, "auto", "decode"),
		"digest":   p.enum(&r.Digest, "auto", "all", "none"),
		"notify":   p.notify(&r.Notify),
		"verify":   p.enum(&r.Verify, "none", "quick", "stored", "decoded", "source"),
	})
}

// notifyTime is the time that the command of run.notify has, unless the job says so.
const notifyTime = time.Minute

// notify reads a command: a list of words, or a mapping with the command and its time.
func (p *parser) notify(dst *Notify) setter {
	words := func(n *node, at *trail) {
		command := make([]string, len(n.items))
		ok := p.list(n, at, `a list of words, such as [mail, -s, migrated, "you@example.org"]`, func(i int) setter {
			return func(n *node, at *trail) {
				if n.kind == stringKind && i > 0 {
					command[i] = n.text // may be empty
				} else {
					p.str(&command[i])(n, at)
				}
				if strings.ContainsRune(command[i], 0) {
					p.report(n.at, at, "has a NUL byte, which no command may have", "")
				}
			}
		})
		switch {
		case ok && len(command) == 0:
			p.report(n.at, at, "the list is empty", "")
		case ok:
			dst.Command, dst.Timeout = command, cmp.Or(dst.Timeout, notifyTime)
		}
	}
	mapping := func(n *node, at *trail) {
		p.fields(n, at, map[string]setter{"command": words, "timeout": p.duration(&dst.Timeout)}, "command")
	}
	return func(n *node, at *trail) {
		if n.takesEither(at, words, mapping) {
			return
		}
		switch n.kind {
		case mapKind:
			mapping(n, at)
		case stringKind:
			p.want(n, at, "a list of words", "no shell reads the command: [sh, -c, …] calls one")
		default:
			words(n, at)
		}
	}
}
