package sources_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/drivers"
)

// TestWhatIs names formats by how files begin.
func TestWhatIs(t *testing.T) {
	known := drivers.Standard()
	for begins, want := range map[string]struct{ driver, what string }{
		"":                            {"", "it is empty: write or copy it again"},
		"hello":                       {"", `it begins with "hello"`},
		"eightbyte and more":          {"", `it begins with "eightbyt"`},
		"\x00\x01":                    {"", `it begins with "\x00\x01"`},
		"PAR1\x15\x00":                {"arrow", "it is a Parquet file, for driver: arrow"},
		"ARROW1\x00\x00":              {"arrow", "an Arrow IPC file"},
		"\x89HDF\r\n\x1a\n\x00":       {"netcdf", "it is an HDF5 file, perhaps NetCDF-4, for driver: netcdf"},
		"CDF\x01\x00":                 {"netcdf", "a NetCDF file"},
		"CDF\x03":                     {"", `it begins with "CDF\x03"`},
		"PK\x03\x04\x14":              {"zarr", "if its name ends with .zip"},
		"\x1f\x8b\x08":                {"", "compressed with gzip: unpack it first, with gunzip"},
		"\x28\xb5\x2f\xfd\x04":        {"", "compressed with zstd"},
		"\x9e\xa8b2frame\x00\xd2":     {"", "a Blosc2 frame (b2nd)"},
		"GRIB\x00\x00\x00\x01":        {"", "a GRIB file"},
		"<!DOCTYPE html>":             {"", "which some servers send instead of a file"},
		"MATLAB 5.0 MAT-file, Platfo": {"", "-v7.3"},
	} {
		first := []byte(begins)
		if got := known.WhatIs(first); !strings.Contains(got, want.what) || !strings.HasPrefix(got, "it ") || strings.Contains(got, "for driver: ") != (want.driver != "") || !strings.Contains(got, want.driver) {
			t.Errorf("%q: %s, want %s", begins, got, want.what)
		}
	}
}

// TestBeginning reads the first bytes of files, and returns false for places that are not
// files.
func TestBeginning(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"short": "abc", "long": strings.Repeat("0123456789", 10), "none": ""} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		want := content[:min(len(content), sources.Head)]
		if got, found := sources.Beginning(t.Context(), file, store.Options{}); !found || string(got) != want {
			t.Errorf("%s: %q, %v; want %q", name, got, found, want)
		}
	}
	for _, name := range []string{".", "missing", "short/below"} {
		if got, found := sources.Beginning(t.Context(), filepath.Join(dir, name), store.Options{}); found {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, what := range []string{"stat", "read"} {
		opt := store.Options{Retries: -1, Fault: func(op, _ string) error {
			if op == what {
				return errors.New("failed")
			}
			return nil
		}}
		if got, found := sources.Beginning(t.Context(), filepath.Join(dir, "long"), opt); found {
			t.Errorf("%s fails: %q", what, got)
		}
	}
	for _, url := range []string{dir + "/", "strange://bucket/file"} {
		if got, found := sources.Beginning(t.Context(), url, store.Options{}); found {
			t.Errorf("%s: %q", url, got)
		}
	}
}
