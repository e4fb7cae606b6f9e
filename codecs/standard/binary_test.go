package standard_test

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/codectest"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

// lzmaRaw is a configuration of numcodecs.lzma with filters.
const lzmaRaw = `{"format":3,"filters":[{"id":3,"dist":4},{"id":33,"preset":1}]}`

// binaryCases are the conformance cases of the bytes → bytes codecs that are not in
// Zarr's core.
func binaryCases() []codectest.Case {
	checksums := []codectest.Case{
		{Spec: spec("numcodecs.fletcher32", `{}`)},
		{Spec: spec("numcodecs.jenkins_lookup3", `{"initval":7,"prefix":[1,2,255]}`), Refused: []codectest.Refused{
			{Configuration: `{"initval":-1}`, Field: "initval"},
			{Configuration: `{"initval":4294967296}`, Field: "initval"},
			{Configuration: `{"prefix":[1,256]}`, Field: "prefix[1]"},
			{Configuration: `{"prefix":"x"}`, Field: "prefix"},
		}},
	}
	for _, name := range []string{"numcodecs.crc32", "numcodecs.crc32c", "numcodecs.adler32"} {
		checksums = append(checksums,
			codectest.Case{Spec: spec(name, `{"location":"start"}`)},
			codectest.Case{Spec: spec(name, `{"location":"end"}`), Refused: []codectest.Refused{
				{Configuration: `{"location":"middle"}`, Field: "location"},
				{Configuration: `{"location":1}`, Field: "location"},
			}})
	}
	for i := range checksums {
		checksums[i].DetectsDamage = true
	}
	return slices.Concat(checksums, compressorCases(), lzmaCases(), []codectest.Case{
		{Spec: spec("numcodecs.shuffle", `{"elementsize":8}`), Types: []dtype.Type{dtype.Int64, dtype.Float64, dtype.Complex128}, Multiple: 8},
		{Spec: spec("numcodecs.shuffle", `{"elementsize":1}`)},
		{Spec: spec("numcodecs.shuffle", `{"elementsize":3}`), Types: []dtype.Type{dtype.NullTerminated(3), dtype.FixedUTF32(3)}, Multiple: 3, Refused: []codectest.Refused{
			{Configuration: `{"elementsize":5}`, Field: "elementsize"},
			{Configuration: `{"elementsize":13}`, Field: "elementsize"},
			{Configuration: `{"elementsize":-1}`, Field: "elementsize"},
			{Configuration: `{"elementsize":2147483648}`, Field: "elementsize"},
		}},
		{Spec: spec("conditional", `{"codecs":[{"name":"numcodecs.shuffle","configuration":{"elementsize":4}},"zstd"]}`), Types: []dtype.Type{dtype.Int32, dtype.Float64, dtype.RawBits(32)}, Multiple: 4},
		{Spec: spec("conditional", `{"codecs":[],"header_bits":0}`)},
		{Spec: spec("conditional", `{"codecs":["crc32c",{"name":"gzip","configuration":{"level":1}},"crc32c"],"header_bits":24}`), Refused: []codectest.Refused{
			{Configuration: `{}`, Field: "codecs"},
			{Configuration: `{"codecs":["bytes"]}`, Field: "codecs[0]"},
			{Configuration: `{"codecs":["crc32c","no such codec"]}`, Field: "codecs[1]"},
			{Configuration: `{"codecs":[{"name":"gzip","configuration":{"level":10}}]}`, Field: "codecs[0]"},
			{Configuration: `{"codecs":["crc32c"],"header_bits":0}`, Field: "header_bits"},
			{Configuration: `{"codecs":["crc32c"],"header_bits":9}`, Field: "header_bits"},
			{Configuration: `{"codecs":["crc32c"],"header_bits":-8}`, Field: "header_bits"},
			{Configuration: `{"codecs":["crc32c"],"header_bits":8000000}`, Field: "header_bits"},
		}},
	})
}

// few returns the data types for slow codecs.
func few() []dtype.Type { return []dtype.Type{dtype.BoolType, dtype.Float64, dtype.Uint16} }

