package standard_test

import (
	"fmt"
	"hash/crc32"
	"slices"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/codectest"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// BenchmarkCompress measures one core, and the compression ratio.
func BenchmarkCompress(b *testing.B) {
	contents := []struct {
		name string
		data []byte
	}{{"noise", codectest.Noisy(1 << 20)}, {"counts", codectest.Counts(2 << 20)}, {"text", codectest.Words(4 << 20)}, {"zeros", make([]byte, 4<<20)}}
	for _, codec := range []struct {
		name   string
		levels []int
	}{{"zstd", []int{-1, 1, 3, 6}}, {"gzip", []int{1, 5, 9}}} {
		for _, level := range codec.levels {
			for _, c := range contents {
				name := fmt.Sprintf("%s/level=%d/%s", codec.name, level, c.name)
				benchmarkCodec(b, name, spec(codec.name, fmt.Sprintf(`{"level":%d}`, level)), c.data)
			}
		}
	}
}

// BenchmarkChecksum measures the checksum alone, and the codec, which also copies the
// bytes.
func BenchmarkChecksum(b *testing.B) {
	src := codectest.Noisy(256 << 10)
	b.Run("crc32c/alone", func(b *testing.B) {
		table := crc32.MakeTable(crc32.Castagnoli)
		b.SetBytes(int64(len(src)))
		for b.Loop() {
			crc32.Checksum(src, table)
		}
	})
	benchmarkCodec(b, "crc32c", spec("crc32c", ""), src)
}

// benchmarkCodec encodes and decodes src.
func benchmarkCodec(b *testing.B, name string, s codecs.Spec, src []byte) {
	codec := bound(b, s, codecs.Size{Max: len(src), Fixed: true})
	buffer := encoded(b, s, src)
	b.Run(name+"/encode", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		for b.Loop() {
			var err error
			if buffer, err = codec.AppendEncode(buffer[:0], src); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(src))/float64(len(buffer)), "ratio")
	})
	back := make([]byte, 0, len(src))
	b.Run(name+"/decode", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		for b.Loop() {
			if _, err := codec.AppendDecode(back, buffer); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// shardBench is a shard and the chain of its inner chunks.
type shardBench struct {
	shard, inner *codecs.Chain
	shards       *codecs.Shards
	pool         ndarray.Pool
	data         ndarray.Array
}

// newShardBench makes a shard of n inner chunks of 1 MiB each.
func newShardBench(b *testing.B, n int, inner ...codecs.Spec) *shardBench {
	b.Helper()
	s := &shardBench{pool: ndarray.Pool{Keep: 2 << 30}}
	chunk := func(shape ...int) codecs.Chunk {
		return codecs.Chunk{Type: dtype.Float32, Shape: shape, Fill: dtype.Float32.Default()}
	}
	var err error
	if s.inner, err = standard.Registry(dtype.Standard()).Bind(inner, chunk(4, 256, 256)); err != nil {
		b.Fatal(err)
	}
	sharding, err := standard.Sharding(s.inner)
	if err != nil {
		b.Fatal(err)
	}
	shape := []int{n, 512, 512}
	if s.shard, err = standard.Registry(dtype.Standard()).Bind([]codecs.Spec{sharding}, chunk(shape...)); err != nil {
		b.Fatal(err)
	}
	s.shards, _ = s.shard.Shards()
	if s.data, err = ndarray.View(dtype.Float32, shape, codectest.Noisy(n<<18)); err != nil {
		b.Fatal(err)
	}
	return s
}

// encodeInner encodes the inner chunks one by one and calls keep with each result.
func (s *shardBench) encodeInner(b *testing.B, keep func(i int, data []byte)) {
	b.Helper()
	n := s.shard.Concurrency()
	for i := range n {
		data, buffer, err := s.inner.Encode(&s.pool, s.data.Sub(s.shards.Region(i)))
		if err != nil {
			b.Fatal(err)
		}
		keep(i, data)
		if buffer != nil {
			buffer.Release()
		}
	}
}

// innerChains are the inner chains of the shards in benchmarks.
func innerChains() map[string][]codecs.Spec {
	return map[string][]codecs.Spec{
		"crc32c": {spec("bytes", ""), spec("crc32c", "")},
		"blosc":  {spec("bytes", ""), spec("blosc", `{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":4,"blocksize":0}`)},
		"zstd":   {spec("bytes", ""), spec("zstd", `{"level":3}`)},
	}
}

// BenchmarkSharding compares a shard of 64 MiB with encoding and decoding its 64 inner
// chunks separately. Both ways keep all encoded bytes in memory.
func BenchmarkSharding(b *testing.B) {
	for name, inner := range innerChains() {
		s := newShardBench(b, 64, inner...)
		data, _, err := s.shard.Encode(&s.pool, s.data)
		if err != nil {
			b.Fatal(err)
		}
		chunks := make([][]byte, s.shard.Concurrency())
		s.encodeInner(b, func(i int, data []byte) { chunks[i] = slices.Clone(data) })
		kept := make([]byte, 0, s.shard.Size().Max)
		b.Run(name+"/encode", func(b *testing.B) {
			inTurns(b, len(s.data.Data), func() error {
				_, buffer, err := s.shard.Encode(&s.pool, s.data)
				if err == nil {
					buffer.Release()
				}
				return err
			}, func() error {
				kept = kept[:0]
				s.encodeInner(b, func(_ int, data []byte) { kept = append(kept, data...) })
				return nil
			})
		})
		back := ndarray.New(s.data.Type, s.data.Shape)
		b.Run(name+"/decode", func(b *testing.B) {
			inTurns(b, len(s.data.Data), func() error { return s.shard.Decode(&s.pool, back, data) }, func() error {
				for i, chunk := range chunks {
					if err := s.inner.Decode(&s.pool, back.Sub(s.shards.Region(i)), chunk); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

// BenchmarkPartial compares reading one inner chunk of a shard of 256 MiB with reading
// the whole shard.
func BenchmarkPartial(b *testing.B) {
	for name, inner := range innerChains() {
		s := newShardBench(b, 256, inner...)
		data, _, err := s.shard.Encode(&s.pool, s.data)
		if err != nil {
			b.Fatal(err)
		}
		all := ndarray.New(s.data.Type, s.data.Shape)
		region := s.shards.Region(s.shard.Concurrency() / 2)
		one := ndarray.New(s.data.Type, region.Shape)
		b.Run(name, func(b *testing.B) {
			inTurns(b, len(one.Data), func() error {
				return s.shard.DecodeRegion(b.Context(), &s.pool, one, region.Start, &object{data: data})
			}, func() error { return s.shard.Decode(&s.pool, all, data) })
		})
	}
}

// inTurns runs ours and other five times in turns. It reports medians: the speed of
// ours, which handles size bytes, and how many times as long the other takes.
func inTurns(b *testing.B, size int, ours, other func() error) {
	b.Helper()
	const pairs = 5
	seconds := func(run func() error) float64 {
		began := time.Now()
		if err := run(); err != nil {
			b.Fatal(err)
		}
		return time.Since(began).Seconds()
	}
	var us, ratios []float64
	for b.Loop() {
		for range pairs {
			x, y := seconds(ours), seconds(other)
			us, ratios = append(us, x), append(ratios, y/x)
		}
	}
	slices.Sort(us)
	slices.Sort(ratios)
	b.ReportMetric(0, "ns/op") // the time of all pairs together means nothing
	b.ReportMetric(float64(size)/1e6/us[len(us)/2], "MB/s")
	b.ReportMetric(ratios[len(ratios)/2], "x-other")
}
