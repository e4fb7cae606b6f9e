package zarr_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// TestDetect judges places by their names and by what is in them.
func TestDetect(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"v3/zarr.json": group, "v2/.zarray": v2(t, nil), "g2/.zgroup": groupV2, "c2/.zmetadata": "{}", "other/a.nc": "CDF", "deep/a/zarr.json": group,
		"name.zarr/x": "", "file.zarr": "x", "archive.zip": "PK\x03\x04", "file.nc": "CDF",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	var memory store.Memory
	st, err := store.Open(t.Context(), "mem://b", store.Options{Memory: &memory})
	if err == nil {
		err = errors.Join(st.Put(t.Context(), "v3/zarr.json", []byte(group)), st.Put(t.Context(), "other/a.nc", []byte("CDF")), st.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	drivers := sources.Drivers{zarr.Driver()}
	for place, want := range map[string]sources.Confidence{
		dir + "/v3": sources.Certain, dir + "/v2": sources.Certain, dir + "/g2": sources.Certain, dir + "/c2": sources.Certain,
		dir + "/other": sources.Possible, dir + "/deep": sources.Possible, dir + "/name.zarr": sources.Certain, dir + "/file.zarr": sources.Likely,
		dir + "/archive.zip": sources.Certain, dir + "/file.nc": sources.No, dir + "/none": sources.No,
		"mem://b/v3": sources.Certain, "mem://b/none.zarr": sources.Certain, "mem://b/none.zip": sources.Certain, "mem://b/other": sources.Possible, "mem://b/none": sources.No,
	} {
		_, got, err := drivers.Detect(t.Context(), place, store.Options{Memory: &memory})
		if got != want || (err != nil) != (want == sources.No) {
			t.Errorf("%s: confidence %v, want %v; %v", place, got, want, err)
		}
	}
}

// TestExpand: a glob names folders, or archives if its name says so.
func TestExpand(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/zarr.json", "b/zarr.json", "c.zip", "d.zip"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for glob, want := range map[string][]string{"?": {"a", "b"}, "*.zip": {"c.zip", "d.zip"}} {
		got, err := zarr.Driver().Expand(t.Context(), filepath.Join(dir, glob), store.Options{})
		for i := range got {
			got[i] = filepath.Base(got[i])
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", glob, err, diff)
		}
	}
}

// TestOpenRequest opens one hierarchy as it is, and joins several.
func TestOpenRequest(t *testing.T) {
	p := newPlace(t, map[string]string{"zarr.json": group, "a/zarr.json": v3(t, map[string]any{"dimension_names": []string{"y", "x"}})})
	driver := zarr.Driver()
	for _, test := range []struct {
		urls []string
		join sources.Joining
		want []int
	}{
		{[]string{url}, sources.Joining{}, []int{4, 4}},
		{[]string{url}, sources.Joining{Stack: "time"}, []int{1, 4, 4}},
		{[]string{url, url}, sources.Joining{Concat: "y"}, []int{8, 4}},
	} {
		src, err := driver.Open(t.Context(), sources.Request{URLs: test.urls, From: test.urls, Store: p.options().Store, Join: test.join})
		if err != nil {
			t.Fatal(err)
		}
		a, err := src.Array(t.Context(), "a")
		if err != nil || !slices.Equal(a.Info().Shape, test.want) {
			t.Errorf("%v, %+v: %v, %v", test.urls, test.join, a, err)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
}
