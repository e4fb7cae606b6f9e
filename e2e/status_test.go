package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// statusOf returns the exit status of a command from its error. A process that a signal
// ended has -1.
func statusOf(t *testing.T, err error) int {
	t.Helper()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &ended):
		t.Fatal(err)
	}
	return ended.ExitCode()
}

// fullDevice returns a file for standard output on a disk without room.
func fullDevice(t *testing.T) *os.File {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no full device: ", err)
	}
	return f
}

// closedPipe returns a file for standard output whose reader has gone, like head.
func closedPipe(t *testing.T) *os.File {
	r, w, err := os.Pipe()
	if err = errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestOutputThatCannotBeWritten checks that no command succeeds if its results are
// lost. A run still continues to its end.
func TestOutputThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := fast(t)
	job, target := cube(t, dir, 16, "zstd")
	undisturbed(t, job, target)
	bad := write(t, dir, "bad.yaml", []byte("{zmigrate: 1}"))
	for name, output := range map[string]func(*testing.T) *os.File{"full": fullDevice, "closed": closedPipe} {
		for _, test := range []struct {
			status    int
			arguments []string
		}{
			{1, []string{"--help"}}, {1, []string{"--version"}}, {1, []string{"run", "--help"}}, {1, nil},
			{1, []string{"codecs"}}, {1, []string{"codecs", "--json"}}, {1, []string{"codecs", "zstd"}}, {1, []string{"codecs", "zstd", "--json"}},
			{1, []string{"dtypes"}}, {1, []string{"dtypes", "--json"}}, {1, []string{"dtypes", "int8"}}, {1, []string{"dtypes", "int8", "--json"}},
			{1, []string{"inspect", target}}, {1, []string{"inspect", "--json", target}},
			{1, []string{"validate", job}}, {1, []string{"validate", "--json", job}},
			{1, []string{"plan", job}}, {1, []string{"plan", "--json", job}}, {1, []string{"plan", "--metadata", job}}, {1, []string{"run", "--dry-run", job}},
			{1, []string{"status", job}}, {1, []string{"status", "--json", job}},
			{1, []string{"run", job}}, {1, []string{"run", "--json", job}},
			{1, []string{"run", "--json", "--set", "target.url=%s", job}},
			{1, []string{"copy", target, "%s"}}, {1, []string{"copy", "--json", target, "%s"}},
			// An earlier error has its own status.
			{2, []string{"validate", "--json", bad}}, {2, []string{"run", "--json", bad}}, {1, []string{"inspect", "--json", filepath.Join(dir, "none")}},
		} {
			t.Run(name+"/"+strings.Join(test.arguments, " "), func(t *testing.T) {
				if !slices.Contains(test.arguments, "run") { // one run of a job at a time
					t.Parallel()
				}
				to := filepath.Join(t.TempDir(), "to.zarr")
				var arguments []string
				for _, a := range test.arguments {
					arguments = append(arguments, strings.ReplaceAll(a, "%s", to))
				}
				c := zmigrate(t.Context(), t, arguments...)
				out := output(t)
				var messages bytes.Buffer
				c.Stdout, c.Stderr = out, &messages
				err := c.Run()
				if err := out.Close(); err != nil {
					t.Error(err)
				}
				if got := statusOf(t, err); got != test.status {
					t.Errorf("status %d, want %d", got, test.status)
				}
				if !strings.Contains(messages.String(), "standard output cannot be written") {
					t.Errorf("the message is %q", messages.String())
				}
				if strings.Contains(strings.Join(test.arguments, " "), "%s") {
					if _, err := os.Stat(filepath.Join(to, "zarr.json")); err != nil {
						t.Errorf("the run did not go on: %v", err)
					}
				}
			})
		}
	}
}

