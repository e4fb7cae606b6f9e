//go:build !nos3 && !nogcs && !noazure

package store

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSameName asks stores whether two names name the same object.
func TestSameName(t *testing.T) {
	one := map[string]bool{filepath.Join(t.TempDir(), "root"): false, "mem://bucket/x": false}
	folding := t.TempDir()
	if exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "casefold", "tmpfs", folding).Run() == nil {
		t.Cleanup(func() {
			if err := exec.Command("umount", folding).Run(); err != nil {
				t.Errorf("umount %s: %v", folding, err)
			}
		})
		if err := exec.CommandContext(t.Context(), "chattr", "+F", folding).Run(); err == nil {
			one[filepath.Join(folding, "root")] = true
		}
	} else {
		t.Log("no file system here takes SST and sst for one name")
	}
	for url, want := range one {
		s := open(t, url, Options{})
		for _, names := range [][2]string{{"SST", "sst"}, {"e\u0301", "\u00e9"}} {
			if got, err := s.SameName(t.Context(), names[0], names[1]); err != nil || got != want {
				t.Errorf("%s: %q: %t, %v, want %t", url, names, got, err, want)
			}
		}
		if got, err := s.SameName(t.Context(), "x", "y"); err != nil || got {
			t.Errorf("%s: %t, %v", url, got, err)
		}
		if s.Local() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff([]string{"root/"}, tree(t, filepath.Dir(url))); diff != "" {
				t.Errorf("left behind (-want +got):\n%s", diff)
			}
		}
	}
}

// TestSameNameFails: the error of the file system is not an answer.
func TestSameNameFails(t *testing.T) {
	broken := errors.New("broken")
	s := open(t, t.TempDir()+"/root", Options{Retries: -1, Fault: func(string, string) error { return broken }})
	if same, err := s.SameName(t.Context(), "a", "A"); same || !errors.Is(err, broken) {
		t.Errorf("the same: %t, %v", same, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if same, err := open(t, file+"/root", Options{}).SameName(t.Context(), "a", "A"); same || err == nil {
		t.Errorf("below a file the names are the same: %t, %v", same, err)
	}
}
