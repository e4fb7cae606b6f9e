package jobfile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Jobs of one command are told apart by their names or, if these are those of their files and
// are the same, by as much of the paths as that takes.
func TestTitled(t *testing.T) {
	const x = "\x00name: x\n" // behind a file: it gives the job a name
	for name, test := range map[string]struct{ files, want []string }{
		"one":        {[]string{"sub/a.yaml"}, []string{"a"}},
		"others":     {[]string{"a.yaml", "b.yaml"}, []string{"a", "b"}},
		"extensions": {[]string{"a.yaml", "b.yaml", "d/a.json"}, []string{"a.yaml", "b", "a.json"}},
		"folders":    {[]string{"x/a.yaml", "a.yaml", "./y/a.yaml"}, []string{"x/a.yaml", "a.yaml", "y/a.yaml"}},
		"deep":       {[]string{"/d/x/z/a.yaml", "/d/y/z/a.yaml", "/d/a.json"}, []string{"x/z/a.yaml", "y/z/a.yaml", "a.json"}},
		"explicit":   {[]string{"x.yaml", "b.yaml" + x}, []string{"x.yaml", "x"}},
		"the same":   {[]string{"a.yaml" + x, "b.yaml" + x}, []string{"x", "x"}},
		"a trap":     {[]string{"d/a.yaml", "a.json", "a.yaml.yaml"}, []string{"d/a.yaml", "a.json", "a.yaml"}},
	} {
		var list []*Job
		for _, file := range test.files {
			path, rest := file, ""
			if len(file) > len(x) && file[len(file)-len(x):] == x {
				path, rest = file[:len(file)-len(x)], x[1:]
			}
			j, err := Parse(path, []byte(small+rest), ".", LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, j)
		}
		var got []string
		for i, j := range Titled(list) {
			got = append(got, j.Title())
			if j.Name != list[i].Name || j.Name != list[i].Title() {
				t.Errorf("%s: the name of %s became %s", name, list[i].Name, j.Name)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
