package standard_test

import "testing"

// The bytes → bytes codecs that are not in Zarr's core.

func FuzzConditionalDecode(f *testing.F) {
	fuzzMultiples(f, spec("conditional", `{"codecs":["numcodecs.shuffle","numcodecs.zlib","crc32c"],"header_bits":16}`), 4)
}

func FuzzNumcodecsLZ4Decode(f *testing.F)  { fuzzDecode(f, spec("numcodecs.lz4", "")) }
func FuzzNumcodecsZlibDecode(f *testing.F) { fuzzDecode(f, spec("numcodecs.zlib", "")) }
func FuzzNumcodecsBz2Decode(f *testing.F)  { fuzzDecode(f, spec("numcodecs.bz2", "")) }
func FuzzNumcodecsGzipDecode(f *testing.F) { fuzzDecode(f, spec("numcodecs.gzip", "")) }
func FuzzNumcodecsZstdDecode(f *testing.F) { fuzzDecode(f, spec("numcodecs.zstd", "")) }
func FuzzNumcodecsLZMADecode(f *testing.F) { fuzzDecode(f, spec("numcodecs.lzma", "")) }
func FuzzLZMAAloneDecode(f *testing.F)     { fuzzDecode(f, spec("numcodecs.lzma", `{"format":2}`)) }
func FuzzLZMARawDecode(f *testing.F)       { fuzzDecode(f, spec("numcodecs.lzma", lzmaRaw)) }
func FuzzNumcodecsShuffleDecode(f *testing.F) {
	fuzzMultiples(f, spec("numcodecs.shuffle", `{"elementsize":3}`), 3)
}
func FuzzNumcodecsCRC32Decode(f *testing.F)   { fuzzDecode(f, spec("numcodecs.crc32", "")) }
func FuzzNumcodecsCRC32CDecode(f *testing.F)  { fuzzDecode(f, spec("numcodecs.crc32c", "")) }
func FuzzNumcodecsAdler32Decode(f *testing.F) { fuzzDecode(f, spec("numcodecs.adler32", "")) }

func FuzzNumcodecsFletcher32Decode(f *testing.F) { fuzzDecode(f, spec("numcodecs.fletcher32", "")) }

func FuzzNumcodecsJenkinsLookup3Decode(f *testing.F) {
	fuzzDecode(f, spec("numcodecs.jenkins_lookup3", `{"initval":9,"prefix":[1,2,3]}`))
}

func FuzzZarrsGdeflateDecode(f *testing.F) { fuzzDecode(f, spec("zarrs.gdeflate", `{"level":6}`)) }
