"""Writes raw arrays of the extension data types, and the job that migrates
them.

    type_sources.py DIR SEED

writes into DIR:

src/           one raw file for each array
expected/      the same elements as C-ordered little-endian bytes
job.json       a job for `zmigrate run` that writes DIR/target.zarr
expected.json  the input of check_types.py

Every type is tried with every codec chain in both byte orders of the file. If a type has
a NumPy name, the job uses in turns that name, in whose dtype NumPy writes the file, and
the Zarr v3 name with a separate byte order.
"""

import base64
import dataclasses
import itertools
import json
import pathlib
import sys

import ml_dtypes
import numpy as np

SHAPES = {
    "0d": ([], []),
    "1d": ([300], [70]),
    "edges": ([7, 10], [3, 4]),
    "3d": ([5, 4, 9], [2, 4, 5]),
    "large": ([2, 3, 5], [4, 4, 8]),
}

LITTLE = {"bytes": {"endian": "little"}}
BIG = {"bytes": {"endian": "big"}}
CHAINS = {
    "little": [LITTLE],
    "big": [BIG],
    "transpose": ["PERMUTE", "bytes"],
    "zstd": ["bytes", {"zstd": {"level": 3}}],
    "transpose-big-zstd": ["PERMUTE", BIG, {"zstd": {"level": 1, "checksum": True}}],
}

UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic"]

# The patterns of each float: how many bits mean something, one, the plain NaN,
# infinity and -0, each None where there is none, and a number that rounds (a tie
# to even but for 0.1) with the pattern that it rounds to.
FLOATS = {
    "bfloat16": (16, 0x3F80, 0x7FC0, 0x7F80, 0x8000, (0.1, 0x3DCD)),
    "float8_e3m4": (8, 0x30, 0x78, 0x70, 0x80, (1.03125, 0x30)),
    "float8_e4m3": (8, 0x38, 0x7C, 0x78, 0x80, (1.0625, 0x38)),
    "float8_e4m3b11fnuz": (8, 0x58, 0x80, None, None, (1.1875, 0x5A)),
    "float8_e4m3fnuz": (8, 0x40, 0x80, None, None, (1.1875, 0x42)),
    "float8_e5m2": (8, 0x3C, 0x7E, 0x7C, 0x80, (1.375, 0x3E)),
    "float8_e5m2fnuz": (8, 0x40, 0x80, None, None, (1.125, 0x40)),
    "float8_e8m0fnu": (8, 0x7F, 0xFF, None, None, (3, 0x81)),
    "float6_e2m3fn": (6, 0x08, None, None, 0x20, (1.0625, 0x08)),
    "float6_e3m2fn": (6, 0x0C, None, None, 0x20, (1.375, 0x0E)),
    "float4_e2m1fn": (4, 0x2, None, None, 0x8, (1.25, 0x2)),
    "float16": (16, 0x3C00, 0x7E00, 0x7C00, 0x8000, (0.1, 0x2E66)),
}
INTS = {"int2": (-2, 1), "int4": (-8, 7), "uint2": (0, 3), "uint4": (0, 15)}


def numpy_type(data_type):
    """The little-endian NumPy type of a Zarr v3 data type of fixed size. A
    complex number of small floats is a record of two."""
    name, configuration = data_type, {}
    if isinstance(data_type, dict):
        name, configuration = data_type["name"], data_type["configuration"]
    if name.startswith("complex_"):
        part = numpy_type(name.removeprefix("complex_"))
        return np.dtype([("real", part), ("imaginary", part)])
    if name in ("numpy.datetime64", "numpy.timedelta64"):
        code, unit = "<M8" if name == "numpy.datetime64" else "<m8", configuration["unit"]
        return np.dtype(code if unit == "generic" else f"{code}[{configuration['scale_factor']}{unit}]")
    if name == "struct":
        return np.dtype([(f["name"], numpy_type(f["data_type"])) for f in configuration["fields"]])
    if "length_bytes" in configuration:
        letter, unit = {"fixed_length_utf32": ("<U", 4), "null_terminated_bytes": ("S", 1), "raw_bytes": ("V", 1)}[name]
        return np.dtype(f"{letter}{configuration['length_bytes'] // unit}")
    if name[0] == "r" and name[1:].isdigit():
        return np.dtype(f"V{int(name[1:]) // 8}")
    return np.dtype(getattr(ml_dtypes, name, name)).newbyteorder("<")


def in_order(dtype, mark):
    """A v2 data type with a byte order in each name that has one."""
    if isinstance(dtype, list):
        return [[name, in_order(inner, mark)] for name, inner in dtype]
    return dtype if dtype[0] == "|" else mark + dtype[1:]


