package app

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
)

// Every line of every help text fits its width, and every flag stands in the help text of its
// command.
func TestHelpFits(t *testing.T) {
	for _, width := range []int{leastHelp, helpWidth, mostHelpWidth} {
		var out strings.Builder
		root := (&app{out: &output{w: &out}, err: io.Discard}).command()
		withHelp(root, width)
		for _, c := range append([]*cli.Command{{}}, visible(root)...) {
			out.Reset()
			args := []string{"zmigrate", c.Name, "--help"}
			if c.Name == "" {
				args = []string{"zmigrate", "--help"}
			}
			if err := root.Run(args); err != nil {
				t.Fatalf("%q: %v", args, err)
			}
			if strings.Count(out.String(), "\n") < 10 {
				t.Fatalf("%q: %q", args, out.String())
			}
			for line := range strings.SplitSeq(out.String(), "\n") {
				// A word that is longer than its column has to stand somewhere.
				if utf8.RuneCountInString(line) > width && len(strings.Fields(line)) > 2 {
					t.Errorf("%q: a line has %d columns, want at most %d: %q", args, utf8.RuneCountInString(line), width, line)
				}
				if utf8.RuneCountInString(line) > width && width >= helpWidth || strings.HasSuffix(line, " ") {
					t.Errorf("%q: %q", args, line)
				}
			}
			for _, f := range c.Flags {
				for _, name := range f.Names() {
					if !strings.Contains(out.String(), "-"+name) {
						t.Errorf("%q: the flag %s is not there", args, name)
					}
				}
			}
		}
	}
}

// A help text has sections, exit statuses, and flags with their values and defaults.
func TestHelpText(t *testing.T) {
	var out strings.Builder
	root := withHelp(&cli.App{
		Name: "prog", Usage: "do things", Version: "1", Writer: &out, Description: "One\nparagraph.\n\nExit status: 0 done; 1 failed\nbadly.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print {{JSON}}"}}, HideHelpCommand: true,
		Commands: []*cli.Command{{Name: "make", Usage: "make a thing, which takes some words to say", ArgsUsage: "THING", HideHelpCommand: true, Flags: []cli.Flag{
			&cli.StringFlag{Name: "size", Value: "4GiB", Usage: "a `SIZE` in words, which need two lines"},
			&cli.StringSliceFlag{Name: "a-long-name", Aliases: []string{"l"}, Usage: "may be repeated"},
			&cli.IntFlag{Name: "n", Usage: "a number"},
		}}},
	}, 50)
	for _, args := range [][]string{{"prog", "--help"}, {"prog", "make", "-h"}} {
		if err := root.Run(args); err != nil {
			t.Fatal(err)
		}
		_, _ = fmt.Fprintln(&out, "--")
	}
	want := `NAME:
   prog - do things

USAGE:
   prog [global options] COMMAND [options]

VERSION:
   1

DESCRIPTION:
   One paragraph.

EXIT STATUS:
   0  done
   1  failed badly

COMMANDS:
   make                 make a thing, which takes
                        some words to say

GLOBAL OPTIONS:
   --json               print {{JSON}}
   --help, -h           show help
   --version, -v        print the version
--
NAME:
   prog make - make a thing, which takes some
   words to say

USAGE:
   prog make [options] THING

OPTIONS:
   --size SIZE          a SIZE in words, which
                        need two lines (default:
                        4GiB)
   --a-long-name, -l VALUE
                        may be repeated
   -n VALUE             a number

OPTIONS OF EVERY COMMAND:
   --json               print {{JSON}}
   --help, -h           show help
--
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}
