package references

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// table is a table in memory.
type table map[string]Reference

func (t table) Find(_ context.Context, key string) (Reference, error) {
	r, ok := t[key]
	if !ok {
		return r, fs.ErrNotExist
	}
	return r, nil
}

func (t table) Pages(prefix string) func(context.Context) ([]Entry, error) {
	return func(context.Context) (list []Entry, _ error) {
		for _, key := range slices.Sorted(maps.Keys(t)) {
			if strings.HasPrefix(key, prefix) {
				list = append(list, Entry{key, t[key]})
			}
		}
		return list, driver.ErrEnd
	}
}

func (t table) Folders(context.Context, string) ([]string, error) { return []string{"a"}, nil }

// files are files in memory.
type files map[string]string

func (f files) Read(_ context.Context, url string, p []byte, off int64) error {
	text, ok := f[url]
	if !ok {
		return fmt.Errorf("read %s: %w", url, fs.ErrNotExist)
	}
	if off > int64(len(text)-len(p)) {
		return fmt.Errorf("read %s: %w", url, driver.ErrChanged)
	}
	copy(p, text[off:])
	return nil
}

func (f files) Stat(_ context.Context, url string) (driver.Info, error) {
	text, ok := f[url]
	if !ok {
		return driver.Info{}, fs.ErrNotExist
	}
	return driver.Info{Size: int64(len(text)), ETag: "e"}, nil
}

func newDriver() *Driver {
	return New(table{
		"inline": {Inline: []byte("inline")}, "a/part": {URL: "x", Off: 2, Len: 3}, "a/whole": {URL: "x", Len: -1}, "a/gone": {URL: "none", Len: 3}, "a/gone whole": {URL: "none", Len: -1},
		"a/behind": {URL: "x", Off: 8, Len: 3}, "a/far": {URL: "x", Off: 1<<63 - 2, Len: 1 << 40}, "a/empty": {URL: "x", Off: 3},
	}, files{"x": "0123456789"})
}

// TestRead reads objects, whole and in parts.
func TestRead(t *testing.T) {
	d := newDriver()
	for key, want := range map[string]string{"inline": "inline", "a/part": "234", "a/whole": "0123456789", "a/empty": ""} {
		data, _, err := d.ReadAll(t.Context(), key, 100, func(n int) []byte { return make([]byte, n) })
		if err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", key, data, err)
		}
		info, err := d.Stat(t.Context(), key)
		if err != nil || info.Size != int64(len(want)) || info.Key != key || (info.ETag == "e") != strings.HasPrefix(key, "a/") {
			t.Errorf("%s: %+v, %v", key, info, err)
		}
		if len(want) > 1 {
			p := make([]byte, len(want)-1)
			if err := d.Read(t.Context(), key, p, 1, driver.Info{}); err != nil || string(p) != want[1:] {
				t.Errorf("%s: %q, %v", key, p, err)
			}
			var short *driver.ShortError
			if err := d.Read(t.Context(), key, p, 2, driver.Info{}); !errors.As(err, &short) {
				t.Errorf("%s: bytes behind the end: %v", key, err)
			}
			if _, _, err := d.ReadAll(t.Context(), key, int64(len(want)-1), nil); !errors.Is(err, driver.ErrTooLarge) {
				t.Errorf("%s: a low limit: %v", key, err)
			}
		}
	}
	if _, err := d.Stat(t.Context(), "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an object without a reference: %v", err)
	}
}

// TestReadFails: a file that is missing is not a missing object, and each error is one about a
// reference.
func TestReadFails(t *testing.T) {
	d := newDriver()
	for _, key := range []string{"a/gone", "a/gone whole", "a/behind", "a/far"} {
		err := d.Read(t.Context(), key, make([]byte, 3), 0, driver.Info{})
		if key == "a/far" {
			err = d.Read(t.Context(), key, make([]byte, 3), 1<<30, driver.Info{})
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "reference") {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := d.Stat(t.Context(), "a/gone"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stat: %v", err)
	}
}

// TestList lists objects with their sizes, and folders once.
func TestList(t *testing.T) {
	d := newDriver()
	page, err := d.List("a/")(t.Context())
	if !errors.Is(err, driver.ErrEnd) || len(page) != 7 {
		t.Fatalf("%+v, %v", page, err)
	}
	for _, info := range page {
		if want := map[string]int64{"a/part": 3, "a/whole": 0}; info.Size != want[info.Key] && want[info.Key] != 0 {
			t.Errorf("%+v", info)
		}
	}
	next := d.Folders("")
	if names, err := next(t.Context()); err != nil || !slices.Equal(names, []string{"a"}) {
		t.Errorf("%q, %v", names, err)
	}
	if _, err := next(t.Context()); !errors.Is(err, driver.ErrEnd) {
		t.Errorf("got %v", err)
	}
	if _, err := d.Put(t.Context(), "x", nil, driver.Condition{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("put: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
