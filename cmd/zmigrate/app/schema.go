package app

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/jobs"
)

func (a *app) schemaCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "schema", Usage: "print the JSON Schema of the job file, for editors",
		Description: "zmigrate schema > zmigrate.schema.json, and a first line in the job such as\n" +
			"# yaml-language-server: $schema=zmigrate.schema.json",
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return invalid(errors.New("schema takes no arguments"))
			}
			text, err := jobs.Schema(a.env)
			if err != nil {
				return err
			}
			a.printf("%s\n", text)
			return nil
		},
	})
}
