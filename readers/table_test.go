package readers_test

import (
	"os"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/readers"
)

// TestTable compares the table with what the programs of the matrix have read. Of pairs of codecs,
// a program may read some that the table refuses: not each pair has a rule of its own, and some
// values are the same without a codec.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("testdata/matrix.txt")
	if err != nil {
		t.Fatal(err)
	}
	names, results := readMatrix(t, string(text))
	table := map[string]*readers.Reader{}
	for _, r := range readers.All() {
		if r.Tried != "" {
			table[r.Name+" "+r.Tried] = r
		} else if r.Page == "" {
			t.Errorf("%s has neither been tried nor names a page of documentation", r)
		}
	}
	if len(names) != len(table) {
		t.Errorf("the matrix has %q, the table %d readers that are tried", names, len(table))
	}
	cases := readerCases(t)
	for _, c := range cases {
		verdicts, ok := results[c.label+"\t"+c.on]
		if !ok {
			t.Errorf("%s, %s: the matrix lacks it; `make interop` says what to write", c.label, c.on)
			continue
		}
		for i, name := range names {
			r := table[name]
			if r == nil {
				t.Fatalf("the table has no %s", name)
			}
			refused, refuses := r.Refuses(c.meta)
			careful := refuses && (strings.HasSuffix(c.label, " before") || strings.HasSuffix(c.label, "within shards"))
			if reads := verdicts[i] == 'r'; reads == refuses && !careful {
				t.Errorf("%s, %s: %s: the matrix says %c, the table %q", c.label, c.on, name, verdicts[i], refused)
			}
		}
	}
	if len(cases) != len(results) {
		t.Errorf("the matrix has %d results for %d cases", len(results), len(cases))
	}
}

// readMatrix returns the readers of the matrix, and by label and variant of each case what
// they did: r for reading it, - for refusing it, w for reading other values.
func readMatrix(t *testing.T, text string) (names []string, results map[string]string) {
	t.Helper()
	results = map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		if fields[0] == "readers" {
			names = fields[1:]
			continue
		}
		for _, on := range fields[2:] {
			results[fields[0]+"\t"+on] = fields[1]
		}
	}
	return names, results
}
