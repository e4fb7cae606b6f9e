package app

import (
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
)

// Fields that come later take precedence: first those of variables, then --set, then flags.
func TestVariablesPrecedence(t *testing.T) {
	for _, c := range []struct {
		memory, workers string
		args, want      []string
	}{
		{"32MiB", "3", nil, []string{"run.memory=32MiB", "run.workers.read=3", "run.workers.encode=3", "run.workers.write=3"}},
		{"32MiB", "", []string{"--set", "run.memory=1GiB", "--workers", "2"}, []string{"run.memory=32MiB", "run.memory=1GiB", "run.workers.read=2", "run.workers.encode=2", "run.workers.write=2"}},
		{"32MiB", "", []string{"--memory", "64MiB", "--set", "name=x"}, []string{"name=x", "run.memory=64MiB"}},
		{"", "", nil, nil},
	} {
		t.Setenv("ZMIGRATE_MEMORY", c.memory)
		t.Setenv("ZMIGRATE_WORKERS", c.workers)
		a := &app{out: io.Discard, err: io.Discard}
		root := a.command()
		var got []string
		root.Command("plan").Action = func(c *cli.Context) error {
			got = a.overrides(c)
			return nil
		}
		if err := root.Run(append([]string{"zmigrate", "plan"}, c.args...)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v: %s", c, diff)
		}
	}
}

// These flags have variables, and one rule gives their names.
func TestVariables(t *testing.T) {
	flags := map[string]bool{}
	root := (&app{out: io.Discard, err: io.Discard}).command()
	for _, c := range root.Commands {
		for _, f := range c.Flags {
			flags[f.Names()[0]] = true
		}
	}
	want := map[string]string{
		"log-format": "ZMIGRATE_LOG_FORMAT", "log-level": "ZMIGRATE_LOG_LEVEL", "progress": "ZMIGRATE_PROGRESS",
		"memory": "ZMIGRATE_MEMORY", "workers": "ZMIGRATE_WORKERS", "metrics-addr": "ZMIGRATE_METRICS_ADDR",
	}
	got := map[string]string{}
	for flag := range flags {
		if name := variable(flag); name != "" {
			got[flag] = name
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
