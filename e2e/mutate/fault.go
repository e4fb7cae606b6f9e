package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	faultVariable   = "ZMIGRATE_FAULT"   // in the environment: the number of the fault that is active
	reachedVariable = "ZMIGRATE_REACHED" // in the environment: a file for the numbers of faults whose functions run
	faultMark       = "// fault number " // in front of a function with a fault
)

// room is one or more packages and the faults that can be put into them.
type room struct {
	paths    string // as given
	packages []*source
	faults   []*fault
	tested   []*tester // the packages whose tests count
	tests    []*test   // of these packages, the quickest first
}

// source is a package that can have faults.
type source struct {
	path, dir, name string            // as given, absolute, and of the package
	texts           map[string]string // of the files, by their names without the folder
}

// tester is a package whose tests look for faults.
type tester struct {
	path, dir string // as given, absolute
	binary    string // its tests, compiled
}

// test is a test of a package.
type test struct {
	tester  *tester
	name    string
	took    time.Duration
	reaches map[int]bool // the numbers of the faults whose functions the test runs
}

// fault is a small change of a function.
type fault struct {
	number   int    // from 1 on
	path     string // of the file, below the module
	source   *source
	file     string // without its folder
	line     int
	text     string // of the file
	function *function
	edit     edit
}

// edit replaces a part of a text.
type edit struct {
	from, to int
	with     string
}

// function says where the parts of a function are in the text of its file.
type function struct {
	from, to, body    int
	name, nameEnd     int
	receiver          string // with a dot, or ""
	types, parameters string // in the form of a call
	returns           bool
	names             []edit // edits that give every parameter a name
}

// change returns the first line of the fault's function before and after the change
// that differs.
func (f *fault) change() string {
	start := strings.LastIndexByte(f.text[:f.edit.from], '\n') + 1
	end := f.edit.to + strings.IndexByte(f.text[f.edit.to:], '\n')
	first := func(s string) string {
		s, more, _ := strings.Cut(s, "\n")
		if more != "" {
			s += " …"
		}
		return strings.TrimSpace(s)
	}
	before, after := f.text[start:end], f.text[start:f.edit.from]+f.edit.with+f.text[f.edit.to:end]
	return "in " + f.text[f.function.name:f.function.nameEnd] + ", " + first(before) + " → " + first(after)
}

// String returns the line that shows the fault, without its line number.
func (f *fault) String() string { return f.path + ": " + f.change() }

// open finds the faults of packages in the files that skip does not match. Only lines
// that match only have faults.
func open(paths, skip, only string) (*room, error) {
	without, err := regexp.Compile(skip)
	if err != nil {
		return nil, err
	}
	wanted, err := regexp.Compile(only)
	if err != nil {
		return nil, err
	}
	r := &room{paths: paths}
	faulty, users, _ := strings.Cut(paths, "+")
	for path := range strings.SplitSeq(faulty, ",") {
		s, files, err := openSource(path)
		if err != nil {
			return nil, err
		}
		r.packages = append(r.packages, s)
		r.tested = append(r.tested, &tester{path: path, dir: s.dir})
		for _, file := range files {
			if skip != "" && without.MatchString(file) {
				continue
			}
			data, err := os.ReadFile(filepath.Join(s.dir, file))
			if err != nil {
				return nil, err
			}
			s.texts[file] = string(data)
			if err := r.find(s, file); err != nil {
				return nil, err
			}
		}
	}
	for path := range strings.FieldsFuncSeq(users, func(c rune) bool { return c == '+' }) {
		s, _, err := openSource(path)
		if err != nil {
			return nil, err
		}
		r.tested = append(r.tested, &tester{path: path, dir: s.dir})
	}
	r.faults = slices.DeleteFunc(r.faults, func(f *fault) bool { return !wanted.MatchString(f.String()) })
	return r, nil
}

