package readers

import (
	"slices"
	"strings"
)

// Names that entries share.
const (
	core    = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128"
	noPairs = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64"
	numpy   = " numpy.datetime64 numpy.timedelta64 fixed_length_utf32 null_terminated_bytes raw_bytes"

	registered = "transpose bytes blosc gzip zstd"
	sharding   = " sharding_indexed crc32c"
	vlen       = " vlen-utf8 vlen-bytes"
	numcodecs  = " numcodecs.bitround numcodecs.quantize numcodecs.pcodec numcodecs.zfpy numcodecs.blosc numcodecs.lz4 numcodecs.zlib numcodecs.bz2 numcodecs.lzma numcodecs.gzip numcodecs.zstd numcodecs.shuffle numcodecs.crc32 numcodecs.crc32c numcodecs.adler32 numcodecs.fletcher32 numcodecs.jenkins_lookup3"
	filters    = " numcodecs.astype numcodecs.delta numcodecs.fixedscaleoffset numcodecs.packbits"
	casts      = " scale_offset cast_value"

	inOrder = "numcodecs.delta numcodecs.fixedscaleoffset numcodecs.packbits" // they work on elements in their order

	small = " bfloat16 float8_e3m4 float8_e4m3b11fnuz float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn"
)

// All returns the table: the entries of a program one after the other, the oldest first.
func All() []*Reader { return table }

var table = []*Reader{
	{
		Name: "zarr-python", Version: "3.0", Tried: "3.0.8",
		types: split(core + " string bytes"), codecs: split(registered + sharding + vlen + numcodecs + filters),
		limits: []limit{numcodecsLimits, shardsDivide, transposedLate(inOrder), noPayload("float32"), noPayload("float16"), noBytesFill},
	},
	{
		Name: "zarr-python", Version: "3.1", Tried: "3.1.0",
		types: split(core + numpy + " string"), codecs: split(registered + sharding + vlen + numcodecs),
		limits: []limit{numcodecsLimits, shardsDivide, noPayload("float16"), noOpaqueShards},
	},
	{
		Name: "zarr-python", Version: "3.2", Tried: "3.2.0",
		types: split(core + numpy + " string bytes struct"), codecs: split(registered + sharding + vlen + numcodecs + filters + casts),
		limits: []limit{numcodecsLimits, shardsDivide, littleEndian(casts, "bytes"), transposedLate(inOrder), alignedCasts, noPayload("float16"), noOpaqueShards, noCastOfBytes},
	},
	{
		Name: "zarr-python", Version: "3.3", Tried: "3.3.0",
		types: split(core + numpy + " string bytes struct"), codecs: split(registered + sharding + vlen + numcodecs + filters + casts),
		limits: []limit{numcodecsLimits, shardsDivide, littleEndian(casts, filters), transposedLate(inOrder), alignedCasts, noPayload("float16")},
	},
	{
		Name: "zarr-python", Version: "3.4", Tried: "3.4.2",
		types: split(core + numpy + " string bytes struct"), codecs: split(registered + sharding + vlen + numcodecs + filters + casts),
		limits: []limit{numcodecsLimits, shardsDivide, littleEndian("cast_value", filters), transposedLate(inOrder), alignedCasts, offsetsInShards, noPayload("float16")},
	},
	{ // with the newest zarr-python
		Name: "xarray", Version: "2026.9", Tried: "2026.9.0",
		types: split(core + numpy + " string bytes struct"), codecs: split(registered + sharding + vlen + numcodecs + filters + casts),
		limits: []limit{numcodecsLimits, shardsDivide, littleEndian("cast_value", filters), transposedLate(inOrder), alignedCasts, offsetsInShards, noPayload("float16"), namedDimensions, decodedAttributes, decodedTimes},
	},
	{
		Name: "tensorstore", Version: "0.1.86", Tried: "0.1.86",
		types: split(core + small + " int2 int4 raw_bytes struct"), codecs: split(registered + sharding),
		limits: []limit{shardsLast, noScaleFill, oneNameEach, typeSizeOfByte, flatStructs},
	},
	{ // within the newest zarr-python, as its codec pipeline
		Name: "zarrs-python", Version: "0.2", Tried: "0.2.3",
		types: split(core), codecs: split(registered + sharding + " numcodecs.zlib numcodecs.bz2 numcodecs.shuffle numcodecs.pcodec numcodecs.fixedscaleoffset"),
		limits: []limit{shardsDivide, noPayload("float16"), noPayload("float32"), zarrsNumbers, zarrsConfigurations, noBigPairs},
	},
	{
		Name: "gdal", Version: "3.12", Tried: "3.12.2",
		types: split(core), codecs: split(registered),
		limits: []limit{dimensionsExist, elementsExist, noPayload("float16")},
	},
	{
		Name: "zarrita.js", Version: "0.7", Tried: "0.7.5",
		types: split(noPairs + " string"),
		codecs: split(registered + sharding + " vlen-utf8 bitround cast_value numcodecs.bitround numcodecs.delta numcodecs.blosc" +
			" numcodecs.lz4 numcodecs.zlib numcodecs.gzip numcodecs.zstd numcodecs.shuffle"),
		limits: []limit{shardsAlone, oneTranspose, transposedLate("numcodecs.delta"), elementsExist, noPayload("float32"), exactInDoubles, shuffleOfElements},
	},
	{
		Name: "zarrs", Version: "0.23", Page: "https://docs.rs/zarrs/0.23.13",
		types: slices.Concat(split(core + small + " int2 int4 uint2 uint4 float8_e4m3 float6_e2m3fn float6_e3m2fn r* string bytes numpy.datetime64 numpy.timedelta64" +
			" complex_bfloat16 complex_float16 complex_float8_e3m4 complex_float8_e4m3 complex_float8_e4m3b11fnuz complex_float8_e4m3fnuz" +
			" complex_float8_e5m2 complex_float8_e5m2fnuz complex_float8_e8m0fnu complex_float6_e2m3fn complex_float6_e3m2fn complex_float4_e2m1fn")),
		codecs: split(registered + sharding + vlen + " reshape bitround zarrs.squeeze packbits zfp zarrs.gdeflate numcodecs.fixedscaleoffset" +
			" numcodecs.pcodec numcodecs.zfpy numcodecs.adler32 numcodecs.bz2 numcodecs.fletcher32 numcodecs.shuffle numcodecs.zlib"),
		limits: []limit{wholeBytes, zarrsConfigurations},
	},
	{
		Name: "zarr-java", Page: "https://github.com/zarr-developers/zarr-java",
		types: split(noPairs), codecs: split(registered + sharding),
	},
}

