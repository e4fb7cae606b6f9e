package references

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/jobs/run"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/zarr"
)

const testdata = "../../sources/netcdf/testdata/"

// planned makes the plan of a job, which is closed with the test.
func planned(t testing.TB, dir, text string) *plan.Plan {
	t.Helper()
	p, err := plan.New(t.Context(), jobtest.Parse(t, dir, text), jobtest.Environment())
	if err != nil {
		t.Fatal(err)
	}
	jobtest.Close(t, p)
	return p
}

// written makes the table of a job and runs it.
func written(t testing.TB, dir, text string) (*Table, *Result, error) {
	t.Helper()
	return writtenWith(t, dir, text, usual)
}

// usual are the bounds of New. Within none, an array is in the table only if no reference can lead
// to its chunks.
var (
	usual = bounds{most: mostInline, array: smallArray, chunk: smallChunk}
	none  = bounds{most: mostInline, array: -1, chunk: -1}
)

// writtenWith is written with other bounds.
func writtenWith(t testing.TB, dir, text string, inline bounds) (*Table, *Result, error) {
	t.Helper()
	p, err := plan.New(t.Context(), jobtest.Parse(t, dir, text), jobtest.Environment())
	if err != nil {
		return nil, nil, err
	}
	jobtest.Close(t, p)
	table, err := newTable(t.Context(), p, jobtest.Environment(), inline)
	if err != nil {
		return nil, nil, err
	}
	r, err := table.Run(t.Context(), Options{})
	return table, r, err
}

// values returns all elements of an array of a plan.
func values(ctx context.Context, t testing.TB, p *plan.Plan, a *plan.Array) [][]byte {
	t.Helper()
	source := p.Task(a).Source
	all := ndarray.New(source.Info().Type, a.Grid.Shape)
	if err := source.ReadRegion(ctx, all, make([]int, len(a.Grid.Shape))); err != nil {
		t.Fatal(err)
	}
	var list [][]byte
	for item := range all.Items() {
		list = append(list, slices.Clone(item))
	}
	return list
}

// sameAs compares what a table gives with what a conversion of the source would write: data
// types, shapes, names of dimensions, attributes and all elements. Arrays that the table lacks
// are left out of the comparison. It returns the number of arrays.
func sameAs(t testing.TB, want, got *plan.Plan) int {
	t.Helper()
	arrays := map[string]*plan.Array{}
	for i := range want.Arrays {
		arrays[want.Arrays[i].Target] = &want.Arrays[i]
	}
	plain := func(list zarr.Attributes) map[string]string {
		m := map[string]string{}
		for _, a := range list {
			m[a.Name] = string(a.Value)
		}
		return m
	}
	for i := range got.Arrays {
		g := &got.Arrays[i]
		w := arrays[g.Target]
		if w == nil {
			t.Errorf("array %q is not in the source", g.Target)
			continue
		}
		if g.Meta.Type.Name() != w.Meta.Type.Name() || !slices.Equal(g.Grid.Shape, w.Grid.Shape) || !slices.Equal(g.Meta.DimensionNames, w.Meta.DimensionNames) && !slices.Contains(w.Meta.DimensionNames, "") {
			t.Errorf("array %q: %s %v %q, want %s %v %q", g.Target, g.Meta.Type.Name(), g.Grid.Shape, g.Meta.DimensionNames, w.Meta.Type.Name(), w.Grid.Shape, w.Meta.DimensionNames)
			continue
		}
		if diff := cmp.Diff(plain(w.Meta.Attributes), plain(g.Meta.Attributes)); diff != "" {
			t.Errorf("array %q: attributes: %s", g.Target, diff)
		}
		if !slices.EqualFunc(values(t.Context(), t, got, g), values(t.Context(), t, want, w), bytes.Equal) {
			t.Errorf("array %q: other values", g.Target)
		}
	}
	for group, list := range want.Groups {
		if diff := cmp.Diff(plain(list), plain(got.Groups[group])); diff != "" {
			t.Errorf("group %q: attributes: %s", group, diff)
		}
	}
	return len(got.Arrays)
}

// forms are the forms of tables, by the ends of their names.
var forms = map[string]string{"json": "refs.json", "parquet": "refs.parq"}

