package jobfile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources/drivers"
)

// compiled returns the schema of job files, for a validator that is not of this project.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := jobfile.Schema(standard.Registry(dtype.Standard()), drivers.Standard())
	if err != nil {
		t.Fatal(err)
	}
	again, err := jobfile.Schema(standard.Registry(dtype.Standard()), drivers.Standard())
	if err != nil || !bytes.Equal(text, again) {
		t.Fatal("the schema is another one each time", err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("urn:zmigrate:job:1", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("urn:zmigrate:job:1")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plainJSON makes of YAML what a validator takes.
func plainJSON(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for k := range v {
			v[k] = plainJSON(v[k])
		}
	case map[any]any:
		m := map[string]any{}
		for k := range v {
			m[fmt.Sprint(k)] = plainJSON(v[k])
		}
		return m
	case []any:
		for i := range v {
			v[i] = plainJSON(v[i])
		}
	case time.Time: // YAML 1.1 has dates, and job files are YAML 1.2
		return v.Format("2006-01-02")
	case int, int64, uint64, float64:
		return json.Number(strings.Trim(fmt.Sprint(v), "+"))
	}
	return value
}

// kinds matches problems that a schema can tell: keys, kinds of values, words and bounds.
var kinds = regexp.MustCompile(`^(unknown key|is required|is not one of|want (?:a mapping|a list|a string|one of|true or false|an integer|a codec|a number)|"[^"]*" is not one of)`)

// beyond are problems of the same words that only the program can tell, by the path of the
// field.
var beyond = regexp.MustCompile(`^source\.(url|arrays)$|^target\.readers|\.(fill_value|scalar_map|data_type|dtype|astype)\b|configuration|codecs\[\d+\]`)

// TestSchema validates all jobs of examples, scripts and documentation: those that the program
// accepts are valid, and those that it refuses for what a schema can tell are not.
func TestSchema(t *testing.T) {
	s := compiled(t)
	registry := standard.Registry(dtype.Standard())
	accepted, refused := 0, 0
	check := func(name string, text []byte, must bool) {
		j, err := jobfile.Parse(filepath.Base(name), text, t.TempDir(), jobfile.LoadOptions{Drivers: drivers.Standard()})
		var problems jobfile.Problems
		if err == nil {
			problems = j.Check(registry)
			err = problems.Err()
		}
		var value any
		if yaml.Unmarshal(text, &value) != nil {
			return
		}
		invalid := s.Validate(plainJSON(value))
		switch list, _ := err.(jobfile.Problems); { //nolint:errorlint // it is returned as it is
		case err == nil:
			accepted++
			if invalid != nil {
				t.Errorf("%s is a valid job, and not by the schema: %v\n%s", name, invalid, text)
			}
		case must:
			t.Errorf("%s: %v", name, err)
		default:
			for _, p := range list {
				if !p.Warning && kinds.MatchString(p.Message) && !beyond.MatchString(p.Field) {
					refused++
					if invalid == nil {
						t.Errorf("%s is valid by the schema, but %s\n%s", name, p, text)
					}
					break
				}
			}
		}
	}
	for _, name := range []string{"DATE", "A", "B"} {
		t.Setenv(name, "4")
	}
	var scripts, yamls, bad []string
	for folder, list := range map[string]*[]string{"../../e2e/testdata/script": &scripts, "../../examples": &yamls, "testdata/bad": &bad} {
		err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !strings.Contains(file, "prices") && (filepath.Ext(file) == ".txtar" || filepath.Ext(file) == ".yaml") {
				*list = append(*list, file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range yamls {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		check(file, text, true)
	}
	for _, file := range bad {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		check(file, text, false)
	}
	for _, file := range scripts {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if strings.HasSuffix(f.Name, ".yaml") && bytes.Contains(f.Data, []byte("zmigrate")) {
				check(file+" "+f.Name, f.Data, false)
			}
		}
	}
	if accepted < 95 || refused < 10 {
		t.Errorf("only %d accepted jobs, and %d refused ones", accepted, refused)
	}
}

// TestSchemaRefuses: mistakes in each kind of field.
func TestSchemaRefuses(t *testing.T) {
	s := compiled(t)
	const job = "zmigrate: 1\nsource: {driver: netcdf, url: a.nc}\ntarget: {url: b.zarr}\n"
	for _, more := range []string{
		"sources: {}", "name: 7", "name: ''", "attributes: [1]", "groups: {g: {attribute: {}}}", "dimensions: {a: 1}", "run: 3", "run: {workers: 3}",
		"run: {workers: {read: -1}}", "run: {memory: 1}", "run: {memory: much}", "run: {lock_ttl: 5}", "run: {lock_ttl: soon}", "run: {requests: {per_second: -1}}",
		"run: {verify: all}", "run: {notify: mail}", "run: {notify: {timeout: 5s}}", "run: {checkpoint: {every: never}}", "defaults: {rename: a}", "defaults: {codecs: zstd}",
		"defaults: {codecs: [zst]}", "defaults: {codecs: [{zstd: {lvl: 3}}]}", "defaults: {codecs: [{zstd: {level: three}}]}", "defaults: {codecs: [{zstd: {}, gzip: {}}]}",
		"defaults: {codecs: [{name: blosc, configuration: {shuffle: bytes}}]}", "defaults: {codecs: [{configuration: {}}]}", "defaults: {codecs: [{blosc: {clevel: 10}}]}",
		"defaults: {chunks: big}", "defaults: {chunks: [0]}", "defaults: {chunks: {x: small}}", "defaults: {shards: auto}", "defaults: {access: maps}", "defaults: {cast: {rounding: up}}",
		"defaults: {allow_inexact: 1}", "defaults: {dimension_names: x}", "arrays: {a: {chunk: [1]}}", "arrays: [a]", "arrays: {a: {fill_value: null, codecs: {zstd: {}}}}",
	} {
		var value any
		if err := yaml.Unmarshal([]byte(job+more), &value); err != nil {
			t.Fatal(err)
		}
		if s.Validate(plainJSON(value)) == nil {
			t.Errorf("valid by the schema: %s", more)
		}
		if _, err := jobfile.Parse("job.yaml", []byte(job+more), t.TempDir(), jobfile.LoadOptions{}); err == nil && !strings.Contains(more, "codecs") {
			t.Errorf("valid: %s", more)
		}
	}
	for _, more := range []string{
		"run: {memory: '${MEMORY}', workers: {read: '${N:-3}'}, notify: [mail, -s, x]}", "defaults: {codecs: keep, chunks: {time: 5, lat: auto}, shards: {time: 10}}", "attributes: null",
		"defaults: {codecs: [bytes, {zstd: {level: '${LEVEL:-3}'}}, {name: crc32c}]}", "arrays: {'*': {rename: x, codecs: [zstd: ]}}",
	} {
		var value any
		if err := yaml.Unmarshal([]byte(job+more), &value); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(plainJSON(value)); err != nil {
			t.Errorf("%s: %v", more, err)
		}
	}
}
