//go:build !nos3 && !nogcs && !noazure

package store

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store/limits"
)

// TestBudgetIsShared makes requests through several stores of one budget.
func TestBudgetIsShared(t *testing.T) {
	const perSecond, requests = 200, 80
	budget := limits.New(perSecond)
	var all sync.WaitGroup
	began := time.Now()
	for range 4 {
		s := open(t, "mem://name", Options{Limits: budget})
		all.Go(func() {
			for range requests / 4 {
				if err := s.Put(t.Context(), "k", nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	// A tenth of a second's requests may come at once.
	if took, least := time.Since(began), (requests-perSecond/10)*time.Second/perSecond; took < least {
		t.Errorf("%d requests took %v, want at least %v", requests, took, least)
	}
	if diff := cmp.Diff(limits.Traffic{Requests: requests}, budget.Traffic()); diff != "" {
		t.Errorf("traffic (-want +got):\n%s", diff)
	}
}

// TestBudgetIsNamed: a place behind a network is not opened without a request budget.
// A pattern and an archive are opened like a folder.
func TestBudgetIsNamed(t *testing.T) {
	for _, url := range []string{"https://h/x", "http://h/x.zip", "s3://b/x?region=r&anonymous=true", "gs://b/x?anonymous=true", "azblob://b/x?anonymous=true&storage_account=a"} {
		if _, err := Open(t.Context(), url, Options{}); !errors.Is(err, errNoBudget) {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := Glob(t.Context(), "s3://b/x*", Options{}); !errors.Is(err, errNoBudget) {
		t.Errorf("a pattern: %v", err)
	}
}

// A local store makes no requests.
func TestBudgetIsNotForFiles(t *testing.T) {
	budget := limits.New(1e-9)
	s := open(t, t.TempDir(), Options{Limits: budget})
	for range 10 {
		if err := errors.Join(s.Put(t.Context(), "k", nil), s.Sync(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	if got := budget.Traffic(); got != (limits.Traffic{}) {
		t.Errorf("traffic %+v", got)
	}
}

// TestOutageCountsApart has a server that is out of reach for all attempts but one, and
// that then answers another operation. The operation that waited has all its attempts
// again, and no more.
func TestOutageCountsApart(t *testing.T) {
	const retries = 4
	budget := limits.New(0)
	attempts := 0
	client := func(fault func(op, key string) error) *Store {
		return open(t, "mem://bucket", Options{
			Limits: budget, Retries: retries, Fault: fault,
			Sleep: func(context.Context, time.Duration) error { return nil },
		})
	}
	other := client(nil)
	s := client(func(string, string) error {
		if attempts++; attempts > retries {
			if err := other.Put(t.Context(), "other", nil); err != nil {
				t.Error(err)
			}
		}
		return syscall.ECONNRESET
	})
	if err := s.Put(t.Context(), "k", nil); !limits.Passing(err) {
		t.Errorf("error %v, want one that may pass", err)
	}
	if want := retries + retries + 1; attempts != want {
		t.Errorf("%d attempts, want %d", attempts, want)
	}
}
