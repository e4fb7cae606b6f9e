package app

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
)

// TestReference compares docs/command-line.md with the commands and their options. With
// ZMIGRATE_UPDATE=1, the page is written anew.
func TestReference(t *testing.T) {
	const page = "../../../docs/command-line.md"
	root := (&app{out: &output{w: io.Discard}, err: io.Discard}).command()
	var text strings.Builder
	text.WriteString("# Command line\n\nAll commands with all their options. [Commands](commands.md) says what they are for.\n\n" +
		"## Options of every command\n\n")
	text.WriteString(options(globalFlags()))
	for _, c := range visible(root) {
		_, _ = fmt.Fprintf(&text, "\n## %s\n\n```text\nzmigrate %s [options] %s\n```\n\n%s.\n", c.Name, c.Name, c.ArgsUsage, sentence(c.Usage))
		for paragraph := range strings.SplitSeq(c.Description, "\n\n") {
			if paragraph != "" && !strings.HasPrefix(paragraph, exitTitle) {
				_, _ = fmt.Fprintf(&text, "\n%s\n", markdown(paragraph))
			}
		}
		own := ownFlags(c)
		if len(own) > 0 {
			_, _ = fmt.Fprintf(&text, "\n%s", options(own))
		}
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
		t.Errorf("%s is not what the program says; ZMIGRATE_UPDATE=1 go test ./cmd/zmigrate/app -run TestReference writes it anew (-want +got):\n%s", page, diff)
	}
}

// options is a table of flags.
func options(flags []cli.Flag) string {
	var text strings.Builder
	text.WriteString("| option | means |\n|---|---|\n")
	for _, f := range flags {
		d, ok := f.(cli.DocGenerationFlag)
		if !ok {
			continue
		}
		value, rest := flagUsage(d)
		var names []string
		for _, n := range f.Names() {
			names = append(names, "`"+strings.TrimSpace(strings.Repeat("-", min(len(n), 2))+n+" "+value)+"`")
		}
		if name := variable(f.Names()[0]); name != "" {
			rest += " [$" + name + "]"
		}
		_, _ = fmt.Fprintf(&text, "| %s | %s |\n", strings.Join(names, ", "), markdown(rest))
	}
	return text.String()
}

// sentence begins a text with a capital letter.
func sentence(text string) string { return strings.ToUpper(text[:1]) + markdown(text[1:]) }

// markdown protects what means something in a table of Markdown.
func markdown(text string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "<", "&lt;").Replace(text)
}
