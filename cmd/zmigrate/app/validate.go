package app

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/jobs"
)

func (a *app) validateCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "validate", Usage: "check job files without opening anything", ArgsUsage: "JOB…",
		Description: jobFolders + ". Checks each file alone: its fields, and the codec chains, data types and fill values that it names.",
		Flags:       append(jobFlags(), runFlags()...),
		Action: func(c *cli.Context) error {
			names, err := jobFiles(c)
			if err != nil {
				return err
			}
			var all jobs.Problems
			for _, name := range names {
				j, problems, err := a.load(c, name)
				if err != nil {
					return err
				}
				if problems.Err() == nil && !a.json {
					a.printf("%s: valid\n", j.File)
				}
				all = append(all, problems...)
			}
			if a.json {
				a.printJSON(map[string]any{"valid": all.Err() == nil, "problems": list(all)})
				if all.Err() != nil {
					return silent{invalid(errors.New("invalid"))}
				}
				return nil
			}
			if err := all.Err(); err != nil {
				return err
			}
			a.warn(all)
			return nil
		},
	})
}

// silent is an error whose report has been printed already.
type silent struct{ error }

func (s silent) Unwrap() error { return s.error }

// problemJSON is a problem as it is printed with --json.
type problemJSON struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Warning bool   `json:"warning"`
	Code    string `json:"code,omitempty"`
}

func list(problems jobs.Problems) []problemJSON {
	out := make([]problemJSON, 0, len(problems))
	for _, p := range problems {
		out = append(out, problemJSON(p))
	}
	return out
}
