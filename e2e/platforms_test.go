package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestPlatforms checks the types of all packages and of their tests for the other platforms that
// releases have programs for. It compiles nothing, so it takes seconds; make cross compiles.
func TestPlatforms(t *testing.T) {
	if os.Getenv("ZMIGRATE_HEAVY") != "1" {
		t.Skip("set ZMIGRATE_HEAVY=1 to check the types of all packages for Windows and macOS")
	}
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, platform := range []string{"windows/amd64", "darwin/arm64"} {
		system, arch, _ := strings.Cut(platform, "/")
		list, err := packages.Load(&packages.Config{
			Context: t.Context(), Dir: here, Tests: true,
			Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedModule,
			Env:  append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0"),
			ParseFile: func(set *token.FileSet, name string, text []byte) (*ast.File, error) {
				f, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
				if err == nil && !strings.HasPrefix(name, here+string(filepath.Separator)) {
					// What functions of other modules do has no influence.
					for _, d := range f.Decls {
						if function, ok := d.(*ast.FuncDecl); ok {
							function.Body = nil
						}
					}
				}
				return f, err
			},
		}, "./...")
		if err != nil {
			t.Fatal(err)
		}
		if len(list) < 100 {
			t.Errorf("%s: %d packages", platform, len(list))
		}
		packages.Visit(list, nil, func(p *packages.Package) {
			for _, fault := range p.Errors {
				if strings.HasPrefix(p.PkgPath, module) && !strings.HasSuffix(p.PkgPath, ".test") { // not the generated mains of tests
					t.Errorf("%s: %v", platform, fault)
				}
			}
		})
	}
}