// TestAddressSpace runs the program with less and less address space. It may refuse,
// but its status never says that the job is invalid.
func TestAddressSpace(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the program checks the limit on linux/amd64 only")
	}
	program := build(t)
	dir := fast(t)
	job, target := cube(t, dir, 40, "zstd")
	finished := undisturbed(t, job, target)
	for _, kib := range []int{300_000, 700_000, 1_000_000, 1_200_000, 1_250_000, 1_300_000, 1_400_000, 1_600_000, 1_835_007, 1_835_008, 1_900_000, 2_000_000, 4_000_000} {
		t.Run(fmt.Sprint(kib), func(t *testing.T) {
			t.Parallel()
			to := filepath.Join(dir, fmt.Sprint(kib)+".zarr")
			c := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -v "$0" && exec "$@"`, fmt.Sprint(kib), program, "run", "--set", "target.url="+to, job)
			var messages bytes.Buffer
			c.Stderr = &messages
			switch status := statusOf(t, c.Run()); {
			case status == 0:
				if diff := cmp.Diff(finished, tree(t, to)); diff != "" {
					t.Errorf("another target (-want +got):\n%s", diff)
				}
			case status != 1 || kib >= 1_835_008:
				t.Errorf("status %d: %s", status, messages.String())
			case !strings.Contains(messages.String(), "ulimit -v"):
				t.Errorf("the message is %q", messages.String())
			}
		})
	}
}

// TestRuntimeGivesUp makes the runtime of Go end the program, as it does without
// memory. The status does not say that the job is invalid, and there is no core file.
// The source gives no data, so that the run lasts until then.
func TestRuntimeGivesUp(t *testing.T) {
	t.Parallel()
	program := build(t)
	dir := fast(t)
	job, _ := heldBack(t, dir)
	c := exec.CommandContext(t.Context(), program, "run", "--json", job)
	c.Dir = dir
	out := startRun(t, c)
	if err := c.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Error(err)
	}
	var ended *exec.ExitError
	if err := c.Wait(); !errors.As(err, &ended) {
		t.Fatalf("ended with %v", err)
	}
	if how, ok := ended.Sys().(syscall.WaitStatus); !ok || !how.Signaled() || how.Signal() != syscall.SIGABRT || how.CoreDump() {
		t.Errorf("ended with %v, want SIGABRT and no core", ended)
	}
}

// TestFewOpenFiles runs with exactly as many open files as a run needs, between folders
// and a server, with many files and with more workers than open files, and interrupts
// the run. With one file fewer, the run is refused.
func TestFewOpenFiles(t *testing.T) {
	t.Parallel()
	const least = 64
	dir := fast(t)
	job, target := cube(t, dir, 32, "zstd")
	finished := undisturbed(t, job, target)
	for i := range 150 {
		write(t, dir, fmt.Sprintf("many/%03d.bin", i), smooth(256))
	}
	many := write(t, dir, "many.yaml", []byte(`zmigrate: 1
source: {driver: raw, arrays: {a: {url: "many/*.bin", stack: t, data_type: float32, shape: [256]}}}
target: {url: many.zarr}
arrays: {a: {chunks: [3, 16]}}
`))
	manyFinished := undisturbed(t, many, filepath.Join(dir, "many.zarr"))
	b := serve(t)
	run := func(t *testing.T, files int, arguments ...string) (status int, messages string) {
		t.Helper()
		arguments = append([]string{"-c", `ulimit -n "$0" && exec "$@"`, fmt.Sprint(files), "zmigrate", "run", "--workers", "64"}, arguments...)
		c := exec.CommandContext(t.Context(), "sh", arguments...)
		var text bytes.Buffer
		c.Stderr = &text
		return statusOf(t, c.Run()), text.String()
	}
	for name, test := range map[string]struct {
		job      string
		finished map[string]string
	}{"cube": {job, finished}, "many": {many, manyFinished}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := filepath.Join(dir, "few-"+name+".zarr")
			if status, messages := run(t, least-1, "--set", "target.url="+to, test.job); status != 1 || !strings.Contains(messages, "needs 64") {
				t.Errorf("%d files: status %d: %s", least-1, status, messages)
			}
			if status, messages := run(t, least, "--set", "target.url="+to, test.job); status != 0 {
				t.Fatalf("status %d: %s", status, messages)
			}
			if diff := cmp.Diff(test.finished, tree(t, to)); diff != "" {
				t.Errorf("another target (-want +got):\n%s", diff)
			}
			if status, messages := run(t, least, "--set", "target.url="+b.url(name+".zarr"), test.job); status != 0 {
				t.Fatalf("to a server: status %d: %s", status, messages)
			}
			if got := len(b.tree(t, name+".zarr")); got != len(test.finished) {
				t.Errorf("%d objects at the server, want %d", got, len(test.finished))
			}
			from := write(t, dir, "from-"+name+".yaml", fmt.Appendf(nil, "{zmigrate: 1, source: {driver: zarr, url: %q}, target: {url: back-%s.zarr}, run: {path: decode}}", b.url(name+".zarr"), name))
			if status, messages := run(t, least, from); status != 0 {
				t.Errorf("from a server: status %d: %s", status, messages)
			}
		})
	}
}
