package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestInteropOpenPrinted opens hierarchies by the line "open with" that a run prints: flat
// ones, such with groups, an array alone, real files, times that cftime cannot decode, and
// codecs that xarray does not know.
func TestInteropOpenPrinted(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	real, err := filepath.Abs(example)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "f.bin", make([]byte, 64))
	const raw = `{"driver":"raw","arrays":{"ARRAYS":{"url":"f.bin","data_type":"<f4","shape":[4,4],"dimension_names":NAMES}}}`
	source := func(name, dimensions string) string {
		return strings.NewReplacer("ARRAYS", name, "NAMES", dimensions).Replace(raw)
	}
	var lines []string
	for _, c := range []struct {
		name, source, arrays string
		want                 string // how the line begins; "" for none
	}{
		{"flat", source("f", `["y","x"]`), `{}`, `xarray.open_zarr("flat.zarr") or zarr.open(`},
		{"groups", source("a/b/f", `["y","x"]`), `{}`, `xarray.open_groups("groups.zarr", engine="zarr") or zarr.open(`},
		{"unnamed", source("f", `[null,null]`), `{}`, `xarray.open_zarr("unnamed.zarr") or zarr.open(`},
		{"one-name", source("f", `["x","x"]`), `{}`, `zarr.open("one-name.zarr")  # xarray does not open two dimensions of the name "x" of f`},
		{"zfp", source("f", `["y","x"]`), `{"f":{"codecs":[{"zfp":{"mode":"reversible"}}]}}`, ``},
		{"time", source("f", `["y","x"]`), `{"f":{"attributes":{"units":"months since 2000-01-01"}}}`, `xarray.open_zarr("time.zarr", decode_times=False) or zarr.open("time.zarr")  # cftime cannot decode "months since`},
		{"real", `{"driver":"netcdf","url":` + jsonText(t, real) + `}`, `{}`, `xarray.open_zarr("real.zarr", decode_times=False) or zarr.open(`},
		{"fill", source("f", `["y","x"]`), `{"f":{"attributes":{"_FillValue":-9999}}}`, `xarray.open_zarr("fill.zarr") or zarr.open(`},
	} {
		job := filepath.Join(dir, c.name+".json")
		write(t, dir, c.name+".json", []byte(`{"zmigrate":1,"source":`+c.source+`,"target":{"url":"`+c.name+`.zarr"},"arrays":`+c.arrays+`}`))
		cmd := zmigrate(t.Context(), t, "run", "--progress", "none", job)
		cmd.Dir, cmd.Stdout = dir, nil
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		_, line, _ := strings.Cut(string(out), "open with")
		line, _, _ = strings.Cut(strings.TrimSpace(line), "\n")
		if !strings.HasPrefix(line, c.want) || c.want == "" && strings.Contains(line, "xarray.open") {
			t.Errorf("%s: open with %s, want %s", c.name, line, c.want)
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	text, err := json.Marshal(lines)
	if err != nil {
		t.Fatal(err)
	}
	p.check(t, "open_printed.py", dir, string(text))
}

func jsonText(t *testing.T, text string) string {
	t.Helper()
	data, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