// openSource returns a package without its texts, and the names of its files.
func openSource(path string) (s *source, files []string, err error) {
	out, err := exec.Command("go", "list", "-json=Dir,Name,GoFiles", path).Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list %s: %w", path, err)
	}
	var p struct {
		Dir, Name string
		GoFiles   []string
	}
	if err := json.Unmarshal(out, &p); err != nil {
		return nil, nil, err
	}
	return &source{path: path, dir: p.Dir, name: p.Name, texts: map[string]string{}}, p.GoFiles, nil
}

// find adds the faults of a file.
func (r *room) find(s *source, file string) error {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, s.texts[file], parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || f.Name.Name == "init" || f.Name.Name == "main" || f.Name.Name == "_" {
			continue
		}
		where := locate(f, s.texts[file])
		ast.Inspect(f.Body, func(node ast.Node) bool {
			for _, e := range edits(node, s.texts[file]) {
				r.faults = append(r.faults, &fault{
					number: len(r.faults) + 1, path: filepath.Join(s.path, file), source: s, file: file, line: set.Position(token.Pos(e.from + 1)).Line,
					text: s.texts[file], function: where, edit: e,
				})
			}
			return true
		})
	}
	return nil
}

var swapped = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
	token.LAND: "||", token.LOR: "&&", token.ADD: "-", token.SUB: "+",
	token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+=", token.INC: "--", token.DEC: "++",
}

// edits returns the faults that a node can have: an operator that becomes its
// neighbour, a negated condition, an error that is not checked or not returned, a
// number that is one too large, or a missing statement.
func edits(node ast.Node, text string) (all []edit) {
	replace := func(from, to token.Pos, with string) {
		all = append(all, edit{int(from) - 1, int(to) - 1, with})
	}
	operator := func(at token.Pos, op token.Token) {
		if other, ok := swapped[op]; ok {
			replace(at, at+token.Pos(len(op.String())), other)
		}
	}
	switch n := node.(type) {
	case *ast.BinaryExpr:
		operator(n.OpPos, n.Op)
	case *ast.IncDecStmt:
		operator(n.TokPos, n.Tok)
		replace(n.Pos(), n.End(), "")
	case *ast.AssignStmt:
		operator(n.TokPos, n.Tok)
		if n.Tok != token.DEFINE {
			replace(n.Pos(), n.End(), "")
		}
	case *ast.ExprStmt:
		replace(n.Pos(), n.End(), "")
	case *ast.DeferStmt:
		replace(n.Pos(), n.End(), "")
	case *ast.IfStmt:
		condition := text[n.Cond.Pos()-1 : n.Cond.End()-1]
		if strings.HasSuffix(condition, "err != nil") {
			replace(n.Cond.Pos(), n.Cond.End(), "false && ("+condition+")")
		} else if b, ok := n.Cond.(*ast.BinaryExpr); !ok || b.Op == token.LAND || b.Op == token.LOR {
			replace(n.Cond.Pos(), n.Cond.End(), "!("+condition+")")
		}
	case *ast.ReturnStmt:
		if len(n.Results) == 0 {
			return nil
		}
		last := n.Results[len(n.Results)-1]
		_, call := last.(*ast.CallExpr)
		if id, ok := last.(*ast.Ident); call || ok && id.Name == "err" {
			replace(last.Pos(), last.End(), "nil")
		}
	case *ast.BasicLit:
		if n.Kind == token.INT {
			replace(n.Pos(), n.End(), "("+n.Value+"+1)")
		}
	}
	return all
}

