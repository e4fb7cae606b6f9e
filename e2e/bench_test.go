package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"
)

const (
	benchLayers = 256     // of the array, float32 [256, 1024, 1024]
	layerBytes  = 4 << 20 // of one layer
	benchBytes  = benchLayers * layerBytes
	pairs       = 5 // of measurements, of which the median counts
)

// benchSource writes 1 GiB of float32 to a fast disk and returns its folder.
func benchSource(b *testing.B) string {
	b.Helper()
	dir := fast(b)
	f, err := os.Create(filepath.Join(dir, "data.bin"))
	if err != nil {
		b.Fatal(err)
	}
	piece := smooth(16 * layerBytes / 4)
	for range benchBytes / len(piece) {
		if _, err := f.Write(piece); err != nil {
			b.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return dir
}

// benchJob writes a job for that source and returns a function that runs the
// program on it and takes the time.
func benchJob(b *testing.B, dir, program, options string) func() time.Duration {
	b.Helper()
	job := write(b, dir, "job.yaml", fmt.Appendf(nil, `zmigrate: 1
source: {driver: raw, arrays: {a: {url: data.bin, data_type: float32, shape: [%d, 1024, 1024]}}}
target: {url: out.zarr}
arrays: {a: {%s}}
`, benchLayers, options))
	target := filepath.Join(dir, "out.zarr")
	return func() time.Duration {
		defer remove(b, target, target+".zmigrate")
		return command(b, program, "run", "--progress", "none", job)
	}
}

func remove(b *testing.B, names ...string) {
	b.Helper()
	for _, name := range names {
		if err := os.RemoveAll(name); err != nil {
			b.Fatal(err)
		}
	}
}

// command runs a command and returns how long it took.
func command(b *testing.B, name string, args ...string) time.Duration {
	b.Helper()
	c := exec.CommandContext(b.Context(), name, args...)
	c.Stderr = b.Output()
	began := time.Now()
	if err := c.Run(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

// compare measures ours and theirs in turns and reports the median of the
// ratios of their speeds: above 1 where ours is faster.
func compare(b *testing.B, name string, ours, theirs func() time.Duration) {
	b.Helper()
	var ratios, us, them []float64
	for b.Loop() {
		for range pairs {
			x, y := ours().Seconds(), theirs().Seconds()
			ratios, us, them = append(ratios, y/x), append(us, x), append(them, y)
		}
	}
	median := func(list []float64) float64 {
		slices.Sort(list)
		return list[len(list)/2]
	}
	b.ReportMetric(0, "ns/op") // of all pairs together; says nothing
	b.ReportMetric(median(ratios), "x-"+name)
	b.ReportMetric(benchBytes/1e6/median(us), "MB/s")
	b.ReportMetric(benchBytes/1e6/median(them), "MB/s-"+name)
	b.Logf("zmigrate %.2f s, %s %.2f s, ratio of throughputs %.2f (%.2f to %.2f in %d pairs)",
		median(us), name, median(them), median(ratios), ratios[0], ratios[len(ratios)-1], len(ratios))
}

// BenchmarkCopy compares with cp of the same bytes, on the same disk.
func BenchmarkCopy(b *testing.B) {
	dir := benchSource(b)
	program := build(b, dir)
	copied := filepath.Join(dir, "copy.bin")
	cp := func() time.Duration {
		defer remove(b, copied)
		return command(b, "cp", filepath.Join(dir, "data.bin"), copied)
	}
	for _, chunks := range []string{"auto", "[1, 1024, 1024]", "[4, 1024, 1024]"} {
		b.Run("chunks="+chunks, func(b *testing.B) {
			compare(b, "cp", benchJob(b, dir, program, "codecs: [bytes], chunks: "+chunks), cp)
		})
	}
}

// BenchmarkZstd compares with the zstd library alone: all processors encode
// chunks that lie in memory already, and drop them.
func BenchmarkZstd(b *testing.B) {
	dir := benchSource(b)
	program := build(b, dir)
	data, err := os.ReadFile(filepath.Join(dir, "data.bin"))
	if err != nil {
		b.Fatal(err)
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(3)), zstd.WithEncoderCRC(false))
	if err != nil {
		b.Fatal(err)
	}
	library := func() time.Duration {
		began := time.Now()
		group, _ := errgroup.WithContext(context.Background())
		group.SetLimit(runtime.GOMAXPROCS(0))
		outs := make(chan []byte, runtime.GOMAXPROCS(0))
		for range cap(outs) {
			outs <- nil
		}
		for chunk := range slices.Chunk(data, layerBytes) {
			group.Go(func() error {
				outs <- encoder.EncodeAll(chunk, (<-outs)[:0])
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	for _, chunks := range []string{"[1, 1024, 1024]", "auto"} {
		b.Run("chunks="+chunks, func(b *testing.B) {
			compare(b, "library", benchJob(b, dir, program, "codecs: [bytes, {zstd: {level: 3}}], chunks: "+chunks), library)
		})
	}
}
