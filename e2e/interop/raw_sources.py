"""Writes raw arrays of every data type, and the job that migrates them.

    raw_sources.py DIR SEED

writes into DIR:

src/           one raw file for each array
expected/      the same elements as C-ordered little-endian bytes
job.json       a job for `zmigrate run` that writes DIR/target.zarr
expected.json  the input of check.py

Every data type is tried with every codec chain, every shape, both byte orders and both
storage orders. Elements are random bit patterns (NaN payloads included) with the special
values of the type among them.
"""

import base64
import itertools
import json
import pathlib
import sys

import numpy as np

# Data types by their Zarr v3 names. Opaque bytes have no such name in common
# use and are given by their NumPy string.
TYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128", "|V3",
]

# Shape and chunk shape: no dimension, one, chunks cut off by both edges, no
# element, five dimensions, one chunk larger than the array.
SHAPES = {
    "0d": ([], []),
    "1d": ([17], [5]),
    "edges": ([7, 10], [3, 4]),
    "empty": ([0, 3], [2, 2]),
    "5d": ([3, 2, 4, 1, 5], [2, 2, 3, 1, 2]),
    "large": ([2, 3, 5], [4, 4, 8]),
}

LITTLE = {"bytes": {"endian": "little"}}
BIG = {"bytes": {"endian": "big"}}
CHAINS = {
    "bytes": ["bytes"],
    "little": [LITTLE],
    "big": [BIG],
    "transpose-C": [{"transpose": {"order": "C"}}, "bytes"],
    "transpose-F": [{"transpose": {"order": "F"}}, LITTLE],
    "permute-big": ["PERMUTE", BIG],
    "permute-twice-gzip": ["PERMUTE", "PERMUTE", LITTLE, {"gzip": {"level": 1}}],
    "gzip0": ["bytes", {"gzip": {"level": 0}}],
    "gzip5": ["bytes", {"gzip": {"level": 5}}],
    "big-gzip9": [BIG, {"gzip": {"level": 9}}],
    "zstd": ["bytes", {"zstd": {"level": 3}}],
    "zstd-checksum": ["bytes", {"zstd": {"level": 1, "checksum": True}}],
    "big-zstd19": [BIG, {"zstd": {"level": 19, "checksum": False}}],
    "zstd-negative": ["bytes", {"zstd": {"level": -5}}],
    "crc32c": ["bytes", "crc32c"],
    "crc32c-twice": [BIG, "crc32c", "crc32c"],
    "permute-big-zstd-crc32c": ["PERMUTE", BIG, {"zstd": {"level": 3}}, "crc32c"],
    "crc32c-gzip": [LITTLE, "crc32c", {"gzip": {"level": 6}}],
    "gzip-zstd": ["bytes", {"gzip": {"level": 3}}, {"zstd": {"level": 3}}],
}

ATTRIBUTES = {
    "units": "m s⁻¹ · 温度 \\ \"quoted\"\n",
    "integer": 9007199254740993,
    "negative": -1,
    "float": 0.1,
    "tiny": 5e-324,
    "huge": 1.7976931348623157e308,
    "flag": True,
    "nothing": [None],
    "list": [1, 2.5, "three", []],
    "nested": {"a": {"b": [{"c": 1}]}, "": "empty key"},
    "html": "<a href='x'>&amp;</a>",
}


