package zarr_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// TestMissingOfMany: the error names the first missing chunk and tells how many are
// missing.
func TestMissingOfMany(t *testing.T) {
	const n = 140
	for name, test := range map[string]struct {
		missing []int
		want    string
	}{
		"none":                {nil, ""},
		"the first":           {[]int{0}, "chunk [0], c/0: "},
		"one":                 {[]int{65}, "chunk [65], c/65: "},
		"two":                 {[]int{129, 64}, "chunk [64], c/64: "},
		"the last of all":     {[]int{139}, "chunk [139], c/139: "},
		"all but the first 2": {nil, "chunk [2], c/2: "},
	} {
		objects := map[string]string{"zarr.json": v3(t, map[string]any{
			"shape": []int{n}, "chunk_grid": map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{1}}},
		})}
		for i := range n {
			if name != "all but the first 2" || i < 2 {
				objects[fmt.Sprintf("c/%d", i)] = "x"
			}
		}
		for _, i := range test.missing {
			delete(objects, fmt.Sprintf("c/%d", i))
		}
		for _, list := range []error{nil, store.ErrNoList} {
			p := newPlace(t, objects)
			p.faults["list c/"] = list
			opt := p.options()
			opt.AllChunks = true
			_, err := open(t, url, opt).Array(t.Context(), "")
			if test.want == "" {
				if err != nil {
					t.Errorf("%s, list %v: %v", name, list, err)
				}
				continue
			}
			if !errors.Is(err, zarr.ErrMissingChunk) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s, list %v: error %v, want %q", name, list, err, test.want)
			}
			count := ""
			if all := n + 1 - len(objects); all > 1 {
				count = fmt.Sprintf("; %d of %d are missing", all, n)
			}
			if got := fmt.Sprint(err); strings.Contains(got, "are missing") != (count != "") || !strings.HasSuffix(got, count) {
				t.Errorf("%s, list %v: error %v, want %q at its end", name, list, err, count)
			}
		}
	}
}

// TestMissingIsAskedOnce: the source remembers that an array has all of its chunks.
func TestMissingIsAskedOnce(t *testing.T) {
	p := newPlace(t, map[string]string{".zarray": v2(t, nil), "0.0": half, "1.0": half})
	opt := p.options()
	opt.AllChunks = true
	src := open(t, url, opt)
	for range 2 {
		if _, err := src.Array(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
	}
	lists := slices.DeleteFunc(p.taken(), func(request string) bool { return !strings.HasPrefix(request, "list ") })
	if len(lists) != 1 {
		t.Errorf("requests %q, want one list", lists)
	}
}

// TestServerThatIsAway: while a server is away, a chunk counts neither as missing nor
// as stored.
func TestServerThatIsAway(t *testing.T) {
	p := newPlace(t, map[string]string{
		"zarr.json": v3(t, map[string]any{"shape": []int{}, "chunk_grid": map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{}}}}),
		"c":         "x",
	})
	var asked atomic.Int64
	opt := p.options()
	opt.AllChunks = true
	opt.Store.Fault = func(op, key string) error {
		if op == "stat" && key == "c" && asked.Add(1) > 1 { // the first request makes it part of the identity
			return syscall.ECONNRESET
		}
		return nil
	}
	if _, err := open(t, url, opt).Array(t.Context(), ""); !errors.Is(err, syscall.ECONNRESET) || errors.Is(err, zarr.ErrMissingChunk) {
		t.Errorf("error %v after %d requests", err, asked.Load())
	}
}