// Files of netCDF4, h5py and others become tables, which this program reads back: all values,
// attributes and names are those of a conversion.
func TestForeignFiles(t *testing.T) {
	dir := sourcetest.Unzip(t, testdata+"netcdf4.zip")
	for _, name := range []string{"netcdf3_classic.nc", "netcdf3_64bit_data.nc", "netcdf3_64bit_data_onerec.nc", "netcdf3_64bit_offset_norec.nc", "sums.h5"} {
		data, err := os.ReadFile(testdata + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.[nh][c5]"))
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	arrays, referred, missing := 0, 0, 0
	for _, form := range slices.Sorted(maps.Keys(forms)) {
		for i, file := range slices.Concat(files, files) {
			name := filepath.Base(file)
			inline, kind := usual, "usual"
			if i >= len(files) { // as much as possible is referred to
				inline, kind = none, "all"
			}
			if kind == "usual" && form == jobfile.ReferencesParquet {
				continue // as in JSON
			}
			if name == "part_2.nc" || name == "part_0.nc" || name == "part_1.nc" { // joined by other tests
				continue
			}
			t.Run(form+"/"+kind+"/"+name, func(t *testing.T) {
				target := kind + name + "." + forms[form]
				job := "zmigrate: 1\nsource: {driver: netcdf, url: " + name + ", unsupported: skip}\n"
				table, result, err := writtenWith(t, dir, job+"target: {url: "+target+", references: "+form+"}\n", inline)
				if err != nil {
					t.Fatal(err)
				}
				missing += result.Missing
				for _, a := range table.Arrays {
					if !a.Inline {
						referred++
					}
				}
				want := planned(t, dir, job+"target: {url: want.zarr}\n")
				got := planned(t, dir, "zmigrate: 1\nsource: {driver: zarr, url: "+target+"}\ntarget: {url: got.zarr}\n")
				n := sameAs(t, want, got)
				if arrays += n; n != result.Arrays || n < len(want.Arrays)-3 {
					t.Errorf("%d arrays of %d", n, len(want.Arrays))
				}
				if _, again, err := writtenWith(t, dir, job+"target: {url: "+target+", references: "+form+"}\n", inline); err != nil || !again.Nothing {
					t.Errorf("once more: %+v, %v", again, err)
				}
			})
		}
	}
	t.Log(arrays, "arrays,", referred, "referred to,", missing, "chunks missing")
	if referred < 40*len(forms) || missing < 4 {
		t.Errorf("only %d of %d arrays are referred to, and %d chunks are missing", referred, arrays, missing)
	}
}

// A target that exists stays, unless it is the same table or the job overwrites it.
func TestExisting(t *testing.T) {
	dir := sourcetest.Unzip(t, testdata+"netcdf4.zip")
	for form, target := range forms {
		job := func(file, existing string) string {
			return fmt.Sprintf("zmigrate: 1\nsource: {driver: netcdf, url: %s}\ntarget: {url: %s, references: %s, existing: %s}\n", file, target, form, existing)
		}
		for i, c := range []struct {
			file, existing string
			nothing        bool
			refused        bool
		}{
			{"part_0.nc", "fail", false, false},
			{"part_0.nc", "resume", true, false},
			{"part_0.nc", "fail", false, true},
			{"part_1.nc", "resume", false, true},
			{"rotated_pole.nc", "resume", false, true},
			{"part_1.nc", "overwrite", false, false},
			{"part_1.nc", "resume", true, false},
			{"rotated_pole.nc", "overwrite", false, false},
			{"rotated_pole.nc", "resume", true, false},
			{"part_1.nc", "overwrite", false, false},
		} {
			_, r, err := written(t, dir, job(c.file, c.existing))
			if errors.Is(err, run.ErrTargetExists) != c.refused || !c.refused && (err != nil || r.Nothing != c.nothing) {
				t.Errorf("%s, step %d: %+v, %v", form, i, r, err)
			}
		}
		declined := errors.New("no")
		p := planned(t, dir, job("part_0.nc", "overwrite"))
		table, err := New(t.Context(), p, jobtest.Environment())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := table.Run(t.Context(), Options{Confirm: func(run.Removal) error { return declined }}); !errors.Is(err, declined) {
			t.Error(form, err)
		}
		if _, r, err := written(t, dir, job("part_1.nc", "resume")); err != nil || !r.Nothing {
			t.Errorf("%s: a table that was to stay: %+v, %v", form, r, err)
		}
		entries, err := filepath.Glob(filepath.Join(dir, ".zmigrate*"))
		if err != nil || len(entries) > 0 {
			t.Errorf("%s: left behind: %q, %v", form, entries, err)
		}
	}
}

// Jobs and sources that a table cannot have are refused, with a way out, and nothing is written.
func TestRefused(t *testing.T) {
	dir := sourcetest.Unzip(t, testdata+"netcdf4.zip")
	if err := os.WriteFile(filepath.Join(dir, "a.raw"), make([]byte, 16), 0o600); err != nil {
		t.Fatal(err)
	}
	zip, err := os.ReadFile(testdata + "netcdf4.zip")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "in.zip"), zip, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	const source, target = "source: {driver: netcdf, url: rotated_pole.nc}\n", "target: {url: refs.json, references: json}\n"
	for text, want := range map[string]string{
		source + "target: {url: refs.json, references: parquet}\n":                                   "target.url: readers take a name with .json",
		source + "target: {url: refs.parq, references: json}\n":                                      "target.url: readers know a table of references in JSON by its name",
		source + "target: {url: refs.json, references: yaml}\n":                                      "target.references",
		source + "target: {url: refs.json, references: json, existing: append}\n":                    "target.existing: a table of references is made anew",
		source + "target: {url: refs.json, references: json, readers: [xarray]}\n":                   "target.readers",
		source + target + "defaults: {codecs: [bytes]}\n":                                            "defaults.codecs: references lead to the chunks of the source as they are",
		source + target + "defaults: {shards: [4, 4]}\n":                                             "defaults.shards",
		source + target + "arrays: {air_temperature: {chunks: [2, 2]}}\n":                            "arrays.air_temperature.chunks",
		source + target + "arrays: {air_temperature: {data_type: float64}}\n":                        "arrays.air_temperature.data_type",
		source + target + "arrays: {air_temperature: {fill_value: 1}}\n":                             "arrays.air_temperature.fill_value",
		source + target + "run: {path: decode}\n":                                                    "run.path",
		source + target + "run: {verify: decoded}\n":                                                 "run.verify",
		"source: {driver: netcdf, url: rotated_pole.nc, cf: unpack}\n" + target:                      "source.cf: references lead to the values as they are stored",
		"source: {driver: raw, arrays: {a: {url: a.raw, data_type: uint8, shape: [16]}}}\n" + target: "target.references: the driver raw does not know where chunks lie",
		"source: {driver: netcdf, url: in.zip/rotated_pole.nc}\n" + target:                           "it is part of an archive",
		source + "target: {url: rotated_pole.nc/refs.json, references: json}\n":                      "rotated_pole.nc",
		"source: {driver: netcdf, url: nc4_features.nc, select: {x: \"0:1\"}}\n" + target:            "",
		"source: {driver: netcdf, url: model.nc, include: [none]}\n" + target:                        "",
	} {
		if want == "" {
			continue
		}
		j, err := jobfile.Parse("job.yaml", []byte("zmigrate: 1\n"+text), dir, jobfile.LoadOptions{})
		if err == nil {
			var p *plan.Plan
			if p, err = plan.New(t.Context(), j, jobtest.Environment()); err == nil {
				jobtest.Close(t, p)
				var table *Table
				if table, err = New(t.Context(), p, jobtest.Environment()); err == nil {
					_, err = table.Run(t.Context(), Options{})
				}
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v\nwant %s", text, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "refs.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}
}

// Several files become one data set, as in a conversion.
func TestJoined(t *testing.T) {
	dir := sourcetest.Unzip(t, testdata+"netcdf4.zip")
	for name, from := range map[string]string{"0.nc": "netcdf3_classic.nc", "1.nc": "netcdf3_classic.nc"} {
		data, err := os.ReadFile(testdata + from)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for form, target := range forms {
		for _, source := range []string{
			"url: [part_0.nc, part_1.nc], concat: t",
			"url: [0.nc, 1.nc], concat: time, order: allow",
		} {
			job := "zmigrate: 1\nsource: {driver: netcdf, " + source + "}\n"
			table, _, err := writtenWith(t, dir, job+"target: {url: "+target+", references: "+form+", existing: overwrite}\n", none)
			if err != nil {
				t.Errorf("%s: %v", source, err)
				continue
			}
			referred := 0
			for _, a := range table.Arrays {
				if !a.Inline {
					referred++
				} else {
					t.Log(a.Source, a.Why)
				}
			}
			want := planned(t, dir, job+"target: {url: want.zarr}\n")
			got := planned(t, dir, "zmigrate: 1\nsource: {driver: zarr, url: "+target+"}\ntarget: {url: got.zarr}\n")
			if n := sameAs(t, want, got); n != len(want.Arrays) || referred < 2 {
				t.Errorf("%s: %d arrays of %d, %d referred to", source, n, len(want.Arrays), referred)
			}
		}
	}
}

// An array that is too large for the table and to whose chunks no reference can lead is an error
// that names the reason, or is left out if the job says so and does not name it.
func TestLarge(t *testing.T) {
	dir := sourcetest.Unzip(t, testdata+"netcdf4.zip")
	job := func(more string) string {
		return "zmigrate: 1\nsource: {driver: netcdf, url: vlstr_type.nc" + more + "}\ntarget: {url: refs.json, references: json, existing: overwrite}\n"
	}
	small := bounds{most: 10, array: 10}
	_, _, err := writtenWith(t, dir, job(""), small)
	if err == nil || !strings.Contains(err.Error(), "no reference can lead to its chunks: the elements are not stored in the form in which Zarr stores string") || !strings.Contains(err.Error(), "source.exclude leaves it out") {
		t.Error(err)
	}
	table, _, err := writtenWith(t, dir, job(", unsupported: skip"), small)
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, f := range table.Findings {
		if f.Warning && f.Code == sources.LeftOut {
			left++
		}
	}
	if left == 0 {
		t.Errorf("nothing is left out: %v", table.Findings)
	}
}

// A folder without .zmetadata holds what an interrupted run has left, which the next run replaces.
// A folder that holds anything else stays, and so does a file in its place.
func TestFolder(t *testing.T) {
	dir := sourcetest.Unzip(t, testdata+"netcdf4.zip")
	job := func(target string) string {
		return "zmigrate: 1\nsource: {driver: netcdf, url: rotated_pole.nc}\ntarget: {url: " + target + ", references: parquet, existing: overwrite}\n"
	}
	if _, _, err := written(t, dir, job("refs.parq")); err != nil {
		t.Fatal(err)
	}
	stale := filepath.Join(dir, "refs.parq", "gone", "refs.0.parq")
	err := errors.Join(os.Remove(filepath.Join(dir, "refs.parq", zarr.ConsolidatedKeyV2)), os.Mkdir(filepath.Dir(stale), 0o700), os.WriteFile(stale, nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	again := strings.ReplaceAll(job("refs.parq"), "overwrite", "resume")
	if _, r, err := written(t, dir, again); err != nil || r.Nothing {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := os.Stat(stale); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file of another table: %v", err)
	}
	if _, r, err := written(t, dir, again); err != nil || !r.Nothing {
		t.Errorf("%+v, %v", r, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "refs.parq", "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{"refs.parq": "notes.txt", "model.nc": "file"} {
		if _, _, err := written(t, dir, job(target)); !errors.Is(err, run.ErrTargetExists) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// If a file of a table cannot be written, the message names that file and no array: files of
// references are written when the next array begins. An error about the source names the array.
func TestFaults(t *testing.T) {
	dir := sourcetest.Unzip(t, testdata+"netcdf4.zip")
	p := planned(t, dir, "zmigrate: 1\nsource: {driver: netcdf, url: rotated_pole.nc}\ntarget: {url: refs.parq, references: parquet}\n")
	for _, form := range []string{"parquet", "json"} {
		var keys []string // in the order in which they are written
		fault := errors.New("no space")
		env := jobtest.Environment()
		fails := -1
		env.Fault = func(op, key string) error {
			if op != "put" || strings.Contains(key, "lock") {
				return nil
			}
			keys = append(keys, key)
			if len(keys)-1 == fails {
				return fault
			}
			return nil
		}
		for fails = -1; fails < len(keys); fails++ {
			p.Job.Target.URL, p.Job.Target.References = filepath.Join(t.TempDir(), forms[form]), form
			table, err := newTable(t.Context(), p, env, none)
			if err != nil {
				t.Fatal(err)
			}
			all := keys
			keys = nil
			_, err = table.Run(t.Context(), Options{})
			if fails < 0 {
				if err != nil || len(keys) == 0 || form == "parquet" && len(keys) < 3 {
					t.Fatalf("%s: %q are written, %v", form, keys, err)
				}
				continue
			}
			if !errors.Is(err, fault) || !strings.HasPrefix(err.Error(), "target: ") || !strings.Contains(err.Error(), all[fails]) || strings.Contains(err.Error(), "array") {
				t.Errorf("%s: %s fails: %v", form, all[fails], err)
			}
			keys = all
		}
	}
}
