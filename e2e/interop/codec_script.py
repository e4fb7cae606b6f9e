"""Decodes chunks according to the text of the codecs' specifications, with NumPy.
numcodecs, zfpy and the standard library decompress.

Here elements are rows of little-endian bytes, whatever their type: an array of shape s
is an array of bytes of shape [*s, size of an element].
"""

import dataclasses
import gzip
import itertools
import lzma
import math

import google_crc32c
import numcodecs
import numpy as np
import zfpy

from type_sources import FLOATS, INTS, swapped, words

# The bits of an element where its bytes have more.
BITS = {"bool": 1, **{name: int(name[-1]) for name in INTS}, **{name: form[0] for name, form in FLOATS.items()}}
EMPTY = 2**64 - 1


@dataclasses.dataclass
class Chunk:
    """What a chain of codecs decodes."""

    shape: list
    t: np.dtype  # little-endian
    fill: bytes

    def filled(self):
        whole = np.empty([*self.shape, self.t.itemsize], np.uint8)
        whole[...] = np.frombuffer(self.fill, np.uint8)
        return whole


def named(codec):
    return (codec, {}) if isinstance(codec, str) else (codec["name"], codec.get("configuration", {}))


def decode(data, codecs, chunk):
    """The elements of one chunk."""
    shapes, codecs = [chunk.shape], [named(codec) for codec in codecs]
    at = next(i for i, (name, _) in enumerate(codecs) if name in TO_BYTES)
    for name, configuration in codecs[:at]:
        shapes.append(encoded_shape(name, configuration, shapes[-1]))
    for name, configuration in reversed(codecs[at + 1 :]):
        data = decode_bytes(data, name, configuration)
    name, configuration = codecs[at]
    values = TO_BYTES[name](data, configuration, dataclasses.replace(chunk, shape=shapes[-1]))
    for (name, configuration), shape in reversed(list(zip(codecs[:at], shapes))):
        if name == "transpose":
            values = values.transpose([*np.argsort(configuration["order"]).astype(int), len(shape)])
        values = values.reshape([*shape, chunk.t.itemsize])
    return values


