package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/zmigrate/zmigrate/cmd/zmigrate/app"
)

// openerVariable names the variable of the environment with the address of a server that
// opens hierarchies.
const openerVariable = "ZMIGRATE_OPENER"

// program runs the program. Each expression that it prints behind "open with" goes to the
// server, if there is one. What the server finds wrong makes the program fail.
func program() int {
	opener := os.Getenv(openerVariable)
	if opener == "" {
		return app.Main(os.Args, os.Stdout, os.Stderr)
	}
	var printed strings.Builder
	status := app.Main(os.Args, io.MultiWriter(os.Stdout, &printed), os.Stderr)
	if strings.Contains(printed.String(), ": done\n") {
		verifyPrinted(printed.String())
	}
	for line := range strings.Lines(printed.String()) {
		expression, ok := strings.CutPrefix(line, "  open with")
		if !ok {
			continue
		}
		folder, err := os.Getwd()
		succeeds(err)
		answer, err := http.PostForm(opener, url.Values{"folder": {folder}, "expression": {strings.TrimSpace(expression)}})
		succeeds(err)
		wrong, err := io.ReadAll(answer.Body)
		succeeds(errors.Join(err, answer.Body.Close()))
		if len(wrong) > 0 {
			succeeds(errors.New(string(wrong)))
		}
	}
	return status
}

// verifyPrinted verifies the target that a run has printed. The record of a run whose
// checkpoint is elsewhere is not found. A table of references has none.
func verifyPrinted(printed string) {
	for line := range strings.Lines(printed) {
		target, ok := strings.CutPrefix(line, "  target ")
		if !ok {
			continue
		}
		var out, failed strings.Builder
		status := app.Main([]string{"zmigrate", "verify", "--progress", "none", strings.TrimSpace(target)}, &out, &failed)
		if status != 0 && !strings.Contains(failed.String(), "no completed job is on record") && !strings.Contains(failed.String(), "a table of references") {
			succeeds(errors.New(out.String() + failed.String()))
		}
	}
}

// openPrinted starts a server that opens hierarchies by the expressions of the program, in
// one process of Python, and returns its address. The server must get at least a number of
// expressions.
func openPrinted(t *testing.T, least int) string {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), findPeers(t).python, "open_printed.py") // it ends with its input
	cmd.Dir, cmd.Stderr = "interop", t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	var one sync.Mutex
	opened := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one.Lock()
		defer one.Unlock()
		opened++
		request := map[string]string{"folder": r.PostFormValue("folder"), "expression": r.PostFormValue("expression")}
		wrong := ""
		err := json.NewEncoder(in).Encode(request)
		if err == nil {
			var line []byte
			if line, err = answers.ReadBytes('\n'); err == nil {
				err = json.Unmarshal(line, &wrong)
			}
		}
		if err != nil {
			wrong = "open_printed.py: " + err.Error()
		}
		_, _ = io.WriteString(w, wrong)
	}))
	t.Cleanup(func() {
		server.Close()
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			t.Errorf("open_printed.py: %v", err)
		}
		t.Logf("%d expressions", opened)
		if opened < least && !t.Failed() {
			t.Errorf("%d expressions were printed, want %d or more", opened, least)
		}
	})
	return server.URL
}

// TestInteropOpenScripts runs the scripts, verifies each hierarchy that they write, and opens
// it by the line "open with", at once.
func TestInteropOpenScripts(t *testing.T) {
	t.Parallel()
	runScripts(t, openPrinted(t, 1))
}

// TestInteropOpenPrinted opens hierarchies of its own by the line "open with" that a run prints: flat
// ones, such with groups, an array alone, real files, times that cftime cannot decode, and
// codecs that xarray does not know.
func TestInteropOpenPrinted(t *testing.T) {
	t.Parallel()
	opener := openPrinted(t, 7)
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
	for _, c := range []struct {
		name, source, arrays string
		want                 string // how the line begins; "" for none
	}{
		{"flat", source("f", `["y","x"]`), `{}`, `xarray.open_zarr("flat.zarr") or zarr.open(`},
		{"groups", source("a/b/f", `["y","x"]`), `{}`, `xarray.open_groups("groups.zarr", engine="zarr") or zarr.open(`},
		{"unnamed", source("f", `[null,null]`), `{}`, `xarray.open_zarr("unnamed.zarr") or zarr.open(`},
		{"one-name", source("f", `["x","x"]`), `{}`, `xarray.open_zarr("one-name.zarr") or zarr.open(`},
		{"zfp", source("f", `["y","x"]`), `{"f":{"codecs":[{"zfp":{"mode":"reversible"}}]}}`, ``},
		{"time", source("f", `["y","x"]`), `{"f":{"attributes":{"units":"months since 2000-01-01"}}}`, `xarray.open_zarr("time.zarr", decode_times=False) or zarr.open("time.zarr")  # cftime cannot decode "months since`},
		{"real", `{"driver":"netcdf","url":` + jsonText(t, real) + `}`, `{}`, `xarray.open_zarr("real.zarr", decode_times=False) or zarr.open(`},
		{"fill", source("f", `["y","x"]`), `{"f":{"attributes":{"_FillValue":-9999}}}`, `xarray.open_zarr("fill.zarr") or zarr.open(`},
	} {
		job := filepath.Join(dir, c.name+".json")
		write(t, dir, c.name+".json", []byte(`{"zmigrate":1,"source":`+c.source+`,"target":{"url":"`+c.name+`.zarr"},"arrays":`+c.arrays+`}`))
		cmd := zmigrate(t.Context(), t, "run", "--progress", "none", job)
		cmd.Dir, cmd.Stdout = dir, nil
		cmd.Env = append(os.Environ(), openerVariable+"="+opener)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		_, line, _ := strings.Cut(string(out), "open with")
		line, _, _ = strings.Cut(strings.TrimSpace(line), "\n")
		if !strings.HasPrefix(line, c.want) || c.want == "" && strings.Contains(line, "xarray.open") {
			t.Errorf("%s: open with %s, want %s", c.name, line, c.want)
		}
	}
}

func jsonText(t *testing.T, text string) string {
	t.Helper()
	data, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
