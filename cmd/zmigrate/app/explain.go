package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/internal/codes"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

func (a *app) explainCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "explain", Usage: "say what the code of a finding means and what to do", ArgsUsage: "[CODE]",
		Description: "A finding is a warning that ends with its code in brackets. Without CODE, all codes are listed.",
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return invalid(errors.New("explain takes at most one code"))
			}
			if c.NArg() == 0 {
				a.listCodes()
				return nil
			}
			name := strings.Trim(c.Args().First(), "[]")
			at := slices.IndexFunc(codes.All(), func(x codes.Code) bool { return x.Name == name })
			if at < 0 {
				var names []string
				for _, x := range codes.All() {
					names = append(names, x.Name)
				}
				hint := jobfile.DidYouMean(name, names)
				if hint == "" {
					hint = "zmigrate explain lists all codes"
				}
				return invalid(fmt.Errorf("no code %q (%s)", jobfile.Clip(name, 60), hint))
			}
			x := codes.All()[at]
			if a.json {
				a.printJSON(x)
				return nil
			}
			a.printf("%s\n\n%s\n%s\n\nWhat to do: %s\n", x.Name, x.Means, x.Matters, x.Do)
			return nil
		},
	})
}

// listCodes prints all codes, each with its meaning.
func (a *app) listCodes() {
	if a.json {
		a.printJSON(codes.All())
		return
	}
	for _, x := range codes.All() {
		a.printf("%s\n  %s\n", x.Name, x.Means)
	}
}
