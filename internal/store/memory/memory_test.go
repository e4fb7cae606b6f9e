package memory

import (
	"errors"
	"fmt"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/location"
)

// TestPages lists more objects and folders than a page has. Each comes once, and in order.
func TestPages(t *testing.T) {
	b := New(location.Location{Scheme: "mem", Host: "n", Path: "p"}, nil)
	const folders = 2*driver.ListPage + 7
	for i := range folders {
		for k := range 2 {
			if _, err := b.Put(t.Context(), fmt.Sprintf("%05d/%d", i, k), nil, driver.Condition{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	next := 0
	for list, err := b.Folders(""), error(nil); err == nil; {
		var names []string
		if names, err = list(t.Context()); err != nil && !errors.Is(err, driver.ErrEnd) || len(names) > driver.ListPage {
			t.Fatalf("%d folders, %v", len(names), err)
		}
		for _, name := range names {
			if want := fmt.Sprintf("%05d", next); name != want {
				t.Fatalf("folder %s, want %s", name, want)
			}
			next++
		}
	}
	if next != folders {
		t.Errorf("%d folders", next)
	}
	next = 0
	for list, err := b.List(""), error(nil); err == nil; {
		var page []driver.Info
		if page, err = list(t.Context()); err != nil && !errors.Is(err, driver.ErrEnd) || len(page) > driver.ListPage {
			t.Fatalf("%d objects, %v", len(page), err)
		}
		for _, info := range page {
			if want := fmt.Sprintf("%05d/%d", next/2, next%2); info.Key != want {
				t.Fatalf("object %s, want %s", info.Key, want)
			}
			next++
		}
	}
	if next != 2*folders {
		t.Errorf("%d objects", next)
	}
}
