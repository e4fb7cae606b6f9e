//go:build !nos3 && !nogcs && !noazure

package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// partOf returns the number, from 1 on, of the part in a request to S3; 0 if there is
// none.
func partOf(r *http.Request) int {
	n, err := strconv.Atoi(r.URL.Query().Get("partNumber"))
	if err != nil || r.Method != http.MethodPut {
		return 0
	}
	return n
}

// backwards answers each group of parts in the opposite order: the server waits for the
// last part of the group.
type backwards struct {
	server http.Handler
	group  int
	number func(*http.Request) int

	mu   sync.Mutex
	done map[int]chan struct{}
	late atomic.Bool
}

func (b *backwards) answered(n int) chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done == nil {
		b.done = map[int]chan struct{}{}
	}
	if b.done[n] == nil {
		b.done[n] = make(chan struct{})
	}
	return b.done[n]
}

func (b *backwards) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := b.number(r)
	if n > 0 && n%b.group != 0 {
		select {
		case <-b.answered(n + 1):
		case <-time.After(time.Minute):
			b.late.Store(true)
		}
	}
	b.server.ServeHTTP(w, r)
	if n > 0 {
		close(b.answered(n))
	}
}

// TestPartsAtOnce sends three parts at a time, which are answered in the opposite
// order.
func TestPartsAtOnce(t *testing.T) {
	const parts = 6
	var front *backwards
	for place, opened := range map[string]func() *Store{
		"s3": func() *Store {
			return open(t, s3ServerBehind(t, func(server http.Handler) http.Handler {
				front = &backwards{server: server, group: 3, number: partOf}
				return front
			}), Options{})
		},
		"azblob": func() *Store {
			var sent atomic.Int64
			front = &backwards{
				server: &blocks{staged: map[string][]byte{}, objects: map[string][]byte{}}, group: 3,
				number: func(r *http.Request) int {
					if r.URL.Query().Get("comp") != "block" {
						return 0
					}
					return int(sent.Add(1))
				},
			}
			return azureBehind(t, front)
		},
	} {
		t.Run(place, func(t *testing.T) {
			s := opened()
			s.parts = 4
			data := random(1, parts*bucket.PartBytes-5)
			if err := write(t.Context(), s, "k", data, 3<<20); err != nil {
				t.Fatal(err)
			}
			if front.late.Load() {
				t.Error("a part was sent only after the one before it had been answered")
			}
			stored := map[string][]byte{}
			if b, ok := front.server.(*blocks); ok {
				stored = b.objects
			} else {
				stored["/box/p/k"] = []byte(get(t, s, "k"))
			}
			if string(stored["/box/p/k"]) != string(data) {
				t.Error("holds something else")
			}
			if got := s.Stats(); got.BytesWritten != int64(len(data)) || got.Requests < parts+2 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestPartThatFails refuses one of the parts in flight. The others get no answer. Every
// later call returns the error of the refused part.
func TestPartThatFails(t *testing.T) {
	for refused := 1; refused <= 4; refused++ {
		arrived := make(chan struct{}, 8)
		s := open(t, s3ServerBehind(t, func(server http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n := partOf(r)
				if n > 0 {
					_, _ = io.Copy(io.Discard, r.Body)
				}
				switch n {
				case 0:
					server.ServeHTTP(w, r)
				case refused:
					for range min(2, refused-1) {
						<-arrived // the earlier parts are in flight
					}
					w.WriteHeader(http.StatusForbidden)
				default:
					arrived <- struct{}{}
					<-r.Context().Done() // until the client gives up
				}
			})
		}), Options{Parts: 4})
		w, err := s.NewWriter(t.Context(), "k")
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Write(random(1, 4*bucket.PartBytes))
		if err == nil {
			err = w.Close()
		}
		var named *fs.PathError
		if !errors.Is(err, fs.ErrPermission) || !errors.As(err, &named) || named.Op != "write" {
			t.Errorf("part %d: %v", refused, err)
		}
		if again := w.Close(); again != err { //nolint:errorlint // the very error
			t.Errorf("part %d: closed again: %v", refused, again)
		}
		if err := w.Abort(); err != nil {
			t.Errorf("part %d: abort: %v", refused, err)
		}
		if n := unfinished(t, s); n != 0 {
			t.Errorf("part %d: %d unfinished", refused, n)
		}
		if got := keys(t, s, ""); len(got) != 0 {
			t.Errorf("part %d: left: %q", refused, got)
		}
	}
}

// TestPartsThroughFaults answers every third request about a part with 503, and
// drops the answers to others. The parts are sent again.
func TestPartsThroughFaults(t *testing.T) {
	var seen atomic.Int64
	s := open(t, s3ServerBehind(t, func(server http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if partOf(r) == 0 {
				server.ServeHTTP(w, r)
				return
			}
			switch seen.Add(1) % 3 {
			case 0:
				_, _ = io.Copy(io.Discard, r.Body)
				w.WriteHeader(http.StatusServiceUnavailable)
			case 1:
				server.ServeHTTP(httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler)
			default:
				server.ServeHTTP(w, r)
			}
		})
	}), Options{Parts: 4, Retries: 20, Sleep: func(context.Context, time.Duration) error { return nil }})
	data := random(1, 7*bucket.PartBytes+1)
	if err := write(t.Context(), s, "k", data, 1<<20); err != nil {
		t.Fatal(err)
	}
	if get(t, s, "k") != string(data) {
		t.Error("holds something else")
	}
	if n := unfinished(t, s); n != 0 {
		t.Errorf("%d unfinished", n)
	}
}