def fills(name):
    """Fill values of a type as (Zarr v3 JSON, little-endian bytes)."""
    little = {"float16": "<u2", "float32": "<u4", "float64": "<u8", "complex64": "<u4", "complex128": "<u8"}
    if name == "|V3":
        return [(None, bytes(3)), (base64.b64encode(b"\x01\x80\xff").decode(), b"\x01\x80\xff")]
    if name == "bool":
        return [(None, b"\0"), (True, b"\1")]
    t = np.dtype(name)
    if t.kind in "iu":
        info = np.iinfo(t)
        return [(None, bytes(t.itemsize))] + [
            (v, np.array(v, t.newbyteorder("<")).tobytes()) for v in (int(info.min), int(info.max), 42)
        ]
    width = t.itemsize * 8 if t.kind == "f" else t.itemsize * 4
    nan, infinity = {16: (0x7E00, 0x7C00), 32: (0x7FC00000, 0x7F800000), 64: (0x7FF8000000000000, 0x7FF0000000000000)}[width]
    sign = 1 << width - 1
    plain = [
        ("NaN", nan), ("Infinity", infinity), ("-Infinity", infinity | sign), (-0.0, sign),
        (1.5, int.from_bytes(np.array(1.5, f"<f{width // 8}").tobytes(), "little")),
    ]
    # zarr-python drops the payload of a float16 fill value.
    if width > 16:
        plain.append((f"0x{nan | 1:0{width // 4}x}", nan | 1))
    word = little[name]
    if t.kind == "f":
        return [(None, bytes(t.itemsize))] + [(j, np.array(v, word).tobytes()) for j, v in plain]
    pairs = zip(plain, plain[1:] + plain[:1])
    return [(None, bytes(t.itemsize))] + [
        ([a, b], np.array([x, y], word).tobytes()) for (a, x), (b, y) in pairs
    ]


