package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// helpAsFlag returns the arguments of the program with --help in the place of "help", which is a
// command of many other programs: "zmigrate help run" is "zmigrate run --help".
func helpAsFlag(args []string) []string {
	if len(args) < 2 || args[1] != "help" {
		return args
	}
	return append(slices.Concat(args[:1], args[2:]), "--help")
}

// flagsFirst moves the flags of a command before its other arguments, where the parser
// wants them. So users may write "copy SRC DST --codec gzip". Arguments after "--" stay
// in their places.
func flagsFirst(root *cli.App, args []string) []string {
	at := slices.IndexFunc(args[min(1, len(args)):], func(a string) bool { return root.Command(a) != nil }) + 1
	if at == 0 {
		return args
	}
	takesValue := map[string]bool{}
	for _, f := range root.Command(args[at]).Flags {
		_, boolean := f.(*cli.BoolFlag)
		for _, name := range f.Names() {
			takesValue[name] = !boolean
		}
	}
	var flags, others []string
	rest := args[at+1:]
	for i := 0; i < len(rest); i++ {
		name := strings.TrimLeft(rest[i], "-")
		switch {
		case rest[i] == "--":
			others = append(others, rest[i:]...)
			i = len(rest)
		case name == rest[i] || name == "":
			others = append(others, rest[i])
		default:
			flags = append(flags, rest[i])
			if takesValue[name] && i+1 < len(rest) {
				i++
				flags = append(flags, rest[i])
			}
		}
	}
	return slices.Concat(args[:at+1], flags, others)
}

// onlyWith returns an error if one of some flags is set without the flag that gives them a meaning.
func onlyWith(c *cli.Context, flag string, others ...string) error {
	for _, name := range others {
		if c.IsSet(name) && !c.IsSet(flag) {
			return invalid(fmt.Errorf("%s: --%s means nothing without --%s", c.Command.Name, name, flag))
		}
	}
	return nil
}