func compressorCases() []codectest.Case {
	cases := []codectest.Case{
		{Spec: spec("numcodecs.lz4", `{"acceleration":0}`)},
		{Spec: spec("numcodecs.lz4", `{"acceleration":100}`), Refused: []codectest.Refused{
			{Configuration: `{"acceleration":2147483648}`, Field: "acceleration"},
			{Configuration: `{"acceleration":null,"level":1}`, Field: "level"},
		}},
		{Slow: true, Spec: spec("numcodecs.bz2", `{"level":1}`), Types: few(), DetectsDamage: true},
		{Slow: true, Spec: spec("numcodecs.bz2", `{"level":9}`), Types: few()[:1], DetectsDamage: true, Refused: []codectest.Refused{
			{Configuration: `{"level":0}`, Field: "level"},
			{Configuration: `{"level":10}`, Field: "level"},
		}},
		{Spec: spec("numcodecs.gzip", `{"level":9}`), Types: few(), DetectsDamage: true, Refused: []codectest.Refused{
			{Configuration: `{"level":10}`, Field: "level"},
		}},
		{Spec: spec("numcodecs.zstd", `{"level":1,"checksum":true}`), Types: few(), DetectsDamage: true},
		{Spec: spec("numcodecs.zstd", `{"level":-5}`), Types: few(), Refused: []codectest.Refused{
			{Configuration: `{"level":23}`, Field: "level"},
		}},
		{Spec: spec("zarrs.gdeflate", `{"level":12}`), Types: few(), Refused: []codectest.Refused{
			{Configuration: `{}`, Field: "level"},
			{Configuration: `{"level":13}`, Field: "level"},
			{Configuration: `{"level":-1}`, Field: "level"},
		}},
		{Spec: spec("zarrs.gdeflate", `{"level":0}`), Types: few()},
	}
	for _, level := range []string{"-1", "0", "1", "6", "9"} {
		cases = append(cases, codectest.Case{Spec: spec("numcodecs.zlib", `{"level":`+level+`}`), Types: few(), DetectsDamage: true})
	}
	cases[len(cases)-1].Refused = []codectest.Refused{
		{Configuration: `{"level":-2}`, Field: "level"},
		{Configuration: `{"level":10}`, Field: "level"},
	}
	return cases
}

func lzmaCases() []codectest.Case {
	cases := []codectest.Case{
		{Slow: true, Spec: spec("numcodecs.lzma", `{}`), DetectsDamage: true},
		{Slow: true, Spec: spec("numcodecs.lzma", `{"format":1,"check":0,"preset":0}`)},
		{Slow: true, Spec: spec("numcodecs.lzma", `{"check":1,"preset":2147483657}`), DetectsDamage: true},
		{Slow: true, Spec: spec("numcodecs.lzma", `{"check":10,"filters":[{"id":3,"dist":256},{"id":3},{"id":33,"dict_size":4096,"lc":0,"lp":4,"pb":0}]}`), DetectsDamage: true},
		{Slow: true, Spec: spec("numcodecs.lzma", `{"format":2,"check":0}`)},
		{Slow: true, Spec: spec("numcodecs.lzma", lzmaRaw)},
		{Slow: true, Spec: spec("numcodecs.lzma", `{"format":3,"filters":[{"id":3,"dist":2},{"id":4611686018427387905,"lc":1,"lp":2,"pb":3,"mode":2,"nice_len":64,"mf":20,"depth":0}]}`), Refused: []codectest.Refused{
			{Configuration: `{"format":0}`, Field: "format"},
			{Configuration: `{"format":3}`, Field: "filters"},
			{Configuration: `{"format":3,"filters":[]}`, Field: "filters"},
			{Configuration: `{"check":2}`, Field: "check"},
			{Configuration: `{"format":2,"check":4}`, Field: "check"},
			{Configuration: `{"preset":10}`, Field: "preset"},
			{Configuration: `{"preset":-1}`, Field: "preset"},
			{Configuration: `{"preset":1,"filters":[{"id":33}]}`, Field: "preset"},
			{Configuration: `{"filters":[{"id":4},{"id":33}]}`, Field: "filters[0].id"},
			{Configuration: `{"filters":[{"id":3}]}`, Field: "filters[0].id"},
			{Configuration: `{"filters":[{"id":4611686018427387905}]}`, Field: "filters[0].id"},
			{Configuration: `{"format":2,"filters":[{"id":33}]}`, Field: "filters[0].id"},
			{Configuration: `{"filters":[{"id":3,"dist":257},{"id":33}]}`, Field: "filters[0].dist"},
			{Configuration: `{"filters":[{"id":33,"level":1}]}`, Field: "filters[0].level"},
			{Configuration: `{"filters":[{"id":33,"lc":4,"lp":1}]}`, Field: "filters"},
			{Configuration: `{"filters":[{"id":33,"dict_size":100}]}`, Field: "filters"},
			{Configuration: `{"filters":[7]}`, Field: "filters[0]"},
		}},
	}
	for i := range cases {
		cases[i].Types = few()[i%len(few()):][:1]
	}
	return cases
}

