package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

func (a *app) codecsCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "codecs", Usage: "list the codecs that this program knows, or explain one", ArgsUsage: "[NAME]",
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				d, err := a.env.Codecs.Lookup(c.Args().First())
				if err != nil {
					return invalid(err)
				}
				a.explainCodec(d)
				return nil
			}
			if a.json {
				out := []codecJSON{}
				for _, d := range a.env.Codecs.Definitions() {
					out = append(out, codecOf(d))
				}
				a.printJSON(out)
				return nil
			}
			var rows [][]string
			for _, d := range a.env.Codecs.Definitions() {
				rows = append(rows, []string{d.Name, d.Kind.String(), d.Summary})
			}
			a.table(rows)
			return nil
		},
	})
}

// codecJSON is a codec as it is printed with --json.
type codecJSON struct {
	Name          string      `json:"name"`
	Aliases       []string    `json:"aliases"`
	Kind          string      `json:"kind"`
	Summary       string      `json:"summary"`
	Configuration []fieldJSON `json:"configuration"`
	DataTypes     string      `json:"data_types"`
}

type fieldJSON struct {
	Name     string          `json:"name"`
	Type     string          `json:"type"`
	Required bool            `json:"required"`
	Default  json.RawMessage `json:"default,omitempty"`
	Doc      string          `json:"doc"`
}

func codecOf(d codecs.Definition) codecJSON {
	out := codecJSON{
		Name: d.Name, Aliases: append([]string{}, d.Aliases...), Kind: d.Kind.String(), Summary: d.Summary,
		Configuration: []fieldJSON{}, DataTypes: d.Types,
	}
	if out.DataTypes == "" {
		out.DataTypes = "all"
	}
	for _, f := range d.Fields {
		out.Configuration = append(out.Configuration, fieldJSON{
			Name: f.Name, Type: f.Type, Required: f.Default == "", Default: json.RawMessage(f.Default), Doc: f.Doc,
		})
	}
	return out
}

func (a *app) explainCodec(d codecs.Definition) {
	c := codecOf(d)
	if a.json {
		a.printJSON(c)
		return
	}
	a.printf("%s: %s\n", c.Name, c.Summary)
	rows := [][]string{{"kind", c.Kind}, {"data types", c.DataTypes}}
	if len(c.Aliases) > 0 {
		rows = append(rows, []string{"also read as", strings.Join(c.Aliases, ", ")})
	}
	a.table(rows)
	if len(c.Configuration) == 0 {
		a.printf("no configuration\n")
		return
	}
	a.printf("configuration:\n")
	rows = nil
	for _, f := range c.Configuration {
		with := "required"
		if !f.Required {
			with = "default " + string(f.Default)
		}
		rows = append(rows, []string{f.Name, f.Type, with, f.Doc})
	}
	a.table(rows)
}

func (a *app) dtypesCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "dtypes", Usage: "list the data types that this program knows, or explain one", ArgsUsage: "[NAME]",
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return a.explainType(c.Args().First())
			}
			if a.json {
				out := []typeJSON{}
				for _, f := range a.env.Types.Families() {
					out = append(out, typeOf(f.Name, f.Summary, f.Example))
				}
				a.printJSON(out)
				return nil
			}
			var rows [][]string
			for _, f := range a.env.Types.Families() {
				rows = append(rows, []string{f.Name, f.Summary})
			}
			a.table(rows)
			return nil
		},
	})
}

// typeJSON is a data type as it is printed with --json.
type typeJSON struct {
	Name    string          `json:"name"`
	Summary string          `json:"summary"`
	Size    int             `json:"size"`
	V3      json.RawMessage `json:"v3"`
	V2      json.RawMessage `json:"v2"`
	Default json.RawMessage `json:"default_fill_value"`
}

func typeOf(name, summary string, t dtype.Type) typeJSON {
	out := typeJSON{
		Name: name, Summary: summary, Size: t.Size(), V3: t.V3(),
		Default: t.FormatScalar(dtype.V3, t.Default()),
	}
	if v2, err := t.V2(dtype.Little); err == nil {
		out.V2 = v2
	}
	return out
}

// explainType describes one type, named as in Zarr v3 or as a family.
func (a *app) explainType(name string) error {
	var out typeJSON
	if i := slices.IndexFunc(a.env.Types.Families(), func(f dtype.Family) bool { return f.Name == name }); i >= 0 {
		f := a.env.Types.Families()[i]
		out = typeOf(f.Name, f.Summary, f.Example)
	} else {
		text := json.RawMessage(name)
		if !strings.HasPrefix(name, "{") {
			text, _ = json.Marshal(name)
		}
		t, err := a.env.Types.ParseV3(text)
		if err != nil {
			return invalid(err)
		}
		out = typeOf(t.Name(), "", t)
		for _, f := range a.env.Types.Families() {
			if f.Name == t.Name() || strings.TrimRight(t.Name(), "0123456789") == strings.TrimSuffix(f.Name, "*") && strings.HasSuffix(f.Name, "*") {
				out.Summary = f.Summary
			}
		}
	}
	if a.json {
		a.printJSON(out)
		return nil
	}
	a.printf("%s: %s\n", out.Name, out.Summary)
	a.table([][]string{
		{"bytes of an element", fmt.Sprint(out.Size)},
		{"Zarr v3 data_type", string(out.V3)},
		{"Zarr v2 dtype", string(out.V2)},
		{"default fill value", string(out.Default)},
	})
	return nil
}
