package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// goModule is what the go command says of a module.
type goModule struct {
	Path, Version, Dir string
	Time               time.Time // of the release; the zero time if the module cache does not know it
	Indirect, Main     bool
}

// directModules returns the direct requirements of go.mod, in the module cache.
func directModules(t *testing.T) (direct []goModule) {
	t.Helper()
	edit := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json")
	edit.Dir = ".."
	text, err := edit.Output()
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Require []goModule }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"list", "-m", "-json"}
	for _, m := range file.Require {
		if !m.Indirect {
			arguments = append(arguments, m.Path)
		}
	}
	list := exec.CommandContext(t.Context(), "go", arguments...)
	list.Dir, list.Stderr = "..", t.Output()
	if text, err = list.Output(); err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var m goModule
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return direct
		} else if err != nil {
			t.Fatal(err)
		}
		direct = append(direct, m)
	}
}

// licences are the licences that a text may hold, by words that only they have.
var licences = []struct{ name, words, without string }{
	{"Apache-2.0", "www.apache.org/licenses/", ""},
	{"BSD-2-Clause", "Redistribution and use in source and binary forms", "to endorse or promote products"},
	{"BSD-3-Clause", "to endorse or promote products", ""},
	{"MIT", "Permission is hereby granted, free of charge", ""},
}

// licenceOf names the licences in the licence file of a folder.
func licenceOf(dir string) (string, error) {
	for _, name := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		words := strings.Join(strings.Fields(string(text)), " ")
		var found []string
		for _, l := range licences {
			if strings.Contains(words, l.words) && (l.without == "" || !strings.Contains(words, l.without)) {
				found = append(found, l.name)
			}
		}
		return strings.Join(found, ", "), nil
	}
	return "", os.ErrNotExist
}

// TestDependenciesPage compares the table of docs/dependencies.md with go.mod and with the
// licences in the module cache. Each direct requirement has a row, and each row has a reason and
// what would replace the module.
func TestDependenciesPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) == 6 && strings.Contains(cells[0], ".") {
			rows[strings.Trim(cells[0], "`")] = cells[1:]
		}
	}
	direct := directModules(t)
	if len(direct) < 10 {
		t.Fatalf("go.mod has %d direct requirements", len(direct))
	}
	for _, m := range direct {
		row, ok := rows[m.Path]
		delete(rows, m.Path)
		switch {
		case !ok:
			t.Errorf("%s %s has no row", m.Path, m.Version)
			continue
		case row[1] != m.Version:
			t.Errorf("%s: the table says version %s, go.mod %s", m.Path, row[1], m.Version)
		case !m.Time.IsZero() && row[2] != m.Time.Format(time.DateOnly):
			t.Errorf("%s: the table says released %s, the module cache %s", m.Path, row[2], m.Time.Format(time.DateOnly))
		case slices.Contains(row, ""):
			t.Errorf("%s: a cell is empty: %q", m.Path, row)
		}
		if m.Dir == "" {
			t.Logf("%s: not in the module cache, so its licence is not compared", m.Path)
			continue
		}
		if got, err := licenceOf(m.Dir); err != nil || got != row[0] {
			t.Errorf("%s: the table says licence %q, its licence file %q (error %v)", m.Path, row[0], got, err)
		}
	}
	for path := range rows {
		t.Errorf("%s has a row, but is no direct requirement of go.mod", path)
	}
}
