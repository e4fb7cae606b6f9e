package standard_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestCompressorMemory counts all bytes that are allocated to encode a chunk and to
// decode it again. They must not exceed Chain.Memory by more than a small allowance.
func TestCompressorMemory(t *testing.T) {
	const mention = 1 << 20
	r := rand.New(rand.NewPCG(1, 2))
	content := make([]byte, 1_200_000)
	for i := range content {
		content[i] = byte(r.Uint32()) & 0x3f
	}
	for _, s := range []codecs.Spec{
		spec("numcodecs.lzma", `{"preset":0}`), spec("numcodecs.lzma", `{"preset":3}`), spec("numcodecs.lzma", `{"format":2,"preset":9}`),
		spec("numcodecs.lzma", `{"format":3,"filters":[{"id":3,"dist":4},{"id":33,"preset":6}]}`),
		spec("numcodecs.bz2", `{"level":1}`), spec("numcodecs.bz2", `{"level":9}`),
		spec("zstd", `{"level":10}`), spec("numcodecs.zstd", `{"level":22}`),
		spec("gzip", `{"level":9}`), spec("numcodecs.zlib", `{"level":1}`), spec("numcodecs.lz4", ""),
	} {
		for _, n := range []int{64 << 10, 1_200_000} {
			chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("bytes", ""), s}, of(dtype.Uint8, n))
			if err != nil {
				t.Fatal(err)
			}
			a, err := ndarray.View(dtype.Uint8, []int{n}, content[:n])
			if err != nil {
				t.Fatal(err)
			}
			var pool ndarray.Pool
			var data []byte
			encode := allocated(func() {
				if data, _, err = chain.Encode(&pool, a); err != nil {
					t.Fatal(err)
				}
			})
			back := ndarray.New(dtype.Uint8, []int{n})
			decode := allocated(func() {
				if err := chain.Decode(&pool, back, data); err != nil {
					t.Fatal(err)
				}
			})
			if most := chain.Memory() + mention; max(encode, decode) > most {
				t.Errorf("%s %s, %d bytes: %d bytes to encode, %d to decode, Memory says %d",
					s.Name, s.Configuration, n, encode, decode, chain.Memory())
			}
		}
	}
}

// allocated counts the bytes that f allocates with empty pools.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC() // the pools' content survives one collection
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// TestRegionMemory reads most of a chunk and counts what the pool allocates. It must be
// at most RegionMemory.
func TestRegionMemory(t *testing.T) {
	const n = 1024
	for name, c := range map[string]struct {
		typ   dtype.Type
		specs []codecs.Spec
	}{
		"an array in front of shards": {dtype.Float64, []codecs.Spec{
			spec("scale_offset", `{"scale":2}`),
			spec("sharding_indexed", `{"chunk_shape":[64,64],"codecs":["bytes","crc32c"]}`), // without codecs whose pools the race detector empties
		}},
		"wider arrays": {dtype.Uint8, []codecs.Spec{
			spec("cast_value", `{"data_type":"float64"}`), spec("bitround", `{"keepbits":30}`), spec("scale_offset", `{"scale":2}`),
			spec("bytes", ""), spec("crc32c", ""),
		}},
		"no bytes to bytes codec": {dtype.Uint8, []codecs.Spec{spec("cast_value", `{"data_type":"float64"}`), spec("bytes", "")}},
		"views": {dtype.Uint8, []codecs.Spec{
			spec("transpose", `{"order":[1,0]}`), spec("bytes", ""), spec("gzip", ""),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			chain, err := standard.Registry(dtype.Standard()).Bind(c.specs, of(c.typ, n, n))
			if err != nil {
				t.Fatal(err)
			}
			whole := ndarray.New(c.typ, []int{n, n})
			for i := range whole.Data {
				whole.Data[i] = byte(i & 0x3f)
			}
			data, _, err := chain.Encode(&ndarray.Pool{}, whole)
			if err != nil {
				t.Fatal(err)
			}
			object, err := chain.Open(t.Context(), &sparse{size: int64(len(data)), parts: map[int64][]byte{0: data}})
			if err != nil {
				t.Fatal(err)
			}
			pool := ndarray.Pool{Keep: 1 << 30}
			dst := ndarray.New(c.typ, []int{n - 1, n})
			got := allocated(func() {
				if err := object.DecodeRegion(t.Context(), &pool, dst, []int{1, 0}); err != nil {
					t.Fatal(err)
				}
			})
			const mention = 2 << 20
			if most := chain.RegionMemory() + mention; got > most {
				t.Errorf("%d bytes were allocated, RegionMemory says %d", got, chain.RegionMemory())
			}
		})
	}
}
