package app

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/sources"
)

func (a *app) inspectCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "inspect", Usage: "show the groups and arrays of any source or target", ArgsUsage: "URL",
		Description: "URL is a path or URL of a Zarr hierarchy, NetCDF and HDF5 files, or Arrow and Parquet files.",
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return invalid(errors.New("inspect needs one path or URL: zmigrate inspect URL"))
			}
			if err := store.CheckURL(c.Args().First()); err != nil {
				return invalid(err)
			}
			format, nodes, err := jobs.Inspect(c.Context, c.Args().First(), a.env)
			if err != nil {
				return err
			}
			if a.json {
				a.printJSON(map[string]any{"url": store.Shown(c.Args().First()), "format": format, "nodes": nodes})
				return nil
			}
			a.printf("%s: %s\n", store.Shown(c.Args().First()), format)
			for _, n := range nodes {
				a.printNode(n)
			}
			return nil
		},
	})
}

func (a *app) printNode(n jobs.Node) {
	name := printable("/" + n.Path)
	var rows [][]string
	switch {
	case n.Problem != "":
		a.printf("%s: cannot be read: %s\n", name, printable(n.Problem))
	case n.Kind == "group":
		a.printf("%s (group)\n", name)
	default:
		a.printf("%s %s [%s]\n", name, strings.Trim(string(n.DataType), `"`), dimensions(n))
		if n.ChunkShape != nil {
			rows = append(rows, []string{"chunks", words.Shape(n.ChunkShape)})
		}
		if len(n.Codecs) > 0 {
			rows = append(rows, []string{"codecs", chainText(n.Codecs)})
		}
		if n.FillValue != nil {
			rows = append(rows, []string{"fill value", string(n.FillValue)})
		}
	}
	types := map[string][]string{}
	for _, d := range n.Details {
		if d.Attribute {
			types[d.Name] = append(types[d.Name], d.Text)
		} else {
			rows = append(rows, []string{printable(d.Name), printable(d.Text)})
		}
	}
	a.table(rows)
	for _, x := range n.Attributes {
		value, kind := string(x.Value), strings.Join(types[x.Name], "; ")
		if number, ok := sources.FillText(x.Value); ok && x.Name == "_FillValue" && strings.HasPrefix(string(n.DataType), `"float`) {
			value = number
			kind, _, _ = strings.Cut(kind, " = ") // the same number
		}
		if kind != "" {
			kind = "  (" + printable(kind) + ")"
		}
		a.printf("    %s = %s%s\n", printable(x.Name), value, kind)
		delete(types, x.Name)
	}
	for _, d := range n.Details { // attributes that Zarr has no form for
		if d.Attribute && types[d.Name] != nil {
			a.printf("    %s: %s\n", printable(d.Name), printable(d.Text))
		}
	}
}

// printable returns a text of a file for printing. It quotes a text with bytes or
// characters that would control a terminal, or break the line.
func printable(text string) string {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// dimensions spells a shape with its names: "TIME=12 (unlimited), COADSY=90".
func dimensions(n jobs.Node) string {
	parts := make([]string, len(n.Shape))
	for i, extent := range n.Shape {
		parts[i] = fmt.Sprint(extent)
		if n.DimensionNames == nil || n.DimensionNames[i] == "" {
			continue
		}
		parts[i] = printable(n.DimensionNames[i]) + "=" + parts[i]
		if slices.Contains(n.Unlimited, n.DimensionNames[i]) {
			parts[i] += " (unlimited)"
		}
	}
	return strings.Join(parts, ", ")
}
