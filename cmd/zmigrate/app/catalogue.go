package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

func (a *app) codecsCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "codecs", Usage: "list the codecs that this program knows, or explain one", ArgsUsage: "[CODEC]",
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return invalid(errors.New("codecs takes at most one name"))
			}
			if c.NArg() > 0 {
				name := c.Args().First()
				d, err := a.env.Codecs.Lookup(name)
				if err != nil {
					return invalid(fmt.Errorf("%w (%s)", err, jobfile.NearestCodec(a.env.Codecs, name)))
				}
				a.explainCodec(d)
				return nil
			}
			if a.json {
				out := []codecJSON{}
				for _, d := range a.env.Codecs.Definitions() {
					out = append(out, a.codecOf(d))
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
	Name          string          `json:"name"`
	Aliases       []string        `json:"aliases"`
	Kind          string          `json:"kind"`
	Summary       string          `json:"summary"`
	Configuration []fieldJSON     `json:"configuration"`
	DataTypes     []string        `json:"data_types"`
	Size          sizeJSON        `json:"size"`
	Lossy         string          `json:"lossy"`
	Example       json.RawMessage `json:"example"`
}

type fieldJSON struct {
	Name     string          `json:"name"`
	Type     string          `json:"type"`
	Required bool            `json:"required"`
	Default  json.RawMessage `json:"default,omitempty"`
	Doc      string          `json:"doc"`
}

// sizeJSON is the encoded size of an example chunk: 512 × 512 elements of the first
// data type that the codec takes.
type sizeJSON struct {
	Kind    string `json:"kind"`
	Decoded int    `json:"decoded,omitempty"`
	Encoded int    `json:"encoded,omitempty"`
}

func (a *app) codecOf(d codecs.Definition) codecJSON {
	out := codecJSON{
		Name: d.Name, Aliases: append([]string{}, d.Aliases...), Kind: d.Kind.String(), Summary: d.Summary,
		Configuration: []fieldJSON{}, DataTypes: []string{}, Lossy: d.Lossy,
	}
	for _, f := range d.Fields {
		out.Configuration = append(out.Configuration, fieldJSON{
			Name: f.Name, Type: f.Type, Required: f.Default == "", Default: json.RawMessage(f.Default), Doc: f.Doc,
		})
	}
	for _, f := range a.env.Codecs.Types().Families() {
		chunk := codecs.Chunk{Type: f.Example, Shape: []int{512, 512}, Fill: f.Example.Default()}
		size, err := d.SizeOf(chunk)
		if err != nil {
			continue
		}
		if d.Kind != codecs.KindBytesToBytes {
			out.DataTypes = append(out.DataTypes, f.Name)
		}
		if out.Size.Kind == "" {
			out.Size = sizeJSON{Kind: size.String()}
			if !size.Unbounded {
				out.Size.Decoded, out.Size.Encoded = 512*512*f.Example.Size(), size.Max
			}
		}
	}
	example := codecs.Spec{Name: d.Name, Configuration: d.Example}
	out.Example, _ = json.Marshal(example) // configurations are JSON
	return out
}

func (a *app) explainCodec(d codecs.Definition) {
	c := a.codecOf(d)
	if a.json {
		a.printJSON(c)
		return
	}
	a.printf("%s: %s\n", c.Name, c.Summary)
	types := strings.Join(c.DataTypes, ", ")
	switch {
	case d.Kind == codecs.KindBytesToBytes:
		types = "those of the codec before it"
	case len(c.DataTypes) == len(a.env.Codecs.Types().Families()):
		types = "all"
	}
	encoded := c.Size.Kind
	if c.Size.Encoded > 0 {
		encoded += fmt.Sprintf(", %d bytes for %d", c.Size.Encoded, c.Size.Decoded)
	}
	rows := [][]string{{"kind", c.Kind}, {"data types", types}, {"encoded size", encoded}}
	if c.Lossy != "" {
		rows = append(rows, []string{"lossy", c.Lossy})
	} else {
		rows = append(rows, []string{"lossy", "no"})
	}
	if len(c.Aliases) > 0 {
		rows = append(rows, []string{"also read as", strings.Join(c.Aliases, ", ")})
	}
	rows = append(rows, []string{"example", string(c.Example)})
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
		Name: "dtypes", Usage: "list the data types that this program knows, or explain one", ArgsUsage: "[TYPE]",
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return invalid(errors.New("dtypes takes at most one name"))
			}
			if c.NArg() > 0 {
				return a.explainType(c.Args().First())
			}
			out := []typeJSON{}
			for _, f := range a.env.Codecs.Types().Families() {
				out = append(out, a.typeOf(f, f.Example, dtype.Little))
			}
			if a.json {
				a.printJSON(out)
				return nil
			}
			rows := [][]string{{"data type", "bytes", ""}}
			for _, t := range out {
				size := t.bytes()
				if t.sizeVaries {
					size = "as given"
				}
				rows = append(rows, []string{t.Name, size, t.Summary})
			}
			a.table(rows)
			a.printf("zmigrate dtypes TYPE has spellings, fill values and codecs.\n")
			return nil
		},
	})
}