// TestChecksums compares with values that other programs print: zlib, numcodecs, and
// those in RFC 3720.
func TestChecksums(t *testing.T) {
	var count [255]byte
	for i := range count {
		count[i] = byte(i)
	}
	for _, c := range []struct{ name, configuration, content, want string }{
		{"numcodecs.crc32", "", "123456789", "\x26\x39\xf4\xcb123456789"},
		{"numcodecs.crc32", `{"location":"end"}`, "123456789", "123456789\x26\x39\xf4\xcb"},
		{"numcodecs.crc32c", "", "123456789", "123456789\x83\x92\x06\xe3"},
		{"numcodecs.crc32c", `{"location":"start"}`, "123456789", "\x83\x92\x06\xe3123456789"},
		{"numcodecs.adler32", "", "Wikipedia", "\x98\x03\xe6\x11Wikipedia"},
		{"numcodecs.adler32", `{"location":"end"}`, "", "\x01\x00\x00\x00"},
		{"numcodecs.fletcher32", "", "a", "a\x00\x61\x00\x61"},
		{"numcodecs.fletcher32", "", "abc", "abc\x62\xc4\xc5\x25"},
		{"numcodecs.fletcher32", "", "abcd", "abcd\xc6\xc4\x29\x26"},
		{"numcodecs.fletcher32", "", string(count[:]), string(count[:]) + "\x40\xbf\x76\x54"},
		{"numcodecs.jenkins_lookup3", "", "Four score and seven years ago", "Four score and seven years ago\x51\x05\x77\x17"},
		{"numcodecs.jenkins_lookup3", `{"initval":1}`, "Four score and seven years ago", "Four score and seven years ago\x61\x81\x62\xcd"},
		{"numcodecs.jenkins_lookup3", `{"prefix":[70,111,117,114]}`, " score and seven years ago", " score and seven years ago\x51\x05\x77\x17"},
	} {
		b := bound(t, spec(c.name, c.configuration), codecs.Size{Max: len(c.content), Fixed: true})
		if got, err := b.AppendEncode(nil, []byte(c.content)); err != nil || string(got) != c.want {
			t.Errorf("%s%s: %q, %v, want %q", c.name, c.configuration, got, err, c.want)
		}
	}
}

