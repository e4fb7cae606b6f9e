package plan

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// TestNumberFillOfStrings plans strings of Zarr v2 whose fill value is the number 0, as
// zarr-python 2 writes it. It becomes the text "0", as in zarr-python 3, also in chunks that are
// not stored. A target that an earlier version has begun has the empty text in its place.
func TestNumberFillOfStrings(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "in.zarr"), 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"|O","fill_value":0,"order":"C","filters":[{"id":"vlen-utf8"}],"compressor":null}`
	if err := os.WriteFile(filepath.Join(dir, "in.zarr", ".zarray"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := jobfile.Parse("job.yaml", []byte("zmigrate: 1\nsource: {driver: zarr, url: in.zarr}\ntarget: {url: out.zarr}\n"), dir, jobfile.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	check := func(want string) {
		t.Helper()
		p := planOf(t, j)
		a := &p.Arrays[0]
		got := ndarray.New(dtype.StringType, []int{2})
		if err := p.Task(a).Source.ReadRegion(t.Context(), got, []int{0}); err != nil {
			t.Fatal(err)
		}
		if !ndarray.Uniform(got, dtype.Scalar(want)) {
			t.Errorf("not all elements are %q", want)
		}
		if string(a.Meta.Fill) != want {
			t.Errorf("the fill value is %q, want %q", a.Meta.Fill, want)
		}
	}
	check("0")
	p := planOf(t, j)
	now, err := p.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	former := *p.Arrays[0].Meta
	former.Fill = dtype.Scalar{}
	beginCheckpoint(t, j, withDigest(t, now, p.Arrays[0].Meta, &former))
	check("")
}
