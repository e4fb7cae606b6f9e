"""The codec chains that zmigrate writes for codec_sources.py. Each is a Case: how to
spell the chain for an array, its data types, and what it loses."""

import dataclasses
import itertools

import numcodecs
import numpy as np
import zfpy

from codec_script import demoted, promoted
from type_sources import numpy_type, sized, struct, temporal

FLOATING = ["float16", "float32", "float64"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = SIGNED + UNSIGNED
COMPLEX = ["complex64", "complex128"]
CORE = ["bool", *INTEGERS, *FLOATING, *COMPLEX]
SMALL = ["int4", "uint2", "float6_e2m3fn", "float8_e5m2", "bfloat16", "complex_bfloat16"]
TIMES = [temporal("numpy.datetime64", "us", 10), temporal("numpy.timedelta64", "s", 1)]
TEXT = sized("fixed_length_utf32", 20)
OTHERS = [
    *SMALL, *TIMES, TEXT, sized("null_terminated_bytes", 5), sized("raw_bytes", 16), "r40", struct(x="float32", y="int16"),
]
NUMBERS = INTEGERS + FLOATING


@dataclasses.dataclass
class Array:
    """An array for which a chain is spelled: its data type and its chunk. For shards,
    the chunk is the innermost one."""

    data_type: object
    chunk: list
    random: np.random.Generator

    def __post_init__(self):
        self.t = numpy_type(self.data_type)
        self.rank = len(self.chunk)
        self.permute = {"transpose": {"order": [int(i) for i in self.random.permutation(self.rank)]}}
        self.reverse = {"transpose": {"order": list(range(self.rank))[::-1]}}


@dataclasses.dataclass
class Case:
    label: str
    chain: object  # Array → the codecs as a job has them
    types: list = None  # None: all
    shards: int = 1  # how many chunks a stored object has along each dimension
    option: bool = False  # the job has `shards:`, and the chain is that of inner chunks
    loss: object = None  # (Array, the elements of one chunk) → those that come back
    ranks: range = range(6)
    nearest: bool = False  # chunks at the edges are padded with their neighbours

    def __post_init__(self):
        self.types = self.types or CORE + OTHERS


def simple(label, *codecs, **options):
    return Case(label, lambda a: list(codecs), **options)


def compressors():
    for cname, shuffle in itertools.product(("lz4", "lz4hc", "blosclz", "zlib", "zstd"), ("noshuffle", "shuffle", "bitshuffle")):
        yield simple(f"blosc {cname}, {shuffle}", "bytes", {"blosc": {"cname": cname, "shuffle": shuffle}})
    for size, level in ((1, 9), (512, 1), (4099, 5), (65536, 9)):
        for cname, shuffle in (("lz4", "bitshuffle"), ("zstd", "shuffle")):
            codec = {"blosc": {"cname": cname, "clevel": level, "shuffle": shuffle, "blocksize": size}}
            yield simple(f"blosc {cname}, blocks of {size}", "bytes", codec)
    yield simple("blosc, stored", "bytes", {"blosc": {"clevel": 0}})
    yield simple("blosc, elements of 3", "bytes", {"blosc": {"typesize": 3, "shuffle": "bitshuffle"}})
    yield Case("blosc behind transpose and big-endian bytes", lambda a: [a.permute, {"bytes": {"endian": "big"}}, "blosc"])
    yield simple("blosc, crc32c", "bytes", "blosc", "crc32c")
    for level in (0, 1, 9):
        yield simple(f"gzip {level}", "bytes", {"gzip": {"level": level}})
    for level, checksum in ((-7, False), (0, True), (3, False), (22, True)):
        yield simple(f"zstd {level}", "bytes", {"zstd": {"level": level, "checksum": checksum}})
    yield simple("crc32c", "bytes", "crc32c")
    yield Case("transpose twice", lambda a: [a.permute, a.reverse, "bytes"])
    yield simple("gdeflate", "bytes", {"zarrs.gdeflate": {"level": 6}})


def shard(a, codecs, times=1, **options):
    return {"sharding_indexed": {"chunk_shape": [n * times for n in a.chunk], "codecs": codecs, **options}}


def shards():
    plain = {"index_codecs": ["bytes"]}
    big_index = {"index_codecs": [{"bytes": {"endian": "big"}}, "crc32c"]}
    double = {"index_codecs": ["bytes", "crc32c", "crc32c"]}
    yield Case("shards: option", lambda a: ["bytes", "zstd"], shards=2, option=True)
    yield Case("shards: option, transpose inside", lambda a: [a.permute, "bytes", "blosc", "crc32c"], shards=3, option=True)
    yield Case("shards: option, default codecs", lambda a: None, shards=2, option=True)
    yield Case("shards of many chunks", lambda a: ["bytes", "zstd"], shards=5, option=True)
    yield Case("shards of one chunk", lambda a: [shard(a, ["bytes"])])
    yield Case("shards, index at the start", lambda a: [shard(a, ["bytes", "gzip"], index_location="start")], shards=2)
    yield Case("shards, index at the end", lambda a: [shard(a, ["bytes", "crc32c"], index_location="end")], shards=3)
    yield Case("shards, index without checksum", lambda a: [shard(a, ["bytes", "zstd"], **plain)], shards=2)
    at_start = {"index_location": "start", **plain}
    yield Case("shards, index without checksum at the start", lambda a: [shard(a, ["bytes"], **at_start)], shards=2)
    yield Case("shards, big-endian index", lambda a: [shard(a, [{"bytes": {"endian": "big"}}, "blosc"], **big_index)], shards=2)
    yield Case("shards, index with two checksums", lambda a: [shard(a, ["bytes"], **double)], shards=2)
    yield Case("shards, transpose inside", lambda a: [shard(a, [a.permute, "bytes", "zstd"])], shards=2)
    yield Case("shards, fixed size, transpose inside", lambda a: [shard(a, [a.reverse, {"bytes": {"endian": "big"}}])], shards=3)
    yield Case("shards, transpose outside", outside, shards=2)
    yield Case("shards, transpose outside and inside", lambda a: outside(a, [a.reverse, "bytes", "blosc"]), shards=2)
    yield Case("shards, crc32c outside", lambda a: [shard(a, ["bytes", "zstd"]), "crc32c"], shards=2)
    yield Case("shards, zstd outside", lambda a: [shard(a, ["bytes"]), "zstd"], shards=2)
    yield Case("shards in shards", lambda a: [shard(a, [shard(a, ["bytes", "zstd"])], 2, index_location="start")], shards=4)
    yield Case(
        "shards in shards in shards",
        lambda a: [shard(a, [shard(a, [shard(a, [a.permute, "bytes", "crc32c"])], 2, index_location="start")], 4, **plain)],
        shards=4,
    )
    packed = [{"packbits": {"padding_encoding": "first_byte"}}, "zstd"]
    yield Case("shards, bit-packed", lambda a: [shard(a, packed)], CORE, shards=2)


def outside(a, inner=("bytes", "zstd")):
    chunk = [a.chunk[i] for i in a.permute["transpose"]["order"]]
    return [a.permute, shard(Array(a.data_type, chunk, a.random), list(inner))]


def numcodecs_binary():
    def case(name, configuration=None, label="", *behind):
        codec = {"numcodecs." + name: configuration} if configuration else "numcodecs." + name
        return simple(f"numcodecs.{name} {label}".strip(), "bytes", codec, *behind)

    yield case("lz4")
    yield case("lz4", {"acceleration": 20}, "20")
    for level in (-1, 0, 1, 9):
        yield case("zlib", {"level": level}, str(level))
    yield case("gzip", {"level": 6}, "6")
    yield case("gzip")
    yield case("bz2")
    yield case("bz2", {"level": 9}, "9")
    yield case("lzma")
    for check in (0, 1, 4, 10):
        yield case("lzma", {"format": 1, "check": check, "preset": 1}, f".xz, check {check}")
    yield case("lzma", {"format": 2, "preset": 0}, ".lzma")
    lzma2 = {"id": 33, "preset": 1}
    yield case("lzma", {"format": 1, "filters": [{"id": 3, "dist": 4}, lzma2]}, ".xz, delta")
    yield case("lzma", {"format": 3, "filters": [{"id": 33, "dict_size": 65536, "lc": 0, "lp": 2, "pb": 0}]}, "raw")
    yield case("zstd")
    yield case("zstd", {"level": 12, "checksum": True}, "12")
    shuffles = [("lz4", -1), ("lz4", 2), ("lz4hc", 1), ("blosclz", 0), ("zlib", -1), ("zlib", 2), ("zstd", 1)]
    for level, (cname, shuffle) in enumerate(shuffles, 1):
        yield case("blosc", {"cname": cname, "clevel": level, "shuffle": shuffle}, f"{cname}, {shuffle}")
    yield case("blosc", {"cname": "zstd", "blocksize": 1024}, "blocks of 1024")
    yield case("shuffle", {"elementsize": 1}, "of bytes")
    yield simple("numcodecs.shuffle", "bytes", "numcodecs.shuffle", "numcodecs.zlib", types=["int32", "float64", "complex128"])
    yield Case(
        "numcodecs.shuffle of elements",
        lambda a: ["bytes", {"numcodecs.shuffle": {"elementsize": a.t.itemsize}}, "numcodecs.zlib"],
    )
    for name, location in itertools.product(("crc32", "crc32c", "adler32"), (None, "start", "end")):
        yield case(name, location and {"location": location}, location or "")
    yield case("fletcher32")
    yield case("jenkins_lookup3")
    yield case("jenkins_lookup3", {"initval": 4294967295, "prefix": [0, 1, 255]}, "with a prefix")
    inner = ["bytes", {"numcodecs.shuffle": {"elementsize": 1}}, "numcodecs.lz4", "numcodecs.adler32"]
    yield Case("numcodecs inside shards", lambda a: [shard(a, inner)], shards=2)


def by_numcodecs(*codecs):
    """What comes back when numcodecs encodes and decodes."""

    def loss(a, values):
        bound, shape = [], values.shape
        for name, configuration in codecs:
            key = "decode_dtype" if name == "astype" else "dtype"
            own = {} if name == "bitround" else {key: values.dtype.str}
            bound.append(numcodecs.get_codec({"id": name, **configuration, **own}))
            values = bound[-1].encode(values)
        for codec in reversed(bound):
            values = codec.decode(values)
        return values.reshape(shape)

    return loss


def packing():
    """The codecs that pack floats into integers; pack_sources.py has random chains of them."""

    def scaled(offset, scale, rounded=False):
        def loss(a, values):
            stored = (values - a.t.type(offset)) * a.t.type(scale)
            return (np.rint(stored) if rounded else stored) / a.t.type(scale) + a.t.type(offset)

        return loss

    scale = {"scale_offset": {"offset": 0.5, "scale": 4}}
    yield simple("scale_offset", scale, "bytes", types=FLOATING, loss=scaled(0.5, 4))
    for t, stored in (("float32", "int16"), ("float64", "int32")):
        codecs = [scale, {"cast_value": {"data_type": stored}}]
        yield simple(f"scale_offset, cast_value {stored}", *codecs, {"bytes": {"endian": "big"}}, "zstd", types=[t], loss=scaled(0.5, 4, True))
    yield simple("cast_value int64", {"cast_value": {"data_type": "int64"}}, "bytes", types=["int8", "int16", "int32", "uint8", "uint32"])
    yield Case("cast_value in shards", lambda a: [shard(a, [{"cast_value": {"data_type": "float64"}}, "bytes"])], ["int16", "uint32"], shards=2)


def filters():
    def case(label, types, *codecs, behind=(), endian=None):
        stored = {"bytes": {"endian": endian}} if endian else "bytes"
        return Case(
            "numcodecs." + label,
            lambda a: [{"numcodecs." + name: configuration} for name, configuration in codecs] + [stored, *behind],
            types, loss=by_numcodecs(*codecs),
        )

    for t in NUMBERS:
        code = np.dtype(t).newbyteorder("<").str
        yield case(f"delta with dtype, {t}", [t], ("delta", {"dtype": code}), behind=["numcodecs.zlib"])
    yield case("delta", NUMBERS, ("delta", {}))
    yield case("delta to i2", ["int32", "int64"], ("delta", {"astype": "<i2"}))
    yield case("fixedscaleoffset", FLOATING[1:], ("fixedscaleoffset", {"offset": -3, "scale": 10}))
    yield case("fixedscaleoffset to i2", FLOATING[1:], ("fixedscaleoffset", {"offset": 0.5, "scale": 7, "astype": "<i2"}))
    doubled = ("fixedscaleoffset", {"offset": 10, "scale": 2, "astype": "<i4"})
    yield case("fixedscaleoffset to i4 of integers", ["int16", "int32", "int64"], doubled)
    hundredths = ("fixedscaleoffset", {"offset": 0, "scale": 100, "astype": "<i4"})
    yield case("fixedscaleoffset, delta", ["float64"], hundredths, ("delta", {"dtype": "<i4"}))
    for digits in (-1, 0, 2):
        yield case(f"quantize {digits}", FLOATING, ("quantize", {"digits": digits}))
    yield case("quantize to f4", ["float64"], ("quantize", {"digits": 3, "astype": "<f4"}))
    for code in ("<i2", ">i4", "<f4", ">f8"):
        yield case(f"astype {code}", ["int8", "int16", "int32", "float32", "float64"], ("astype", {"encode_dtype": code}))
    for code in ("|i1", ">i2"):
        yield case(f"fixedscaleoffset to {code}", FLOATING[1:], ("fixedscaleoffset", {"offset": 0, "scale": 1, "astype": code}))
        yield case(f"astype {code}, stored big-endian", ["int32", "float64"], ("astype", {"encode_dtype": code}), endian="big")
    for label, codec in (
        ("delta", ("delta", {})),
        ("delta with dtype >f4", ("delta", {"dtype": ">f4"})),
        ("quantize", ("quantize", {"digits": 1})),
        ("fixedscaleoffset to >i4", ("fixedscaleoffset", {"offset": 1, "scale": 10, "astype": ">i4"})),
        ("bitround", ("bitround", {"keepbits": 5})),
    ):
        yield case(f"{label}, stored big-endian", ["float32"], codec, endian="big")
    for keep in (0, 3, 10):
        yield case(f"bitround {keep}", FLOATING, ("bitround", {"keepbits": keep}))
    yield Case("numcodecs.packbits", lambda a: ["numcodecs.packbits", "bytes"], ["bool"])
    yield Case("numcodecs.packbits in gzip", lambda a: ["numcodecs.packbits", "bytes", "gzip"], ["bool"])
    for configuration in ({}, {"level": 0}, {"level": 12, "delta_encoding_order": 2}, {"equal_pages_up_to": 1000}):
        label = ", ".join(f"{k} {v}" for k, v in configuration.items())
        codec = {"numcodecs.pcodec": configuration} if configuration else "numcodecs.pcodec"
        yield simple(f"numcodecs.pcodec {label}".strip(), codec, types=NUMBERS)


# The bits of the mantissa of floats, and the words that they lie in.
MANTISSAS = {"bfloat16": (7, "<u2"), "float16": (10, "<u2"), "float32": (23, "<u4"), "float64": (52, "<u8")}


def rounded(keep):
    """bitround: rounds half to even, in the mantissa of floats, and behind the highest
    set bit of integers."""

    def loss(a, values):
        if values.dtype.kind in "iumM":
            words = values.reshape(-1).view(f"<u{values.dtype.itemsize}")
            lengths = np.array([word.bit_length() for word in words.tolist()], int)
        else:
            part = f"float{values.dtype.itemsize * 4}" if values.dtype.kind == "c" else values.dtype.name
            mantissa, word = MANTISSAS[part]
            words = values.reshape(-1).view(word)
            lengths = np.full(words.shape, mantissa)
        return half_to_even(words, np.maximum(lengths - keep, 0)).view(values.dtype).reshape(values.shape)

    return loss


def half_to_even(words, drop):
    """Words without their low bits. A word that would outgrow its size becomes the
    largest that does not."""
    out = words.copy()
    for i, (word, n) in enumerate(zip(words.tolist(), drop.tolist())):
        if n:
            up = (word + (1 << n - 1) - 1 + (word >> n & 1)) >> n << n
            top = 1 << 8 * words.itemsize
            out[i] = up if up < top else (top - 1) >> n << n
    return out


def bits_kept(first, last):
    """packbits: the bits of each number that are stored, with the sign copied upwards."""

    def loss(a, values):
        words = values.view(f"<u{values.dtype.itemsize}")
        width = 8 * values.dtype.itemsize
        left = np.left_shift(words, width - 1 - last)
        kept = left.view(values.dtype) if values.dtype.kind == "i" else left
        down = np.right_shift(kept, width - 1 - last).view(words.dtype)
        return np.left_shift(np.right_shift(down, first), first).view(values.dtype)

    return loss


def zfp():
    """zfp with and without its header. libzfp decodes it and says what comes back."""

    def by_libzfp(**limit):
        def loss(a, values):
            numbers = promoted(values, a.t)
            back = zfpy.decompress_numpy(zfpy.compress_numpy(numbers.reshape(numbers.shape or [1]), **limit))
            return demoted(back, a.t).reshape(values.shape)

        return loss

    native = ["int32", "int64", "float32", "float64", *TIMES]
    narrow = ["int2", "int4", "uint2", "uint4", "int8", "int16", "uint8", "uint16"]
    ranks = {"ranks": range(5)}
    yield simple("zfp reversible", {"zfp": {"mode": "reversible"}}, types=[*native, *narrow], **ranks)
    yield simple("numcodecs.zfpy", "numcodecs.zfpy", types=native[:4], **ranks)
    unsigned = simple("zfp of unsigned numbers", {"zfp": {"mode": "reversible"}}, types=["uint32", "uint64", "float16"], **ranks)
    yield dataclasses.replace(unsigned, loss=lambda a, values: values)  # mild ones
    for t, number, mode, field, value in (
        (["float32", "float64"], 4, "fixed_accuracy", "tolerance", 0.01),
        ([*native[:4], *narrow[4:], "float16"], 2, "fixed_rate", "rate", 9.5),
        ([*native[:4], *narrow[4:], "float16"], 3, "fixed_precision", "precision", 13),
    ):
        loss, lossy = by_libzfp(**{field: value}), {"zfp": {"mode": mode, field: value}}
        yield simple(f"zfp {mode}", lossy, types=t, loss=loss, nearest=True, **ranks)
        yield Case(f"zfp {mode} in shards", lambda a, c=lossy: [shard(a, [c])], t, 2, loss=loss, nearest=True, **ranks)
        plain = [name for name in t if name in native]
        yield simple(f"numcodecs.zfpy {mode}", {"numcodecs.zfpy": {"mode": number, field: value}}, types=plain, loss=loss, nearest=True, **ranks)
    yield Case(
        "zfp behind transpose", lambda a: [a.reverse, {"zfp": {"mode": "reversible"}}, "crc32c"], native[:4], **ranks,
    )
    line = [{"reshape": {"shape": [-1]}}, {"zfp": {"mode": "fixed_rate", "rate": 12}}]
    rated = by_libzfp(rate=12)
    yield simple("zfp behind reshape", *line, types=native[:4], nearest=True, loss=lambda a, values: rated(a, values.reshape(-1)))


def registered():
    """The codecs of the registry that no peer reads."""
    rounding = [*NUMBERS, *COMPLEX, "bfloat16", *TIMES]
    for keep in (0, 1, 5):
        yield simple(f"bitround {keep}", {"bitround": {"keepbits": keep}}, "bytes", types=rounding, loss=rounded(keep))
    packed = [*CORE, *SMALL, *TIMES, "int2", "uint4", "float6_e3m2fn", "float4_e2m1fn", "complex_float4_e2m1fn"]
    for padding in ("none", "first_byte", "last_byte"):
        yield simple(f"packbits, padding {padding}", {"packbits": {"padding_encoding": padding}}, types=packed)
    yield simple("packbits in zstd", "packbits", "zstd", types=packed)
    for first, last in ((0, 4), (3, 6), (1, 7)):
        codec = {"packbits": {"first_bit": first, "last_bit": last}}
        yield simple(f"packbits {first}–{last}", codec, types=INTEGERS, loss=bits_kept(first, last))
    yield simple("reshape to a line", {"reshape": {"shape": [-1]}}, "bytes")
    yield Case(
        "reshape, dimensions joined",
        lambda a: [{"reshape": {"shape": [[0, 1], 1, *([i] for i in range(2, a.rank))]}}, "bytes"], ranks=range(2, 6),
    )
    yield Case("reshape, transpose", lambda a: [{"reshape": {"shape": [1, -1, 1]}}, {"transpose": {"order": [1, 0, 2]}}, "bytes"])
    yield Case("transpose, reshape", lambda a: [a.permute, {"reshape": {"shape": [-1, 1]}}, "bytes"])
    yield Case("squeeze", lambda a: [a.permute, "zarrs.squeeze", "bytes"])
    yield simple("conditional", "bytes", {"conditional": {"codecs": ["zstd"]}})
    many = ["numcodecs.zlib", {"gzip": {"level": 9}}, {"blosc": {"shuffle": "noshuffle"}}]
    yield simple("conditional of three, 16 bits", "bytes", {"conditional": {"codecs": many, "header_bits": 16}}, "crc32c")
    yield simple("conditional of nine", "bytes", {"conditional": {"codecs": many * 3}})
    n5_types = [*INTEGERS, *FLOATING[1:]]
    big = {"bytes": {"endian": "big"}}
    for label, behind in (
        ("raw", []), ("gzip", [{"gzip": {"level": 5}}]), ("zstd", ["zstd"]), ("blosc", ["blosc"]), ("bzip2", ["numcodecs.bz2"]),
    ):
        yield Case(
            f"n5_default, {label}", lambda a, behind=behind: [{"n5_default": {"codecs": [a.reverse, big, *behind]}}],
            n5_types, ranks=range(1, 6),
        )


CASES = [*compressors(), *shards(), *numcodecs_binary(), *packing(), *filters(), *zfp(), *registered()]
