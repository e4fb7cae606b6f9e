package readers_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/readers"
	"github.com/zmigrate/zmigrate/zarr"
)

var update = flag.Bool("update", false, "write testdata/matrix.txt anew")

const matrixHead = `# What programs read of what zmigrate writes: r: they read it, -: they refuse it, w: they read
# other values. "go test ./readers -run Matrix -update" writes this file, after "make interop"
# has installed the programs. The columns are: what is tried, a letter for each reader, and
# the data types or variants with which it is tried.
`

// TestInteropMatrix lets every installed reader read every case, and compares what they do
// with the results in testdata.
func TestInteropMatrix(t *testing.T) {
	t.Parallel()
	python := os.Getenv("ZMIGRATE_PYTHON")
	if python == "" {
		python = filepath.Join("..", ".cache", "interop", "bin", "python")
	}
	python, err := filepath.Abs(python)
	if err != nil {
		t.Fatal(err)
	}
	installed := filepath.Join(filepath.Dir(filepath.Dir(python)), "readers")
	if _, err := os.Stat(installed); err != nil {
		if os.Getenv("ZMIGRATE_REQUIRE_PEERS") == "1" {
			t.Fatalf("no readers: %v; `make interop` installs them", err)
		}
		t.Skipf("needs programs that read Zarr: `make interop` installs them (%v)", err)
	}
	folder, cases := t.TempDir(), readerCases(t)
	writeCases(t, folder, cases)
	letters := make([][]byte, len(cases))
	head := "readers"
	for _, r := range readers.All() {
		if r.Tried == "" {
			continue
		}
		head += "\t" + r.Name + " " + r.Tried
		for i, got := range tryReader(t, r, python, installed, folder) {
			letter := byte('r')
			if got == nil {
				letter = '-'
			} else if *got != cases[i].expected {
				letter = 'w'
			}
			letters[i] = append(letters[i], letter)
		}
	}
	var order []string
	lines := map[string]string{}
	for i, c := range cases {
		key := c.label + "\t" + string(letters[i])
		if lines[key] == "" {
			order = append(order, key)
			lines[key] = key
		}
		lines[key] += "\t" + c.on
	}
	text := matrixHead + head + "\n"
	for _, key := range order {
		text += lines[key] + "\n"
	}
	file := filepath.Join("testdata", "matrix.txt")
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	names, results := readMatrix(t, string(before))
	if was := strings.Join(append([]string{"readers"}, names...), "\t"); was != head {
		t.Errorf("%s has %q, now there are %q", file, was, head)
	}
	for i, c := range cases {
		if was := results[c.label+"\t"+c.on]; was != string(letters[i]) {
			t.Errorf("%s, %s: %s has %q, the readers do %q", c.label, c.on, file, was, letters[i])
		}
	}
}

// tryReader returns what a reader reads of each case, nil for what it refuses.
func tryReader(t *testing.T, r *readers.Reader, python, installed, folder string) []*string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), python, filepath.Join("peers", "read.py"), r.Name, folder)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	switch own := filepath.Join(installed, r.Name+"-"+r.Tried); r.Name {
	case "zarrita.js":
		cmd = exec.CommandContext(t.Context(), "node", filepath.Join("peers", "read.mjs"), own, folder)
	case "zarr-python":
		if _, err := os.Stat(own); err == nil { // another release than the one of the environment
			cmd.Env = append(cmd.Env, "PYTHONPATH="+own)
		}
	}
	var refusals bytes.Buffer
	cmd.Stderr = &refusals
	out, err := cmd.Output()
	var answer struct {
		Version string    `json:"version"`
		Found   []*string `json:"found"`
	}
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", r, err, refusals.Bytes())
	}
	if answer.Version != r.Tried {
		t.Errorf("%s: the release %s is installed, the table has %s", r.Name, answer.Version, r.Tried)
	}
	return answer.Found
}

// writeCases writes each case as the array a of a group of its own: 0, 1, …
func writeCases(t *testing.T, folder string, cases []readerCase) {
	t.Helper()
	write := func(file string, data []byte) {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	group, err := zarr.Document(&zarr.Group{})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		document, err := zarr.Document(c.meta)
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(folder, strconv.Itoa(i))
		write(filepath.Join(at, "zarr.json"), group)
		write(filepath.Join(at, "a", "zarr.json"), document)
		if c.meta.Grid.Len() > 0 {
			write(filepath.Join(at, "a", filepath.FromSlash(c.key)), c.object)
		}
	}
}
