package e2e

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestExportedAPI checks that a program outside of this module can name every type in an
// exported declaration of a package that it can import: such a type is of a public
// package, or has an alias in one.
func TestExportedAPI(t *testing.T) {
	t.Parallel()
	var public []string
	for _, p := range goList(t, "./...") {
		if folder, _, _ := strings.Cut(strings.TrimPrefix(p.ImportPath, module+"/"), "/"); folder != "internal" && folder != "cmd" && folder != "e2e" && !strings.Contains(p.ImportPath, "/internal/") {
			public = append(public, p.ImportPath)
		}
	}
	built := buildPackages(t, public)
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(built[path].Export) })
	packages, aliases := make([]*types.Package, len(public)), map[*types.TypeName]bool{}
	for i, path := range public {
		p, err := from.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		packages[i] = p
		for _, name := range p.Scope().Names() {
			if of, ok := p.Scope().Lookup(name).(*types.TypeName); ok && of.IsAlias() && of.Exported() {
				if named, ok := types.Unalias(of.Type()).(*types.Named); ok {
					aliases[named.Obj()] = true
				}
			}
		}
	}
	found := map[string]bool{}
	for _, p := range packages {
		if ownRooms[strings.TrimPrefix(p.Path(), module+"/")] != "" {
			continue
		}
		for _, where := range internalTypes(p, aliases) {
			found[where] = true
		}
	}
	for _, where := range slices.Sorted(maps.Keys(found)) {
		if _, known := unnameable[where]; !known {
			t.Errorf("%s, which a program outside of this module cannot name", where)
		}
	}
	for where := range unnameable {
		if !found[where] {
			t.Errorf("unnameable lists %q, which is no longer so", where)
		}
	}
}

// internalTypes lists the exported declarations of a package that name types of internal
// packages without an alias.
func internalTypes(p *types.Package, aliases map[*types.TypeName]bool) (list []string) {
	room := strings.TrimPrefix(p.Path(), module+"/")
	report := func(name string, t types.Type) {
		for of := range namedIn(t, nil) {
			if pkg := of.Pkg(); pkg != nil && !aliases[of] && strings.Contains(pkg.Path(), "/internal/") {
				list = append(list, fmt.Sprintf("%s.%s names %s.%s", room, name, strings.TrimPrefix(pkg.Path(), module+"/"), of.Name()))
			}
		}
	}
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		of, isType := o.(*types.TypeName)
		if !isType {
			report(name, o.Type())
			continue
		}
		if of.IsAlias() {
			continue
		}
		named := of.Type().(*types.Named)
		report(name, named.Underlying())
		for m := range named.Methods() {
			if m.Exported() {
				report(name+"."+m.Name(), m.Type())
			}
		}
	}
	return list
}

// namedIn returns the names of the types that the declaration of t names, and that
// another package sees: unexported fields and methods are left out.
func namedIn(t types.Type, seen map[*types.TypeName]bool) map[*types.TypeName]bool {
	if seen == nil {
		seen = map[*types.TypeName]bool{}
	}
	switch t := t.(type) {
	case *types.Alias:
		seen[t.Obj()] = true
		for a := range t.TypeArgs().Types() {
			namedIn(a, seen)
		}
	case *types.Named:
		seen[t.Obj()] = true
		for a := range t.TypeArgs().Types() {
			namedIn(a, seen)
		}
	case *types.Pointer:
		namedIn(t.Elem(), seen)
	case *types.Slice:
		namedIn(t.Elem(), seen)
	case *types.Array:
		namedIn(t.Elem(), seen)
	case *types.Chan:
		namedIn(t.Elem(), seen)
	case *types.Map:
		namedIn(t.Key(), seen)
		namedIn(t.Elem(), seen)
	case *types.Signature:
		for v := range t.Params().Variables() {
			namedIn(v.Type(), seen)
		}
		for v := range t.Results().Variables() {
			namedIn(v.Type(), seen)
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				namedIn(f.Type(), seen)
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if m.Exported() {
				namedIn(m.Type(), seen)
			}
		}
		for e := range t.EmbeddedTypes() {
			namedIn(e, seen)
		}
	}
	return seen
}

// ownRooms are rooms that a program uses through other ones, with the reason why their
// declarations may name internal types.
var ownRooms = map[string]string{
	"stages":       "its tasks are made by jobs; programs use the events that it tells",
	"jobs/journal": "it works in stores that jobs/run opens; programs use Owner",
	"jobs/plan":    "programs make and read plans through package jobs, and leave what is for tests at zero",
	"jobs/target":  "jobs/plan asks it about the arrays of a target",
}

const (
	byJobs    = "jobs writes units with it; programs use Create"
	byDrivers = "jobs copies objects from store to store with it; programs read regions"
)

// unnameable lists what else TestExportedAPI would complain of, with the reason why it
// stays.
var unnameable = map[string]string{
	"sinks.ArrayWriter.Copy names internal/store.Info":  byJobs,
	"sinks.ArrayWriter.Copy names internal/store.Store": byJobs,
	"sinks.Store names internal/store.Writer":           byJobs,
	"sources.OpenFile names internal/store.Store":       byDrivers,
	"sources.Packing names internal/cf.Outcome":         "jobs makes codecs of packed values with it",
	"sources.Placed names internal/store.Info":          byDrivers,
	"sources.Placed names internal/store.Store":         byDrivers,
}