def specials(name):
    """Values that programs often get wrong, as little-endian bytes."""
    if name == "|V3":
        return [b"\0\0\0", b"\xff\xff\xff", b"\x00\x01\x02"]
    t = np.dtype(name).newbyteorder("<")
    if t.kind == "b":
        return [b"\0", b"\1"]
    if t.kind in "iu":
        info = np.iinfo(t)
        return [np.array(v, t).tobytes() for v in (info.min, info.max, 0, 1, info.max // 2)]
    part = np.dtype(f"<f{t.itemsize // (1 if t.kind == 'f' else 2)}")
    info = np.finfo(part)
    values = [0.0, -0.0, np.inf, -np.inf, np.nan, info.max, info.min, info.smallest_subnormal, info.tiny]
    words = [np.array(v, part).tobytes() for v in values]
    top = 1 << part.itemsize * 8 - 1
    payloads = [int.from_bytes(words[4], "little") | 0x2B, int.from_bytes(words[2], "little") | 1]
    words += [(bits | s).to_bytes(part.itemsize, "little") for bits in payloads for s in (0, top)]
    if t.kind == "f":
        return words
    return [a + b for a, b in zip(words, words[5:] + words[:5])]


def elements(random, name, size, count):
    """Random elements as an array of opaque bytes, specials among them."""
    if name == "bool":
        data = random.integers(0, 2, (count, 1), np.uint8)
    else:
        data = random.integers(0, 256, (count, size), np.uint8)
        smooth = random.random() < 0.3  # something to compress
        if smooth and count:
            data[:] = data[0]
            data[:, 0] = np.arange(count) % 256
    for value in specials(name):
        if count:
            data[random.integers(count)] = np.frombuffer(value, np.uint8)
    return data.reshape(count * size).view(f"V{size}")


def swapped(name, data):
    """The elements in the other byte order, word by word."""
    t = np.dtype(name)
    word = t.itemsize // 2 if t.kind == "c" else t.itemsize
    if t.kind in "bV":
        return data
    return np.frombuffer(data.tobytes(), np.uint8).reshape(-1, word)[:, ::-1].copy()


def joined(folder, random):
    """Arrays of twelve files each: stacked, one index of a new dimension a file,
    and concatenated along the second dimension, in C and in Fortran order."""
    made = {}
    for kind, order in (("stack", "C"), ("stack", "F"), ("concat", "C"), ("concat", "F")):
        name = f"{kind}-{order}"
        if kind == "stack":
            names, shapes = ["y", "x"], [(4, 3)] * 12
        else:
            names, shapes = [f"{name}_{d}" for d in "ytz"], [(4, 1 + i % 3, 2) for i in range(12)]
        parts = [random.normal(size=shape).astype(">f4") for shape in shapes]
        for i, part in enumerate(parts):
            (folder / "src" / f"{name}_{i}.bin").write_bytes(b"header" + part.tobytes(order))
        whole = np.stack(parts) if kind == "stack" else np.concatenate(parts, axis=1)
        source = {
            "url": f"src/{name}_*.bin", "data_type": ">f4", "shape": list(shapes[0]), "order": order,
            "offset": len(b"header"), kind: "time" if kind == "stack" else names[1],
            "dimension_names": names,
        }
        file = f"expected/{name}.bin"
        (folder / file).write_bytes(whole.astype("<f4").tobytes())
        made[f"joined/{name}"] = (source, {
            "type": "float32", "shape": list(whole.shape),
            "dimensions": ["time", *names] if kind == "stack" else names,
            "bytes": file, "fill": "00000000", "attributes": {}, "label": f"twelve files, {kind}",
        })
    return made


def main(folder, seed):
    random = np.random.default_rng(seed)
    folder = pathlib.Path(folder)
    (folder / "src").mkdir(parents=True)
    (folder / "expected").mkdir()
    sources, options, expected = {}, {}, {}
    number = 0
    for (t, name), (c, (chain, codecs)) in itertools.product(enumerate(TYPES), enumerate(CHAINS.items())):
        # Two of the six shapes for each pair. Over the chains, each type is tried with
        # all shapes, and over the types each chain does.
        for s in ((t + c) % 6, (t + c + 3) % 6):
            shape_name, (shape, chunks) = list(SHAPES.items())[s]
            big, fortran = number % 2 == 1, number // 2 % 2 == 1
            number += 1
            group = "opaque" if name == "|V3" else name
            path = f"{group}/{chain}_{shape_name}"
            file = path.replace("/", "_") + ".bin"
            size = np.dtype(name).itemsize
            data = elements(random, name, size, int(np.prod(shape))).reshape(shape)
            fill_json, fill = fills(name)[number % len(fills(name))]
            if shape:
                # The first chunk holds only the fill value.
                data[tuple(slice(0, n) for n in chunks)] = np.frombuffer(fill, data.dtype)[0]
            (folder / "expected" / file).write_bytes(data.tobytes())
            stored = data.transpose().tobytes() if fortran else data.tobytes()
            if big:
                stored = swapped(name, np.frombuffer(stored, data.dtype)).tobytes()
            offset = int(random.integers(0, 50))
            (folder / "src" / file).write_bytes(random.bytes(offset) + stored)
            dimensions = [f"{chain}_{shape_name}_{i}" for i in range(len(shape))]
            order = list(range(len(shape)))
            bound = []
            for codec in codecs:
                if codec == "PERMUTE":
                    codec = {"transpose": {"order": [int(i) for i in random.permutation(order)]}}
                bound.append(codec)
            sources[path] = {
                "url": "src/" + file, "data_type": name, "shape": shape,
                "order": "F" if fortran else "C", "offset": offset,
                "dimension_names": dimensions, "attributes": {**ATTRIBUTES, "number": number},
            }
            if name not in ("bool", "int8", "uint8", "|V3"):
                # NumPy's name of a type has the byte order, and Zarr's has not.
                if number % 3 == 0:
                    sources[path]["data_type"] = np.dtype(name).newbyteorder(">" if big else "<").str
                else:
                    sources[path]["endian"] = "big" if big else "little"
            options[path] = {"chunks": [max(n, 1) for n in chunks], "codecs": bound, "attributes": {"added": "by the job", "negative": None}}
            if fill_json is not None:
                options[path]["fill_value"] = fill_json
            attributes = {**ATTRIBUTES, "number": number, "added": "by the job"}
            del attributes["negative"]
            expected[path] = {
                "type": name, "shape": shape, "dimensions": dimensions, "bytes": "expected/" + file,
                "fill": fill.hex(), "attributes": attributes, "label": f"{group} × {chain}",
            }
    for path, (source, want) in joined(folder, random).items():
        sources[path], expected[path] = source, want
        options[path] = {"chunks": [5, 2, 3]}
    job = {
        "zmigrate": 1, "name": "interop",
        "source": {"driver": "raw", "arrays": sources},
        "target": {"url": "target.zarr"},
        "arrays": options,
    }
    (folder / "job.json").write_text(json.dumps(job, indent=1))
    (folder / "expected.json").write_text(json.dumps({"arrays": expected}, indent=1))
    print(f"{len(expected)} raw arrays, {len(TYPES)} data types × {len(CHAINS)} codec chains among them")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
