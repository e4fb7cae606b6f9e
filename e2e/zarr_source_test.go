package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs"
)

// TestZarrOfS3 moves a hierarchy from one place in a bucket to another. The objects
// must be the same, with one request for each chunk. Cutting the chunks in another way
// and back again must give the same objects, too.
func TestZarrOfS3(t *testing.T) {
	t.Parallel()
	b := serve(t)
	job, _ := cube(t, fast(t), 32, "zstd")
	if _, err := migrate(t.Context(), job, environment(), jobs.RunOptions{}, "target.url="+b.url("in.zarr")); err != nil {
		t.Fatal(err)
	}
	want := b.tree(t, "in.zarr")
	dir := t.TempDir()
	again := func(from, to, defaults string) {
		t.Helper()
		text := fmt.Appendf(nil, `{zmigrate: 1, source: {driver: zarr, url: %q}, target: {url: %q}, defaults: %s}`, b.url(from), b.url(to), defaults)
		run(t, write(t, dir, "again.yaml", text))
	}

	b.reset()
	again("in.zarr", "kept.zarr", "{}")
	counts := b.reset()
	if diff := cmp.Diff(want, b.tree(t, "kept.zarr")); diff != "" {
		t.Errorf("objects (-source +target):\n%s", diff)
	}
	chunks := 0
	for name, c := range counts {
		if strings.HasPrefix(name, "GET in.zarr/field/") && strings.Contains(name, "/c/") {
			if chunks++; c.requests != 1 {
				t.Errorf("%s: %d times", name, c.requests)
			}
		}
	}
	if chunks < 64 {
		t.Errorf("only %d chunks were read", chunks)
	}

	again("in.zarr", "cut.zarr", "{chunks: auto, codecs: [bytes]}")
	text := fmt.Appendf(nil, `{zmigrate: 1, source: {driver: zarr, url: %q, include: [field/values]}, target: {url: %q},
		defaults: {chunks: [8, 8, 8], codecs: [bytes, {zstd: {level: 9}}, crc32c]}}`, b.url("cut.zarr"), b.url("back.zarr"))
	run(t, write(t, dir, "back.yaml", text))
	for key, sum := range b.tree(t, "back.zarr") {
		if strings.HasPrefix(key, "field/values/") && sum != want[key] {
			t.Errorf("%s has changed", key)
		}
	}
}
