//go:build !nos3 && !nogcs && !noazure

package store

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// operations are the operations of an object of three parts.
var operations = []string{"open", "write", "write", "write", "close"}

// checkWriterFaults fails each operation for good.
func checkWriterFaults(t *testing.T, s *Store) {
	s.parts = 1 // one operation after the other
	data := random(1, threeParts(s))
	for at, op := range operations {
		var seen []string
		s.requests.Fault = func(op, _ string) error {
			if seen = append(seen, op); len(seen) == at+1 {
				return syscall.EACCES
			}
			return nil
		}
		w, err := s.NewWriter(t.Context(), "a/k")
		if err != nil {
			t.Fatal(err)
		}
		n, err := w.Write(data)
		if whole := op == "close" || at == 3; whole != (err == nil && n == len(data)) {
			t.Errorf("fault in %s %d: %d bytes written, %v", op, at, n, err)
		}
		err = w.Close()
		var named *fs.PathError
		if !errors.Is(err, syscall.EACCES) || !errors.As(err, &named) || named.Op != op || !strings.HasSuffix(named.Path, "a/k") {
			t.Errorf("fault in %s: %v", op, err)
		}
		if _, again := w.Write(data); again != err { //nolint:errorlint // the very error
			t.Errorf("fault in %s: a later write gives %v", op, again)
		}
		if diff := cmp.Diff(operations[:at+1], seen); diff != "" {
			t.Errorf("fault in %s: operations (-want +got):\n%s", op, diff)
		}
		if err := w.Abort(); err != nil {
			t.Errorf("fault in %s: abort: %v", op, err)
		}
		put(t, s, nil)
		if left, n := keys(t, s, ""), unfinished(t, s); len(left) != 0 || n != 0 {
			t.Errorf("fault in %s: %q and %d unfinished are left", op, left, n)
		}
	}
	s.requests.Fault = func(op, _ string) error {
		if op == "abort" || op == "put" {
			return syscall.EACCES
		}
		return nil
	}
	w, err := s.NewWriter(t.Context(), "a/k")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); !errors.Is(err, syscall.EACCES) {
		t.Errorf("abort: %v", err)
	}
	if err := write(t.Context(), s, "a/k", data[:10], 3); !errors.Is(err, syscall.EACCES) {
		t.Errorf("a small object: %v", err)
	}
	s.requests.Fault = nil
	if err := w.Abort(); err != nil {
		t.Errorf("abort again: %v", err)
	}
	if n := unfinished(t, s); n != 0 {
		t.Errorf("%d unfinished", n)
	}
}

// checkWriterRepeats fails each operation once, with a transient error.
func checkWriterRepeats(t *testing.T, s *Store) {
	s.parts = 1 // one operation after the other
	data := random(1, threeParts(s))
	impatient(s)
	calls := 0
	s.requests.Fault = func(string, string) error {
		if calls++; calls%2 == 1 {
			return syscall.ECONNRESET
		}
		return nil
	}
	if err := write(t.Context(), s, "k", data, 1<<20); err != nil {
		t.Fatal(err)
	}
	if got := s.Stats(); got.Requests != 2*int64(len(operations)) || got.Retries != int64(len(operations)) {
		t.Errorf("%+v", got)
	}
	put(t, s, nil)
	if got := get(t, s, "k"); got != string(data) {
		t.Error("holds something else")
	}
}
