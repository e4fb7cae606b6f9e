package jobfile

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/zarr"
)

// Every array is matched against every rule, so the number of rules and the length
// of a pattern are bounded.
const (
	maxNames = 10000 // entries of a mapping from names
	maxPath  = 4096  // bytes of a path or glob
)

// arraysMapping is what the fields arrays and source.arrays want.
const arraysMapping = "a mapping from the arrays' names"

// members returns the members of a mapping with any names, at most maxNames of them. It reports
// what is not a mapping, or has more members: what says what is wanted. A schema has no members;
// it learns from read what each of them takes.
func (p *parser) members(n *node, at *trail, what, hint string, read setter) []member {
	if n.takesNamed(at, read) {
		return nil
	}
	if n.kind != mapKind {
		p.want(n, at, what, hint)
		return nil
	}
	if len(n.members) > maxNames {
		p.report(n.at, at, fmt.Sprintf("has %d entries, more than %d", len(n.members), maxNames), "")
	}
	return n.members[:min(len(n.members), maxNames)]
}

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