// typeJSON is a data type as it is printed with --json.
type typeJSON struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases"`
	Summary string   `json:"summary"`
	Size    *int     `json:"size"` // null: elements differ in size
	// V3 and V2 spell an example of the type. They are null if the format has no name
	// for the type; then NoV3 and NoV2 say why, and what to choose.
	V3        json.RawMessage `json:"v3"`
	NoV3      string          `json:"v3_error,omitempty"`
	V2        json.RawMessage `json:"v2"`
	NoV2      string          `json:"v2_error,omitempty"`
	V2Filter  string          `json:"v2_filter,omitempty"`
	FillValue string          `json:"fill_value"`
	Default   json.RawMessage `json:"default_fill_value"`
	Codecs    []string        `json:"codecs"`
	Note      string          `json:"note,omitempty"`

	sizeVaries bool
}

// bytes returns the size of an element, for people.
func (t typeJSON) bytes() string {
	if t.Size == nil {
		return "variable"
	}
	return fmt.Sprint(*t.Size)
}

// v2 returns the spelling in Zarr v2, for people; none if there is no spelling.
func (t typeJSON) v2(none string) string {
	text := string(t.V2)
	if t.V2 == nil {
		text = none
	}
	if t.V2Filter != "" {
		text += " with the filter " + t.V2Filter
	}
	return text
}

func (t typeJSON) v3() string {
	if t.V3 == nil {
		return "none: " + t.NoV3
	}
	return string(t.V3)
}

// typeOf describes a type of a family. order is the byte order of its spelling in Zarr
// v2.
func (a *app) typeOf(f dtype.Family, t dtype.Type, order dtype.Order) typeJSON {
	out := typeJSON{
		Name: f.Name, Aliases: append([]string{}, f.Aliases...), Summary: f.Summary,
		FillValue: f.FillValue, Default: t.FormatScalar(dtype.V3, t.Default()),
		Codecs: append([]string{}, a.env.Codecs.Takes(t)...), Note: f.Note,
		sizeVaries: f.SizeVaries,
	}
	if size := t.Size(); size > 0 {
		out.Size = &size
	}
	var err error
	if out.V3, err = t.V3(); err != nil {
		out.V3, out.NoV3 = nil, err.Error()
	}
	if out.V2, err = t.V2(order); err != nil {
		out.V2, out.NoV2 = nil, err.Error()
	}
	if o, ok := t.(dtype.Object); ok {
		out.V2Filter = o.V2Filter()
	}
	return out
}

// explainType prints what is known about a data type. The name is that of a family, or the
// spelling of a type in Zarr v3 or v2.
func (a *app) explainType(name string) error {
	types := a.env.Codecs.Types()
	var out typeJSON
	if i := slices.IndexFunc(types.Families(), func(f dtype.Family) bool { return f.Name == name }); i >= 0 {
		f := types.Families()[i]
		out = a.typeOf(f, f.Example, dtype.Little)
	} else {
		t, order, err := parseType(types, name)
		if err != nil {
			return invalid(err)
		}
		f, _ := types.FamilyOf(t)
		out = a.typeOf(f, t, order)
		out.Name = t.Name()
	}
	if a.json {
		a.printJSON(out)
		return nil
	}
	a.printf("%s: %s\n", out.Name, out.Summary)
	rows := [][]string{
		{"bytes of an element", out.bytes()},
		{"Zarr v3 data_type", out.v3()},
		{"Zarr v2 dtype", out.v2("none: " + out.NoV2)},
		{"fill value", out.FillValue},
		{"default fill value", string(out.Default)},
		{"codecs", strings.Join(out.Codecs, ", ") + ", and all bytes → bytes codecs after them"},
	}
	if len(out.Aliases) > 0 {
		rows = append(rows, []string{"also read as", strings.Join(out.Aliases, ", ")})
	}
	if out.Note != "" {
		rows = append(rows, []string{"note", out.Note})
	}
	a.table(rows)
	return nil
}

// parseType reads a data type as a user types it: a Zarr v3 name or object, or a Zarr v2
// spelling, which begins with a byte order or is a list. Types are shown in the order
// Little. A record whose fields have several byte orders has the order Mixed.
func parseType(types *dtype.Registry, name string) (dtype.Type, dtype.Order, error) {
	text := json.RawMessage(name)
	if !strings.ContainsAny(name[:min(1, len(name))], "{[") {
		text, _ = json.Marshal(name)
	}
	if !strings.ContainsAny(name[:min(1, len(name))], "<>|=[") {
		t, err := types.ParseV3(text)
		return t, dtype.Little, err
	}
	t, order, err := types.ParseV2(text, "")
	if order != dtype.Mixed {
		order = dtype.Little
	}
	return t, order, err
}
