package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"
)

func (a *app) manCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "man", Usage: "print a manual page, or write all of them", ArgsUsage: "[COMMAND]",
		Description: "Prints the page of COMMAND, or of the program, in the language of man: zmigrate man run | man -l -",
		Flags:       []cli.Flag{&cli.StringFlag{Name: "dir", Usage: "write all pages into this `FOLDER`, such as /usr/local/share/man/man1"}},
		Action: func(c *cli.Context) error {
			root := c.App
			if dir := c.String("dir"); dir != "" {
				if c.NArg() > 0 {
					return invalid(errors.New("man: --dir writes all pages: leave out the command"))
				}
				return writeManPages(root, dir)
			}
			switch c.NArg() {
			case 0:
				a.printf("%s", programPage(root))
				return nil
			case 1:
			default:
				return invalid(errors.New("man takes at most one command"))
			}
			for _, command := range visible(root) {
				if command.Name == c.Args().First() {
					a.printf("%s", commandPage(root, command))
					return nil
				}
			}
			return invalid(noCommand(c.App, c.Args().First()))
		},
	})
}

// writeManPages writes the pages of the program and of its commands into a folder.
func writeManPages(root *cli.App, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	pages := map[string]string{root.Name: programPage(root)}
	for _, c := range visible(root) {
		pages[root.Name+"-"+c.Name] = commandPage(root, c)
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, name+".1"), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// programPage is the manual page of the program.
func programPage(root *cli.App) string {
	p := newManPage(root, root.Name, root.Usage)
	p.section("SYNOPSIS")
	p.line(".B zmigrate")
	p.line("[global options] " + `\fICOMMAND\fR [options]`)
	p.description(root.Description)
	p.section("COMMANDS")
	for _, c := range visible(root) {
		p.item(fmt.Sprintf(`\fBzmigrate\-%s\fR(1)`, roff(c.Name)), roff(c.Usage))
	}
	p.section("OPTIONS OF EVERY COMMAND")
	p.flags(globalFlags())
	p.section("SEE ALSO")
	p.line("https://github.com/zmigrate/zmigrate has the documentation.")
	return p.text.String()
}

// commandPage is the manual page of a command.
func commandPage(root *cli.App, c *cli.Command) string {
	p := newManPage(root, root.Name+"-"+c.Name, c.Usage)
	p.section("SYNOPSIS")
	p.line(".B zmigrate " + roff(c.Name))
	p.line(strings.TrimSpace(`[options] \fI` + roff(c.ArgsUsage) + `\fR`))
	p.description(c.Description)
	if own := ownFlags(c); len(own) > 0 {
		p.section("OPTIONS")
		p.flags(own)
	}
	p.section("OPTIONS OF EVERY COMMAND")
	p.flags(globalFlags())
	p.section("SEE ALSO")
	p.line(".BR zmigrate (1)")
	return p.text.String()
}

// manPage is a manual page in the making, in the macros of man(7).
type manPage struct{ text strings.Builder }

func newManPage(root *cli.App, name, usage string) *manPage {
	info, _ := debug.ReadBuildInfo()
	date, _, _ := strings.Cut(versionOf(info).Date, "T")
	p := &manPage{}
	p.line(fmt.Sprintf(`.TH "%s" "1" "%s" "zmigrate %s" "zmigrate"`, strings.ToUpper(roff(name)), date, roff(root.Version)))
	p.section("NAME")
	p.line(roff(name) + ` \- ` + roff(usage))
	return p
}

func (p *manPage) line(text string) { p.text.WriteString(text + "\n") }

func (p *manPage) section(title string) { p.line(`.SH "` + title + `"`) }

// item adds a name and what it means. Both are in the language of roff.
func (p *manPage) item(name, means string) {
	p.line(".TP")
	p.line(name)
	p.line(means)
}

// description adds the sections of a description: its paragraphs, and the list of exit statuses.
func (p *manPage) description(text string) {
	begun := false
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		list, isList := strings.CutPrefix(paragraph, exitTitle)
		switch {
		case paragraph == "":
		case isList:
			p.section("EXIT STATUS")
			for status := range strings.SplitSeq(strings.TrimSuffix(list, "."), ";") {
				number, means, _ := strings.Cut(strings.TrimSpace(status), " ")
				p.item(`\fB`+roff(number)+`\fR`, roff(means))
			}
		case begun:
			p.line(".PP")
			p.line(roff(paragraph))
		default:
			p.section("DESCRIPTION")
			p.line(roff(paragraph))
			begun = true
		}
	}
}

// flags adds flags, each with its value, what it means and its default.
func (p *manPage) flags(flags []cli.Flag) {
	for _, f := range flags {
		if d, ok := f.(cli.DocGenerationFlag); ok {
			names, value, usage := flagText(f, d)
			for i, name := range names {
				names[i] = `\fB` + roff(name) + `\fR`
			}
			if value != "" {
				value = ` \fI` + roff(value) + `\fR`
			}
			p.item(strings.Join(names, ", ")+value, roff(usage))
		}
	}
}

// roff protects what means something in roff: backslashes, hyphens that must not become dashes,
// and dots and quotes at the beginning of a line. Not every terminal can show an ellipsis.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(text), "\n")
	for i, line := range lines {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			line = `\&` + line
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}
