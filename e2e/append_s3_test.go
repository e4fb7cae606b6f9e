package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// watched stands in front of an S3 server. It reports every object below a prefix that
// is written or removed. It does so when the server has done this, before the client
// knows.
type watched struct {
	endpoint string

	mu   sync.Mutex
	tell func(key string) // nil: nothing is reported
}

func watch(t *testing.T, b *bucket, prefix string) *watched {
	t.Helper()
	to, err := url.Parse(b.endpoint)
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{}
	proxy := httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ModifyResponse: func(r *http.Response) error {
			key := strings.TrimPrefix(r.Request.URL.Path, "/bucket/")
			if r.Request.Method == http.MethodGet || r.Request.Method == http.MethodHead || !strings.HasPrefix(key, prefix) {
				return nil
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.tell != nil {
				w.tell(key)
			}
			return nil
		},
	}
	server := httptest.NewServer(&proxy)
	t.Cleanup(server.Close)
	w.endpoint = server.URL
	return w
}

// listen makes f the function to which later writes are reported.
func (w *watched) listen(f func(key string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tell = f
}

// TestNightlyOnS3 appends ten nights in a bucket. Three runs are killed, each at a
// different write, and each night is run twice. A reader looks at the target after
// every single write of these nights, and of a night that is not killed, with and
// without consolidated metadata. It must find the values of all rows that the metadata
// promise.
func TestNightlyOnS3(t *testing.T) {
	b, dir := serve(t), fast(t)
	w := watch(t, b, "climate/nightly.zarr/")
	target := strings.ReplaceAll(b.url("climate/nightly.zarr"), b.endpoint, w.endpoint)
	example, err := os.ReadFile("../examples/nightly.yaml")
	if err != nil {
		t.Fatal(err)
	}
	job, set := write(t, dir, "nightly.yaml", example), "target.url="+target
	const quick = "run.lock_ttl=4s" // a run waits for a quarter of this time after a run that was killed
	date := func(night int) string { return fmt.Sprintf("2026-01-%02d", night+1) }
	writes, seen := 0, map[int]bool{}
	reads := func(string) {
		writes++
		for _, n := range nights(t, b.url("climate/nightly.zarr")) {
			seen[n] = true
		}
	}
	for night := range 10 {
		write(t, dir, "data/nightly/model_"+date(night)+".nc", day(night))
		t.Setenv("DATE", date(night))
		at, killed := map[int]int{2: 1, 5: 6, 7: 12}[night]
		w.listen(nil)
		if killed || night == 8 {
			w.listen(reads)
		}
		if killed {
			killedAfterWrites(t, w, reads, at, "run", "--progress", "none", "--set", set, "--set", quick, job)
		}
		for again := range 2 {
			result, err := migrate(t.Context(), job, environment(), jobs.RunOptions{}, set, quick)
			if err != nil || result.Nothing != (again == 1) {
				t.Fatalf("night %d: %+v, %v", night, result, err)
			}
		}
		if got := nights(t, b.url("climate/nightly.zarr")); got[0] != night+1 {
			t.Errorf("after night %d: %v", night, got)
		}
	}
	w.listen(nil)
	if writes < 50 || len(seen) != 7 {
		t.Errorf("after %d writes, readers found %v", writes, seen)
	}
	t.Setenv("DATE", "*")
	if _, err := migrate(t.Context(), job, environment(), jobs.RunOptions{}, "source.concat=time", "target.url="+b.url("climate/once.zarr")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.tree(t, "climate/once.zarr"), b.tree(t, "climate/nightly.zarr")); diff != "" {
		t.Errorf("(-at once +night by night):\n%s", diff)
	}
}

// killedAfterWrites kills the program after its write number at, before the program
// knows that this write has succeeded.
func killedAfterWrites(t *testing.T, w *watched, reads func(string), at int, args ...string) {
	t.Helper()
	c := zmigrate(t.Context(), t, args...)
	n, started := 0, make(chan *os.Process, 1)
	w.listen(func(key string) {
		if n++; n == at {
			if err := (<-started).Kill(); err != nil {
				t.Error(err)
			}
		}
		reads(key)
	})
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	started <- c.Process
	err := c.Wait()
	w.listen(reads)
	if err == nil || c.ProcessState.Exited() {
		t.Errorf("the run has ended after %d writes, not by being killed: %v", n, err)
	}
}

// nights checks the values that a reader of a target of days finds. It returns two
// numbers of days: that of the consolidated metadata, and that of the metadata of one
// array.
func nights(t *testing.T, target string) (found []int) {
	t.Helper()
	whole, err := zarr.Open(t.Context(), target, zarr.Options{})
	if err != nil {
		t.Error(err)
		return nil
	}
	defer whole.Close() //nolint:errcheck // only read
	folder, query, _ := strings.Cut(target, "?")
	field, err := zarr.Open(t.Context(), folder+"/field_5?"+query, zarr.Options{})
	if err != nil {
		t.Error(err)
		return nil
	}
	defer field.Close() //nolint:errcheck // only read
	found = []int{readDays(t, whole, "time"), readDays(t, field, "")}
	if n := readDays(t, whole, "field_5"); n != found[0] {
		t.Errorf("time has %d days, field_5 has %d", found[0], n)
	}
	return found
}

// readDays checks the values of an array of days: the days' numbers, or the values of
// the last field.
func readDays(t *testing.T, source sources.Source, name string) int {
	t.Helper()
	a, err := source.Array(t.Context(), name)
	if err != nil {
		t.Error(err)
		return 0
	}
	shape := a.Info().Shape
	values := ndarray.New(a.Info().Type, shape)
	if err := a.ReadRegion(t.Context(), values, make([]int, len(shape))); err != nil {
		t.Error(err)
		return 0
	}
	numbers, _ := ndarray.As[float64](values)
	for i, v := range numbers {
		want := float64(i)
		if len(shape) > 1 {
			want = float64(1000*(i/32) + 500 + i%32)
		}
		if v != want {
			t.Errorf("%s: element %d of %v is %v, want %v", name, i, shape, v, want)
			break
		}
	}
	return shape[0]
}
