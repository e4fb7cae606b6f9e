package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is a module that a program has, with the licence texts of what the program has of it.
type module struct {
	path, version string
	licences      []string          // SPDX identifiers
	texts         map[string]string // by the names of files in the module
}

// licenceFile matches the names of files that say what somebody who hands on the module has to
// hand on with it.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|copyright)([-_.].*)?$`)

// licenceNames recognise licences by a sentence that each of them has.
var licenceNames = []struct{ id, sentence string }{
	{"Apache-2.0", "Apache License Version 2.0"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"BSD-3-Clause", "be used to endorse or promote products"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted"},
	{"ISC", "Permission to use, copy, modify, and distribute this software for any purpose with or without fee is hereby granted"},
	{"Zlib", "Altered source versions must be plainly marked as such"},
	{"Unlicense", "This is free and unencumbered software released into the public domain"},
	{"CC0-1.0", "CC0 1.0 Universal"},
}

// licencesIn returns the identifiers of the licences in a text.
func licencesIn(text string) (ids []string) {
	text = strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(text, "\n>", "\n")), " "))
	for _, l := range licenceNames {
		if strings.Contains(text, strings.ToLower(l.sentence)) && !slices.Contains(ids, l.id) {
			ids = append(ids, l.id)
		}
	}
	if len(ids) == 0 && strings.Contains(text, "redistributions in binary form must reproduce the above copyright notice") {
		ids = append(ids, "BSD-2-Clause")
	}
	return ids
}

// collectNotices finds the licences of all modules of the programs. A module without a licence that
// it knows is an error.
func (r *making) collectNotices(ctx context.Context) error {
	all := map[string]module{}
	for _, p := range r.platforms {
		modules, err := modulesOf(ctx, r.source, p)
		if err != nil {
			return err
		}
		r.modules[p] = modules
		for _, m := range modules {
			if had, ok := all[m.path]; ok {
				maps.Copy(m.texts, had.texts)
			}
			all[m.path] = m
		}
	}
	r.notices = noticesText(slices.SortedFunc(maps.Values(all), func(a, b module) int { return cmp.Compare(a.path, b.path) }))
	return os.WriteFile(filepath.Join(r.out, "THIRD-PARTY-NOTICES.txt"), []byte(r.notices), 0o644)
}

// modulesOf returns the modules of the program for a platform, without the program's own.
func modulesOf(ctx context.Context, source string, p platform) ([]module, error) {
	text, err := run(ctx, source, goEnvironment(p), "go", "list", "-deps", "-json=Dir,Module,Standard", "./cmd/zmigrate")
	if err != nil {
		return nil, err
	}
	version, err := run(ctx, source, goEnvironment(p), "go", "env", "GOVERSION", "GOROOT")
	if err != nil {
		return nil, err
	}
	version, root, _ := strings.Cut(version, "\n")
	standard := module{path: "std", version: version, texts: map[string]string{}}
	modules := map[string]*module{"std": &standard}
	if err := standard.read(root, root); err != nil {
		return nil, err
	}
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		var one struct {
			Dir      string
			Standard bool
			Module   *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := d.Decode(&one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if one.Standard || one.Module == nil || one.Module.Main {
			continue
		}
		m := modules[one.Module.Path]
		if m == nil {
			m = &module{path: one.Module.Path, version: one.Module.Version, texts: map[string]string{}}
			modules[m.path] = m
		}
		// Packages may have licences of their own.
		for dir := one.Dir; ; dir = filepath.Dir(dir) {
			if err := m.read(one.Module.Dir, dir); err != nil {
				return nil, err
			}
			if dir == one.Module.Dir || len(dir) < len(one.Module.Dir) {
				break
			}
		}
	}
	var list []module
	for _, m := range modules {
		for _, name := range slices.Sorted(maps.Keys(m.texts)) {
			for _, id := range licencesIn(m.texts[name]) {
				if !slices.Contains(m.licences, id) {
					m.licences = append(m.licences, id)
				}
			}
		}
		if len(m.licences) == 0 {
			return nil, fmt.Errorf("module %s %s has no licence that is known here: %d texts", m.path, m.version, len(m.texts))
		}
		slices.Sort(m.licences)
		list = append(list, *m)
	}
	slices.SortFunc(list, func(a, b module) int { return cmp.Compare(a.path, b.path) })
	return list, nil
}

// read reads the licences in one folder of a module.
func (m *module) read(root, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		name, err := filepath.Rel(root, filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		if _, ok := m.texts[name]; ok {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		m.texts[name] = string(text)
	}
	return nil
}

// noticesText is the text with all licences. A text that several modules share stands there once.
func noticesText(modules []module) string {
	var b strings.Builder
	b.WriteString("zmigrate contains the following modules of other authors. Their licences follow.\n\n")
	type shared struct {
		text string
		of   []string
	}
	var texts []*shared
	at := map[string]*shared{}
	for _, m := range modules {
		fmt.Fprintf(&b, "  %s %s (%s)\n", m.path, m.version, strings.Join(m.licences, ", "))
		for _, name := range slices.Sorted(maps.Keys(m.texts)) {
			text := strings.TrimSpace(strings.ReplaceAll(m.texts[name], "\r\n", "\n"))
			if at[text] == nil {
				at[text] = &shared{text: text}
				texts = append(texts, at[text])
			}
			at[text].of = append(at[text].of, m.path+": "+filepath.ToSlash(name))
		}
	}
	for _, s := range texts {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(s.of, "\n"), s.text)
	}
	return b.String()
}