def encoded_shape(name, configuration, shape):
    """The shape of an array behind an array→array codec."""
    match name:
        case "transpose":
            return [shape[i] for i in configuration["order"]]
        case "zarrs.squeeze":
            return [n for n in shape if n != 1]
        case "bitround":
            return shape
        case "reshape":
            extents = [math.prod(shape[i] for i in n) if isinstance(n, list) else n for n in configuration["shape"]]
            known = math.prod(n for n in extents if n != -1)
            return [math.prod(shape) // known if n == -1 else n for n in extents]
    raise ValueError(f"unexpected codec {name}")


def decode_bytes(data, name, configuration):
    match name:
        case "gzip":
            return gzip.decompress(data)
        case "crc32c":
            data, checksum = data[:-4], data[-4:]
            if google_crc32c.value(data) != int.from_bytes(checksum, "little"):
                raise ValueError("the CRC-32C does not fit")
            return data
        case "conditional":
            inner = configuration["codecs"]
            size = configuration.get("header_bits", -(-len(inner) // 8) * 8) // 8
            applied, data = int.from_bytes(data[:size], "little"), data[size:]
            if applied >> len(inner):
                raise ValueError(f"bits {applied:b} of the header for {len(inner)} codecs")
            for i in reversed(range(len(inner))):
                if applied >> i & 1:
                    data = decode_bytes(data, *named(inner[i]))
            return data
    identifier = name.removeprefix("numcodecs.")
    used = dict(configuration)
    if identifier in ("zstd", "blosc"):
        used = {}  # their streams describe themselves
    elif identifier == "lzma" and used["format"] != lzma.FORMAT_RAW:
        used["filters"] = None  # the stream states them, and numcodecs refuses both together
    elif used.get("prefix"):
        used["prefix"] = bytes(used["prefix"])
    return bytes(numcodecs.get_codec({"id": identifier, **used}).decode(data))


def plain(data, configuration, chunk):
    """The codec bytes."""
    endian = configuration.get("endian")
    if (endian is None) != (max(words(chunk.t)) == 1):
        raise ValueError(f"endian is {endian} for {chunk.t}")
    rows = np.frombuffer(data, np.uint8).reshape(-1, chunk.t.itemsize)
    return (swapped(chunk.t, rows) if endian == "big" else rows).reshape([*chunk.shape, chunk.t.itemsize])


def packed(data, configuration, chunk):
    """The codec packbits."""
    parts = len(words(chunk.t))
    size = chunk.t.itemsize // parts
    first = configuration.get("first_bit") or 0
    last = configuration.get("last_bit")
    if last is None:
        last = BITS.get(chunk.t.name, 8 * size) - 1
    count, width = math.prod(chunk.shape) * parts, last - first + 1
    match configuration.get("padding_encoding", "none"):
        case "first_byte":
            padding, data = data[0], data[1:]
        case "last_byte":
            padding, data = data[-1], data[:-1]
        case "none":
            padding = -count * width % 8
    if 8 * len(data) - padding != count * width:
        raise ValueError(f"{len(data)} bytes without {padding} bits are not {count} numbers of {width} bits")
    stream = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")
    if stream[count * width :].any():
        raise ValueError("bits behind the last element are set")
    stream = stream[: count * width].reshape(count, width)
    bits = np.zeros([count, 8 * size], np.uint8)
    bits[:, first : last + 1] = stream
    if chunk.t.kind in "imM" or chunk.t.name in ("int2", "int4"):
        bits[:, last + 1 :] = stream[:, -1:]
    return np.packbits(bits, axis=1, bitorder="little").reshape([*chunk.shape, chunk.t.itemsize])


def sharded(data, configuration, chunk):
    """The codec sharding_indexed."""
    inner = configuration["chunk_shape"]
    if any(n % k for n, k in zip(chunk.shape, inner)):
        raise ValueError(f"a shard of shape {chunk.shape} in chunks of {inner}")
    counts = [n // k for n, k in zip(chunk.shape, inner)]
    size = 16 * math.prod(counts) + 4 * sum(named(codec)[0] == "crc32c" for codec in configuration["index_codecs"])
    text = data[:size] if configuration.get("index_location") == "start" else data[len(data) - size :]
    index = decode(text, configuration["index_codecs"], Chunk([*counts, 2], np.dtype("<u8"), bytes(8))).tobytes()
    index = np.frombuffer(index, "<u8").reshape([*counts, 2])
    part = dataclasses.replace(chunk, shape=inner)
    whole = chunk.filled()
    used = size
    for at in itertools.product(*map(range, counts)):
        start, length = map(int, index[at])
        if start == length == EMPTY:
            continue
        if start + length > len(data):
            raise ValueError(f"inner chunk {at} lies at {start}, {length} bytes, of {len(data)}")
        used += length
        values = decode(data[start : start + length], configuration["codecs"], part)
        if values.tobytes() == part.fill * math.prod(inner) and "zfp" not in dict(map(named, configuration["codecs"])):
            raise ValueError(f"inner chunk {at} holds only the fill value and is stored")
        whole[tuple(slice(i * k, (i + 1) * k) for i, k in zip(at, inner))] = values
    if used != len(data):
        raise ValueError(f"{len(data)} bytes, {used} of them are used")
    return whole


def n5_block(data, configuration, chunk):
    """The codec n5_default."""
    rank = len(chunk.shape)
    header = np.frombuffer(data, ">u2", 2).tolist() + np.frombuffer(data, ">u4", rank, 4).tolist()
    if header != [0, rank, *chunk.shape]:
        raise ValueError(f"the header is {header}")
    return decode(data[4 + 4 * rank :], configuration["codecs"], chunk)


def zfp_stream(data, configuration, chunk):
    """The codec zfp, with libzfp: a stream without header."""
    limit = {k: v for k, v in configuration.items() if k != "mode"}
    number = zfp_number(chunk.t)
    values = zfpy._decompress(data, zfpy.dtype_to_ztype(number), tuple(chunk.shape or [1]), **limit)
    return demoted(values, chunk.t).view(np.uint8).reshape([*chunk.shape, chunk.t.itemsize])


def zfp_number(t):
    """The data type that zfp has for elements of another."""
    if t.kind in "mM" or t.name == "uint64":
        return np.dtype("<i8")
    return t if t.itemsize >= 4 and t.kind != "u" else np.dtype("<f4" if t.kind == "f" or t.name == "bfloat16" else "<i4")


def promoted(values, t):
    """Elements as zfp's numbers, promoted as zfp_promote_* does."""
    values, number = np.ascontiguousarray(values), zfp_number(t)
    if number.itemsize == t.itemsize:
        return values.view(number)
    if number.kind == "f":
        return values.astype(number)
    bits = BITS.get(t.name, 8 * t.itemsize)
    middle = 1 << bits - 1 if "uint" in t.name else 0
    return values.astype(number) - number.type(middle) << 31 - bits


def demoted(numbers, t):
    """The nearest elements of numbers."""
    numbers = np.ascontiguousarray(numbers)
    if numbers.dtype.itemsize == t.itemsize:
        return np.maximum(numbers, 0).astype(t) if t.kind == "u" else numbers.view(t)
    if numbers.dtype.kind == "f":
        return numbers.astype(t)
    bits = BITS.get(t.name, 8 * t.itemsize)
    low, middle = (0, 1 << bits - 1) if "uint" in t.name else (-1 << bits - 1, 0)
    elements = np.clip((numbers >> 31 - bits).astype("<i8") + middle, low, low + (1 << bits) - 1)
    return elements.astype(f"<i{t.itemsize}").view(t)


TO_BYTES = {
    "bytes": plain, "packbits": packed, "sharding_indexed": sharded, "n5_default": n5_block, "zfp": zfp_stream,
}
