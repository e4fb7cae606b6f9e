package app

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// variable returns the environment variable that stands for a flag, or "" if there is none.
// Flags about the machine or about habits have one: a variable holds for all jobs. A flag about
// a job has none, because a forgotten variable would silently change what the job does.
func variable(flag string) string {
	switch flag {
	case "log-format", "log-level", "progress", "memory", "workers", "metrics-addr":
		return "ZMIGRATE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
	}
	return ""
}

// fromEnvironment sets the flags that the command line leaves out and that a variable gives. An
// empty variable counts as none. Both the program and its command have the global flags. The
// variables of the global flags are read for the program alone.
func (a *app) fromEnvironment(c *cli.Context) error {
	flags := globalFlags()
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != c.App.Name {
		flags = ownFlags(c.Command)
	}
	given := c.LocalFlagNames()
	for _, flag := range given {
		delete(a.variables, flag)
	}
	for _, f := range flags {
		flag := f.Names()[0]
		name := variable(flag)
		value := os.Getenv(name)
		if name == "" || value == "" || slices.Contains(given, flag) {
			continue
		}
		if err := c.Set(flag, value); err != nil {
			return invalid(fmt.Errorf("$%s=%s: want a number", name, jobfile.Clip(value, 60))) // a text is never wrong here
		}
		if a.variables == nil {
			a.variables = map[string]bool{}
		}
		a.variables[flag] = true
	}
	return nil
}

// given spells a flag with its value for a message: as on the command line, or as a variable.
func (a *app) given(flag string, value any) string {
	if a.variables[flag] {
		return fmt.Sprintf("$%s=%v", variable(flag), value)
	}
	return fmt.Sprintf("--%s %v", flag, value)
}

// overridden returns problems of fields that flags or variables have set as problems of these.
func (a *app) overridden(list jobfile.Problems) jobfile.Problems {
	list = slices.Clone(list)
	for i, p := range list {
		if by, ok := a.overriding[p.File]; ok {
			list[i].File = by
		}
	}
	return list
}
