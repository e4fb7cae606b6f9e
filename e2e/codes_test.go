package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/codes"
)

// TestCodes compares the table that `zmigrate explain` prints with the codes in the source: what
// is assigned to a field Code, or given to a parameter of the name code.
func TestCodes(t *testing.T) {
	t.Parallel()
	used := usedCodes(t)
	var known []string
	for _, c := range codes.All() {
		known = append(known, c.Name)
	}
	if diff := cmp.Diff(used, known); diff != "" {
		t.Errorf("codes in the source that have no explanation (-), and explanations of codes that nothing uses (+):\n%s", diff)
	}
}

// TestCodesPage compares docs/codes.md with the table. With ZMIGRATE_UPDATE=1, the page is written
// anew.
func TestCodesPage(t *testing.T) {
	t.Parallel()
	const page = "../docs/codes.md"
	var text strings.Builder
	text.WriteString("# Findings\n\nA finding is a warning of `validate`, `plan` or `run`, or an error if its text says so. It ends with its code in brackets, which\n`zmigrate explain CODE` explains, too.\n")
	for _, c := range codes.All() {
		text.WriteString("\n## " + c.Name + "\n\n" + c.Means + " " + c.Matters + "\n\n**What to do.** " + c.Do + "\n")
	}
	if os.Getenv("ZMIGRATE_UPDATE") != "" {
		if err := os.WriteFile(page, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text.String(), string(got)); diff != "" {
		t.Errorf("%s is not what the table says; ZMIGRATE_UPDATE=1 go test ./e2e -run TestCodesPage writes it anew (-want +got):\n%s", page, diff)
	}
}

// usedCodes returns the codes in the source of the module, in alphabetical order.
func usedCodes(t *testing.T) []string {
	t.Helper()
	var files []*ast.File
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "e2e"):
			return fs.SkipDir
		case filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
		files = append(files, parsed)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string][]string{} // values of texts by the names of constants
	parameter := map[string]int{}      // place of a parameter code, by the name of the function
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if i < len(n.Values) {
						if text, ok := literal(n.Values[i]); ok {
							constants[name.Name] = append(constants[name.Name], text)
						}
					}
				}
			case *ast.FuncDecl:
				if at := codeParameter(n.Type); at >= 0 {
					parameter[n.Name.Name] = at
				}
			case *ast.AssignStmt: // a function in a variable
				for i, right := range n.Rhs {
					if f, ok := right.(*ast.FuncLit); ok && codeParameter(f.Type) >= 0 {
						if name, ok := n.Lhs[i].(*ast.Ident); ok {
							parameter[name.Name] = codeParameter(f.Type)
						}
					}
				}
			}
			return true
		})
	}
	found := map[string]bool{}
	take := func(e ast.Expr) {
		name := ""
		switch e := e.(type) {
		case *ast.BasicLit:
			if text, ok := literal(e); ok {
				found[text] = true
			}
			return
		case *ast.Ident:
			name = e.Name
		case *ast.SelectorExpr:
			name = e.Sel.Name
		}
		for _, text := range constants[name] {
			if strings.Contains(text, "-") || text == "renamed" {
				found[text] = true
			}
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Code" {
					take(n.Value)
				}
			case *ast.AssignStmt:
				for i, left := range n.Lhs {
					if s, ok := left.(*ast.SelectorExpr); ok && s.Sel.Name == "Code" && len(n.Rhs) == len(n.Lhs) {
						take(n.Rhs[i])
					}
				}
			case *ast.CallExpr:
				name := ""
				switch f := n.Fun.(type) {
				case *ast.Ident:
					name = f.Name
				case *ast.SelectorExpr:
					name = f.Sel.Name
				}
				if at, ok := parameter[name]; ok && at < len(n.Args) {
					take(n.Args[at])
				}
			}
			return true
		})
	}
	delete(found, "")
	return slices.Sorted(maps.Keys(found))
}

// codeParameter returns the place of the parameter code of a function, or -1.
func codeParameter(f *ast.FuncType) int {
	at := 0
	for _, field := range f.Params.List {
		for _, name := range field.Names {
			if kind, ok := field.Type.(*ast.Ident); ok && name.Name == "code" && kind.Name == "string" {
				return at
			}
			at++
		}
	}
	return -1
}

// literal returns the text of a constant.
func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(l.Value)
	return text, err == nil
}
