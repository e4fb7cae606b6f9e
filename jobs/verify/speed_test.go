package verify_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/jobs/run"
	"github.com/zmigrate/zmigrate/jobs/verify"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// BenchmarkDecoded verifies a target by its values. In turns with the verification, it reads
// and decodes the same objects and compares nothing. The metric "speed" is the speed of the
// verification relative to that; docs/verify.md has it.
func BenchmarkDecoded(b *testing.B) {
	forEachLayout(b, func(b *testing.B, j *jobfile.Job, target string) {
		var verified, decoded time.Duration
		for b.Loop() {
			began := time.Now()
			r, err := verify.Verify(b.Context(), j, jobtest.Environment(), verify.Options{})
			if err != nil || r.Count > 0 || r.ByValues != r.Objects {
				b.Fatalf("%+v, %v", r, err)
			}
			verified += time.Since(began)
			began = time.Now()
			if err := decodeAll(b.Context(), filepath.Join(target, "a")); err != nil {
				b.Fatal(err)
			}
			decoded += time.Since(began)
		}
		b.ReportMetric(decoded.Seconds()/verified.Seconds(), "speed")
	})
}

// decodeAll reads and decodes all chunks of an array with all processors.
func decodeAll(ctx context.Context, array string) error {
	text, err := os.ReadFile(filepath.Join(array, zarr.MetadataKey))
	if err != nil {
		return err
	}
	env := jobtest.Environment()
	meta, err := zarr.ParseArray(text, env.Codecs.Types())
	if err != nil {
		return err
	}
	chain, err := env.Codecs.Bind(meta.Codecs, codecs.Chunk{Type: meta.Type, Shape: meta.Grid.Chunk, Fill: meta.Fill})
	if err != nil {
		return err
	}
	pool := &ndarray.Pool{Keep: 1 << 30}
	return sources.InParallelUpTo(ctx, runtime.GOMAXPROCS(0), meta.Grid.Len(), func(_ context.Context, i int) error {
		data, err := os.ReadFile(filepath.Join(array, meta.Keys.Key(meta.Grid.Index(i))))
		if err != nil {
			return err
		}
		n, _ := ndarray.Bytes(meta.Type, meta.Grid.Chunk)
		buffer := pool.Get(n)
		defer buffer.Release()
		chunk, err := ndarray.View(meta.Type, meta.Grid.Chunk, buffer.Bytes[:n])
		if err != nil {
			return err
		}
		return chain.Decode(pool, chunk, data)
	})
}

// forEachLayout migrates 256 MiB of a smooth field with noise, in several layouts.
func forEachLayout(b *testing.B, f func(b *testing.B, j *jobfile.Job, target string)) {
	b.Helper()
	const n = 64 << 20
	dir := b.TempDir()
	data := make([]byte, 0, 4*n)
	for i := range n {
		v := math.Sin(float64(i)/5000) + float64(i*2654435761%1024)/1e5
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v)))
	}
	if err := os.WriteFile(filepath.Join(dir, "f.raw"), data, 0o600); err != nil {
		b.Fatal(err)
	}
	for name, options := range map[string]string{
		"zstd":        "{chunks: [64, 256, 256], codecs: [bytes, {zstd: {level: 3}}]}",
		"raw":         "{chunks: [64, 256, 256], codecs: [bytes]}",
		"zstd-shards": "{chunks: [16, 128, 128], shards: [128, 256, 256], codecs: [bytes, {zstd: {level: 3}}]}",
		"large":       "{chunks: [16, 128, 128], shards: [512, 256, 256], codecs: [bytes, crc32c]}",
	} {
		b.Run(name, func(b *testing.B) {
			text := fmt.Sprintf(`
zmigrate: 1
source:
  driver: raw
  arrays:
    a: {url: f.raw, data_type: float32, shape: [1024, 256, 256]}
target: {url: %s.zarr}
arrays: {a: %s}
`, name, options)
			j, err := jobfile.Parse("job.yaml", []byte(text), dir, jobfile.LoadOptions{})
			if err != nil {
				b.Fatal(err)
			}
			p, err := plan.New(b.Context(), j, jobtest.Environment())
			if err != nil {
				b.Fatal(err)
			}
			_, err = run.Run(b.Context(), p, jobtest.Environment(), run.Options{})
			if err := errors.Join(err, p.Close()); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(4 * n)
			f(b, j, filepath.Join(dir, name+".zarr"))
		})
	}
}
