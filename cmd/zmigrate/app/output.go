package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"unicode/utf8"
)

// output is standard output. It remembers the first error of writing, so that callers need
// not check: the exit status reports the error at the end. A run goes on even if its output
// cannot be written.
type output struct {
	w io.Writer

	mu  sync.Mutex
	err error // the first one
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.w.Write(p)
	o.note(err)
	return n, err
}

// note keeps the first error. The caller holds mu.
func (o *output) note(err error) {
	if o.err == nil {
		o.err = err
	}
}

// close closes standard output and returns the first error. Some file systems report
// only then that they are full.
func (o *output) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c, ok := o.w.(io.Closer); ok {
		o.note(c.Close())
	}
	return o.err
}

// printJSON writes one JSON document on a line of its own.
func (a *app) printJSON(v any) {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
}

// printf writes a result for people.
func (a *app) printf(format string, args ...any) { _, _ = fmt.Fprintf(a.out, format, args...) }

// table writes rows with aligned columns, indented by two spaces. On a terminal, the last cells
// are broken into lines that fit its width.
func (a *app) table(rows [][]string) {
	if width := a.terminalWidth(); width > 0 {
		rows = fitted(rows, width)
	}
	var text bytes.Buffer // a tabwriter writes cell by cell
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		_, _ = fmt.Fprintln(w, "  "+strings.Join(row, "\t"))
	}
	_ = w.Flush()
	_, _ = a.out.Write(text.Bytes())
}

// fitted breaks the last cells of rows into lines, so that a line has at most width columns. Rows
// stay as they are if less than 20 columns are left for the last cells.
func fitted(rows [][]string, width int) [][]string {
	const indent, gap, least = 2, 2, 20
	columns := 0
	for _, row := range rows {
		columns = max(columns, len(row))
	}
	left := width - indent
	for i := range columns - 1 {
		widest := 0
		for _, row := range rows {
			if i < len(row) && len(row) > 1 {
				widest = max(widest, utf8.RuneCountInString(row[i]))
			}
		}
		left -= widest + gap
	}
	if left < least {
		return rows
	}
	var made [][]string
	for _, row := range rows {
		if len(row) < columns || columns < 2 {
			made = append(made, row)
			continue
		}
		line := ""
		head := row[:columns-1]
		for word := range strings.FieldsSeq(row[columns-1]) {
			if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > left {
				made = append(made, append(slices.Clone(head), line))
				line, head = "", make([]string, columns-1)
			}
			line = strings.TrimLeft(line+" "+word, " ")
		}
		made = append(made, append(slices.Clone(head), line))
	}
	return made
}

// replaceFile writes a file so that readers see a whole file at any time. The name of the
// temporary file has another ending, because the collector of node_exporter reads each file
// that ends in .prom. A file that is replaced keeps its mode, and a link to it stays a link.
// A device or a pipe, such as /dev/stdout, is written and not replaced.
func replaceFile(name string, text []byte) error {
	if err := inFolder(name); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return writeTo(name, text)
	}
	mode := fs.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
		if info, err := os.Stat(name); err == nil {
			mode = info.Mode().Perm()
		}
	}
	temporary := fmt.Sprintf("%s.%d.tmp", name, os.Getpid())
	err := os.WriteFile(temporary, text, mode)
	if err == nil {
		err = os.Rename(temporary, name)
	}
	if err != nil {
		_ = os.Remove(temporary)
	}
	return err
}

// inFolder returns an error if there is no folder that can hold a file.
func inFolder(name string) error {
	folder := filepath.Dir(name)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s: make it first", folder)
	}
	return nil
}

// writeTo writes to a device or a pipe.
func writeTo(name string, text []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}