func split(names string) []string { return strings.Fields(names) }

// replacements are what a codec can be replaced with, best first. A reader is told the first
// one that it opens.
var replacements = map[string][]string{
	"zfp":                        {"numcodecs.zfpy", "numcodecs.bitround and zstd", "zstd"},
	"numcodecs.zfpy":             {"zfp", "numcodecs.bitround and zstd", "bitround and zstd", "zstd"},
	"bitround":                   {"numcodecs.bitround", "leave it out"},
	"numcodecs.bitround":         {"bitround", "leave it out"},
	"packbits":                   {"bytes"},
	"n5_default":                 {"bytes"},
	"reshape":                    {"leave it out"},
	"zarrs.squeeze":              {"leave it out"},
	"transpose":                  {"leave it out"},
	"conditional":                {"zstd without conditional"},
	"zarrs.gdeflate":             {"gzip"},
	"sharding_indexed":           {"leave out shards"},
	"crc32c":                     {"leave it out"},
	"scale_offset":               {"numcodecs.fixedscaleoffset", "leave it out, or cf: keep"},
	"cast_value":                 {"numcodecs.fixedscaleoffset", "leave it out, or cf: keep"},
	"numcodecs.astype":           {"leave it out, and use data_type"},
	"numcodecs.delta":            {"leave it out"},
	"numcodecs.fixedscaleoffset": {"scale_offset and cast_value", "leave it out"},
	"numcodecs.packbits":         {"leave it out"},
	"numcodecs.quantize":         {"numcodecs.bitround", "bitround", "leave it out"},
	"numcodecs.pcodec":           {"bytes and zstd"},
	"numcodecs.blosc":            {"blosc"},
	"numcodecs.lz4":              {"blosc with cname lz4"},
	"numcodecs.zlib":             {"gzip"},
	"numcodecs.bz2":              {"zstd"},
	"numcodecs.lzma":             {"zstd"},
	"numcodecs.gzip":             {"gzip"},
	"numcodecs.zstd":             {"zstd"},
	"numcodecs.shuffle":          {"blosc with shuffle"},
	"numcodecs.crc32":            {"crc32c", "leave it out"},
	"numcodecs.crc32c":           {"crc32c", "leave it out"},
	"numcodecs.adler32":          {"crc32c", "leave it out"},
	"numcodecs.fletcher32":       {"crc32c", "leave it out"},
	"numcodecs.jenkins_lookup3":  {"crc32c", "leave it out"},
	"vlen-utf8":                  {"exclude the array"},
	"vlen-bytes":                 {"exclude the array"},
}

// otherTypes are what a data type can be replaced with.
var otherTypes = map[string][]string{
	"int2": {"int8"}, "int4": {"int8"}, "uint2": {"uint8"}, "uint4": {"uint8"},
	"float16": {"float32"}, "bfloat16": {"float32"},
	"float8_e3m4": {"float32"}, "float8_e4m3": {"float32"}, "float8_e4m3b11fnuz": {"float32"}, "float8_e4m3fnuz": {"float32"},
	"float8_e5m2": {"float32"}, "float8_e5m2fnuz": {"float32"}, "float8_e8m0fnu": {"float32"},
	"float6_e2m3fn": {"float32"}, "float6_e3m2fn": {"float32"}, "float4_e2m1fn": {"float32"},
	"r*": {"raw_bytes", "exclude the array"}, "raw_bytes": {"r*", "exclude the array"},
	"complex64": {"exclude the array"}, "complex128": {"exclude the array"},
	"struct": {"exclude the array, or split it into one array for each field"},
	"string": {"exclude the array"}, "bytes": {"exclude the array"},
	"fixed_length_utf32": {"exclude the array"}, "null_terminated_bytes": {"exclude the array"},
	"numpy.datetime64": {"exclude the array"}, "numpy.timedelta64": {"exclude the array"},
}