def numpy_v2(dtype):
    return np.dtype([(name, numpy_v2(inner)) for name, inner in dtype] if isinstance(dtype, list) else dtype)


def words(t):
    """The sizes in bytes of the words of an element, which byte order reverses."""
    if t.names:
        return [n for name in t.names for n in words(t[name])]
    if t.kind == "U":
        return [4] * (t.itemsize // 4)
    if t.kind == "S" or t.type is np.void:
        return [1] * t.itemsize
    return [t.itemsize // 2] * 2 if t.kind == "c" else [t.itemsize]


def swapped(t, data):
    """Elements as rows of bytes, with each word reversed."""
    ends = np.cumsum(words(t))
    return data[:, np.concatenate([np.arange(end - n, end)[::-1] for end, n in zip(ends, words(t))])]


def elements(random, t, count):
    """Random elements as rows of little-endian bytes: any code points in texts, and any
    used bits in other types."""
    if t.names:
        return np.concatenate([elements(random, t[name], count) for name in t.names], axis=1)
    if t.kind == "U":
        points = random.choice([0, 0x41, 0xE9, 0x6E29, 0xFFFD, 0x1D11E, 0x1F600, 0x10FFFF], (count, t.itemsize // 4))
        return points.astype("<u4").view(np.uint8)
    if t.name in INTS:
        low, high = INTS[t.name]
        return random.integers(low, high + 1, (count, 1), np.int8).view(np.uint8)
    bits = FLOATS.get(t.name, (1 if t.kind == "b" else 8,))[0]
    data = random.integers(0, 1 << min(bits, 8), (count, t.itemsize), np.uint8)
    if t.kind in "mM":  # values that overflow easily, and "not a time"
        data[: min(count, 3)] = np.array([-(2**63), 2**63 - 1, -1], "<i8").view(np.uint8).reshape(3, 8)[:count]
    return data


@dataclasses.dataclass
class Case:
    label: str
    data_type: object  # Zarr v3, as the target has it
    fills: list  # (as the job gives it, or None; as little-endian bytes)
    v2: object = None  # little-endian; None: the type has none
    source: object = None  # the job's name of the type, if it is not data_type
    mixed: object = None  # v2 with fields of both orders, for every file
    keep: bool = False  # the job also names data_type for the target
    junk: int = 0  # unused bits of each byte, which the file sets at random


def float_fills(name):
    """The spellings of a float's fill value."""
    bits, one, nan, infinity, negative_zero, rounded = FLOATS[name]
    digits = 4 if bits == 16 else 2
    made = [(None, 0), (1.0, one), (f"0x{3:0{digits}x}", 3), rounded, ("NaN", nan), ("Infinity", infinity), (-0.0, negative_zero)]
    if infinity:
        made += [("-Infinity", infinity | 1 << bits - 1), (f"0x{nan | 1:0{digits}x}", nan | 1)]  # another NaN
    return [(text, bits.to_bytes(digits // 2, "little")) for text, bits in made if bits is not None]


def numbers():
    for name in FLOATS:
        fills = float_fills(name)
        if name != "float16":
            yield Case(name, name, fills)
        pairs = [([a, b], x + y) for (a, x), (b, y) in zip(fills[1:], fills[2:] + fills[1:2])]
        yield Case("complex_" + name, "complex_" + name, [(None, fills[0][1] * 2)] + pairs)
    for name, (low, high) in INTS.items():
        fills = [(None, b"\0")] + [(v, v.to_bytes(1, "little", signed=True)) for v in (low, high, 1)]
        yield Case(name, name, fills)
        bits = 2 if name.endswith("2") else 4
        yield Case(f"{name}, other bits set", name, fills, junk=0xFF & ~((1 << bits) - 1))
    for name, junk in (("float6_e2m3fn", 0xC0), ("float6_e3m2fn", 0xC0), ("float4_e2m1fn", 0xF0)):
        yield Case(f"{name}, other bits set", name, float_fills(name), junk=junk)
        pair = ([1.0, "0x01"], bytes([FLOATS[name][1], 1]))
        yield Case(f"complex_{name}, other bits set", "complex_" + name, [(None, bytes(2)), pair], junk=junk)
    for alias, name, size in (("complex_float32", "complex64", 4), ("complex_float64", "complex128", 8)):
        half = np.array([1.5, -0.0], f"<f{size}").tobytes()
        yield Case(alias, name, [(None, bytes(2 * size)), ([1.5, -0.0], half)], source=alias)


def temporal(name, unit, scale):
    return {"name": name, "configuration": {"unit": unit, "scale_factor": scale}}


def times():
    nat = (-(2**63)).to_bytes(8, "little", signed=True)
    fills = [(None, nat), ("NaT", nat), (-(2**63), nat)] + [
        (v, v.to_bytes(8, "little", signed=True)) for v in (0, -1, 2**63 - 1, -(2**63) + 1)
    ]
    for (name, letter), unit in itertools.product((("numpy.datetime64", "M"), ("numpy.timedelta64", "m")), UNITS):
        for scale in [1] if unit == "generic" else [1, 10, 2**31 - 1]:
            code = f"<{letter}8" if unit == "generic" else f"<{letter}8[{scale if scale > 1 else ''}{unit}]"
            yield Case(f"{name}[{unit}]", temporal(name, unit, scale), fills, v2=code)
        if unit == "us":
            yield Case(f"{name}[μs]", temporal(name, "us", 10), fills, source=temporal(name, "μs", 10))


def sized(name, length):
    return {"name": name, "configuration": {"length_bytes": length}}


def base64_of(data):
    return base64.b64encode(data).decode()


def texts_and_bytes():
    for points in (1, 5, 33):
        texts = ["", "a", "é", "\U0001d11e", '"', "\\"] + (["\U0001f600 温度", "a\0\n", "12345"] if points > 1 else [])
        fills = [(None, bytes(4 * points))] + [(text, np.array(text, f"<U{points}").tobytes()) for text in texts]
        yield Case("fixed_length_utf32", sized("fixed_length_utf32", 4 * points), fills, v2=f"<U{points}")
    for size in (1, 5, 16):
        full = bytes(range(256 - size, 256))
        yield Case(
            "null_terminated_bytes", sized("null_terminated_bytes", size),
            [(None, bytes(size)), (base64_of(full), full), ("", bytes(size)), (base64_of(b"a"), b"a".ljust(size, b"\0"))],
            v2=f"|S{size}",
        )
        fills = [(None, bytes(size)), (base64_of(full), full)]
        yield Case("raw_bytes", sized("raw_bytes", size), fills, v2=f"|V{size}")
        fills = [(None, bytes(size)), (list(full), full)]
        yield Case("r* as raw_bytes", sized("raw_bytes", size), fills, source=f"r{8 * size}", keep=True)
        yield Case("r*", f"r{8 * size}", fills, v2=f"|V{size}", keep=True)


def struct(**fields):
    return {"name": "struct", "configuration": {"fields": [{"name": n, "data_type": t} for n, t in fields.items()]}}


def structs():
    plain = struct(x="float32", y="int16")
    value = {"x": "NaN", "y": -2}
    fills = [(None, bytes(6)), (value, b"\0\0\xc0\x7f\xfe\xff"), ({"y": 1, "x": "0xffc00001"}, b"\1\0\xc0\xff\1\0")]
    yield Case("struct", plain, fills, v2=[["x", "<f4"], ["y", "<i2"]])
    yield Case("struct, mixed orders", plain, fills, mixed=[["x", "<f4"], ["y", ">i2"]])
    yield Case("structured", plain, fills, source={"name": "structured", "configuration": {"fields": [["x", "float32"], ["y", "int16"]]}})

    kinds = struct(
        a="uint8", t=temporal("numpy.datetime64", "us", 10), s=sized("fixed_length_utf32", 12), b=sized("null_terminated_bytes", 5),
        v=sized("raw_bytes", 3), c="complex128", d="bool", e="complex64", f="float16",
    )
    v2 = [
        ["a", "|u1"], ["t", "<M8[10us]"], ["s", "<U3"], ["b", "|S5"], ["v", "|V3"], ["c", "<c16"], ["d", "|b1"],
        ["e", "<c8"], ["f", "<f2"],
    ]
    mixed = [[n, in_order(t, "<>"[i % 2])] for i, (n, t) in enumerate(v2)]
    given = {
        "a": 255, "t": "NaT", "s": "\U0001f600", "b": base64_of(b"ab"), "v": base64_of(b"\1\2\3"), "c": [1.5, "-Infinity"],
        "d": True, "e": ["NaN", 0.0], "f": 0.5,
    }
    nat = np.datetime64("NaT")
    values = [
        (0, nat, "", b"", b"\0\0\0", 0, False, 0, 0),
        (255, nat, "\U0001f600", b"ab", b"\1\2\3", complex(1.5, -np.inf), True, complex(np.nan, 0), 0.5),
    ]
    fills = [(text, np.array(value, numpy_type(kinds)).tobytes()) for text, value in zip((None, given), values)]
    yield Case("struct of every kind", kinds, fills, v2=v2)
    yield Case("struct of every kind, mixed orders", kinds, fills, mixed=mixed)

    nested = struct(p=struct(x="float32", q=struct(n="int64", flag="bool")), z="uint16")
    v2 = [["p", [["x", "<f4"], ["q", [["n", "<i8"], ["flag", "|b1"]]]]], ["z", "<u2"]]
    mixed = [["p", [["x", ">f4"], ["q", [["n", "<i8"], ["flag", "|b1"]]]]], ["z", ">u2"]]
    fills = [
        (None, bytes(15)),
        ({"z": 513, "p": {"q": {"flag": True, "n": 2**63 - 1}, "x": -0.0}}, b"\0\0\0\x80" + b"\xff" * 7 + b"\x7f\1\1\2"),
    ]
    yield Case("struct, nested", nested, fills, v2=v2)
    yield Case("struct, nested, mixed orders", nested, fills, mixed=mixed)

    small = struct(i="int4", b="bfloat16", f="float8_e5m2", g="float6_e3m2fn", u="uint2")
    fills = [
        (None, bytes(6)),
        ({"i": -8, "b": "NaN", "f": "-Infinity", "g": "0x1f", "u": 3}, b"\xf8\xc0\x7f\xfc\x1f\3"),
    ]
    yield Case("struct of small numbers", small, fills)
    readable = struct(b="bfloat16", f="float8_e4m3fnuz", i="int4")
    yield Case("struct of small numbers that tensorstore has", readable, [(None, bytes(4)), ({"b": 1, "f": "NaN", "i": -1}, b"\x80\x3f\x80\xff")])


def described(case, big, by_numpy):
    """What the job says about the source's type, and the dtype in which NumPy
    writes it, None where it has none."""
    if case.mixed:
        return {"data_type": case.mixed}, numpy_v2(case.mixed)
    if case.v2 and by_numpy:
        spelled = in_order(case.v2, "<>"[big])
        return {"data_type": spelled}, numpy_v2(spelled)
    return {"data_type": case.source or case.data_type, "endian": "big" if big else "little"}, None


def main(folder, seed):
    random = np.random.default_rng(seed)
    folder = pathlib.Path(folder)
    (folder / "src").mkdir(parents=True)
    (folder / "expected").mkdir()
    sources, options, expected = {}, {}, {}
    cases = [*numbers(), *times(), *texts_and_bytes(), *structs()]
    for (n, case), (c, (chain, codecs)), big in itertools.product(enumerate(cases), enumerate(CHAINS.items()), (False, True)):
        shape_name, (shape, chunks) = list(SHAPES.items())[(n + c + big) % len(SHAPES)]
        path = f"type{n}/{chain}-{'big' if big else 'little'}-{shape_name}"
        file = path.replace("/", "_") + ".bin"
        t = numpy_type(case.data_type)
        given, fill = case.fills[(c + len(CHAINS) * big) % len(case.fills)]
        data = elements(random, t, int(np.prod(shape)))
        whole = data.reshape([*shape, t.itemsize])
        if shape:  # The first chunk holds only the fill value.
            whole[tuple(slice(0, k) for k in chunks)] = np.frombuffer(fill, np.uint8)
        data = whole.reshape(-1, t.itemsize)
        (folder / "expected" / file).write_bytes(data.tobytes())

        description, numpy_file = described(case, big, c % 2 == 0)
        if numpy_file is not None:
            values = data.copy().view(t)
            if t in (np.dtype("M8"), np.dtype("m8")):  # NumPy does not swap the bytes of the generic unit
                values, numpy_file = values.view("<i8"), np.dtype(">i8" if big else "<i8")
            stored = values.astype(numpy_file).tobytes()
        else:
            stored = swapped(t, data) if big else data
            if case.junk:
                stored = stored & ~np.uint8(case.junk) | random.integers(0, 256, stored.shape, np.uint8) & case.junk
            stored = stored.tobytes()
        (folder / "src" / file).write_bytes(stored)

        sources[path] = {"url": "src/" + file, "shape": shape, **description}
        order = [int(i) for i in random.permutation(len(shape))]
        options[path] = {"chunks": chunks, "codecs": [{"transpose": {"order": order}} if codec == "PERMUTE" else codec for codec in codecs]}
        if given is not None:
            options[path]["fill_value"] = given
        if case.keep:
            options[path]["data_type"] = case.data_type
        expected[path] = {
            "data_type": case.data_type, "shape": shape, "fill": fill.hex(), "bytes": "expected/" + file, "label": case.label,
        }
    job = {
        "zmigrate": 1, "name": "types",
        "source": {"driver": "raw", "arrays": sources},
        "target": {"url": "target.zarr"},
        "arrays": options,
    }
    (folder / "job.json").write_text(json.dumps(job, indent=1, ensure_ascii=False))
    (folder / "expected.json").write_text(json.dumps({"arrays": expected}, indent=1))
    print(f"{len(expected)} raw arrays of {len({case.label for case in cases})} kinds of type")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
