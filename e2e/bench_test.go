package e2e

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

const (
	layerBytes = 4 << 20 // bytes of one layer of float32 [layers, 1024, 1024]
	pairs      = 5       // pairs of measurements; the median counts
)

// benchSource writes layers layers to a fast disk and returns the folder. No part of
// the file repeats another part.
func benchSource(b *testing.B, layers int) string {
	b.Helper()
	dir := fast(b)
	f, err := os.Create(filepath.Join(dir, "data.bin"))
	if err != nil {
		b.Fatal(err)
	}
	layer := smooth(layerBytes / 4)
	values := make([]float32, layerBytes/4)
	if _, err := binary.Decode(layer, binary.LittleEndian, values); err != nil {
		b.Fatal(err)
	}
	for i := range layers {
		for k, v := range values {
			binary.LittleEndian.PutUint32(layer[4*k:], math.Float32bits(v+float32(i)/16))
		}
		if _, err := f.Write(layer); err != nil {
			b.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return dir
}

// benchJob writes a job for that source. It returns a function that runs the program on
// the job and measures the time.
func benchJob(b *testing.B, dir, program string, layers int, options string) func() time.Duration {
	b.Helper()
	job := write(b, dir, "job.yaml", fmt.Appendf(nil, `zmigrate: 1
source: {driver: raw, arrays: {a: {url: data.bin, data_type: float32, shape: [%d, 1024, 1024]}}}
target: {url: out.zarr}
arrays: {a: {%s}}
`, layers, options))
	target := filepath.Join(dir, "out.zarr")
	return func() time.Duration {
		defer remove(b, target, target+".zmigrate")
		return command(b, program, "run", "--progress", "none", job)
	}
}

func remove(b testing.TB, names ...string) {
	b.Helper()
	for _, name := range names {
		if err := os.RemoveAll(name); err != nil {
			b.Fatal(err)
		}
	}
}

// command runs a command and returns how long it took.
func command(b testing.TB, name string, args ...string) time.Duration {
	b.Helper()
	c := exec.CommandContext(b.Context(), name, args...)
	c.Stderr = b.Output()
	began := time.Now()
	if err := c.Run(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

// compare measures ours and theirs in turns. It reports the median of the ratios of
// their speeds, which is above 1 if ours is faster.
func compare(b *testing.B, layers int, name string, ours, theirs func() time.Duration) {
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
	b.ReportMetric(0, "ns/op") // the time of all pairs together means nothing
	b.ReportMetric(median(ratios), "x-"+name)
	b.ReportMetric(float64(layers*layerBytes)/1e6/median(us), "MB/s")
	b.ReportMetric(float64(layers*layerBytes)/1e6/median(them), "MB/s-"+name)
	b.Logf("zmigrate %.2f s, %s %.2f s, ratio of throughputs %.2f (%.2f to %.2f in %d pairs)",
		median(us), name, median(them), median(ratios), ratios[0], ratios[len(ratios)-1], len(ratios))
}

// BenchmarkCopy compares with cp of the same 1 GiB, on the same disk.
func BenchmarkCopy(b *testing.B) {
	const layers = 256
	dir := benchSource(b, layers)
	program := build(b)
	copied := filepath.Join(dir, "copy.bin")
	cp := func() time.Duration {
		defer remove(b, copied)
		return command(b, "cp", filepath.Join(dir, "data.bin"), copied)
	}
	for _, chunks := range []string{"auto", "[1, 1024, 1024]", "[4, 1024, 1024]"} {
		b.Run("chunks="+chunks, func(b *testing.B) {
			compare(b, layers, "cp", benchJob(b, dir, program, layers, "codecs: [bytes], chunks: "+chunks), cp)
		})
	}
}

// BenchmarkZstd compares with the zstd library alone: all processors encode the same
// chunks, which are in memory, and drop the results.
func BenchmarkZstd(b *testing.B) {
	const layers = 64
	dir := benchSource(b, layers)
	program := build(b)
	data, err := os.ReadFile(filepath.Join(dir, "data.bin"))
	if err != nil {
		b.Fatal(err)
	}
	shape := []int{layers, 1024, 1024}
	for _, chunk := range [][]int{{1, 1024, 1024}, zarr.AutoChunks(shape, nil, 4)} {
		text, err := json.Marshal(chunk)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("chunks="+string(text), func(b *testing.B) {
			chunks := cut(b, data, zarr.Grid{Shape: shape, Chunk: chunk})
			ours := benchJob(b, dir, program, layers, "codecs: [bytes, {zstd: {level: 3}}], chunks: "+string(text))
			compare(b, layers, "library", ours, func() time.Duration { return encodeAll(b, chunks) })
		})
	}
}

// cut returns the chunks of an array of float32.
func cut(b *testing.B, data []byte, grid zarr.Grid) [][]byte {
	b.Helper()
	array, err := ndarray.View(dtype.Float32, grid.Shape, data)
	if err != nil {
		b.Fatal(err)
	}
	var chunks [][]byte
	for n := range grid.Len() {
		region := grid.Region(grid.Index(n))
		chunk := ndarray.New(dtype.Float32, region.Shape)
		ndarray.Copy(chunk, array.Sub(region))
		chunks = append(chunks, chunk.Data)
	}
	return chunks
}

// encodeAll encodes the chunks on all processors, as the zstd codec does.
func encodeAll(b *testing.B, chunks [][]byte) time.Duration {
	b.Helper()
	began := time.Now()
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(3)), zstd.WithEncoderCRC(false))
	if err != nil {
		b.Fatal(err)
	}
	outs := make(chan []byte, runtime.GOMAXPROCS(0))
	for range cap(outs) {
		outs <- make([]byte, 0, len(chunks[0])+len(chunks[0])/64)
	}
	var group errgroup.Group
	group.SetLimit(cap(outs))
	for _, chunk := range chunks {
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
