package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPeakMemoryOfTexts measures the peak resident size of the program over some 200 MB
// of texts in each format, and over a Parquet file of 100 KB whose one text of 100 kB
// stands for 2 GB. If a chunk cannot be read within the budget, the message names it,
// and the program takes no more memory.
func TestPeakMemoryOfTexts(t *testing.T) {
	if os.Getenv("ZMIGRATE_HEAVY") != "1" {
		t.Skip("set ZMIGRATE_HEAVY=1 to migrate some files of 200 MB of texts")
	}
	program := build(t)
	dir := fast(t)
	findPeers(t).run(t, "text_sources.py", dir)
	const zstd = "[vlen-utf8, {zstd: {level: 3}}]"
	for _, test := range []struct {
		driver, source, codecs, options string
		refused                         bool
	}{
		{"arrow", "dictionary.parquet", zstd, "", false},
		{"arrow", "plain.parquet", zstd, "", false},
		{"arrow", "delta.parquet", zstd, "", false},
		{"arrow", "page.parquet", zstd, "", true}, // one page of 200 MB
		{"arrow", "texts.arrow", zstd, "", false},
		{"arrow", "texts.arrow", zstd, ", chunks: [50000]", true},
		{"arrow", "views.arrow", zstd, "", false},
		{"arrow", "batches.arrow", zstd, "", false},
		{"arrow", "batch.arrow", zstd, "", true}, // one compressed batch of 200 MB
		{"zarr", "chunks.zarr", "[vlen-utf8]", "", false},
		{"zarr", "chunks.zarr", "[vlen-utf8, {gzip: {level: 1}}]", ", chunks: [777]", false},
		{"zarr", "chunks.zarr", zstd, ", shards: [20000]", false},
		{"zarr", "bytes.zarr", "[vlen-bytes]", "", false},
		{"zarr", "shards.zarr", zstd, ", chunks: [1500]", false},
		{"zarr", "v2.zarr", "[vlen-utf8]", "", false},
		{"netcdf", "texts.h5", zstd, ", chunks: [2000]", false},
		{"netcdf", "texts.nc", zstd, ", chunks: [2000]", false},
		{"netcdf", "texts.nc", zstd, ", chunks: [100000]", true},
	} {
		t.Run(test.source+test.options, func(t *testing.T) {
			const budget, readers = 64, 8 // MiB
			const most = int64(budget+readers)<<20 + allowance
			// When the garbage collector runs is chance: of ten runs, one takes 8 MiB more than
			// the others. So the least peak of three runs counts.
			for try := range 3 {
				if peak := peakOfTexts(t, program, dir, test.driver, test.source, test.codecs, test.options, budget, test.refused); peak <= most {
					break
				} else if try == 2 {
					t.Errorf("peak of %d MiB, want at most %d", peak>>20, most>>20)
				}
			}
		})
	}
}

// peakOfTexts runs a job and returns the most memory that it took, in bytes. refused says
// whether the job has to fail, because a chunk does not fit into the budget in MiB.
func peakOfTexts(t *testing.T, program, dir, driver, source, codecs, options string, budget int, refused bool) int64 {
	t.Helper()
	for _, name := range []string{"out", "out.zmigrate"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	job := write(t, dir, "job.yaml", fmt.Appendf(nil,
		"zmigrate: 1\nsource: {driver: %s, url: %s}\ntarget: {url: out}\ndefaults: {codecs: %s%s}\nrun: {memory: %dMiB}\n",
		driver, source, codecs, options, budget))
	c := exec.CommandContext(t.Context(), program, "run", "--progress", "none", job)
	said, err := c.CombinedOutput()
	switch {
	case !refused && err != nil:
		t.Fatalf("%v\n%s", err, said)
	case refused && (err == nil || !strings.Contains(string(said), "chunk [") || !strings.Contains(string(said), "the budget is 64.0 MiB")):
		t.Errorf("%v, want a refusal that names the chunk:\n%s", err, said)
	}
	peak := peakMemory(c.ProcessState)
	t.Logf("budget %d MiB: peak %d MiB, %.1f s of processor time", budget, peak>>20,
		(c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds())
	return peak
}
