package plan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// TestResident has a table of references, whose memory counts in run.memory. If less than half
// of run.memory is left, the plan is refused, and its hint is enough. The message about a chunk
// that is too large counts the table, too.
func TestResident(t *testing.T) {
	dir := t.TempDir()
	const chunks, mib = 10, 1 << 20
	table := fmt.Sprintf(`{"v/.zarray": {"zarr_format": 2, "shape": [%d], "chunks": [%d], "dtype": "|u1", "fill_value": 0, "order": "C", "filters": null, "compressor": null}`, chunks*mib, mib)
	for i := range chunks {
		table += fmt.Sprintf(`, "v/%d": "%s"`, i, strings.Repeat("x", mib))
	}
	if err := os.WriteFile(filepath.Join(dir, "refs.json"), []byte(table+"}"), 0o666); err != nil {
		t.Fatal(err)
	}
	job := func(memory, chunks string) *jobfile.Job {
		return jobtest.Parse(t, dir, "zmigrate: 1\nsource: {driver: zarr, url: refs.json}\ntarget: {url: out.zarr}\ndefaults: {codecs: [{name: bytes}], chunks: "+chunks+"}\nrun: {memory: "+memory+"}\n")
	}
	refused := func(memory, chunks, field string) string {
		t.Helper()
		_, err := New(t.Context(), job(memory, chunks), jobtest.Environment())
		var problems jobfile.Problems
		if !errors.As(err, &problems) || problems[0].Field != field || !strings.Contains(err.Error(), "the source keeps") {
			t.Fatalf("%s: %v", memory, err)
		}
		_, more, found := strings.Cut(problems[0].Hint, "raise run.memory to ")
		if !found {
			t.Fatalf("%s: the hint is %q", memory, problems[0].Hint)
		}
		more, _, _ = strings.Cut(more, " ")
		return more
	}
	for memory, of := range map[string][2]string{"16MiB": {"[1048576]", "run.memory"}, "24MiB": {"[8388608]", "defaults.chunks"}} {
		more := refused(memory, of[0], of[1])
		p, err := New(t.Context(), job(more, of[0]), jobtest.Environment())
		if err != nil {
			t.Fatalf("%s: %v", more, err)
		}
		jobtest.Close(t, p)
		if p.Resident() < chunks*mib || p.Memory()+p.Resident() != p.Job.Run.Memory {
			t.Errorf("%d bytes of the source, %d for chunks, of %d", p.Resident(), p.Memory(), p.Job.Run.Memory)
		}
	}
}
