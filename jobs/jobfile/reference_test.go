package jobfile_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources/drivers"
)

// TestReference compares docs/job-file.md with the schema. With ZMIGRATE_UPDATE=1, the page is
// written anew.
func TestReference(t *testing.T) {
	const page = "../../docs/job-file.md"
	text, err := jobfile.Schema(standard.Registry(dtype.Standard()), drivers.Standard())
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(`# Job file

All fields of a job file, which is YAML 1.2 or JSON. ` + "`zmigrate schema`" + ` prints the same as a JSON Schema, with the
configurations of all codecs, for editors. ` + "`*`" + ` stands for any name.

` + "`${NAME}`" + ` in a text stands for the value of an environment variable, and ` + "`${NAME:-default}`" + ` gives a default.
Such a text may also stand where a field takes a number, a list, or true or false. A field whose value is null
counts as not given. On the command line, ` + "`--set path.to.field=value`" + ` replaces a field.

` + "`${date:%Y-%m-%d}`" + ` is today's date in UTC, and ` + "`${date:-1d:%Y%m%d}`" + ` is yesterday's. An offset is a number of
hours (h), days (d), weeks (w), months (m) or years (y). The form of the date may have %Y, %m, %d, %H, %M,
%j (day of the year) and %y.

The job ` + "`-`" + ` is read from standard input. Its relative paths begin in the working directory. So do those of
a job from a pipe, such as ` + "`<(jsonnet job.jsonnet)`" + `.
`)
	properties := root["properties"].(map[string]any)
	section(&b, "The file", "", map[string]any{"properties": properties})
	for _, name := range []string{"source", "target", "defaults", "run"} {
		title := map[string]string{"defaults": "defaults, and each array under arrays"}[name]
		if title == "" {
			title = name
		}
		section(&b, title, strings.ReplaceAll(name, "defaults", "arrays.*"), map[bool]any{true: properties["arrays"].(map[string]any)["additionalProperties"], false: properties[name]}[name == "defaults"].(map[string]any))
	}
	if os.Getenv("ZMIGRATE_UPDATE") != "" {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), string(got)); diff != "" {
		t.Errorf("%s is not what the schema says; ZMIGRATE_UPDATE=1 go test ./jobs/jobfile -run TestReference writes it anew (-want +got):\n%s", page, diff)
	}
}

// section writes the fields of a mapping, with those of the mappings within it.
func section(b *strings.Builder, title, path string, s map[string]any) {
	_, _ = fmt.Fprintf(b, "\n## %s\n\n| field | takes | means |\n|---|---|---|\n", title)
	rows(b, path, s, path == "")
}

func rows(b *strings.Builder, path string, s map[string]any, flat bool) {
	properties, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		field := properties[name].(map[string]any)
		at := strings.TrimPrefix(path+"."+name, ".")
		text, _ := field["description"].(string)
		_, _ = fmt.Fprintf(b, "| `%s` | %s | %s |\n", at, strings.ReplaceAll(takes(field), "|", `\|`), strings.ReplaceAll(text, "|", `\|`))
		if flat {
			continue
		}
		rows(b, at, field, false)
		if each, ok := field["additionalProperties"].(map[string]any); ok {
			rows(b, at+".*", each, false)
		}
		if list, ok := field["anyOf"].([]any); ok {
			for _, one := range list {
				rows(b, at, one.(map[string]any), false)
			}
		}
	}
}

// takes says in words what a field takes.
func takes(s map[string]any) string {
	if value, ok := s["const"]; ok {
		return fmt.Sprintf("`%v`", value)
	}
	if list, ok := s["enum"].([]any); ok {
		words := make([]string, len(list))
		for i, word := range list {
			words[i] = fmt.Sprintf("`%v`", word)
		}
		return strings.Join(words, ", ")
	}
	if list, ok := s["anyOf"].([]any); ok {
		var words []string
		for _, one := range list {
			text := takes(one.(map[string]any))
			if one.(map[string]any)["pattern"] == `\$\{` && one.(map[string]any)["type"] == "string" {
				continue // a variable
			}
			if text != "" && text != "null" && !slices.Contains(words, text) {
				words = append(words, text)
			}
		}
		return strings.Join(words, ", or ")
	}
	if s["$ref"] != nil {
		return "codec"
	}
	var kinds []string
	switch t := s["type"].(type) {
	case string:
		kinds = []string{t}
	case []any:
		for _, k := range t {
			kinds = append(kinds, k.(string))
		}
	}
	kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "null" })
	pattern, _ := s["pattern"].(string)
	if len(kinds) > 1 && pattern == `\$\{` {
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "string" })
	}
	for i, k := range kinds {
		kinds[i] = map[string]string{"object": "mapping", "string": "text", "boolean": "true or false", "array": "list"}[k]
		if kinds[i] == "" {
			kinds[i] = k
		}
	}
	text := strings.Join(kinds, ", ")
	switch {
	case strings.Contains(pattern, "MiB") || strings.Contains(pattern, "iB"):
		text = "size"
	case strings.Contains(pattern, "ms"):
		text = "time"
	}
	if items, ok := s["items"].(map[string]any); ok && text == "list" {
		text = "list of " + takes(items)
	}
	if each, ok := s["additionalProperties"].(map[string]any); ok {
		text = "mapping of names to " + takes(each)
	}
	if least, ok := s["minimum"].(float64); ok && text == "integer" {
		if most, ok := s["maximum"].(float64); ok {
			return fmt.Sprintf("integer from %.0f to %.0f", least, most)
		}
		return fmt.Sprintf("integer of at least %.0f", least)
	}
	return text
}
