//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// TestLive asks a run what its workers do: by a signal, and from another process, which
// finds the run through the lock of a checkpoint in a bucket. The run is not disturbed.
func TestLive(t *testing.T) {
	t.Parallel()
	b := serve(t)
	checkpoint := "run.checkpoint.url=" + b.url("night.zmigrate")
	sockets := t.TempDir()
	x := held(t, []string{"RUNTIME_DIRECTORY=" + sockets + ":/nowhere"}, "--set", checkpoint)
	reader := regexp.MustCompile(`^  read +[01]  "group/a", chunk \[\d 0\] and \d more, for \d+\.\d s\n$`)

	if err := x.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	if line := x.message(t, "night: run "+x.id+", process "); !strings.Contains(line, ": 0 of 8 chunks done") {
		t.Error(line)
	}
	if line := x.message(t, `"group/a"`); !reader.MatchString(line) {
		t.Error(line)
	}

	status := func(args ...string) (output string, code int) {
		c := zmigrate(t.Context(), t, append([]string{"status", "--live", "--set", checkpoint}, args...)...)
		text, _ := c.Output() // the status tells
		return string(text), c.ProcessState.ExitCode()
	}
	text, code := status(x.job)
	found := false
	for line := range strings.Lines(text) {
		found = found || reader.MatchString(line)
	}
	if !found || code != 0 || !strings.HasPrefix(text, "night: run "+x.id+", process ") {
		t.Errorf("status %d\n%s", code, text)
	}
	var live struct {
		Run     string
		PID     int
		Budget  int64 `json:"memory_budget"`
		Used    int64 `json:"memory_reserved"`
		Workers []struct {
			Stage   string
			Array   string
			Chunk   []int
			Chunks  int
			Seconds float64
		}
	}
	text, code = status("--json", x.job)
	if err := json.Unmarshal([]byte(text), &live); err != nil || code != 0 {
		t.Fatalf("status %d, error %v\n%s", code, err, text)
	}
	if live.Run != x.id || live.PID != x.Process.Pid || live.Budget != 1<<30 || live.Used < 1<<17 || len(live.Workers) != 6 {
		t.Errorf("%+v", live)
	}
	stages := map[string]int{}
	for _, w := range live.Workers {
		stages[w.Stage]++
		if w.Array != "" && (w.Array != "group/a" || len(w.Chunk) != 2 || w.Chunks < 1 || w.Seconds <= 0) {
			t.Errorf("%+v", w)
		}
	}
	if stages["read"] != 2 || stages["encode"] != 2 || stages["write"] != 2 {
		t.Errorf("workers: %v", stages)
	}
	if list, err := filepath.Glob(filepath.Join(sockets, "*")); err != nil || len(list) != 1 {
		t.Errorf("sockets: %v, %v", list, err)
	}

	x.goOn()
	if output, messages, code := x.end(t); code != 0 {
		t.Fatalf("status %d\n%s%s", code, output, messages)
	}
	if text, code := status(x.job); code != 1 || text != "" {
		t.Errorf("after the end: status %d\n%s", code, text)
	}
	if list, err := os.ReadDir(sockets); err != nil || len(list) != 0 {
		t.Errorf("sockets after the end: %v, %v", list, err)
	}
}

// TestNotifyOfInterrupted interrupts a run. The command of run.notify and the metrics tell
// that, and that chunks are left.
func TestNotifyOfInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	told, file := filepath.Join(dir, "told.json"), filepath.Join(dir, "night.prom")
	x := held(t, []string{"TOLD=" + told}, "--metrics-file", file, "--set", "run.notify=[sh, -c, 'cat > \"$TOLD\"']")
	if err := x.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	x.message(t, "a second signal stops at once")
	x.goOn()
	if output, messages, code := x.end(t); code != 130 {
		t.Fatalf("status %d\n%s%s", code, output, messages)
	}
	text, err := os.ReadFile(told)
	var result struct {
		Run, Error string
		Status     int
	}
	if err != nil || json.Unmarshal(text, &result) != nil {
		t.Fatalf("told %q, error %v", text, err)
	}
	if result.Run != x.id || result.Status != 130 || !strings.Contains(result.Error, "run again to go on") {
		t.Errorf("told %s", text)
	}
	got := metricsOf(t, file, "night")
	expect(t, got, map[string]float64{"zmigrate_run_exit_status": 130, "zmigrate_run_success": 0, "zmigrate_errors_total interrupted": 1, "zmigrate_chunks": 8})
	if done := got["zmigrate_chunks_done"]; done < 1 || done >= 8 {
		t.Errorf("%v chunks done", done)
	}
}
