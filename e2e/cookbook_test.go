package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// TestCookbook compares docs/cookbook.md with the scripts that it is made of. TestScripts runs
// the scripts, and TestInteropOpenScripts opens their results in xarray. With
// ZMIGRATE_UPDATE=1, the page is written anew.
//
// A script of the cookbook begins with its title and its text, as comments. The lines that call
// the program are shown, up to the line "# ---". Of the files, those that are jobs are shown.
func TestCookbook(t *testing.T) {
	t.Parallel()
	const page = "../docs/cookbook.md"
	files, err := filepath.Glob("testdata/script/cookbook_*.txtar")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d scripts, error %v", len(files), err)
	}
	var text strings.Builder
	text.WriteString("# Cookbook\n\nEach task is a script that the tests run, and whose result they open in xarray.\n")
	for _, file := range files {
		script, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString(task(t, file, script))
	}
	if os.Getenv("ZMIGRATE_UPDATE") != "" {
		if err := os.WriteFile(page, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text.String(), string(got)); diff != "" {
		t.Errorf("%s is not what the scripts say; ZMIGRATE_UPDATE=1 go test ./e2e -run TestCookbook writes it anew (-want +got):\n%s", page, diff)
	}
}

// task returns the section of one script.
func task(t *testing.T, file string, script *txtar.Archive) string {
	t.Helper()
	var section strings.Builder
	var commands []string
	head, tail, ended := strings.Cut(string(script.Comment), "\n# ---\n")
	if !ended || len(strings.TrimSpace(tail)) == 0 {
		t.Errorf("%s: no line # ---, or no check behind it", file)
	}
	title := true
	for line := range strings.Lines(head) {
		comment, isComment := strings.CutPrefix(strings.TrimSpace(line), "#")
		switch comment = strings.TrimSpace(comment); {
		case isComment && title:
			_, _ = fmt.Fprintf(&section, "\n## %s\n", comment)
			title = false
		case isComment:
			section.WriteString(comment + "\n")
		case strings.HasPrefix(line, "zmigrate "):
			commands = append(commands, strings.TrimSpace(line))
		}
	}
	for _, f := range script.Files {
		if strings.HasSuffix(f.Name, ".yaml") {
			_, _ = fmt.Fprintf(&section, "\n```yaml\n# %s\n%s```\n", f.Name, f.Data)
		}
	}
	_, _ = fmt.Fprintf(&section, "\n```sh\n%s\n```\n", strings.Join(commands, "\n"))
	return section.String()
}
