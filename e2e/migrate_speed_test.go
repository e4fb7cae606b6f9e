package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// reencoder is the program of zarrs, where `make speed` puts it.
const reencoder = "../.cache/zarrs/bin/zarrs_reencode"

// migration is one array that several programs migrate.
type migration struct {
	name           string
	source, target string // metadata
	budget         int    // run.memory in MiB
	ours, zarrs    []string
	least          float64 // the least speed, as a ratio to the faster peer's
}

// migrations are the most usual ones: old stores into shards, and slices of time into
// tiles that span all of them. If the target has zstd, its encoder takes most of the
// time.
var migrations = []migration{
	{
		name:   "v2 with blosc to shards with zstd",
		source: `{"zarr_format": 2, "shape": [128, 1024, 1024], "chunks": [8, 256, 256], "dtype": "<f4", "fill_value": 0, "order": "C", "filters": null, "compressor": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}}`,
		target: v3Metadata("[128, 1024, 1024]", "[32, 1024, 1024]",
			`{"name": "sharding_indexed", "configuration": {"chunk_shape": [8, 256, 256], "codecs": [`+littleBytes+`, `+zstd3+`], "index_codecs": [`+littleBytes+`, "crc32c"]}}`),
		budget: 512,
		ours:   []string{"--chunks", "8,256,256", "--shards", "32,1024,1024", "--codec", "zstd:level=3"},
		zarrs:  []string{"--chunk-shape", "8,256,256", "--shard-shape", "32,1024,1024", "--array-to-bytes-codec", littleBytes, "--bytes-to-bytes-codecs", "[" + zstd3 + "]"},
		least:  1.5,
	},
	{
		name:   "slices to tiles",
		source: v3Metadata("[64, 1024, 1024]", "[1, 1024, 1024]", littleBytes),
		target: v3Metadata("[64, 1024, 1024]", "[64, 128, 128]", littleBytes),
		budget: 320,
		ours:   []string{"--chunks", "64,128,128"},
		least:  1.2,
	},
	{
		name:   "slices to tiles in zstd",
		source: v3Metadata("[64, 1024, 1024]", "[1, 1024, 1024]", littleBytes+", "+zstd3),
		target: v3Metadata("[64, 1024, 1024]", "[64, 128, 128]", littleBytes+", "+zstd3),
		budget: 320,
		ours:   []string{"--chunks", "64,128,128"},
		least:  1.2,
	},
}

const (
	littleBytes = `{"name": "bytes", "configuration": {"endian": "little"}}`
	zstd3       = `{"name": "zstd", "configuration": {"level": 3, "checksum": false}}`
)

func v3Metadata(shape, chunks, codecs string) string {
	return fmt.Sprintf(`{"zarr_format": 3, "shape": %s, "data_type": "float32", "fill_value": 0, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": %s}}, "codecs": [%s]}`,
		shape, chunks, codecs)
}

// noDigests names a migration with zmigrate that takes no digests of values.
const noDigests = "no digests"

// spent is what a migration took.
type spent struct {
	wall, processors float64 // seconds
	peak             int64   // bytes; 0: not measured
}

// TestMigrationSpeed compares whole migrations with those of tensorstore and, if it is
// there, of zarrs. It measures them in turns, and the best times count. It also checks
// that all make the same array, and the peak of memory.
func TestMigrationSpeed(t *testing.T) {
	if os.Getenv("ZMIGRATE_SPEED") != "1" {
		t.Skip("set ZMIGRATE_SPEED=1 to migrate arrays of some 100 MiB with several programs")
	}
	p := findPeers(t)
	program := build(t)
	for _, m := range migrations {
		t.Run(m.name, func(t *testing.T) { m.measure(t, p, program) })
	}
}

func (m migration) measure(t *testing.T, p peers, program string) {
	const turns = 5
	dir := fast(t)
	source := filepath.Join(dir, "source.zarr")
	p.run(t, "migrate_speed.py", "make", source, m.source)
	target := func(name string) string { return filepath.Join(dir, name+".zarr") }
	ours := func(more ...string) spent {
		remove(t, target("zmigrate"), target("zmigrate")+".zmigrate")
		return spend(t, program, slices.Concat([]string{"copy", "--progress", "none", "--memory", fmt.Sprintf("%dMiB", m.budget)}, m.ours, more, []string{source, target("zmigrate")})...)
	}
	ways := map[string]func() spent{
		"zmigrate":    func() spent { return ours() },
		noDigests:     func() spent { return ours("--set", "run.digest=none") },
		"tensorstore": func() spent { return tensorstoreSpends(t, p, source, target("tensorstore"), m.target) },
	}
	if _, err := os.Stat(reencoder); err != nil {
		t.Logf("without zarrs: %v; `make speed` installs it if there is cargo", err)
	} else if m.zarrs != nil {
		ways["zarrs"] = func() spent {
			remove(t, target("zarrs"))
			return spend(t, reencoder, append(m.zarrs, source, target("zarrs"))...)
		}
	}
	best := map[string]spent{}
	for range turns {
		for name, run := range ways {
			now := run()
			if before, again := best[name]; again {
				now = spent{min(now.wall, before.wall), min(now.processors, before.processors), max(now.peak, before.peak)}
			}
			best[name] = now
		}
	}
	is, plain := best["zmigrate"], best[noDigests]
	delete(best, noDigests)
	t.Logf("with digests %.3f of the time without them, %.3f by the time of processors", is.wall/plain.wall, is.processors/plain.processors)
	for name, peer := range best {
		p.run(t, "migrate_speed.py", "compare", source, target(name))
		t.Logf("%-11s %.2f s, %.2f s of processors, peak %d MiB", name, peer.wall, peer.processors, peer.peak>>20)
		if name == "zmigrate" {
			continue
		}
		t.Logf("%.2f × the speed of %s, %.2f × by the time of processors", peer.wall/is.wall, name, peer.processors/is.processors)
		if peer.wall < m.least*is.wall {
			t.Errorf("less than %g × the speed of %s", m.least, name)
		}
	}
	if most := int64(m.budget)<<20 + allowance; is.peak > most {
		t.Errorf("peak of %d MiB, want at most %d", is.peak>>20, most>>20)
	}
}

// spend runs a program and returns its cost.
func spend(t *testing.T, name string, arguments ...string) spent {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, arguments...)
	began := time.Now()
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	wall := time.Since(began).Seconds()
	return spent{wall, (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), peakMemory(c.ProcessState)}
}

// tensorstoreSpends returns the cost of tensorstore, without the start of Python.
func tensorstoreSpends(t *testing.T, p peers, source, target, metadata string) spent {
	t.Helper()
	cmd, stderr := p.command(t, "migrate_speed.py", "migrate", source, target, metadata)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	var seconds [2]float64
	if err := json.Unmarshal(out, &seconds); err != nil {
		t.Fatal(err)
	}
	return spent{wall: seconds[0], processors: seconds[1]}
}
