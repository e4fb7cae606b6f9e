//go:build !nos3 && !nogcs && !noazure

package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// gate is a Guard that the test opens and shuts.
type gate struct {
	shut  atomic.Bool
	lost  atomic.Bool
	enter chan struct{} // gets an element for each wait
	opens chan struct{} // ends one wait
	end   atomic.Value  // context.CancelFunc of the last Enter
	proof func() error
}

func newGate() *gate {
	return &gate{enter: make(chan struct{}, 100), opens: make(chan struct{}, 100), proof: func() error { return nil }}
}

var (
	errShut     = errors.New("the gate is shut")
	errTakeover = errors.New("somebody else has the lock")
)

func (g *gate) Enter(ctx context.Context) (context.Context, context.CancelFunc, error) {
	for g.shut.Load() && !g.lost.Load() {
		g.enter <- struct{}{}
		select {
		case <-g.opens:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	if g.lost.Load() {
		return nil, nil, errTakeover
	}
	ctx, cancel := context.WithCancel(ctx)
	g.end.Store(cancel)
	return ctx, cancel, nil
}

func (g *gate) Check() error {
	if g.shut.Load() {
		return errShut
	}
	return nil
}

func (g *gate) Prove(context.Context) error { return g.proof() }

// conditional tells whether a store's puts are conditional under a guard.
func conditional(s *Store) bool { return !s.Local() && s.at.Scheme != "mem" }

// sibling opens the folder of a store once more.
func sibling(t *testing.T, s *Store) *Store {
	t.Helper()
	u := s.at
	if s.at.Scheme == "mem" {
		other := open(t, u.String(), Options{})
		other.driver = s.driver
		return other
	}
	return open(t, urlOfStore(s), Options{Parts: s.parts})
}

func urlOfStore(s *Store) string {
	if s.Local() {
		return s.at.Path
	}
	return s.at.Scheme + "://" + s.at.Host + "/" + s.at.Path + "?" + s.at.Query.Encode()
}

// checkVersions compares the versions that puts return with the versions in a list.
func checkVersions(t *testing.T, s *Store) {
	s.Guard(newGate())
	want := map[string]string{}
	for key, size := range map[string]int{"small": 10, "empty": 0, "replaced": 10, "pieces": threeParts(s)} {
		data := random(1, size)
		if key == "replaced" {
			put(t, s, map[string]string{key: "before"})
		}
		var version string
		var err error
		if key == "pieces" {
			var w *Writer
			if w, err = s.NewWriter(t.Context(), key); err != nil {
				t.Fatal(err)
			}
			if _, err = w.Write(data); err == nil {
				err = w.Close()
			}
			version = w.Version()
		} else {
			version, err = s.PutVersion(t.Context(), key, data)
		}
		if err != nil {
			t.Fatal(err)
		}
		if version == "" && s.at.Scheme != "mem" {
			t.Errorf("%s has no version", key)
		}
		want[key] = version
	}
	if err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	err := s.List(t.Context(), "", func(i Info) error {
		stat, err := s.Stat(t.Context(), i.Key)
		if s.VersionOf(stat) != s.VersionOf(i) {
			t.Errorf("%s: version %q in a list, %q of its own", i.Key, s.VersionOf(i), s.VersionOf(stat))
		}
		got[i.Key] = s.VersionOf(i)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("versions (-put +listed):\n%s", diff)
	}
}

// checkLatePut makes the new owner of a lock replace an object after the old owner has
// looked at the object, and before the old owner's put.
func checkLatePut(t *testing.T, s *Store) {
	if !conditional(s) {
		return
	}
	next := sibling(t, s)
	next.Guard(newGate())
	for _, there := range []bool{false, true} {
		key := map[bool]string{false: "new", true: "old"}[there]
		if there {
			put(t, s, map[string]string{key: "earlier"})
		}
		g := newGate()
		// When the old owner finds an object under the key, it asks whether it still has
		// the lock.
		g.proof = func() error { return errTakeover }
		s.Guard(g)
		put(t, next, map[string]string{key: "of the new owner"})
		if _, err := s.PutVersion(t.Context(), key, []byte("of the old owner")); !errors.Is(err, errTakeover) {
			t.Errorf("%s: a late put: %v", key, err)
		}
		// The old owner looks and proves its lock. Its put arrives after the lock was
		// taken over.
		g.proof = func() error {
			put(t, next, map[string]string{key: "newer"})
			g.proof = func() error { return errTakeover }
			return nil
		}
		if _, err := s.PutVersion(t.Context(), key, []byte("of the old owner")); !errors.Is(err, errTakeover) {
			t.Errorf("%s: a put that is overtaken: %v", key, err)
		}
		if got := get(t, next, key); got != "newer" {
			t.Errorf("%s holds %q", key, got)
		}
		s.requests.Guard = nil
	}
}

// checkLatePieces is checkLatePut for an object that goes in pieces.
func checkLatePieces(t *testing.T, s *Store) {
	if !conditional(s) {
		return
	}
	next := sibling(t, s)
	next.Guard(newGate())
	for _, key := range []string{"new", "old"} {
		if key == "old" {
			put(t, next, map[string]string{key: "earlier"})
		}
		g := newGate()
		s.Guard(g)
		w, err := s.NewWriter(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(random(1, threeParts(s))); err != nil {
			t.Fatal(err)
		}
		put(t, next, map[string]string{key: "of the new owner"})
		g.proof = func() error { return errTakeover }
		if err := w.Close(); err == nil {
			t.Errorf("%s: a late object in pieces was stored", key)
		}
		if err := w.Abort(); err != nil {
			t.Error(err)
		}
		if got := get(t, next, key); got != "of the new owner" {
			t.Errorf("%s holds %d bytes", key, len(got))
		}
	}
}

// checkOwnPuts loses the answers to puts that arrive. The store must not take its own
// objects for those of another program, however often that happens.
func checkOwnPuts(t *testing.T, s *Store) {
	if !conditional(s) {
		return
	}
	s.Guard(newGate())
	late := sibling(t, s)
	lost := 10
	err := s.conditionally(t.Context(), "a", driver.Condition{Absent: true}, func(when driver.Condition) error {
		if lost--; lost < 0 {
			return nil
		}
		put(t, late, map[string]string{"a": strings.Repeat("x", lost+1)})
		return driver.Conflict(errors.New("the condition does not hold"))
	})
	if err != nil {
		t.Errorf("ten answers were lost: %v", err)
	}
	tries := 0
	err = s.conditionally(t.Context(), "a", driver.Condition{Absent: true}, func(driver.Condition) error {
		tries++
		return driver.Conflict(errors.New("the condition does not hold"))
	})
	if !errors.Is(err, fs.ErrExist) || tries != 1+mostRefusals { // the first one learns the version
		t.Errorf("a server that refuses every condition was asked %d times: %v", tries, err)
	}
}

// checkHeldUp ends the permission during a put, or before it. The put waits, and succeeds
// when there is a permission again.
func checkHeldUp(t *testing.T, s *Store) {
	g := newGate()
	s.Guard(g)
	var attempts atomic.Int64
	s.requests.Fault = func(op, _ string) error {
		if op == "put" && attempts.Add(1) == 2 {
			g.shut.Store(true) // between the first attempt and its request
		}
		return nil
	}
	put(t, s, map[string]string{"a": "first"})
	done := make(chan error, 1)
	go func() {
		err := s.Put(t.Context(), "a", []byte("second"))
		if err == nil {
			err = s.Sync(t.Context())
		}
		done <- err
	}()
	<-g.enter
	if got := get(t, s, "a"); got != "first" {
		t.Errorf("while the gate is shut: %q", got)
	}
	g.shut.Store(false)
	g.opens <- struct{}{}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, "a"); got != "second" {
		t.Errorf("afterwards: %q", got)
	}
}

// checkLost refuses every change of a store whose lock is lost, and nothing else.
func checkLost(t *testing.T, s *Store) {
	put(t, s, map[string]string{"a": "first"})
	g := newGate()
	g.lost.Store(true)
	s.Guard(g)
	pieces := func() error {
		w, err := s.NewWriter(t.Context(), "a")
		if err == nil {
			_, err = w.Write(random(1, threeParts(s)))
		}
		if err == nil {
			err = w.Close()
		}
		return errors.Join(err, w.Abort())
	}
	for op, change := range map[string]func() error{
		"put":    func() error { return s.Put(t.Context(), "a", []byte("second")) },
		"create": func() error { return s.Create(t.Context(), "b", []byte("second")) },
		"delete": func() error { return s.Delete(t.Context(), "a") },
		"pieces": pieces,
		"clean":  func() error { return s.Clean(t.Context()) },
	} {
		if op == "clean" && s.at.Scheme != "s3" && !s.Local() {
			continue // the place has nothing to clean
		}
		if err := change(); !errors.Is(err, errTakeover) {
			t.Errorf("%s: %v", op, err)
		}
	}
	if got := get(t, s, "a"); got != "first" {
		t.Errorf("holds %q", got)
	}
	if diff := cmp.Diff([]string{"a"}, keys(t, s, "")); diff != "" {
		t.Error(diff)
	}
}

// checkBodyCutOff ends the permission in the middle of a request's body, as for a process
// that was stopped there and has woken up.
func checkBodyCutOff(t *testing.T, s *Store) {
	if !conditional(s) {
		return
	}
	put(t, s, map[string]string{"a": "first"})
	g := newGate()
	g.proof = func() error { return errTakeover }
	s.Guard(&cutting{gate: g, after: 3})
	if err := s.Put(t.Context(), "b", random(1, 4<<20)); !errors.Is(err, errTakeover) {
		t.Errorf("a body that was cut off: %v", err)
	}
	if diff := cmp.Diff([]string{"a"}, keys(t, s, "")); diff != "" {
		t.Error(diff)
	}
}

// cutting is a gate that is lost after so many checks.
type cutting struct {
	*gate
	after int64
	n     atomic.Int64
}

func (c *cutting) Check() error {
	if c.n.Add(1) > c.after {
		c.lost.Store(true)
		return errTakeover
	}
	return nil
}

// TestLocalBatchIsHeldUp ends the permission while a batch waits. No file is renamed to
// its key before there is a permission again.
func TestLocalBatchIsHeldUp(t *testing.T) {
	s := open(t, t.TempDir()+"/root", Options{})
	g := &cutting{gate: newGate(), after: 3}
	for _, key := range []string{"a", "b", "c", "d"} {
		if err := s.Put(t.Context(), key, []byte(key)); err != nil {
			t.Fatal(err)
		}
	}
	s.Guard(g)
	if err := s.Sync(t.Context()); !errors.Is(err, errTakeover) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, keys(t, s, "")); diff != "" {
		t.Error(diff)
	}
}

// TestServerWithoutConditions puts to a server that answers 501 to conditions.
func TestServerWithoutConditions(t *testing.T) {
	for _, knows := range []bool{true, false} {
		var refused atomic.Int64
		var said bytes.Buffer
		s := open(t, s3ServerBehind(t, func(server http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !knows && r.Header.Get("If-None-Match")+r.Header.Get("If-Match") != "" {
					refused.Add(1)
					_, _ = io.Copy(io.Discard, r.Body)
					w.WriteHeader(http.StatusNotImplemented)
					return
				}
				server.ServeHTTP(w, r)
			})
		}), Options{Log: slog.New(slog.NewTextHandler(&said, nil))})
		s.Guard(newGate())
		put(t, s, map[string]string{"b": "2"}) // the one that is refused
		put(t, s, map[string]string{"a": "1"})
		put(t, s, map[string]string{"a": "3"})
		if got := get(t, s, "a") + get(t, s, "b"); got != "32" {
			t.Errorf("knows conditions: %t: holds %q", knows, got)
		}
		if n := refused.Load(); !knows && n != 1 {
			t.Errorf("%d requests were refused, want one", n)
		}
		if strings.Contains(said.String(), "no conditional writes") == knows {
			t.Errorf("knows conditions: %t: %s", knows, said.String())
		}
	}
}
