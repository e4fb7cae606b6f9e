//go:build !nos3 && !nogcs && !noazure

package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// checks are the checks that every driver has to pass.
func checks() map[string]func(*testing.T, *Store) {
	all := checksInPieces()
	maps.Copy(all, map[string]func(*testing.T, *Store){
		"replace":   checkReplace,
		"create":    checkCreate,
		"contended": checkContended,
		"ranges":    checkRanges,
		"list":      checkList,
		"delete":    checkDelete,
		"missing":   checkMissing,
		"odd keys":  checkOddKeys,
		"bad keys":  checkBadKeys,
		"big":       checkBig,
		"cancelled": checkCancelled,

		"a late put":   checkLatePut,
		"held up":      checkHeldUp,
		"own puts":     checkOwnPuts,
		"lost":         checkLost,
		"body cut off": checkBodyCutOff,
	})
	return all
}

// checksInPieces are the checks of objects that come in pieces.
func checksInPieces() map[string]func(*testing.T, *Store) {
	return map[string]func(*testing.T, *Store){
		"pieces":          checkPieces,
		"replaced":        checkReplacedInPieces,
		"given up":        checkGivenUp,
		"many writers":    checkManyWriters,
		"writer's life":   checkWriterLife,
		"writer's keys":   checkWriterKeys,
		"writer and ctx":  checkWriterCancelled,
		"writer's faults": checkWriterFaults,
		"writer's repeat": checkWriterRepeats,
	}
}

// TestConformance checks that all drivers behave alike.
func TestConformance(t *testing.T) {
	places := map[string]func(t *testing.T) string{
		"local": func(t *testing.T) string { return filepath.Join(t.TempDir(), "a", "root") },
		"mem":   func(*testing.T) string { return "mem://name/prefix" },
		"s3":    s3Server,
	}
	for place, at := range places {
		for name, check := range checks() {
			t.Run(place+"/"+name, func(t *testing.T) { check(t, open(t, at(t), Options{})) })
		}
	}
	for name, check := range checksInPieces() {
		t.Run("s3, parts at once/"+name, func(t *testing.T) { check(t, open(t, s3Server(t), Options{Parts: 3})) })
	}
}

func checkReplace(t *testing.T, s *Store) {
	put(t, s, map[string]string{"a/b": "one"})
	put(t, s, map[string]string{"a/b": "three", "empty": ""})
	if got := get(t, s, "a/b"); got != "three" {
		t.Errorf("a/b holds %q", got)
	}
	if got := get(t, s, "empty"); got != "" {
		t.Errorf("empty holds %q", got)
	}
	info, err := s.Stat(t.Context(), "a/b")
	if err != nil || info.Key != "a/b" || info.Size != 5 || info.ModTime.IsZero() {
		t.Errorf("stat: %+v, %v", info, err)
	}
	if !s.Local() && info.ETag == "" {
		t.Error("no ETag")
	}
	if _, err := s.ReadAll(t.Context(), "a/b", 4); !errors.Is(err, ErrTooLarge) {
		t.Errorf("above the limit: %v", err)
	}
	room, before := make([]byte, 8), s.Stats().BytesRead
	into, _, err := s.ReadInto(t.Context(), "a/b", 5, func(size int) []byte { return room[:size] })
	if err != nil || string(into) != "three" || string(room[:5]) != "three" {
		t.Errorf("into memory of the caller: %q, %v, which holds %q", into, err, room)
	}
	if got := s.Stats().BytesRead - before; got != 5 {
		t.Errorf("%d bytes were read, not 5", got)
	}
	data := []byte("borrowed")
	if err := s.Put(t.Context(), "borrowed", data); err != nil {
		t.Fatal(err)
	}
	clear(data)
	put(t, s, nil)
	if got := get(t, s, "borrowed"); got != "borrowed" {
		t.Errorf("the data was kept, not borrowed: %q", got)
	}
}

