package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// opened returns the driver of a new folder.
func opened(t *testing.T) *Driver {
	t.Helper()
	d := New(filepath.Join(t.TempDir(), "root"), "")
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// keys lists all objects.
func keys(t *testing.T, d *Driver) (keys []string) {
	t.Helper()
	for next := d.List(""); ; {
		page, err := next(t.Context())
		for _, info := range page {
			keys = append(keys, info.Key)
		}
		if errors.Is(err, driver.ErrEnd) {
			return keys
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestLocalBatchOfManyBytes: a batch is full by its bytes, too. An object that takes the
// place of one that waits counts instead of that one, and one that is deleted does not.
func TestLocalBatchOfManyBytes(t *testing.T) {
	d := opened(t)
	const share = batchBytes / 4
	for i, step := range []struct {
		key     string
		visible int
	}{{"a", 0}, {"b", 0}, {"a", 0}, {"c", 0}, {"-b", 0}, {"d", 0}, {"e", 4}} {
		var err error
		if key, deletes := strings.CutPrefix(step.key, "-"); deletes {
			err = d.Delete(t.Context(), key)
		} else {
			w, e := d.stage([]byte(step.key))
			if e != nil {
				t.Fatal(e)
			}
			w.size = share // as if there were so many bytes
			err = d.join(t.Context(), key, w)
		}
		if err != nil {
			t.Fatal(err)
		}
		if n := len(keys(t, d)); n != step.visible {
			t.Errorf("step %d, %s: %d objects are visible, want %d", i, step.key, n, step.visible)
		}
	}
}

func TestOpenFilesCacheIsBounded(t *testing.T) {
	d := opened(t)
	objects := make(map[string]string)
	for i := range 200 {
		objects[fmt.Sprint(i)] = fmt.Sprintf("%03d", i)
	}
	for key, text := range objects {
		if _, err := d.Put(t.Context(), key, []byte(text), driver.Condition{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for key, want := range objects {
				p := make([]byte, 3)
				if err := d.Read(t.Context(), key, p, 0, driver.Info{}); err != nil || string(p) != want {
					t.Errorf("%s: %q, %v", key, p, err)
				}
			}
		})
	}
	wg.Wait()
	files := d.files
	if n := files.order.Len(); n != files.limit || n != len(files.byName) {
		t.Errorf("%d files open, %d by name", n, len(files.byName))
	}
}

// TestLocalAbortAfterFailedClose gives up an object that waits in a full batch. The batch
// could not be published.
func TestLocalAbortAfterFailedClose(t *testing.T) {
	d := opened(t)
	ctx, cancel := context.WithCancel(t.Context())
	w, err := d.Begin(ctx, "k", driver.Condition{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if err := w.Part(ctx, n, []byte("part")); err != nil {
			t.Fatal(err)
		}
	}
	for i := range batchFiles - 1 {
		if _, err := d.Put(t.Context(), fmt.Sprint(i), nil, driver.Condition{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.lock(t.Context()); err != nil { // as if another batch were being published
		t.Fatal(err)
	}
	cancel() // before Complete gets the lock
	if _, err := w.Complete(ctx, driver.Condition{}); !errors.Is(err, context.Canceled) {
		t.Errorf("close: %v", err)
	}
	d.unlock()
	if err := w.Abort(t.Context()); err != nil {
		t.Errorf("abort: %v", err)
	}
	if err := d.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(d.staging)
	if got := keys(t, d); len(got) != batchFiles-1 || slices.Contains(got, "k") || len(left) != 0 || err != nil {
		t.Errorf("%d objects, %d unfinished, %v", len(got), len(left), err)
	}
}

// TestSameName: one name names one object.
func TestSameName(t *testing.T) {
	if same, err := opened(t).SameName("x", "x"); err != nil || !same {
		t.Errorf("one name: %t, %v", same, err)
	}
}

// TestSameNameOfNothing: where no folder can be made, nothing tells whether two names are one.
func TestSameNameOfNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := New(filepath.Join(file, "root"), "")
	t.Cleanup(func() { _ = d.Close() })
	if same, err := d.SameName("a", "A"); err == nil {
		t.Errorf("the same: %t", same)
	}
}
