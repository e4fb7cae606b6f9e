package app

import (
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"
)

// The widths of help texts, in columns. On a terminal, they fit its width within these bounds.
const (
	helpWidth     = 80
	mostHelpWidth = 100
	leastHelp     = 40
)

// helpColumns returns the width of help texts.
func (a *app) helpColumns() int {
	width := a.terminalWidth()
	if width == 0 {
		return helpWidth
	}
	return min(max(width, leastHelp), mostHelpWidth)
}

// mayShowHelp reports whether a command line can end in a help text: it asks for help, or
// names no command. Other command lines do without these texts, because composing all of
// them takes as long as a short command.
func mayShowHelp(root *cli.App, args []string) bool {
	named := false
	for _, arg := range args[min(1, len(args)):] {
		if name, isFlag := strings.CutPrefix(arg, "-"); isFlag && strings.HasPrefix(strings.TrimPrefix(name, "-"), "h") {
			return true
		}
		named = named || root.Command(arg) != nil
	}
	return !named
}

// terminalWidth returns the width of the terminal that standard output is, or 0.
func (a *app) terminalWidth() int {
	if out, ok := a.out.(*output); ok {
		return columns(out.w)
	}
	return 0
}

// columns returns the width of the terminal that is written to, or 0 if there is none.
func columns(w io.Writer) int {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// withHelp gives a program and its commands help texts that fit a width.
func withHelp(root *cli.App, width int) *cli.App {
	asked := &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show help"}
	h := helpText{width: width}
	h.section("NAME", root.Name+" - "+root.Usage)
	h.section("USAGE", root.Name+" [global options] COMMAND [options]")
	h.section("VERSION", root.Version)
	h.section("DESCRIPTION", root.Description)
	h.heading("COMMANDS")
	for _, c := range visible(root) {
		h.entry(c.Name, c.Usage)
	}
	h.heading("GLOBAL OPTIONS")
	h.flags(append(slices.Clone(root.Flags), asked, &cli.BoolFlag{Name: "version", Aliases: []string{"v"}, Usage: "print the version"}))
	root.CustomAppHelpTemplate = h.template()
	for _, c := range root.Commands {
		own := ownFlags(c)
		h := helpText{width: width}
		h.section("NAME", root.Name+" "+c.Name+" - "+c.Usage)
		h.section("USAGE", strings.TrimSpace(root.Name+" "+c.Name+" [options] "+c.ArgsUsage))
		h.section("DESCRIPTION", c.Description)
		if len(own) > 0 {
			h.heading("OPTIONS")
			h.flags(own)
		}
		h.heading("OPTIONS OF EVERY COMMAND")
		h.flags(append(slices.Clone(root.Flags), asked))
		c.CustomHelpTemplate = h.template()
	}
	return root
}

// visible returns the commands that help texts, man pages and completion name.
func visible(root *cli.App) []*cli.Command {
	return slices.DeleteFunc(slices.Clone(root.Commands), func(c *cli.Command) bool { return c.Hidden })
}

// ownFlags returns the flags of a command without those of every command.
func ownFlags(c *cli.Command) []cli.Flag {
	return slices.DeleteFunc(slices.Clone(c.Flags), func(f cli.Flag) bool {
		return slices.ContainsFunc(globalFlags(), func(g cli.Flag) bool { return g.Names()[0] == f.Names()[0] })
	})
}

// helpText is a help text in the making.
type helpText struct {
	width int
	text  strings.Builder
}

// template returns the text as a template that has nothing to replace.
func (h *helpText) template() string { return strings.ReplaceAll(h.text.String(), "{{", `{{"{{"}}`) }

func (h *helpText) heading(title string) {
	if h.text.Len() > 0 {
		h.text.WriteByte('\n')
	}
	h.text.WriteString(title + ":\n")
}

// section adds a section of paragraphs, unless it is empty.
func (h *helpText) section(title, text string) {
	if text == "" {
		return
	}
	h.heading(title)
	for i, paragraph := range strings.Split(text, "\n\n") {
		if list, found := strings.CutPrefix(paragraph, exitTitle); found {
			h.heading("EXIT STATUS")
			for status := range strings.SplitSeq(strings.TrimSuffix(list, "."), ";") {
				number, means, _ := strings.Cut(strings.TrimSpace(status), " ")
				h.lines("   "+number+"  ", means, 6)
			}
			continue
		}
		if i > 0 {
			h.text.WriteByte('\n')
		}
		h.lines("", paragraph, 3)
	}
}

// exitTitle begins the paragraph of a description that has the exit statuses.
const exitTitle = "Exit status:"

// The columns of names and of what they mean.
const (
	nameColumn  = 3
	usageColumn = 24
)

// entry adds a name and what it means. A long name has a line of its own.
func (h *helpText) entry(name, usage string) {
	name = strings.Repeat(" ", nameColumn) + name
	if n := utf8.RuneCountInString(name); n+2 <= usageColumn {
		name += strings.Repeat(" ", usageColumn-n)
	} else {
		h.text.WriteString(name + "\n")
		name = ""
	}
	h.lines(name, usage, usageColumn)
}

// lines adds a text in lines that begin in a column. The first begins with head, if there is one.
func (h *helpText) lines(head, text string, column int) {
	line := head
	if line == "" {
		line = strings.Repeat(" ", column)
	}
	length, empty := column, true
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		if !empty && length+1+n > h.width {
			h.text.WriteString(line + "\n")
			line, length, empty = strings.Repeat(" ", column), column, true
		}
		if !empty {
			line, length = line+" ", length+1
		}
		line, length, empty = line+word, length+n, false
	}
	h.text.WriteString(line + "\n")
}

// flags adds flags, each with its value, what it means and its default.
func (h *helpText) flags(flags []cli.Flag) {
	for _, f := range flags {
		if d, ok := f.(cli.DocGenerationFlag); ok {
			names, value, usage := flagText(f, d)
			h.entry(strings.TrimSpace(strings.Join(names, ", ")+" "+value), usage)
		}
	}
}

// flagText returns the names of a flag with their hyphens, the name of its value, and what it
// means, with its default and its environment variable.
func flagText(f cli.Flag, d cli.DocGenerationFlag) (names []string, value, usage string) {
	value, usage = flagUsage(d)
	for _, n := range f.Names() {
		names = append(names, strings.Repeat("-", min(utf8.RuneCountInString(n), 2))+n)
	}
	if text := d.GetDefaultText(); d.TakesValue() && text != "" && text != "0" {
		usage += " (default: " + strings.Trim(text, `"`) + ")"
	}
	if name := variable(f.Names()[0]); name != "" {
		usage += " [$" + name + "]"
	}
	return names, value, usage
}

// flagUsage returns the name of a flag's value, which stands in backquotes in the usage text, and
// the text without backquotes. The name is "" for a flag without a value.
func flagUsage(f cli.DocGenerationFlag) (value, usage string) {
	value, usage = "VALUE", f.GetUsage()
	if before, after, found := strings.Cut(usage, "`"); found {
		name, behind, _ := strings.Cut(after, "`")
		value, usage = name, before+name+behind
	}
	if !f.TakesValue() {
		value = ""
	}
	return value, usage
}
