package hdf5_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

func TestIs(t *testing.T) {
	const signature = "\x89HDF\r\n\x1a\n"
	for beginning, want := range map[string]bool{
		signature:                               true,
		strings.Repeat("x", 512) + signature:    true,
		strings.Repeat("x", 4096) + signature:   true,
		strings.Repeat("x", 1000) + signature:   false,
		signature[:7]:                           false,
		"":                                      false,
		"CDF\x01" + strings.Repeat("\x00", 999): false,
	} {
		if hdf5.Is([]byte(beginning)) != want {
			t.Errorf("%d bytes, the last of them %q: want %v", len(beginning), beginning[max(len(beginning)-8, 0):], want)
		}
	}
}

// TestOrder has links and attributes in the order of their creation.
func TestOrder(t *testing.T) {
	f := open(t, readZip(t, "testdata/golden.zip")["order.h5"])
	names := func(path string) (links, attributes []string) {
		o := object(t, f, path)
		all, err := o.Links(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range all {
			links = append(links, l.Name)
		}
		list, err := o.Attributes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range list {
			attributes = append(attributes, a.Name)
		}
		return links, attributes
	}
	root, _ := names("/")
	if diff := cmp.Diff([]string{"g3", "g1", "g2", "dense"}, root); diff != "" {
		t.Errorf("the root's links (-want +got):\n%s", diff)
	}
	if _, got := names("g1"); !slices.Equal(got, []string{"z", "a"}) {
		t.Errorf("attributes %q", got)
	}
	links, attributes := names("dense")
	if len(links) != 100 || slices.IsSorted(links) || len(attributes) != 100 {
		t.Fatalf("%d links and %d attributes, or they are sorted", len(links), len(attributes))
	}
	for i := range links {
		if links[i][1:] != attributes[i][1:] {
			t.Errorf("link %d is %s, attribute %s", i, links[i], attributes[i])
		}
	}
}

func TestFind(t *testing.T) {
	f := open(t, readZip(t, "testdata/golden.zip")["v110.h5"])
	groups, err := f.Find(t.Context(), f.Root(), "groups")
	if err != nil {
		t.Fatal(err)
	}
	want, err := f.Find(t.Context(), groups.Address, "group 07/inner/v")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"soft", "/groups/soft", "cycle/self/cycle/self/soft", "./group 07//inner/v"} {
		if got, err := f.Find(t.Context(), groups.Address, path); err != nil || got != want {
			t.Errorf("%s: address %d and error %v, want %d", path, got.Address, err, want.Address)
		}
	}
	// The links of this group went through filters.
	if want, err = f.Find(t.Context(), groups.Address, "group 03/inner/v"); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Find(t.Context(), groups.Address, "packed/a link with a long name, number 79"); err != nil || got != want {
		t.Errorf("address %d and error %v, want %d", got.Address, err, want.Address)
	}
	for _, path := range []string{"nothing", "soft/below", "dangling", "external"} {
		if _, err := f.Find(t.Context(), groups.Address, path); !errors.Is(err, hdf5.ErrNoObject) {
			t.Errorf("%s: error %v", path, err)
		}
	}
}

// TestRefused: errors name what cannot be read.
func TestRefused(t *testing.T) {
	f := open(t, readZip(t, "testdata/golden.zip")["refused.h5"])
	for name, want := range map[string]string{
		"external": `the elements are in "other.bin"`,
		"virtual":  "virtual dataset",
		"sz3":      "sz3 (filter 32024): it has no decoder here",
	} {
		_, err := object(t, f, name).Dataset(t.Context())
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
	root := object(t, f, "/")
	if _, err := root.Dataset(t.Context()); err == nil {
		t.Error("the root is a dataset")
	}
	if _, err := object(t, f, "virtual").Links(t.Context()); err == nil {
		t.Error("a dataset has links")
	}
}

// TestUnread has a Reader that fails.
func TestUnread(t *testing.T) {
	data := readZip(t, "testdata/golden.zip")["tiny_plain.h5"]
	m := &memory{data: data[:len(data)/2]}
	if _, err := hdf5.Open(t.Context(), m, int64(len(data)), hdf5.Options{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", err)
	}
}

// TestSmallCache reads files with room for a single page.
func TestSmallCache(t *testing.T) {
	files := readZip(t, "testdata/golden.zip")
	for _, name := range []string{"tiny_checked.h5", "tiny_plain.h5", "order.h5"} {
		want, err := everything(t.Context(), files[name], hdf5.NewShared(0))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := everything(t.Context(), files[name], hdf5.NewShared(1)); err != nil || got != want {
			t.Errorf("%s: what is read differs, error %v", name, err)
		}
	}
}
