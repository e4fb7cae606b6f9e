package jobfile

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestBadJobs compares the problems of every testdata/bad/*.yaml, from reading
// and from checking, with the lines of the .txt file beside it.
func TestBadJobs(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no bad jobs: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			j, ps := parseWith(t, string(text))
			if j != nil {
				ps = append(ps, j.Check(standard.Registry(dtype.Standard()))...)
				ps.Sort()
			}
			if len(ps) == 0 {
				t.Error("a bad job without problems")
			}
			got := ps.Error() + "\n"
			golden := strings.TrimSuffix(file, ".yaml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBrokenText(t *testing.T) {
	laughs := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		a, b := string(rune('0'+i)), string(rune('1'+i))
		laughs += "a" + b + ": &a" + b + " [*a" + a + strings.Repeat(", *a"+a, 9) + "]\n"
	}
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "job.yaml:1:1: a job file is a mapping that begins with zmigrate: 1"},
		{"comment only", "# x\n", "job.yaml:1:1: a job file is a mapping that begins"},
		{"a list", "- 1\n", "job.yaml:1:1: a job file is a mapping that begins"},
		{"NUL", "zmigrate: 1\nx: \x00", "job.yaml:2:4: a NUL byte; this is not a text file"},
		{"data", "\x89HDF\r\n\x1a\n", "job.yaml: it is an HDF5 file, perhaps NetCDF-4, and no job file (zmigrate init writes a job for it; zmigrate copy migrates it without one)"},
		{"UTF-16", "\xff\xfez\x00", "job.yaml:1:1: byte 0xff is not UTF-8 text (save the job file as UTF-8)"},
		{"syntax", "zmigrate: 1\na: b: c\n", "job.yaml:2:1: not valid YAML: mapping values are not allowed in this context"},
		{"syntax of a flow", "zmigrate: 1\nsource: {driver: raw\ntarget: 1\n", "job.yaml:2:1: not valid YAML: did not find expected ',' or '}'"},
		{"syntax of a block", "zmigrate: 1\nsource:\n  driver: raw\n url: x\n", "job.yaml:4:1: not valid YAML: did not find expected key"},
		{"unknown anchor", "zmigrate: 1\nname: *x\n", "job.yaml:2:7: not valid YAML: unknown anchor 'x' referenced (a text that begins with * or & stands in quotes)"},
		{"glob without quotes", "zmigrate: 1\nsource: {driver: netcdf, url: *.nc}\n", "job.yaml:2:1: not valid YAML: did not find expected alphabetic or numeric character (a text that begins with * or & stands in quotes)"},
		{"path of Windows", "zmigrate: 1\nname: \"C:\\data\"\n", "job.yaml:2:1: not valid YAML: found unknown escape character (in double quotes, a backslash begins an escape: use single quotes)"},
		{"indentation", "zmigrate: 1\nsource:\n  driver: raw\n   url: x\n", "job.yaml:4:1: not valid YAML: mapping values are not allowed in this context (keys of one mapping begin in the same column, and a text with a colon and a blank stands in quotes)"},
		{"keys of a section at the root", "zmigrate: 1\nsource:\ndriver: raw\n", `job.yaml:3:1: driver: unknown key (it stands below source, and begins further to the right)`},
		{"words of other programs", small + "arrays: {A: {compressor: x, filters: x, chunk_shape: x, dtype: x, zarr_format: 2}}\n", `job.yaml:4:14: arrays.A.compressor: unknown key (did you mean "codecs"?)
job.yaml:4:29: arrays.A.filters: unknown key (did you mean "codecs"?)
job.yaml:4:41: arrays.A.chunk_shape: unknown key (did you mean "chunks"?)
job.yaml:4:57: arrays.A.dtype: unknown key (did you mean "data_type"?)
job.yaml:4:67: arrays.A.zarr_format: unknown key (targets are always Zarr v3)`},
		{"control character", "zmigrate: 1\nname: a\x01\n", "job.yaml:2:8: the control character U+0001 (in double quotes it is written \"\\u0001\")"},
		{"two documents", small + "---\nzmigrate: 1\n", "job.yaml:4:1: a second document begins here; a job file holds one"},
		{"duplicate key", small + "target: {url: x}\n", "job.yaml:4:1: target: the key stands here for a second time; the first is in line 3"},
		{"deep", small + "x: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "job.yaml:4:104: nested more than 100 levels deep"},
		{"cycle", small + "x: &x [*x]\n", "job.yaml:4:8: x[0]: the alias *x stands inside of what it names"},
		{"laughs", laughs, "job.yaml: the document is too large with its aliases written out (more than 32 MiB)"},
		{"tag", small + "name: !!binary aGk=\n", "job.yaml:4:7: name: the tag !!binary has no meaning in a job file"},
		{"false tag", small + "name: !!int x\n", `job.yaml:4:7: name: "x" is not a number, as its tag says`},
		{"key", small + "[a]: 1\n", "job.yaml:4:1: a key has to be a string"},
		{"merge", small + "run: {<<: 3}\n", "job.yaml:4:11: run.<<: a merge key takes a mapping or a list of mappings"},
		{"version", "zmigrate: 2\nnonsense: 1\n", "job.yaml:1:11: zmigrate: version 2 of the job file is not known; this program reads version 1 (zmigrate: 1)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, ps := parseWith(t, tt.text)
			if !strings.Contains(ps.Error(), tt.want) {
				t.Errorf("got  %s\nwant %s", Clip(ps.Error(), 400), tt.want)
			}
		})
	}
}

func TestManyProblems(t *testing.T) {
	_, ps := parseWith(t, small+strings.Repeat("? [x]\n: 1\n", maxProblems+400))
	if len(ps) != maxProblems+1 || ps[maxProblems].Message != "400 more problems are not shown" {
		t.Errorf("%d problems, the last: %v", len(ps), ps[len(ps)-1])
	}
}

func TestAnchorsAndMerge(t *testing.T) {
	const text = `zmigrate: 1
source: {driver: netcdf, url: a.nc}
target: {url: out.zarr}
defaults: &d
  chunks: [1, 2]
  codecs: &chain [bytes]
arrays:
  A: {<<: *d, chunks: [3]}
  B: {codecs: *chain, <<: [{cf: keep, rename: x}, {rename: y}]}
`
	j := mustParse(t, text)
	a, _ := j.Options("A")
	b, _ := j.Options("B")
	if !cmp.Equal(a.Chunks.Shape, []int{3}) || a.Codecs.Chain[0].Name != "bytes" || b.Rename != "x" || b.CF != "keep" {
		t.Errorf("A: %+v\nB: %+v", a, b)
	}
	_, ps := parseWith(t, strings.Replace(text, "[bytes]", "[bytes, 5]", 1))
	want := []string{
		`job.yaml:6:26: defaults.codecs[1]: want a codec, not a number (5) (write bytes, or zstd: {level: 3})`,
		`job.yaml:6:26: arrays.A.codecs[1]: want a codec, not a number (5) (write bytes, or zstd: {level: 3})`,
		`job.yaml:6:26: arrays.B.codecs[1]: want a codec, not a number (5) (write bytes, or zstd: {level: 3})`,
	}
	if diff := cmp.Diff(want, lines(ps)); diff != "" {
		t.Error(diff)
	}
}

func TestSizesAndTimes(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int64
	}{
		{"1GiB", 1 << 30}, {"64MiB", 64 << 20}, {"500MB", 500e6}, {"1.5 GB", 1500e6}, {"33554432", 32 << 20},
		{`"33554432B"`, 32 << 20}, {"8GB ", 8e9},
		{"15MiB", 0}, {"1GiBs", 0}, {"GiB", 0}, {"-1GiB", 0}, {"1e30TiB", 0}, {"infGiB", 0}, {"nanGiB", 0}, {"[1]", 0}, {"1 gb", 0},
	} {
		j, ps := parseWith(t, small+"run: {memory: "+tt.text+"}\n")
		if tt.want == 0 && ps == nil || tt.want != 0 && (ps != nil || j.Run.Memory != tt.want) {
			t.Errorf("%s: %d, %v", tt.text, j.Run.Memory, ps)
		}
	}
	for text, ok := range map[string]bool{"5s": true, "1m30s": true, "5": false, "0s": false, "-1s": false, "soon": false} {
		if _, ps := parseWith(t, small+"run: {lock_ttl: "+text+"}\n"); (ps == nil) != ok {
			t.Errorf("%s: %v", text, ps)
		}
	}
}

func FuzzLoad(f *testing.F) {
	full, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		f.Fatal(err)
	}
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(full), "arrays.SST.codecs[1].zstd.level=5")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), `a["b"][0]=1`)
	}
	f.Add(small+"arrays: {/a: {rename: x}, a//b: {}}\n", "")
	f.Add(small+"x: &x [*x]\n<<: *x\n", "")
	f.Add(`{"zmigrate": 1, "name": "${A:-b}", "run": null}`, "run.memory=${X}")
	f.Fuzz(func(t *testing.T, text, set string) {
		opt := LoadOptions{Set: []string{set}, LookupEnv: func(string) (string, bool) { return "1", true }}
		j, err := Parse("job.yaml", []byte(text), ".", opt)
		if j == nil {
			if err == nil {
				t.Fatal("neither a job nor an error")
			}
			return
		}
		_ = j.Check(standard.Registry(dtype.Standard()))
		if again := Differences(j.Normalised(), j.Normalised()); len(again) > 0 {
			t.Errorf("a job differs from itself: %v", again)
		}
	})
}

// FuzzSelect reads texts as parts of a dimension. A text that is accepted selects by indices,
// by values or by dates.
func FuzzSelect(f *testing.F) {
	for _, text := range []string{"0:100:2", "-3:", ":", "::1", "[30, 60]", "[null, 1e30]", "2000", "2020-01/..", "../2020-01-31T12:00:00.5Z", "'1:2'", "{}", "null", "0x10", "[0x10, 1_000]", "2000-01-01 06:00", "0.5/3", "../-1e2", "4.5/3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\n\r#$&*!|>%@`") {
			return // more YAML than a value, or another
		}
		j, err := Parse("job.yaml", []byte(small), ".", LoadOptions{Set: []string{"source.select.x=" + text}})
		if err != nil || len(j.Source.Select) == 0 {
			return
		}
		s := j.Source.Select[0]
		ways := 0
		for _, has := range []bool{s.Indices != nil, s.Values != nil, s.Dates != nil} {
			if has {
				ways++
			}
		}
		if ways != 1 || s.Dimension != "x" {
			t.Fatalf("%q selects in %d ways: %+v", text, ways, s)
		}
		if r := s.Indices; r != nil && r.Step < 1 {
			t.Errorf("%q has the step %d", text, r.Step)
		}
		if v := s.Values; v != nil && v[0] != nil && v[1] != nil && v[0].Cmp(v[1]) > 0 {
			t.Errorf("%q is from %v to %v", text, v[0], v[1])
		}
	})
}

// TestJobFromPipe loads a job as a shell hands it on with <(…). No job lies in the folder of
// file descriptors.
func TestJobFromPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("pipes have no such names")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if _, err := w.WriteString(small); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	j, err := Load("/dev/fd/"+strconv.Itoa(int(r.Fd())), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if j.Dir != "." {
		t.Errorf("relative paths begin in %q, want the working directory", j.Dir)
	}
}
