package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const units = "../examples/systemd/"

// TestSystemdUnits lets systemd read the units of the example.
func TestSystemdUnits(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze: systemd does not check the units of examples/systemd")
	}
	dir := t.TempDir()
	program, err := os.Executable() // systemd wants a program that is there
	if err != nil {
		t.Fatal(err)
	}
	for from, name := range map[string]string{"zmigrate@.service": "zmigrate@.service", "zmigrate@.timer": "zmigrate@.timer", "folder.conf": "zmigrate@nightly.service.d/folder.conf"} {
		text, err := os.ReadFile(units + from)
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, name, bytes.ReplaceAll(text, []byte("/usr/local/bin/zmigrate"), []byte(program)))
	}
	c := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", "./zmigrate@nightly.service", "./zmigrate@nightly.timer")
	c.Dir = dir
	// A setting that systemd does not know is a message and no error. Messages about other
	// units are about this machine.
	out, err := c.CombinedOutput()
	if bytes.Contains(out, []byte("zmigrate")) {
		t.Errorf("%v\n%s", err, out)
	} else if err != nil {
		t.Skipf("systemd-analyze does not work here: %v\n%s", err, out)
	}
}

// TestSystemdCommand runs the commands of the service for a job file and for a folder of job
// files, with other places.
func TestSystemdCommand(t *testing.T) {
	t.Parallel()
	for unit, job := range map[string]string{"zmigrate@.service": "nightly.yaml", "folder.conf": "nightly.d/west.yaml"} {
		text, err := os.ReadFile(units + unit)
		if err != nil {
			t.Fatal(err)
		}
		line := regexp.MustCompile(`(?m)^ExecStart=(.+)$`).FindSubmatch(text)
		if line == nil {
			t.Fatalf("%s has no command", unit)
		}
		dir := fast(t)
		data := write(t, dir, "data.bin", smooth(16))
		write(t, dir, job, fmt.Appendf(nil, `zmigrate: 1
source: {driver: raw, arrays: {a: {url: %q, data_type: float32, shape: [16]}}}
target: {url: out.zarr}
`, data))
		command := strings.NewReplacer("/usr/local/bin/", "", "%S/zmigrate", dir, "/etc/zmigrate", dir, "%i", "nightly").Replace(string(line[1]))
		words := strings.Fields(command)
		if words[0] != "zmigrate" || strings.Contains(command, "%") {
			t.Fatalf("the command is %s", command)
		}
		if err := zmigrate(t.Context(), t, words[1:]...).Run(); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(job), ".yaml")
		if got := metricsOf(t, filepath.Join(dir, "nightly.prom"), name); got["zmigrate_run_success"] != 1 {
			t.Errorf("%s: metrics: %v", unit, got)
		}
	}
}
