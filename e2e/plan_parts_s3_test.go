package e2e

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWorkersAreKilledOnS3 has several processes do a job from a folder to a bucket, and kills those
// that save the plan, work and finish at one of their requests. At the end, the bucket has what a
// run leaves, and nothing else.
func TestWorkersAreKilledOnS3(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	b := serve(t)
	job, _ := cube(t, fast(t), 32, "zstd")
	set := func(b *bucket, prefix string) []string {
		return []string{"--set", "target.url=" + b.url(prefix+"/out.zarr")}
	}
	nothing := func(string) {}
	must := func(args ...string) {
		t.Helper()
		if out, err := zmigrate(t.Context(), t, args...).Output(); err != nil {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
	}
	must(append([]string{"run", job}, set(b, "run")...)...)
	want := b.tree(t, "run/out.zarr")
	const bundles = 3
	for round := range 2 {
		random := rand.New(rand.NewPCG(uint64(round), 3))
		prefix := fmt.Sprintf("round%d", round)
		w := watch(t, b, prefix)
		watched := &bucket{endpoint: w.endpoint}
		save := append([]string{"plan", job, "--save", "--bundles", fmt.Sprint(bundles)}, set(watched, prefix)...)
		part := func(i int) []string {
			return append([]string{"work", job, "--left", "--bundle", fmt.Sprintf("%d/%d", i, bundles)}, set(watched, prefix)...)
		}
		finish := append([]string{"finish", job}, set(watched, prefix)...)
		killedAfterWrites(t, w, nothing, 1+random.IntN(3), save...)
		must(save...)
		for i := range bundles {
			killedAfterWrites(t, w, nothing, 1+random.IntN(10), part(i)...)
		}
		if round == 1 {
			must(append([]string{"run", job}, set(watched, prefix)...)...)
		} else {
			for i := range bundles {
				must(part(i)...)
			}
			killedAfterWrites(t, w, nothing, 1+random.IntN(6), finish...)
			must(finish...)
		}
		if diff := cmp.Diff(want, b.tree(t, prefix+"/out.zarr")); diff != "" {
			t.Errorf("round %d (-run +campaign):\n%s", round, diff)
		}
		for key := range b.tree(t, prefix+"/out.zarr.zmigrate/work") {
			t.Errorf("round %d: left: work/%s", round, key)
		}
	}
}
