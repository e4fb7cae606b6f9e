package e2e

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAStoppedWorkerWakesUp stops a worker in the middle of a bundle. Another one does its units,
// and the plan is finished. The stopped worker seems to be on another machine. When it wakes up, it
// changes nothing.
func TestAStoppedWorkerWakesUp(t *testing.T) {
	t.Parallel()
	dir := fast(t)
	data, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "coads.cdf", data)
	job := write(t, dir, "job.yaml", []byte(`zmigrate: 1
source: {driver: netcdf, url: coads.cdf}
target: {url: out.zarr}
arrays: {SST: {chunks: [1, 15, 15], codecs: [{zstd: {level: 19}}]}, AIRT: {chunks: [1, 15, 15], codecs: [{zstd: {level: 19}}]}}
run: {lock_ttl: 2s}
`))
	target := filepath.Join(dir, "out.zarr")
	want := undisturbed(t, job, target)
	removeTarget(t, target)
	p := savePlan(t, job, 1)
	c := zmigrate(t.Context(), t, "work", job, "--stdin", "--json")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(in, "0-%d\n", p.Units); err != nil {
		t.Fatal(err)
	}
	markers := filepath.Join(target+".zmigrate", "work", "*", "*", "lock", "*.json")
	for begun := []string(nil); len(begun) == 0; { // the worker is beginning
		if begun, err = filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(markers)), "*.begun")); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(markers)
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	marker, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	marker = regexp.MustCompile(`"boot":"[^"]*"`).ReplaceAll(marker, []byte(`"boot":"another"`))
	if err := os.WriteFile(files[0], marker, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := part(t, "work", job, "--bundle", "0/1"); err != nil {
		t.Fatal(err)
	}
	if _, err := part(t, "finish", job); err != nil {
		t.Fatal(err)
	}
	finished := tree(t, target)
	if diff := cmp.Diff(want, finished); diff != "" {
		t.Errorf("(-run +parts):\n%s", diff)
	}
	if err := c.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Error("the worker that woke up has succeeded")
	}
	if diff := cmp.Diff(finished, tree(t, target)); diff != "" {
		t.Errorf("the worker that woke up has changed the target (-before +after):\n%s", diff)
	}
	checkNoLeftovers(t, target)
}

// TestFinishWaitsForAProcess has a process in the middle of a bundle whose units another one has
// done. finish is refused, and with --wait it waits until that process has ended.
func TestFinishWaitsForAProcess(t *testing.T) {
	t.Parallel()
	dir := fast(t)
	data, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "coads.cdf", data)
	job := write(t, dir, "job.yaml", []byte(`zmigrate: 1
source: {driver: netcdf, url: coads.cdf, include: [SST]}
target: {url: out.zarr}
arrays: {SST: {chunks: [1, 15, 15], codecs: [{zstd: {level: 19}}]}}
`))
	target := filepath.Join(dir, "out.zarr")
	want := undisturbed(t, job, target)
	removeTarget(t, target)
	savePlan(t, job, 1)
	stranger := zmigrate(t.Context(), t, "work", job, "--bundle", "0/1")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(stranger) })
	stopAnAttempt(t, target)
	if _, err := part(t, "work", job, "--bundle", "0/1"); err != nil {
		t.Fatal(err)
	}
	c := zmigrate(t.Context(), t, "finish", job)
	if err := c.Run(); err == nil || c.ProcessState.ExitCode() != 5 {
		t.Errorf("finish while a process is alive: %v", err)
	}
	c = zmigrate(t.Context(), t, "finish", job, "--wait", "1m")
	c.Stderr = nil
	messages, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(messages); ; {
		if !lines.Scan() {
			t.Fatal("finish has not waited")
		}
		if strings.Contains(lines.Text(), "waiting for the end of another process") {
			break
		}
	}
	kill(stranger)
	if _, err := io.Copy(io.Discard, messages); err != nil {
		t.Error(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("finish after the end of the process: %v", err)
	}
	if diff := cmp.Diff(want, tree(t, target)); diff != "" {
		t.Errorf("(-run +parts):\n%s", diff)
	}
	checkNoLeftovers(t, target)
}
