package app

import (
	"embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/internal/codes"
	"github.com/zmigrate/zmigrate/jobs/advise"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/verify"
	"github.com/zmigrate/zmigrate/readers"
	"github.com/zmigrate/zmigrate/zarr"
)

// The scripts that shells read. Each calls the command completeName with the words of a command
// line up to the cursor, and gets an answer as answer prints it.
//
//go:embed completions
var completionScripts embed.FS

// shells has the names of shells, and of their scripts.
func shells() map[string]string {
	return map[string]string{"bash": "zmigrate.bash", "zsh": "zmigrate.zsh", "fish": "zmigrate.fish", "powershell": "zmigrate.ps1"}
}

// shellNames lists the shells in the order of the documentation.
var shellNames = []string{"bash", "zsh", "fish", "powershell"}

func (a *app) completionCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "completion", Usage: "print a script with which a shell completes command lines of zmigrate", ArgsUsage: "SHELL",
		Description: "SHELL is bash, zsh, fish or powershell. The shell completes commands, options, job files, and names of\n" +
			"codecs, data types and schedulers.\n\n" +
			"For the running shell: eval \"$(zmigrate completion bash)\", or the same with zsh;\n" +
			"zmigrate completion fish | source; zmigrate completion powershell | Out-String | Invoke-Expression.",
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return invalid(fmt.Errorf("completion needs one shell: %s", strings.Join(shellNames, ", ")))
			}
			file, known := shells()[c.Args().First()]
			if !known {
				return invalid(fmt.Errorf("no completion for %q: want %s", jobfile.Clip(c.Args().First(), 60), strings.Join(shellNames, ", ")))
			}
			text, err := completionScripts.ReadFile("completions/" + file)
			if err != nil {
				return err
			}
			a.printf("%s", text)
			return nil
		},
	})
}

// completeName is the name of the command that scripts of shells call. Help texts leave it out.
const completeName = "__complete"

// emptyWord stands for an empty word where a shell cannot hand one over.
const emptyWord = "__empty"

// completeCommand answers a shell: a line for each candidate, with what it means behind a tab, and
// a last line with a colon and what else may stand there.
func (a *app) completeCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: completeName, Hidden: true, SkipFlagParsing: true,
		Action: func(c *cli.Context) error {
			words := c.Args().Slice()
			if len(words) > 0 && words[0] == "--" {
				words = words[1:]
			}
			if len(words) == 0 {
				return invalid(errors.New("shells call this command: see zmigrate completion --help"))
			}
			list, kind := a.complete(c.App, words)
			for _, x := range list {
				a.printf("%s\t%s\n", x.value, x.means)
			}
			a.printf(":%s\n", kind)
			return nil
		},
	})
}

// candidate is what may stand in the place of the last word of a command line.
type candidate struct{ value, means string }

// What else than candidates may stand in the place of a word.
const (
	kindNone    = "none"
	kindFiles   = "files"
	kindFolders = "folders"
	kindJobs    = "jobs" // job files, and folders of them
)

// completionWords are the words of a command line as the program gets them, apart from the last
// one, which is being typed.
type completionWords struct {
	before  []string
	current string
	flag    string // of "--flag=value", if it is one word for the shell: candidates begin with it
}

// wordsOf reads the words that a shell hands over.
func wordsOf(words []string) completionWords {
	last := len(words) - 1
	w := completionWords{before: words[:last], current: words[last]}
	if w.current == emptyWord {
		w.current = ""
	}
	if flag, value, ok := strings.Cut(w.current, "="); ok && strings.HasPrefix(flag, "--") {
		w.before, w.current, w.flag = slices.Concat(w.before, []string{flag}), value, flag+"="
	}
	return w
}

// complete returns the candidates for the last of some words of a command line, without the name
// of the program, and what else may stand there.
func (a *app) complete(root *cli.App, words []string) (list []candidate, kind string) {
	w := wordsOf(words)
	flags := root.Flags
	var command *cli.Command
	var open cli.Flag // the flag whose value the next word is
	arguments, onlyArguments := 0, false
	for _, word := range w.before {
		switch {
		case open != nil:
			open = nil
		case onlyArguments:
			arguments++
		case word == "--":
			onlyArguments = true
		case strings.HasPrefix(word, "-") && word != "-":
			if name := strings.TrimLeft(word, "-"); !strings.Contains(name, "=") {
				open = flagWithValue(flags, name)
			}
		case command == nil:
			if command = root.Command(word); command == nil {
				return nil, kindNone
			}
			flags = command.Flags
		default:
			arguments++
		}
	}
	switch {
	case open != nil:
		list, kind = a.valuesOf(open)
	case strings.HasPrefix(w.current, "-") && !onlyArguments:
		list, kind = flagCandidates(flags, command == nil), kindNone
	case command == nil:
		list, kind = commandCandidates(root), kindNone
	default:
		list, kind = a.argument(root, command, arguments)
	}
	list = slices.DeleteFunc(list, func(x candidate) bool { return !strings.HasPrefix(x.value, w.current) })
	for i := range list {
		list[i].value = w.flag + list[i].value
	}
	return list, kind
}

