package standard_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestChecksumBits flips each bit of chunks whose codecs have a checksum. The chunk is
// verified, as it is when it is carried through, then decoded, and then decoded in
// part. Each must give an error or unchanged values.
func TestChecksumBits(t *testing.T) {
	const shard = `{"name":"sharding_indexed","configuration":{"chunk_shape":[4,3],"codecs":%s}}`
	for _, specs := range []string{
		`["bytes","gzip"]`,
		`["bytes","numcodecs.zlib"]`,
		`["bytes","numcodecs.bz2"]`,
		`["bytes",{"name":"numcodecs.lzma","configuration":{"format":1,"check":1}}]`,
		`["bytes",{"name":"numcodecs.lzma","configuration":{"format":1,"check":4}}]`,
		`["bytes",{"name":"numcodecs.lzma","configuration":{"format":1,"check":10}}]`,
		`["bytes",{"name":"zstd","configuration":{"checksum":true}}]`,
		`["bytes","crc32c"]`,
		`["bytes","numcodecs.crc32"]`,
		`["bytes",{"name":"numcodecs.crc32","configuration":{"location":"end"}}]`,
		`["bytes","numcodecs.adler32"]`,
		`["bytes","numcodecs.fletcher32"]`,
		`["bytes","numcodecs.jenkins_lookup3"]`,
		`["bytes","crc32c","zstd"]`,
		`["bytes","zstd","crc32c"]`,
		`["bytes","crc32c","numcodecs.lz4"]`,
		`["bytes","crc32c",{"name":"blosc","configuration":{"typesize":2}}]`,
		`["bytes",{"name":"conditional","configuration":{"codecs":["gzip","crc32c"]}}]`,
		`[{"name":"n5_default","configuration":{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}},"gzip"]}}]`,
		`["bytes","numcodecs.shuffle","numcodecs.zlib","numcodecs.fletcher32"]`,
		`[` + fmt.Sprintf(shard, `["bytes","crc32c"]`) + `]`,
		`[` + fmt.Sprintf(shard, `["bytes","gzip"]`) + `]`,
		`[` + fmt.Sprintf(shard, `["bytes",{"name":"zstd","configuration":{"checksum":true}}]`) + `]`,
		`[` + fmt.Sprintf(shard, `["bytes"]`) + `,"crc32c"]`,
	} {
		t.Run(specs, func(t *testing.T) { checkBits(t, specs) })
	}
}

func checkBits(t *testing.T, specs string) {
	chain := boundChain(t, specs, codecs.Chunk{Type: dtype.Uint16, Shape: []int{4, 6}, Fill: dtype.Uint16.Default()})
	array := ndarray.New(dtype.Uint16, []int{4, 6})
	for i := range array.Data {
		array.Data[i] = byte(i * i >> 1)
	}
	pool := &ndarray.Pool{}
	encoded, err := chain.AppendEncode(pool, nil, array)
	if err != nil {
		t.Fatal(err)
	}
	wrong := map[string]int{}
	for bit := range 8 * len(encoded) {
		data := bytes.Clone(encoded)
		data[bit/8] ^= 1 << (bit % 8)
		decoded := ndarray.New(dtype.Uint16, []int{4, 6})
		failed := chain.Decode(pool, decoded, data)
		sound := failed == nil && bytes.Equal(decoded.Data, array.Data)
		if failed == nil && !sound {
			wrong["decoded"]++
		}
		for where, in := range map[string]codecs.Input{"in memory": codecs.InMemory(data), "in pieces": &countedInput{InMemory: data}} {
			if err := chain.Verify(t.Context(), in); err == nil && !sound {
				wrong["carried "+where]++
			}
			part := ndarray.New(dtype.Uint16, []int{2, 6})
			if err := chain.DecodeRegion(t.Context(), pool, part, []int{1, 0}, in); err == nil && !bytes.Equal(part.Data, array.Data[12:36]) {
				wrong["part "+where]++
			}
		}
	}
	for path, n := range wrong {
		t.Errorf("%s: %d of %d bits", path, n, 8*len(encoded))
	}
}
