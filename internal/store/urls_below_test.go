//go:build !nos3 && !nogcs && !noazure

package store_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store"
)

func TestBelow(t *testing.T) {
	dir := t.TempDir()
	memory := store.Options{Memory: &store.Memory{}}
	for _, place := range []struct {
		url  string
		opt  store.Options
		join func(key string) string
	}{
		{dir, store.Options{}, func(key string) string { return filepath.Join(dir, filepath.FromSlash(key)) }},
		{"mem://bucket/a", memory, func(key string) string { return "mem://bucket/a/" + key }},
	} {
		s, err := store.Open(t.Context(), place.url, place.opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"x10", "x2", "year=2020/part-1", "year=2020/part-0"} {
			if err := s.Put(t.Context(), key, []byte("data")); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(s.Sync(t.Context()), s.Close()); err != nil {
			t.Fatal(err)
		}
		got, err := store.Below(t.Context(), place.url, place.opt)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{place.join("x2"), place.join("x10"), place.join("year=2020/part-0"), place.join("year=2020/part-1")}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", place.url, diff)
		}
		for _, url := range got { // each is the name of the object
			folder, key, err := store.Split(url)
			if err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(t.Context(), folder, place.opt)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Stat(t.Context(), key); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		if list, err := store.Below(t.Context(), "ftp://host/x", place.opt); err == nil {
			t.Errorf("a URL that nobody can open has %q", list)
		}
		if none, err := store.Below(t.Context(), place.url+"/none", place.opt); err != nil || none != nil {
			t.Errorf("no folder: got %v, %v", none, err)
		}
	}
}

// TestBelowOfRefusedList must not take a part of the objects for all of them.
func TestBelowOfRefusedList(t *testing.T) {
	refused := errors.New("refused")
	fault := func(op, _ string) error {
		if op == "list" {
			return refused
		}
		return nil
	}
	if _, err := store.Below(t.Context(), "mem://bucket/a", store.Options{Memory: &store.Memory{}, Fault: fault}); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
}
