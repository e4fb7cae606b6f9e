package main

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestLicencesIn(t *testing.T) {
	for text, want := range map[string]string{
		"Apache License\n   Version 2.0, January 2004":                                                                                           "Apache-2.0",
		"Permission is hereby granted, free of charge, to any person\nobtaining a copy":                                                          "MIT",
		"Redistributions in binary form must reproduce the above copyright notice":                                                               "BSD-2-Clause",
		"Redistributions in binary form must reproduce the above copyright notice. The name of X may not be used to endorse or promote products": "BSD-3-Clause",
		"Apache License Version 2.0. Permission is hereby granted, free of charge, to any person obtaining a copy of this":                       "Apache-2.0 MIT",
		"All rights reserved.": "",
	} {
		if got := strings.Join(licencesIn(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A program whose module has no licence, or one that is not known here, is refused. The licences of
// packages count, too, and those of packages that the program does not use do not.
func TestModulesOf(t *testing.T) {
	const mit = "Permission is hereby granted, free of charge, to any person obtaining a copy"
	for name, c := range map[string]struct {
		licences map[string]string
		want     string // part of the error; "": none
	}{
		"known":         {map[string]string{"dep/LICENSE": mit}, ""},
		"of a package":  {map[string]string{"dep/used/COPYING.txt": mit}, ""},
		"none":          {nil, "module example.com/dep v1.0.0 has no licence that is known here: 0 texts"},
		"of a stranger": {map[string]string{"dep/unused/LICENSE": mit}, "0 texts"},
		"unknown":       {map[string]string{"dep/LICENSE": "All rights reserved."}, "1 texts"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			files := map[string]string{
				"go.mod":               "module example.com/main\n\ngo 1.26\n\nrequire example.com/dep v1.0.0\n\nreplace example.com/dep v1.0.0 => ./dep\n",
				"cmd/zmigrate/main.go": "package main\n\nimport _ \"example.com/dep/used\"\n\nfunc main() {}\n",
				"dep/go.mod":           "module example.com/dep\n\ngo 1.26\n",
				"dep/used/used.go":     "package used\n",
				"dep/unused/unused.go": "package unused\n",
			}
			maps.Copy(files, c.licences)
			for name, text := range files {
				name = filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			modules, err := modulesOf(t.Context(), dir, platform{runtime.GOOS, runtime.GOARCH})
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("error %v, want %q", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(modules) != 2 || modules[0].path != "example.com/dep" || modules[1].path != "std" {
				t.Fatalf("%+v", modules)
			}
			if text := noticesText(modules); !strings.Contains(text, "example.com/dep v1.0.0 (MIT)") || !strings.Contains(text, "std go1.") || !strings.Contains(text, "\n"+mit+"\n") {
				t.Error(text)
			}
		})
	}
}
