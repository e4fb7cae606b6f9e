package jobs_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/combine"
	"github.com/zmigrate/zmigrate/sources/drivers"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// textDriver is the driver of a format that a program adds: a line #numbers, then lines of
// numbers. The driver uses only packages that a program outside of this module can import.
func textDriver() sources.Driver {
	return sources.Driver{
		Name: "numbers", Aliases: []string{"text"}, Title: "Numbers",
		Signatures: []sources.Signature{{Begins: "#numbers\n", What: "a text of numbers"}},
		Open: func(ctx context.Context, r sources.Request) (sources.Source, error) {
			files, err := sources.OpenFiles(ctx, r.URLs, r.Store)
			if err != nil {
				return nil, err
			}
			return combine.Open(ctx, combine.Members{Names: files.Names(r.URLs), Origin: files,
				Open: func(ctx context.Context, i int) (sources.Hierarchy, error) {
					f := files.Get(r.URLs[i])
					if f.Err != nil {
						return nil, f.Err
					}
					text, err := f.Store.ReadAll(ctx, f.Key, 1<<20)
					if err != nil {
						return nil, err
					}
					return parseText(f.URL, text)
				}}, r.Join)
		},
	}
}

// table is a file, and its only array.
type table struct {
	info   sources.Info
	values []float64
}

func parseText(url string, text []byte) (*table, error) {
	t := &table{}
	rows, columns := 0, 0
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan(); lines.Scan(); rows++ {
		fields := strings.Fields(lines.Text())
		if rows > 0 && len(fields) != columns {
			return nil, fmt.Errorf("%s: row %d has %d numbers, not %d", url, rows, len(fields), columns)
		}
		columns = len(fields)
		for _, field := range fields {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return nil, fmt.Errorf("%s: row %d: %w", url, rows, err)
			}
			t.values = append(t.values, v)
		}
	}
	t.info = sources.Info{Path: "table", Type: dtype.Float64, Shape: []int{rows, columns}, DimensionNames: []string{"row", "column"}}
	t.info.Attributes = t.info.Attributes.With("add_offset", []byte("0.5")).With("scale_factor", []byte("2"))
	return t, nil
}

func (t *table) Groups() []sources.Group                              { return []sources.Group{{}} }
func (t *table) Arrays() []string                                     { return []string{t.info.Path} }
func (t *table) Array(context.Context, string) (sources.Array, error) { return t, nil }
func (t *table) Info() *sources.Info                                  { return &t.info }
func (t *table) ReadRegion(_ context.Context, dst ndarray.Array, start []int) error {
	if err := sources.CheckRegion(&t.info, dst, start); err != nil {
		return err
	}
	ndarray.Copy(dst, ndarray.From(t.values, t.info.Shape).Sub(ndarray.Region{Start: start, Shape: dst.Shape}))
	return nil
}

// TestFormatOfAProgram adds a format to those of the program: it is detected, inspected,
// planned and migrated, and several of its files become one.
func TestFormatOfAProgram(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a": "#numbers\n1 2\n3 4\n", "b": "#numbers\n5 6\n", "bad": "#numbers\n1 2\n3\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	types, known := dtype.Standard(), append(drivers.Standard(), textDriver())
	env := jobs.Environment{Codecs: standard.Registry(types), Drivers: known}

	format, nodes, err := jobs.Inspect(t.Context(), filepath.Join(dir, "a"), env)
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes) != 2 || format != "Numbers" || nodes[1].Path != "table" || !slices.Equal(nodes[1].Shape, []int{2, 2}) {
		t.Errorf("inspect shows %s, %+v", format, nodes)
	}
	if name, err := jobs.DriverOf(t.Context(), filepath.Join(dir, "b"), env); name != "numbers" || err != nil {
		t.Errorf("driver %s, %v", name, err)
	}

	load := func(source string) (*jobs.Job, error) {
		text := "zmigrate: 1\nsource: " + source + "\ntarget: {url: " + t.TempDir() + "/out.zarr}\n"
		return jobs.Parse("job.yaml", []byte(text), dir, env)
	}
	for source, want := range map[string][]float64{
		"{driver: numbers, url: a}":                                      {1, 2, 3, 4},
		"{driver: text, url: [a, b], concat: row}":                       {1, 2, 3, 4, 5, 6},
		"{driver: text, url: '[ab]', concat: row, cf: unpack}":           {2.5, 4.5, 6.5, 8.5, 10.5, 12.5},
		"{driver: text, url: [a, b], concat: row, select: {row: '1:3'}}": {3, 4, 5, 6},
	} {
		j, err := load(source)
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Check(env.Codecs).Err(); err != nil {
			t.Error(err)
		}
		p, err := jobs.NewPlan(t.Context(), j, env)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close() //nolint:errcheck // only read
		if got := p.Arrays[0].Meta.Grid.Shape; !slices.Equal(got, []int{len(want) / 2, 2}) {
			t.Errorf("%s is planned with shape %v", source, got)
		}
		if _, err := jobs.Run(t.Context(), p, env, jobs.RunOptions{}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, elements(t, j.Target.URL, "table")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", source, diff)
		}
	}

	if _, err := load("{driver: number, url: a}"); err == nil || !strings.Contains(err.Error(), `did you mean "numbers"?`) {
		t.Errorf("a wrong name: %v", err)
	}
	if _, err := load("{driver: text, url: [a, b]}"); err == nil || !strings.Contains(err.Error(), "the job does not say how several files become one") {
		t.Errorf("several files: %v", err)
	}
	if _, _, err := jobs.Inspect(t.Context(), filepath.Join(dir, "bad"), env); err == nil || !strings.HasSuffix(err.Error(), "bad: row 1 has 1 numbers, not 2") || strings.Contains(err.Error(), "none of the drivers") {
		t.Errorf("a faulty file: %v", err)
	}
	j, err := load("{driver: parquet, url: a}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jobs.NewPlan(t.Context(), j, env); err == nil || !strings.Contains(err.Error(), "it is a text of numbers, for driver: numbers") {
		t.Errorf("a file of another format: %v", err)
	}
}

// elements reads all of an array.
func elements(t *testing.T, url, path string) []float64 {
	t.Helper()
	source, err := zarr.Open(t.Context(), url, zarr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close() //nolint:errcheck // only read
	a, err := source.Array(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	all := ndarray.New(dtype.Float64, a.Info().Shape)
	if err := a.ReadRegion(t.Context(), all, make([]int, len(all.Shape))); err != nil {
		t.Fatal(err)
	}
	values, _ := ndarray.As[float64](all)
	return values
}
