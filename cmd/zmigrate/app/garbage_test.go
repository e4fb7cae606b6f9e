package app

import "testing"

// TestRunGarbage: garbage takes a share of run.memory beside the plan, and never more than
// there are live data.
func TestRunGarbage(t *testing.T) {
	for _, c := range []struct {
		memory, plan int64 // MiB
		want         int
	}{
		{1024, 1, 100}, {1024, 110, 100}, {1024, 268, 50}, {1024, 4096, leastRunGarbage},
		{64, 1, 100}, {64, 28, 50}, {64, 110, leastRunGarbage}, {1 << 42, 110, 100},
	} {
		if got := runGarbage(c.memory<<20, c.plan<<20); got != c.want {
			t.Errorf("run.memory %d MiB, plan %d MiB: %d %%, want %d", c.memory, c.plan, got, c.want)
		}
	}
}
