package app

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
)

func TestComplete(t *testing.T) {
	for line, want := range map[string]string{
		"ver":                            "verify version :none",
		"--log-f":                        "--log-format :none",
		"--log-format ":                  "text json :none",
		"--json val":                     "validate :none",
		"--log-format json val":          "validate :none",
		"run ":                           ":jobs",
		"run job.yaml ":                  ":jobs",
		"plan --me":                      "--memory --metadata :none",
		"run -- --me":                    ":jobs",
		"report -o ":                     ":files",
		"report ":                        ":files",
		"report job.yaml ":               ":none",
		"verify ":                        ":files",
		"submit --slurm-folder ":         ":folders",
		"submit --engine ":               "slurm dask kubernetes :none",
		"submit --engine=k":              "--engine=kubernetes :none",
		"work --verify st":               "stored :none",
		"run --verify st":                ":jobs",
		"copy --codec zst":               "zstd :none",
		"copy --codec=zst":               "--codec=zstd :none",
		"copy --codec zstd:level=3 a b ": ":none",
		"copy --codec zstd:level=3 a ":   ":files",
		"copy - ":                        ":files",
		"codecs crc32":                   "crc32c :none",
		"codecs zstd ":                   ":none",
		"dtypes float3":                  "float32 :none",
		"explain no-sp":                  "no-space :none",
		"completion ":                    "bash zsh fish powershell :none",
		"nosuch ":                        ":none",
		"schema ":                        ":none",
		"version -h":                     ":none",
		"version --h":                    "--help :none",
		"--vers":                         "--version :none",
		"__compl":                        ":none",
		"run __empty":                    ":jobs",
	} {
		var out strings.Builder
		a := &app{out: &out, err: io.Discard}
		if err := a.command().Run(append([]string{"zmigrate", completeName, "--"}, strings.Split(line, " ")...)); err != nil {
			t.Fatal(err)
		}
		var got []string
		for answer := range strings.Lines(out.String()) {
			word, _, _ := strings.Cut(strings.TrimSuffix(answer, "\n"), "\t")
			got = append(got, word)
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	}
}

// The values that completion offers stand in the help text of each flag with that name.
func TestCompletionValues(t *testing.T) {
	a := &app{out: io.Discard, err: io.Discard}
	used := map[string]bool{"reader": true, "verify": true} // explained elsewhere
	for _, c := range a.command().Commands {
		for _, f := range c.Flags {
			d, ok := f.(cli.DocGenerationFlag)
			if name := f.Names()[0]; ok && d.TakesValue() && name != "reader" && name != "verify" {
				used[name] = true
				for _, value := range a.flagValues()[name] {
					if !strings.Contains(d.GetUsage(), value) {
						t.Errorf("zmigrate %s --%s: completion offers %s, but the help text does not mention it", c.Name, name, value)
					}
				}
			}
		}
	}
	for name := range a.flagValues() {
		if !used[name] {
			t.Errorf("completion knows the values of a flag --%s, which does not exist", name)
		}
	}
}

func TestCompletionScripts(t *testing.T) {
	for _, shell := range shellNames {
		var out strings.Builder
		a := &app{out: &out, err: io.Discard}
		if err := a.command().Run([]string{"zmigrate", "completion", shell}); err != nil || !strings.Contains(out.String(), completeName+" ") {
			t.Errorf("%s: %v: %q", shell, err, out.String())
		}
	}
	for _, args := range [][]string{{"csh"}, {}, {"bash", "zsh"}} {
		a := &app{out: io.Discard, err: io.Discard}
		if err := a.command().Run(append([]string{"zmigrate", "completion"}, args...)); a.status(err) != exitInvalid {
			t.Errorf("%q: %v", args, err)
		}
	}
}
