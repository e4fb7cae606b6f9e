package app

import (
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/jobs"
)

// TestProgressText: after a resume, the rate counts what this run did. A line has at most 80
// columns, with the bar behind the text.
func TestProgressText(t *testing.T) {
	const gib = 1 << 30
	p := &progress{name: "coads", first: 6 * gib, done: jobs.Progress{Chunks: 1000, ChunksDone: 800, Bytes: 10 * gib, BytesDone: 8 * gib}}
	for _, test := range []struct {
		array string
		after time.Duration
		want  string
	}{
		{"", 0, "coads: 8.0 GiB of 10.0 GiB, 800 of 1000 objects"},
		{"SST", 0, "SST: 8.0 GiB of 10.0 GiB, 800 of 1000 objects"},
		{"SST", 20 * time.Second, "8.0 GiB of 10.0 GiB, 800 of 1000 objects, 20s left"},
		{"a/very/long/path/of/an/array/of/a/job/in/many/groups", 0, "8.0 GiB of 10.0 GiB, 800 of 1000 objects"},
	} {
		if got := p.text(test.array, test.after); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	if speed, left := p.rate(20 * time.Second); speed != 2*gib/20. || left != 20*time.Second {
		t.Errorf("%g bytes a second, %s left", speed, left)
	}
	p.done.Chunks, p.done.ChunksDone = 10, 8
	if got, want := p.text("SST", 20*time.Second), "8.0 GiB of 10.0 GiB, 8 of 10 objects, 102.4 MiB/s, 20s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for columns, want := range map[int]string{
		72: "8.0 GiB of 10.0 GiB, 8 of 10 objects, 102.4 MiB/s, 20s left",
		70: "8.0 GiB of 10.0 GiB, 8 of 10 objects, 102.4 MiB/s, 20s left",
		69: "8.0 GiB of 10.0 GiB, 8 of 10 objects, 20s left",
		40: "8.0 GiB of 10.0 GiB, 20s left",
		39: "8.0 GiB of 10.0 GiB",
		20: "",
	} {
		p.columns = columns
		if got := p.text("SST", 20*time.Second); got != want {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
}