// locate finds the parts of a function, and gives names to parameters that have none.
func locate(d *ast.FuncDecl, text string) *function {
	f := &function{
		from: int(d.Pos()) - 1, to: int(d.End()) - 1, body: int(d.Body.Lbrace), name: int(d.Name.Pos()) - 1, nameEnd: int(d.Name.End()) - 1,
		returns: d.Type.Results.NumFields() > 0,
	}
	call := func(fields *ast.FieldList) (names []string) {
		for _, field := range fields.List {
			dots := ""
			if _, ok := field.Type.(*ast.Ellipsis); ok {
				dots = "..."
			}
			if len(field.Names) == 0 {
				name, at := "unnamed"+strconv.Itoa(len(f.names)), int(field.Type.Pos())-1
				f.names = append(f.names, edit{at, at, name + " "})
				names = append(names, name+dots)
			}
			for _, id := range field.Names {
				name := id.Name
				if name == "_" {
					name = "unnamed" + strconv.Itoa(len(f.names))
					f.names = append(f.names, edit{int(id.Pos()) - 1, int(id.End()) - 1, name})
				}
				names = append(names, name+dots)
			}
		}
		return names
	}
	if d.Recv != nil {
		f.receiver = call(d.Recv)[0] + "."
	}
	if d.Type.TypeParams != nil {
		f.types = "[" + strings.Join(call(d.Type.TypeParams), ", ") + "]"
	}
	f.parameters = "(" + strings.Join(call(d.Type.Params), ", ") + ")"
	return f
}

// faulty returns the text of each file of the room, by its absolute path, with a copy of a
// function for each fault at the end. If the environment names the fault, the function
// calls its copy.
func (r *room) faulty(faults []*fault) map[string][]byte {
	files := map[string][]byte{}
	for _, s := range r.packages {
		for name, text := range s.faulty(faults) {
			files[filepath.Join(s.dir, name)] = text
		}
	}
	return files
}

// faulty returns the text of each file of the package, by its name, with the faults that
// are in it.
func (s *source) faulty(faults []*fault) map[string][]byte {
	files := map[string][]byte{"fault_of_this_run.go": fmt.Appendf(nil, `package %s

import (
	"os"
	"strconv"
	"sync"
)

var (
	faultOfThisRun, _  = strconv.Atoi(os.Getenv(%q))
	reachedFile, noFile = os.OpenFile(os.Getenv(%q), os.O_WRONLY|os.O_APPEND, 0)
	reachedFaults        sync.Map
)

// reachedFault records that the function of a fault runs. No fault is active then.
func reachedFault(number int) bool {
	if _, known := reachedFaults.LoadOrStore(number, true); !known {
		reachedFile.WriteString(strconv.Itoa(number) + "\n")
	}
	return false
}
`, s.name, faultVariable, reachedVariable)}
	for file, text := range s.texts {
		var changes []edit
		var copies strings.Builder
		seen := map[*function]bool{}
		for _, f := range faults {
			if f.source != s || f.file != file {
				continue
			}
			w := f.function
			name := fmt.Sprintf("%sFault%d", text[w.name:w.nameEnd], f.number)
			before := "return "
			after := ""
			if !w.returns {
				before, after = "", "; return"
			}
			changes = append(changes, edit{w.body, w.body, fmt.Sprintf(" if faultOfThisRun == %d || noFile == nil && reachedFault(%[1]d) { %s%s%s%s%s%s }; ",
				f.number, before, w.receiver, name, w.types, w.parameters, after)})
			if !seen[w] {
				seen[w] = true
				changes = append(changes, w.names...)
			}
			fmt.Fprintf(&copies, "\n%s%d\n%s\n", faultMark, f.number, apply(text, w.from, w.to, []edit{{w.name, w.nameEnd, name}, f.edit}))
		}
		files[file] = []byte(apply(text, 0, len(text), changes) + copies.String())
	}
	return files
}

// apply returns a part of a text with changes. The changes do not overlap.
func apply(text string, from, to int, changes []edit) string {
	var out strings.Builder
	for at := from; at <= to; at++ {
		end := at
		for _, c := range changes {
			if c.from == at {
				out.WriteString(c.with)
				end = max(end, c.to)
			}
		}
		if end == at {
			end++
			out.WriteString(text[at:min(end, to)])
		}
		at = end - 1
	}
	return out.String()
}