// TestShuffleOfOtherLengths checks that input must consist of whole elements, whatever
// its length, because zarr-python reads and writes nothing else.
func TestShuffleOfOtherLengths(t *testing.T) {
	b := bound(t, spec("numcodecs.shuffle", `{"elementsize":4}`), codecs.Size{Max: 20})
	for n := range 13 {
		data := make([]byte, n)
		encoded, err := b.AppendEncode(nil, data)
		decoded, back := b.AppendDecode(nil, data)
		if n%4 == 0 {
			if err != nil || back != nil || len(encoded) != n || len(decoded) != n {
				t.Errorf("%d bytes: %v, %v", n, err, back)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "elementsize") {
			t.Errorf("%d bytes were encoded: %v", n, err)
		}
		if !errors.Is(back, codecs.ErrCorrupt) {
			t.Errorf("%d bytes were decoded: %v, want ErrCorrupt", n, back)
		}
	}
}

// TestFletcher32Long compares with plain sums for many words. It also checks that the
// error about a wrong checksum states the right one.
func TestFletcher32Long(t *testing.T) {
	content := bytes.Repeat([]byte{0xff, 0xff, 0xff, 0xfe, 0x12, 0, 0}, 60_001)
	var sum1, sum2 uint64
	for pair := range slices.Chunk(append(slices.Clone(content), 0), 2) {
		sum1 = (sum1 + uint64(binary.BigEndian.Uint16(pair))) % 65535
		sum2 = (sum2 + sum1) % 65535
	}
	b := bound(t, spec("numcodecs.fletcher32", ""), codecs.Size{Max: len(content)})
	data, err := b.AppendEncode(nil, content)
	want := uint32(sum2<<16 | sum1)
	if got := binary.LittleEndian.Uint32(data[len(content):]); err != nil || got != want {
		t.Fatalf("%08x, %v, want %08x", got, err, want)
	}
	data[7] ^= 1
	if _, err := b.AppendDecode(nil, data); !errors.Is(err, codecs.ErrCorrupt) || !strings.Contains(err.Error(), fmt.Sprintf("%08x", want)) {
		t.Errorf("%v, want ErrCorrupt and %08x", err, want)
	}
}

// TestFletcher32WithoutLast checks that a checksum without the last of an odd number of
// bytes is accepted, unless it could be that of other bytes.
func TestFletcher32WithoutLast(t *testing.T) {
	for _, c := range []struct {
		data string
		ok   bool
	}{
		{"abc\x62\x61\x62\x61", true},
		{"ab\x62\x61\x62\x61", true},
		{"abc\x00\x00\x00\x00", false},
		{"abcd\x62\x61\x62\x61", false},
		{"\x00\x00\x00\x00\x00\x00\x00", true},
		{"\x00\x00\x01\x00\x00\x00\x00", false},
	} {
		b := bound(t, spec("fletcher32", ""), codecs.Size{Max: len(c.data) - 4, Fixed: true})
		got, err := b.AppendDecode(nil, []byte(c.data))
		if (err == nil) != c.ok || c.ok && string(got) != c.data[:len(c.data)-4] {
			t.Errorf("%q: %q, %v", c.data, got, err)
		}
	}
}

// TestConditionalChoice checks that compressors are applied if they help, and that the
// header says which were applied.
func TestConditionalChoice(t *testing.T) {
	noise := make([]byte, 1000)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	const inner = `{"codecs":["numcodecs.shuffle","zstd","numcodecs.zlib","crc32c"]`
	for _, c := range []struct {
		configuration string
		content       []byte
		header        string
		longest       int
	}{
		{inner + `}`, noise, "\x09", 1 + 1000 + 4},
		{inner + `}`, make([]byte, 1000), "\x0b", 100},
		{inner + `,"header_bits":16}`, make([]byte, 1000), "\x0b\x00", 100},
		{`{"codecs":["zstd"]}`, nil, "\x00", 1},
	} {
		b := bound(t, spec("conditional", c.configuration), codecs.Size{Max: len(c.content), Fixed: true})
		data, err := b.AppendEncode(nil, c.content)
		if err != nil || !strings.HasPrefix(string(data), c.header) || len(data) > c.longest {
			t.Errorf("%s: %d bytes, %.8x, %v, want %x", c.configuration, len(data), data, err, c.header)
		}
	}
	// Another writer may apply only the second of two codecs; this one never does.
	b := bound(t, spec("conditional", `{"codecs":["zstd","crc32c"]}`), codecs.Size{Max: 9, Fixed: true})
	if got, err := b.AppendDecode(nil, []byte("\x02123456789\x83\x92\x06\xe3")); err != nil || string(got) != "123456789" {
		t.Errorf("%q, %v", got, err)
	}
	for _, data := range []string{"", "\x04123456789", "\x0012345678", "\x02123456789\x83\x92\x06\xe4"} {
		if _, err := b.AppendDecode(nil, []byte(data)); !errors.Is(err, codecs.ErrCorrupt) {
			t.Errorf("%q: %v, want ErrCorrupt", data, err)
		}
	}
}

// TestConditionalNested checks that the codec can contain itself, and that its size is
// the largest that its codecs can produce.
func TestConditionalNested(t *testing.T) {
	b := bound(t, spec("conditional", `{"codecs":["crc32c",{"name":"conditional","configuration":{"codecs":["crc32c"]}}]}`), codecs.Size{Max: 100, Fixed: true})
	if got, want := b.Size(), (codecs.Size{Max: 100 + 1 + 4 + 1 + 4}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestBzip2Peer checks that the standard library reads the bzip2 streams written here.
func TestBzip2Peer(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 259, 5000, 100_001, 300_000} {
		noise, runs := make([]byte, n), make([]byte, n)
		for i := range n {
			noise[i], runs[i] = byte(random.Uint32()), byte(i/4)
		}
		for _, content := range [][]byte{noise, runs, make([]byte, n), append(noise[:n/2:n/2], runs[:n-n/2]...)} {
			b := bound(t, spec("numcodecs.bz2", ""), codecs.Size{Max: n, Fixed: true})
			data, err := b.AppendEncode(nil, content)
			if err != nil || len(data) > b.Size().Max {
				t.Fatalf("%d bytes become %d, at most %d, %v", n, len(data), b.Size().Max, err)
			}
			if got, err := io.ReadAll(bzip2.NewReader(bytes.NewReader(data))); err != nil || !bytes.Equal(got, content) {
				t.Errorf("%d bytes read as %d, %v", n, len(got), err)
			}
		}
	}
}

// TestBinaryBombs checks that a small input that expands far, or claims to, is refused
// before memory is allocated for the content.
func TestBinaryBombs(t *testing.T) {
	const most = 1 << 20
	zeros := make([]byte, 16<<20)
	encoded := func(s codecs.Spec) []byte {
		data, err := bound(t, s, codecs.Size{Max: len(zeros)}).AppendEncode(nil, zeros)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	conditional := spec("conditional", `{"codecs":["numcodecs.zlib"]}`)
	for name, c := range map[string]struct {
		spec codecs.Spec
		data []byte
		want error
	}{
		"zlib":        {spec("numcodecs.zlib", ""), encoded(spec("numcodecs.zlib", "")), codecs.ErrTooLarge},
		"bz2":         {spec("numcodecs.bz2", ""), encoded(spec("numcodecs.bz2", "")), codecs.ErrTooLarge},
		"lz4":         {spec("numcodecs.lz4", ""), encoded(spec("numcodecs.lz4", "")), codecs.ErrTooLarge},
		"lz4 lying":   {spec("numcodecs.lz4", ""), []byte("\x00\x00\x10\x00\x00"), codecs.ErrCorrupt},
		"gdeflate":    {spec("zarrs.gdeflate", `{"level":6}`), encoded(spec("zarrs.gdeflate", `{"level":6}`)), codecs.ErrTooLarge},
		"pages":       {spec("zarrs.gdeflate", `{"level":6}`), append(binary.LittleEndian.AppendUint64([]byte{0, 0, 16, 0, 0, 0, 0, 0}, 1<<61), make([]byte, 500)...), codecs.ErrCorrupt},
		"xz":          {spec("numcodecs.lzma", ""), encoded(spec("numcodecs.lzma", "")), codecs.ErrTooLarge},
		"lzma":        {spec("numcodecs.lzma", `{"format":2}`), encoded(spec("numcodecs.lzma", `{"format":2}`)), codecs.ErrTooLarge},
		"lzma lying":  {spec("numcodecs.lzma", `{"format":2}`), []byte("\x5d\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00"), codecs.ErrCorrupt},
		"lzma stated": {spec("numcodecs.lzma", `{"format":2}`), []byte("\x5d\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00"), codecs.ErrTooLarge},
		"lzma raw":    {spec("numcodecs.lzma", lzmaRaw), encoded(spec("numcodecs.lzma", lzmaRaw)), codecs.ErrTooLarge},
		"conditional": {conditional, encoded(conditional), codecs.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			b := bound(t, c.spec, codecs.Size{Max: most, Fixed: true})
			if _, err := b.AppendDecode(nil, c.data); !errors.Is(err, c.want) {
				t.Fatalf("%v, want %v", err, c.want)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := b.AppendDecode(nil, c.data)
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; err == nil || n > 8*most {
				t.Errorf("%d bytes allocated to refuse %d, %v", n, len(c.data), err)
			}
		})
	}
}

// TestBinaryShortInputHugeChunk checks that the size of the chunk alone allocates no
// memory.
func TestBinaryShortInputHugeChunk(t *testing.T) {
	for _, s := range []codecs.Spec{
		spec("numcodecs.zlib", ""), spec("numcodecs.bz2", ""), spec("zarrs.gdeflate", `{"level":6}`), spec("numcodecs.lzma", ""),
		spec("numcodecs.lzma", `{"format":2}`), spec("numcodecs.lzma", lzmaRaw), spec("numcodecs.shuffle", `{"elementsize":1}`), spec("numcodecs.adler32", ""),
		spec("conditional", `{"codecs":["zstd"]}`),
	} {
		data, err := bound(t, s, codecs.Size{Max: 5, Fixed: true}).AppendEncode(nil, []byte("short"))
		if err != nil {
			t.Fatal(err)
		}
		b := bound(t, s, codecs.Size{Max: 1 << 43, Fixed: true})
		if _, err := b.AppendDecode(nil, data); !errors.Is(err, codecs.ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", s.Name, err)
		}
	}
	d, err := standard.Registry(dtype.Standard()).Lookup("numcodecs.lz4")
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.(codecs.BytesToBytesCodec).BindBytesToBytes(codecs.Size{Max: 1 << 31}); err == nil {
		t.Error("LZ4 accepts a chunk of 2 GiB")
	}
}
