//go:build !nos3 && !nogcs && !noazure

package store

import (
	"errors"
	"os"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// TestNoWorkingDirectory opens a relative path where the working directory was removed.
func TestNoWorkingDirectory(t *testing.T) {
	dir := t.TempDir() + "/gone"
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.Remove(dir); err != nil {
		t.Skip("this system removes no working directory:", err)
	}
	if s, err := Open(t.Context(), "x", Options{}); err == nil || s != nil {
		t.Errorf("opened %v, %v", s, err)
	}
	if got := Resolved("x"); got != "x" {
		t.Errorf("resolved %q", got)
	}
	if got, err := Sibling(".", ".s"); err == nil {
		t.Errorf("the sibling is %q", got)
	}
}

// TestGlobOfNoStore looks for folders in a place that cannot be opened.
func TestGlobOfNoStore(t *testing.T) {
	if urls, err := GlobFolders(t.Context(), "s3://bucket/a*/b", Options{}); !errors.Is(err, errNoBudget) {
		t.Errorf("got %q, %v", urls, err)
	}
}

// TestJoinOfNoURL resolves what is no URL.
func TestJoinOfNoURL(t *testing.T) {
	if url, err := Join("data", "s3:x"); err == nil {
		t.Errorf("got %q", url)
	}
}

// TestDefaultRetries: a store repeats requests unless the options say that it does not.
func TestDefaultRetries(t *testing.T) {
	for retries, want := range map[int]bool{0: true, 3: true, -1: false} {
		var c clock
		failed := 0
		s := open(t, "mem://n", Options{Retries: retries, Sleep: c.sleep, Fault: func(string, string) error {
			if failed++; failed == 1 {
				return driver.ConnectionError{Cause: errors.New("busy")}
			}
			return nil
		}})
		if err := s.Put(t.Context(), "k", []byte("x")); (err == nil) != want {
			t.Errorf("%d retries: %v", retries, err)
		}
		if open(t, "mem://n", Options{Retries: retries}).requests.Sleep == nil {
			t.Error("nothing sleeps between two attempts")
		}
	}
}