// TestRoomForParts counts the parts in flight while parts grow. There is room for three
// of the first parts. The third is sent before a fourth needs room.
func TestRoomForParts(t *testing.T) {
	s := open(t, "mem://name", Options{})
	d := &counted{Driver: s.driver, full: make(chan struct{}), wanted: 3, room: 3 * 5}
	s.driver, s.parts = d, 3
	if err := write(t.Context(), s, "k", random(1, 200), 7); err != nil {
		t.Fatal(err)
	}
	if d.most != d.wanted || d.mostBytes != d.room || !d.alone {
		t.Errorf("%d parts were on their way at the same time, of at most %d bytes; one larger than the room alone: %v", d.most, d.mostBytes, d.alone)
	}
}

// counted is a driver that takes parts in any order. The first parts have five bytes,
// later parts ten, and then more than there is room for.
type counted struct {
	driver.Driver
	wanted, room int           // parts in flight for which the first ones wait, and bytes of room
	full         chan struct{} // closed when that many parts are in flight

	mu              sync.Mutex
	now, bytes      int  // parts in flight, and their bytes
	most, mostBytes int  // the most of both, without parts larger than the room
	large, alone    bool // there was a part larger than the room; each such part was alone
}

func (d *counted) InOrder() bool { return false }

func (d *counted) PartSize(n int) int { return 5 << min(n/4, 3) }

func (d *counted) Begin(context.Context, string, driver.Condition) (driver.Upload, error) {
	return countedUpload{d}, nil
}

type countedUpload struct{ *counted }

func (u countedUpload) Part(ctx context.Context, n int, data []byte) error {
	u.count(len(data))
	defer u.count(-len(data))
	if n >= u.wanted {
		return ctx.Err()
	}
	select {
	case <-u.full:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// count counts a part of n bytes that begins to be sent or, if n is negative, a part of
// -n bytes that has arrived.
func (u countedUpload) count(n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.bytes += n
	if n < 0 {
		u.now--
		return
	}
	u.now++
	if n > u.room {
		u.alone = (u.alone || !u.large) && u.now == 1
		u.large = true
		return
	}
	u.mostBytes = max(u.mostBytes, u.bytes)
	if u.most = max(u.most, u.now); u.now == u.wanted {
		select {
		case <-u.full:
		default:
			close(u.full)
		}
	}
}

func (u countedUpload) Complete(context.Context, driver.Condition) (string, error) { return "", nil }

func (u countedUpload) Abort(context.Context) error { return nil }

// TestStopWaits: an upload that is given up cancels its parts, and waits until they have
// ended.
func TestStopWaits(t *testing.T) {
	f := newFlight(t.Context(), 10)
	if !f.reserve(10) {
		t.Fatal("no room")
	}
	var ended atomic.Bool
	f.send(make([]byte, 10), func(ctx context.Context, _ []byte) error {
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			t.Error("the part was not cancelled")
		}
		<-time.After(10 * time.Millisecond)
		ended.Store(true)
		return ctx.Err()
	}, func([]byte) { t.Error("the buffer of a part that failed was given back") })
	f.stop()
	if !ended.Load() {
		t.Error("a part is still being sent")
	}
	if f.reserve(1) {
		t.Error("there is room for another part")
	}
}
