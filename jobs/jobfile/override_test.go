package jobfile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSet(t *testing.T) {
	const text = small + "defaults: {codecs: [bytes, {zstd: {level: 3}}]}\nrun:\n"
	j := mustParse(t, text, "run.memory=64MiB", `arrays["a=b"].chunks=[1, 2]`, "source.include[0]=x",
		"defaults.codecs[1].level=9", "defaults.codecs[2]=crc32c", "target.url=${YEAR}.zarr", "name='a=b'")
	rule, _ := j.Options("a=b")
	if j.Run.Memory != 64<<20 || j.Name != "a=b" || j.Target.Text != "1999.zarr" ||
		!cmp.Equal(rule.Chunks.Shape, []int{1, 2}) {
		t.Errorf("%+v", j)
	}
	chain := j.Defaults.Codecs.Chain
	if len(chain) != 3 || string(chain[1].Configuration) != `{"level":9}` || chain[2].Name != "crc32c" {
		t.Errorf("codecs: %+v", chain)
	}
}

func TestSetReplacesOneAliasOnly(t *testing.T) {
	j := mustParse(t, small+"defaults: &d {chunks: [1]}\narrays: {A: *d, B: *d}\n", "arrays.A.chunks[0]=5")
	a, _ := j.Options("A")
	b, _ := j.Options("B")
	if a.Chunks.Shape[0] != 5 || b.Chunks.Shape[0] != 1 || j.Defaults.Chunks.Shape[0] != 1 {
		t.Errorf("A %v, B %v, defaults %v", a.Chunks, b.Chunks, j.Defaults.Chunks)
	}
}

func TestSetProblems(t *testing.T) {
	for argument, want := range map[string]string{
		"run.memory":          "--set run.memory: no value is given (path.to.field=value)",
		"=3":                  "--set =3: bad path: the path is empty (path.to.field=value)",
		"a..b=1":              "--set a..b=1: bad path: a name is empty (path.to.field=value)",
		"a[x]=1":              `--set a[x]=1: bad path: "[x]=1" is not an index in brackets (path.to.field=value)`,
		`a["x=1`:              `--set a["x=1: bad path: "[\"x=1" is not a quoted name in brackets (path.to.field=value)`,
		"a[0]b=1":             `--set a[0]b=1: bad path: want a dot or a bracket before "b=1" (path.to.field=value)`,
		"source.url.x=1":      "--set source.url.x=1: bad path: source.url is a string, not a mapping",
		"source.url[0]=1":     "--set source.url[0]=1: bad path: source.url is a string, not a list",
		"source.include=x":    `--set source.include=x: source.include: want a list of globs, not a string ("x") (a list of one: ["x"])`,
		"run.memroy=1":        `--set run.memroy=1: run.memroy: unknown key (did you mean "memory"?)`,
		"name=[":              "--set name=[: not valid YAML: did not find expected node content",
		"name=${NOPE}":        "--set name=${NOPE}: the environment variable NOPE is not set (${NAME:-default} gives a default; write $${ for a literal ${)",
		"arrays.A.chunks=[0]": "--set arrays.A.chunks=[0]: arrays.A.chunks[0]: want an integer at least 1, not 0",
	} {
		_, ps := parseWith(t, small, argument)
		if diff := cmp.Diff([]string{want}, lines(ps)); diff != "" {
			t.Errorf("%s: %s", argument, diff)
		}
	}
}

func TestFieldPathRoundTrip(t *testing.T) {
	for _, keys := range [][]string{{"arrays", "SST", "chunks"}, {"a.b", "c[0]"}, {`"`, "=", ""}, {"*WND", "g/**"}, {"ü ", "\n"}} {
		steps, rest, err := parsePath(FieldPath(keys...) + "=v")
		if err != nil || rest != "=v" {
			t.Fatalf("%q: %q, %v", keys, rest, err)
		}
		var got []string
		for _, s := range steps {
			got = append(got, s.name)
		}
		if diff := cmp.Diff(keys, got); diff != "" {
			t.Errorf("%s: %s", FieldPath(keys...), diff)
		}
	}
}
