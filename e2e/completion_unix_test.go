//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Somebody at a shell types beginnings of words and the tab key. The command lines work, so the
// shell has completed them: a command, the code of a finding, a job file and no other file, a value
// behind a flag and behind =, a file as the value of a flag, and a codec.
func TestCompletion(t *testing.T) {
	t.Parallel()
	typed := []struct{ line, shows string }{
		{"zmigrate expla\tno-sp\t", "What to do:"},
		{"zmigrate vali\tsto\t", "stock.yaml: valid"},
		{"zmigrate vali\tdeep\tjo\t", "deeper/job.json: valid"},
		{"zmigrate vali\t--log-lev\tinf\tstock.yaml --log-format=js\t", "stock.yaml: valid"},
		{"zmigrate copy --codec zstd:level=3 --dry-run dat\t copied.zarr", "data.bin: not a NetCDF file"},
		{"zmigrate codecs zst\t", "zstd: Zstandard"},
	}
	job := []byte("zmigrate: 1\nsource: {driver: raw, arrays: {a: {url: data.bin, data_type: uint8, shape: [4]}}}\ntarget: {url: out.zarr}\n")
	for shell, start := range map[string]struct {
		args  []string
		first string // what is typed first, to load the script
	}{
		"bash": {[]string{"--norc", "--noprofile", "-i"}, `eval "$(zmigrate completion bash)"`},
		"zsh":  {[]string{"-f", "-i"}, `autoload -U compinit; compinit -D -u; eval "$(zmigrate completion zsh)"`},
	} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			findTools(t, shell)
			folder := t.TempDir()
			write(t, folder, "stock.yaml", job)
			write(t, folder, "stock.bin", nil)
			write(t, folder, "deeper/job.json", []byte(`{"zmigrate": 1, "source": {"driver": "raw", "arrays": {"a": {"url": "data.bin", "data_type": "uint8", "shape": [4]}}}, "target": {"url": "out.zarr"}}`))
			write(t, folder, "data.bin", []byte("data"))
			c := exec.CommandContext(t.Context(), shell, start.args...)
			c.Env = append(os.Environ(), "HOME="+folder, "HISTFILE=", "TERM=dumb")
			x := startAtTerminal(t, folder, c)
			x.types(start.first + "; echo loa''ded")
			x.wait("loaded")
			for _, line := range typed {
				x.types(line.line)
				x.wait(line.shows)
			}
			x.types("exit 0")
			x.end()
		})
	}
}

// Fish says what it would offer.
func TestCompletionFish(t *testing.T) {
	t.Parallel()
	findTools(t, "fish")
	folder := t.TempDir()
	for _, name := range []string{"stock.yaml", "stock.bin", "deeper/job.json"} {
		write(t, folder, name, nil)
	}
	for line, want := range map[string]string{
		"zmigrate expla":                   "explain",
		"zmigrate validate ":               "deeper/,stock.yaml",
		"zmigrate run --log-format ":       "json,text",
		"zmigrate run --log-format=j":      "--log-format=json",
		"zmigrate run --metrics-file=sto":  "--metrics-file=stock.bin,--metrics-file=stock.yaml",
		"zmigrate codecs zst":              "zstd",
		"zmigrate explain nothing-begins":  "",
		"zmigrate copy --codec gzip stock": "stock.bin,stock.yaml",
	} {
		c := exec.CommandContext(t.Context(), "fish", "--no-config", "-c", "zmigrate completion fish | source; complete -C '"+line+"'")
		c.Dir = folder
		c.Env = append(os.Environ(), "HOME="+folder)
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for offer := range strings.Lines(string(out)) {
			offer, _, _ = strings.Cut(strings.TrimSpace(offer), "\t")
			got = append(got, offer)
		}
		if text := strings.Join(got, ","); text != want {
			t.Errorf("%q: %s, want %s", line, text, want)
		}
	}
}