// flagWithValue returns the flag with a name if it takes a value, or nil.
func flagWithValue(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if d, ok := f.(cli.DocGenerationFlag); ok && d.TakesValue() && slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// commandCandidates lists the commands.
func commandCandidates(root *cli.App) (list []candidate) {
	for _, c := range visible(root) {
		list = append(list, candidate{c.Name, c.Usage})
	}
	return list
}

// flagCandidates lists flags by their first names.
func flagCandidates(flags []cli.Flag, ofProgram bool) (list []candidate) {
	for _, f := range flags {
		name := f.Names()[0]
		if d, ok := f.(cli.DocGenerationFlag); ok && name != "help" && name != "version" {
			_, usage := flagUsage(d)
			list = append(list, candidate{strings.Repeat("-", min(len(name), 2)) + name, usage})
		}
	}
	list = append(list, candidate{"--help", "show help"})
	if ofProgram {
		list = append(list, candidate{"--version", "print the version"})
	}
	return list
}

// valuesOf returns what may be the value of a flag. The name that the help text has for the value
// tells whether it is a file.
func (a *app) valuesOf(f cli.Flag) (list []candidate, kind string) {
	flag := f.Names()[0]
	if values, known := a.flagValues()[flag]; known {
		return plain(values), kindNone
	}
	if flag == "codec" {
		return a.codecCandidates(), kindNone
	}
	value, _ := flagUsage(f.(cli.DocGenerationFlag))
	return nil, placeholderKind(value)
}

// flagValues has the values of flags that take one of a few words. TestCompletionValues compares
// them with the help texts.
func (a *app) flagValues() map[string][]string {
	var levels, engines []string
	for _, level := range verify.Levels() {
		levels = append(levels, string(level))
	}
	for _, e := range schedulers() {
		engines = append(engines, e.name)
	}
	return map[string][]string{
		"access": {zarr.AccessMap, zarr.AccessTimeSeries, zarr.AccessBoth}, "chunks": {"auto", "keep"}, "engine": engines,
		"existing": {"resume", "fail", "overwrite", "append"}, "goal": advise.Goals, "join": {"exact", "override"}, "level": levels,
		"log-format": {"text", "json"}, "log-level": {"debug", "info", "warn", "error"}, "order": {"name", "allow"},
		"progress": {"auto", "bar", "plain", "none"}, "reader": readers.Names(),
		"unsupported": {"error", "skip"}, "verify": levels,
	}
}

// argument returns what may be the argument of a command with an index. The usage of the command
// names its arguments.
func (a *app) argument(root *cli.App, command *cli.Command, index int) (list []candidate, kind string) {
	names := strings.Fields(strings.Trim(command.ArgsUsage, "[]"))
	if len(names) == 0 || index >= len(names) && !strings.HasSuffix(names[len(names)-1], "…") {
		return nil, kindNone
	}
	switch name := strings.TrimSuffix(names[min(index, len(names)-1)], "…"); name {
	case "CODEC":
		return a.codecCandidates(), kindNone
	case "TYPE":
		for _, f := range a.env.Codecs.Types().Families() {
			list = append(list, candidate{f.Name, f.Summary})
		}
		return list, kindNone
	case "CODE":
		for _, c := range codes.All() {
			list = append(list, candidate{c.Name, ""})
		}
		return list, kindNone
	case "COMMAND":
		return commandCandidates(root), kindNone
	case "SHELL":
		return plain(shellNames), kindNone
	default:
		return nil, placeholderKind(name)
	}
}

var wordOfFile = regexp.MustCompile(`^(FILE|PATH|URL|SRC|DST|.*TARGET)$`)

// placeholderKind returns what the names stand for that help texts give to values and arguments.
func placeholderKind(name string) string {
	switch {
	case name == "JOB":
		return kindJobs
	case name == "FOLDER":
		return kindFolders
	case wordOfFile.MatchString(name):
		return kindFiles
	}
	return kindNone
}

func (a *app) codecCandidates() (list []candidate) {
	for _, d := range a.env.Codecs.Definitions() {
		list = append(list, candidate{d.Name, d.Summary})
	}
	return list
}

// plain returns words as candidates that need no explanation.
func plain(words []string) (list []candidate) {
	for _, word := range words {
		list = append(list, candidate{value: word})
	}
	return list
}
