package jobfile

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/sources"
)

// Schema returns the JSON Schema of job files (draft 2020-12), for editors. It is made by the
// functions that read a job file: each is asked what it takes. The configurations of codecs are
// those of the registry.
func Schema(registry *codecs.Registry, drivers sources.Drivers) ([]byte, error) {
	p := &parser{job: &Job{}, problems: &collector{}, drivers: drivers}
	root := newProbe()
	p.job.root = root
	p.parse()
	s := root.probe.schema
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["$id"] = "urn:zmigrate:job:1"
	s["title"] = "zmigrate job"
	s["description"] = "A migration of scientific data to Zarr v3, for the program zmigrate."
	s["$defs"] = codecSchemas(registry)
	return json.MarshalIndent(s, "", "  ")
}

// codecSchemas describes a codec in each of its forms, and the configuration of each codec.
func codecSchemas(registry *codecs.Registry) schema {
	defs := schema{}
	short := schema{}
	var names []string
	var long []schema
	for _, d := range registry.Definitions() {
		configuration := "configuration of " + d.Name
		defs[configuration] = configurationOf(d)
		ref := schema{"$ref": "#/$defs/" + strings.NewReplacer("~", "~0", "/", "~1", " ", "%20").Replace(configuration)}
		for _, name := range append([]string{d.Name}, d.Aliases...) {
			names = append(names, name)
			short[name] = schema{"anyOf": []schema{ref, {"type": "null"}}, "description": d.Summary}
		}
		long = append(long, schema{
			"if":   schema{"properties": schema{"name": schema{"enum": append([]string{d.Name}, d.Aliases...)}}},
			"then": schema{"properties": schema{"configuration": schema{"anyOf": []schema{ref, {"type": "null"}}}}},
		})
	}
	slices.Sort(names)
	defs["codec"] = schema{
		"description": "A codec: its name alone, a mapping from the name to the configuration, or Zarr's form with name and configuration. zmigrate codecs lists all.",
		"anyOf": []schema{
			{"enum": names},
			{"type": "string", "pattern": hasVariable},
			{"type": "object", "properties": short, "additionalProperties": false, "minProperties": 1, "maxProperties": 1},
			{
				"type": "object", "required": []string{"name"}, "additionalProperties": false,
				"properties": schema{
					"name":            schema{"anyOf": []schema{{"enum": names}, {"type": "string", "pattern": hasVariable}}},
					"configuration":   schema{},
					"must_understand": schema{"type": []string{"boolean", "string", "null"}},
				},
				"allOf": long,
			},
		},
	}
	return defs
}

// integerBounds and integerLeast match the bounds of integers in the words for a type.
var (
	integerBounds = regexp.MustCompile(`^integer (-?\d+)…(-?\d+)`)
	integerLeast  = regexp.MustCompile(`^integer (?:≥|of at least) (-?\d+)`)
)

// quotedWord matches a word of a type that is a list of words.
var quotedWord = words.Pattern(`"([^"]*)"`)

// configurationOf describes the configuration of a codec, by the descriptions of its fields.
func configurationOf(d codecs.Definition) schema {
	properties := schema{}
	var required []string
	for _, f := range d.Fields {
		field := fieldOf(f.Type)
		field["description"] = f.Doc + " (" + f.Type + ")"
		switch f.Default {
		case "":
			required = append(required, f.Name)
		default:
			field["default"] = json.RawMessage(f.Default)
			field = orNull(field)
		}
		properties[f.Name] = field
	}
	s := schema{"type": "object", "properties": properties, "additionalProperties": false}
	if required != nil {
		s["required"] = required
	}
	return s
}

// fieldOf describes a field of a codec by the words for its type. A field whose words say more
// than a kind takes anything: the codec checks it.
func fieldOf(words string) schema {
	switch {
	case words == "true or false":
		return schema{"type": []string{"boolean", "string"}, "pattern": hasVariable}
	case strings.HasPrefix(words, "integer"):
		s := schema{"type": []string{"integer", "string"}, "pattern": hasVariable}
		if m := integerBounds.FindStringSubmatch(words); m != nil {
			s["minimum"], s["maximum"] = json.Number(m[1]), json.Number(m[2])
		} else if m := integerLeast.FindStringSubmatch(words); m != nil {
			s["minimum"] = json.Number(m[1])
		}
		return s
	case words == "number" || strings.HasPrefix(words, "number "):
		return schema{"type": []string{"number", "string"}}
	case quotedWord().ReplaceAllString(words, "") == strings.Repeat(", ", max(strings.Count(words, `"`)/2-2, 0))+map[bool]string{true: " or ", false: ""}[strings.Contains(words, " or ")]:
		var list []string
		for _, m := range quotedWord().FindAllStringSubmatch(words, -1) {
			list = append(list, m[1])
		}
		return schema{"anyOf": []schema{{"enum": list}, {"type": "string", "pattern": hasVariable}}}
	}
	return schema{}
}
