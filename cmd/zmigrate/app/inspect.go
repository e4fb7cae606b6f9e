package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/jobs"
)

func (a *app) inspectCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "inspect", Usage: "show the tree of any source or target", ArgsUsage: "URL",
		Description: "URL is a path or URL of a Zarr hierarchy, NetCDF and HDF5 files, or Arrow and Parquet files.",
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return invalid(errors.New("inspect needs one path or URL: zmigrate inspect URL"))
			}
			format, nodes, err := jobs.Inspect(c.Context, c.Args().First(), a.env)
			if err != nil {
				return err
			}
			if a.json {
				a.printJSON(map[string]any{"url": c.Args().First(), "format": format, "nodes": nodes})
				return nil
			}
			a.printf("%s: %s\n", c.Args().First(), format)
			for _, n := range nodes {
				a.printNode(n)
			}
			return nil
		},
	})
}

func (a *app) printNode(n jobs.Node) {
	name := "/" + n.Path
	var rows [][]string
	switch {
	case n.Problem != "":
		a.printf("%s: cannot be read: %s\n", name, n.Problem)
	case n.Kind == "group":
		a.printf("%s (group)\n", name)
	default:
		a.printf("%s %s [%s]\n", name, strings.Trim(string(n.DataType), `"`), dimensions(n))
		if n.ChunkShape != nil {
			rows = append(rows, []string{"chunks", shape(n.ChunkShape)})
		}
		if len(n.Codecs) > 0 {
			rows = append(rows, []string{"codecs", chainText(n.Codecs)})
		}
		if n.FillValue != nil {
			rows = append(rows, []string{"fill value", string(n.FillValue)})
		}
	}
	for _, d := range n.Details {
		rows = append(rows, []string{d.Name, d.Text})
	}
	a.table(rows)
	for _, x := range n.Attributes {
		a.printf("    %s = %s\n", x.Name, x.Value)
	}
}

// dimensions spells a shape with its names: "TIME=12 (unlimited), COADSY=90".
func dimensions(n jobs.Node) string {
	parts := make([]string, len(n.Shape))
	for i, extent := range n.Shape {
		parts[i] = fmt.Sprint(extent)
		if n.DimensionNames == nil || n.DimensionNames[i] == "" {
			continue
		}
		parts[i] = n.DimensionNames[i] + "=" + parts[i]
		if slices.Contains(n.Unlimited, n.DimensionNames[i]) {
			parts[i] += " (unlimited)"
		}
	}
	return strings.Join(parts, ", ")
}
