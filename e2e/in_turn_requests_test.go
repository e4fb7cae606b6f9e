package e2e

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/s3test"
)

// timedRequest is a request and when it was at work. depth counts the requests that had to end, one
// after the other, before this one began, itself included.
type timedRequest struct {
	name       string
	began, end time.Time
	depth      int
}

// limitsInTurn are the most requests that a run makes one after the other: before its first chunk, after
// its last one, or in all if it has none.
type limitsInTurn struct {
	run                string
	before, after, all int
}

// TestRequestsInTurn counts the requests that short runs make one after the other. The bucket answers
// late, so that requests of the same time overlap.
func TestRequestsInTurn(t *testing.T) {
	t.Parallel()
	var late atomic.Int64
	late.Store(int64(40 * time.Millisecond))
	inner := s3test.New(t)
	var mu sync.Mutex
	var turns []timedRequest
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		time.Sleep(time.Duration(late.Load())) //nolint:forbidigo // the server is far away
		inner.ServeHTTP(w, r)
		mu.Lock()
		defer mu.Unlock()
		turns = append(turns, timedRequest{name: r.Method + " " + strings.TrimPrefix(r.URL.Path, "/bucket/") + " " + r.URL.Query().Get("prefix"), began: began, end: time.Now()})
	}))
	t.Cleanup(server.Close)
	dir := fast(t)
	write(t, dir, "data.bin", smooth(1<<10))
	for try := 1; ; try++ {
		target := fmt.Sprintf("s3://bucket/%d.zarr?region=us-east-1&endpoint=%s&use_path_style=true", try, server.URL)
		job := write(t, dir, "job.yaml", fmt.Appendf(nil, "zmigrate: 1\nsource: {driver: raw, arrays: {a: {url: data.bin, data_type: float32, shape: [1024]}}}\ntarget: {url: %q}\n", target))
		missed := false
		for _, most := range []limitsInTurn{{run: "the first run", before: 3, after: 5}, {run: "a run with nothing to do", all: 6}} {
			turns = nil
			if err := zmigrate(t.Context(), t, "run", job).Run(); err != nil {
				t.Fatal(err)
			}
			got := countInTurn(turns)
			got.run = most.run
			for _, r := range turns {
				t.Logf("%2d %4d %s", r.depth, r.began.Sub(turns[0].began).Milliseconds(), r.name)
			}
			missed = missed || got.before > most.before || got.after > most.after || most.all > 0 && got.all > most.all
			t.Logf("requests one after the other: %+v, want at most %+v", got, most)
		}
		// A machine that is busy may begin requests late that belong to the same time. With later answers,
		// such requests overlap all the same.
		late.Store(2 * late.Load())
		if !missed {
			break
		}
		if try == 6 {
			t.Error("more requests one after the other than there should be")
			break
		}
	}
}

// countInTurn sorts requests by their beginning, sets their depths and counts those that were made one
// after the other.
func countInTurn(turns []timedRequest) (got limitsInTurn) {
	slices.SortFunc(turns, func(a, b timedRequest) int { return a.began.Compare(b.began) })
	first, last := 0, 0
	for i := range turns {
		depth := 0
		for _, earlier := range turns[:i] {
			if !earlier.end.After(turns[i].began) {
				depth = max(depth, earlier.depth)
			}
		}
		turns[i].depth = depth + 1
		got.all = max(got.all, depth+1)
		if strings.Contains(turns[i].name, "/a/c/") {
			first, last = cmp.Or(first, depth+1), depth+1
		}
	}
	if first > 0 {
		got.before, got.after = first-1, got.all-last
	}
	return got
}
