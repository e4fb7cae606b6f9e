// Kernels writes assembly from descriptions. It is run in the folder of a package, and makes the file
// NAME of each file NAME.kernels there.
//
// A description is assembly that says once what is the same for elements of several widths, and what is
// done with several registers. Text in front of the first table is copied. In the rest,
//
//	table bits D rows     begins a part. It names constants; each line below gives them values, up to
//	      32   D 4        an empty line. The part is written once for each of these lines. A value is
//	      64   Q 8        a number if it has digits only, and a string otherwise. Comments in front of the
//	                      table and in its lines are not written.
//	index v < rows        makes v an index, from 0 up to rows.
//	VPADD{D} Z8, Z{v+8}   has expressions of Go in braces. A line whose expressions have an index is
//	                      written for each value of it. Of two indexes, the one declared first changes
//	                      last.
//	for v < rows          begins lines that are written together for each v, up to end. Spaces in front
//	                      of such words mean nothing.
//	if bits == 32         begins lines that are written if that is so, up to else or end.
//	macro MAX{bits}(z)    begins a macro of the preprocessor, up to end.
package main

import (
	"errors"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if err := generate("."); err != nil {
		panic(err)
	}
}

// generate writes the assembly of all descriptions in a folder.
func generate(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.kernels"))
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := assembly(f)
		if err != nil {
			return err
		}
		if err := os.WriteFile(target(f), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// target returns the name of the file that a description makes.
func target(description string) string { return strings.TrimSuffix(description, ".kernels") }

var (
	tables     = regexp.MustCompile(`(?m)^(//.*\n)*table `) // with the comment in front
	emptyLines = regexp.MustCompile(`\n\n\n+`)
)

// assembly returns the text that the description in a file makes.
func assembly(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	w := &writer{}
	w.line("// Code generated from %s by internal/kernels. DO NOT EDIT.\n", filepath.Base(file))
	parts := tables.Split(string(text), -1)
	w.line("%s", parts[0])
	for i, p := range parts[1:] {
		if err := w.part(p); err != nil {
			return "", fmt.Errorf("%s, table %d: %w", file, i+1, err)
		}
	}
	return strings.TrimSpace(emptyLines.ReplaceAllString(w.String(), "\n\n")) + "\n", nil
}

// A writer writes assembly.
type writer struct {
	strings.Builder
	constants map[string]constant.Value // also indexes that have a value
	indexes   []index
}

// An index runs from 0 up to below.
type index struct {
	name  string
	below int64
}

func (w *writer) line(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }

// part writes a part, for each line of its table.
func (w *writer) part(text string) error {
	table, body, _ := strings.Cut(text, "\n\n")
	rows := strings.Split(table, "\n")
	names := strings.Fields(rows[0])
	for _, row := range rows[1:] {
		row, _, _ = strings.Cut(row, " // ")
		values := strings.Fields(row)
		if len(values) != len(names) {
			return fmt.Errorf("the line %q does not have %d values", row, len(names))
		}
		w.constants, w.indexes = map[string]constant.Value{}, nil
		for i, v := range values {
			if strings.Trim(v, "0123456789") == "" {
				w.constants[names[i]] = constant.MakeFromLiteral(v, token.INT, 0)
			} else {
				w.constants[names[i]] = constant.MakeString(v)
			}
		}
		if err := w.body(strings.Split(body, "\n")); err != nil {
			return err
		}
		w.line("")
	}
	return nil
}

// body writes lines.
func (w *writer) body(lines []string) error {
	for len(lines) > 0 {
		word, rest, _ := strings.Cut(strings.TrimLeft(lines[0], " "), " ")
		var err error
		switch word {
		case "if", "for", "macro":
			var inner, other []string
			if inner, other, lines, err = block(lines); err == nil {
				err = w.block(word, rest, inner, other)
			}
		case "index":
			var x index
			x, err = w.index(rest)
			w.indexes = append(w.indexes, x)
			lines = lines[1:]
		default:
			err = w.expand(lines[0], w.indexes)
			lines = lines[1:]
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// block returns the lines of the block that begins with the first line, those behind its else, and the
// lines behind its end.
func block(lines []string) (inner, other, behind []string, err error) {
	depth, elseAt := 0, 0
	for i, l := range lines {
		l = strings.TrimLeft(l, " ")
		switch word, _, _ := strings.Cut(l, " "); {
		case word == "if", word == "for", word == "macro":
			depth++
		case l == "else" && depth == 1:
			elseAt = i
		case l == "end" && depth == 1 && elseAt > 0:
			return lines[1:elseAt], lines[elseAt+1 : i], lines[i+1:], nil
		case l == "end" && depth == 1:
			return lines[1:i], nil, lines[i+1:], nil
		case l == "end":
			depth--
		}
	}
	return nil, nil, nil, fmt.Errorf("%q has no end", lines[0])
}

// block writes a block.
func (w *writer) block(word, rest string, inner, other []string) error {
	switch word {
	case "if":
		v, err := w.value(rest)
		switch {
		case err != nil:
			return err
		case constant.BoolVal(v):
			return w.body(inner)
		default:
			return w.body(other)
		}
	case "for":
		x, err := w.index(rest)
		if err != nil {
			return err
		}
		return w.each(x, func() error { return w.body(inner) })
	default:
		m := &writer{constants: w.constants, indexes: w.indexes}
		if err := errors.Join(m.expand("#define "+rest, nil), m.body(inner)); err != nil {
			return err
		}
		lines := strings.Split(strings.TrimSpace(m.String()), "\n")
		for i, l := range lines {
			if code, comment, found := strings.Cut(l, " // "); found {
				lines[i] = code + " /* " + comment + " */"
			}
		}
		w.line("%s \\\n%s\n", lines[0], strings.Join(lines[1:], "; \\\n"))
		return nil
	}
}

// each calls a function for each value of an index.
func (w *writer) each(x index, do func() error) error {
	if w.constants[x.name] != nil {
		return fmt.Errorf("%s has a value already", x.name)
	}
	defer delete(w.constants, x.name)
	for v := range x.below {
		w.constants[x.name] = constant.MakeInt64(v)
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

var braces = regexp.MustCompile(`\{[^{}]*\}`)

// expand writes a line for all values of the indexes in its expressions.
func (w *writer) expand(line string, indexes []index) error {
	for i, x := range indexes {
		uses := regexp.MustCompile(`\{[^{}]*\b` + x.name + `\b[^{}]*\}`)
		if w.constants[x.name] == nil && uses.MatchString(line) {
			return w.each(x, func() error { return w.expand(line, indexes[i+1:]) })
		}
	}
	var err error
	w.line("%s", braces.ReplaceAllStringFunc(line, func(s string) string {
		v, e := w.value(s[1 : len(s)-1])
		switch {
		case e != nil:
			err = fmt.Errorf("%s: %w", line, e)
			return s
		case v.Kind() == constant.String:
			return constant.StringVal(v)
		default:
			return v.ExactString()
		}
	}))
	return err
}

// index returns the index that a text such as "v < 8" declares.
func (w *writer) index(text string) (index, error) {
	name, below, _ := strings.Cut(text, " < ")
	v, err := w.value(below)
	if err != nil {
		return index{}, err
	}
	n, _ := constant.Int64Val(v)
	return index{name, n}, nil
}

// value returns the value of an expression.
func (w *writer) value(expression string) (constant.Value, error) {
	all := types.NewPackage("kernels", "kernels")
	for name, v := range w.constants {
		kind := types.UntypedInt
		if v.Kind() == constant.String {
			kind = types.UntypedString
		}
		all.Scope().Insert(types.NewConst(token.NoPos, all, name, types.Typ[kind], v))
	}
	r, err := types.Eval(token.NewFileSet(), all, token.NoPos, expression)
	if err == nil && r.Value == nil {
		err = fmt.Errorf("%s is not a constant", expression)
	}
	return r.Value, err
}