func checkCreate(t *testing.T, s *Store) {
	if err := s.Create(t.Context(), "x/y", []byte("first")); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, "x/y"); got != "first" {
		t.Errorf("not visible on return: %q", got)
	}
	if err := s.Create(t.Context(), "x/y", []byte("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second: %v", err)
	}
	if got := get(t, s, "x/y"); got != "first" {
		t.Errorf("x/y holds %q", got)
	}
}

func checkContended(t *testing.T, s *Store) {
	for round := range 5 {
		var winner, wins, refused atomic.Int64
		var wg sync.WaitGroup
		key := fmt.Sprintf("contended/%d", round)
		for i := range 10 {
			wg.Go(func() {
				err := s.Create(t.Context(), key, fmt.Appendf(nil, "%d", i))
				switch {
				case err == nil:
					winner.Store(int64(i))
					wins.Add(1)
				case errors.Is(err, fs.ErrExist):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if wins.Load() != 1 || refused.Load() != 9 {
			t.Fatalf("%d won, %d refused", wins.Load(), refused.Load())
		}
		if got := get(t, s, key); got != fmt.Sprint(winner.Load()) {
			t.Errorf("holds %s, but %d won", got, winner.Load())
		}
	}
}

func checkRanges(t *testing.T, s *Store) {
	put(t, s, map[string]string{"k": "0123456789"})
	for _, c := range []struct {
		off, n int
		short  bool
	}{{0, 10, false}, {3, 4, false}, {9, 1, false}, {0, 0, false}, {5, 6, true}, {9, 2, true}, {10, 1, true}, {99, 1, true}} {
		p := make([]byte, c.n)
		err := s.ReadRange(t.Context(), "k", p, int64(c.off))
		if c.short {
			if !errors.Is(err, io.ErrUnexpectedEOF) || !bytes.Contains([]byte(err.Error()), []byte("has 10")) {
				t.Errorf("%d bytes at %d: %v", c.n, c.off, err)
			}
			continue
		}
		if err != nil || string(p) != "0123456789"[c.off:c.off+c.n] {
			t.Errorf("%d bytes at %d: %q, %v", c.n, c.off, p, err)
		}
	}
	if err := s.ReadRange(t.Context(), "k", make([]byte, 1), -1); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("negative offset: %v", err)
	}
	put(t, s, map[string]string{"k": "replaced!!"})
	p := make([]byte, 8)
	if err := s.ReadRange(t.Context(), "k", p, 0); err != nil || string(p) != "replaced" {
		t.Errorf("after replacement: %q, %v", p, err)
	}
	if got := s.Stats().Retries; got != 0 {
		t.Errorf("%d retries of permanent errors", got)
	}
}

func checkList(t *testing.T, s *Store) {
	if got := keys(t, s, ""); len(got) != 0 {
		t.Errorf("a new store holds %q", got)
	}
	want := []string{"a", "a-b", "a.b", "a/b", "a/c/d", "a0", "b/1", "b/10", "b/2"}
	objects := make(map[string]string)
	for _, k := range want {
		objects[k] = k
	}
	if !nests(s) {
		delete(objects, "a")
		want = want[1:]
	}
	put(t, s, objects)
	for _, prefix := range []string{"", "a", "a/", "a/c", "b/1", "b", "none", "none/x", "b/1/x"} {
		var below []string
		for _, k := range want {
			if len(k) >= len(prefix) && k[:len(prefix)] == prefix {
				below = append(below, k)
			}
		}
		if diff := cmp.Diff(below, keys(t, s, prefix)); diff != "" {
			t.Errorf("prefix %q (-want +got):\n%s", prefix, diff)
		}
	}
	for folder, want := range map[string][]string{"": {"a", "b"}, "a": {"c"}, "a/c": nil, "b": nil, "none/x": nil} {
		got, err := s.Folders(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("folders in %q (-want +got):\n%s", folder, diff)
		}
	}
	many := make(map[string]string)
	for i := range 1100 {
		many[fmt.Sprintf("many/%d", i)] = "x"
	}
	put(t, s, many)
	got := keys(t, s, "many/")
	if len(got) != 1100 || !slices.IsSorted(got) {
		t.Errorf("%d keys, sorted: %t", len(got), slices.IsSorted(got))
	}
	stop := errors.New("stop")
	seen := 0
	err := s.List(t.Context(), "", func(Info) error { seen++; return stop })
	if err != stop || seen != 1 { //nolint:errorlint // the very error
		t.Errorf("after %d: %v", seen, err)
	}
}

func checkDelete(t *testing.T, s *Store) {
	put(t, s, map[string]string{"d/e/f": "1", "d/g": "2"})
	for range 2 {
		if err := s.Delete(t.Context(), "d/e/f"); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Delete(t.Context(), "d"); err != nil {
		t.Errorf("a folder: %v", err)
	}
	if diff := cmp.Diff([]string{"d/g"}, keys(t, s, "")); diff != "" {
		t.Error(diff)
	}
	put(t, s, map[string]string{"d/e/f": "again"})
	if got := get(t, s, "d/e/f"); got != "again" {
		t.Errorf("holds %q", got)
	}
}

func checkMissing(t *testing.T, s *Store) {
	put(t, s, map[string]string{"file": "x", "folder/file": "x"})
	for _, key := range []string{"none", "none/none", "file/below", "folder"} {
		_, statErr := s.Stat(t.Context(), key)
		_, readErr := s.ReadAll(t.Context(), key, 10)
		for op, err := range map[string]error{
			"stat": statErr, "read all": readErr,
			"read range": s.ReadRange(t.Context(), key, make([]byte, 1), 0),
		} {
			var named *fs.PathError
			if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &named) {
				t.Errorf("%s %s: %v", op, key, err)
			}
		}
	}
}

// nests tells whether the store can have an object below another object. A file system
// cannot, nor can a server that keeps its objects in one.
func nests(s *Store) bool {
	return !s.Local() && (os.Getenv("ZMIGRATE_S3") == "" || s.at.Scheme != "s3")
}

// oddKeys returns the keys that the store takes. It checks that the store refuses the
// other keys.
func oddKeys(t *testing.T, s *Store, keys ...string) (taken []string) {
	for _, key := range keys {
		if s.at.CheckKey(key) == nil {
			taken = append(taken, key)
		} else if err := s.Put(t.Context(), key, nil); s.at.Scheme != "azblob" || !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v", key, err)
		}
	}
	return taken
}

func checkOddKeys(t *testing.T, s *Store) {
	want := make(map[string]string)
	for _, k := range oddKeys(t, s, "c/0/0", "a b", "ü/日本", "%41", "a+b", "q?x=1&y", "#", "[1]", "~", "...", ".zarray", "back\\slash", "quote\"'") {
		want[k] = "of " + k
	}
	put(t, s, want)
	got := make(map[string]string)
	for _, k := range keys(t, s, "") {
		got[k] = get(t, s, k)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func checkBadKeys(t *testing.T, s *Store) {
	for _, key := range []string{"", "/a", "a/", "a//b", "..", "../a", "a/../b", ".", "a/./b", "a\x00b", "a\nb", "\xff"} {
		for op, err := range map[string]error{
			"put":    s.Put(t.Context(), key, nil),
			"create": s.Create(t.Context(), key, nil),
			"read":   s.ReadRange(t.Context(), key, make([]byte, 1), 0),
			"delete": s.Delete(t.Context(), key),
		} {
			if !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("%s %q: %v", op, key, err)
			}
		}
	}
}

func checkBig(t *testing.T, s *Store) {
	data := make([]byte, 20<<20)
	for i := range data {
		data[i] = byte(i * i >> 7)
	}
	put(t, s, map[string]string{"big": string(data)})
	if got := get(t, s, "big"); got != string(data) {
		t.Error("another big object came back")
	}
	p := make([]byte, 1<<20)
	if err := s.ReadRange(t.Context(), "big", p, 7<<20); err != nil || !bytes.Equal(p, data[7<<20:8<<20]) {
		t.Errorf("a range of it: %v", err)
	}
}

func checkCancelled(t *testing.T, s *Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Put(ctx, "k", []byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("put: %v", err)
	}
	if err := s.Sync(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("sync: %v", err)
	}
}
