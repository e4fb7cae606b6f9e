package e2e

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
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
	for _, p := range packages {
		for _, where := range internalTypes(p, aliases) {
			t.Errorf("%s, which a program outside of this module cannot name", where)
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
		if of := t.Obj().Pkg(); of != nil && strings.Contains(of.Path(), "/internal/") {
			return namedIn(types.Unalias(t), seen) // the type may have another alias
		}
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
