"""Make array-codecs.zip: what other programs make of arrays, with codecs of arrays.

usage: python3 -P array_codecs.py GOLDEN array-codecs.zip

(-P keeps the script select.py beside it from hiding a module of that name)

needs: numcodecs==0.16.5 numpy==2.4.6 tensorstore==0.1.86

GOLDEN holds zarr-python/ (v2.zarr, v3.zarr, expected.json) and zarrs/
(expected.json), folders of arrays with their values.
"""

import base64
import json
import math
import os
import struct
import sys
import tempfile
import warnings
import zipfile

import numcodecs
import numpy as np
import tensorstore

warnings.simplefilter("ignore")
random = np.random.default_rng(5)

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
FLOATS = ["f2", "f4", "f8"]
NAN_BITS = {
    "f2": [0x7E00],
    "f4": [0x7FC00000, 0x7F800001, 0x7FA12345, 0xFFC00001],
    "f8": [0x7FF8000000000000, 0x7FF0000000000001, 0x7FF4DEAD0000BEEF, 0xFFF8000000000001],
}


def values(code):
    """Numbers of a type, with those at its edges."""
    t = np.dtype(code)
    if t.kind == "b":
        return np.array([0, 1, 1, 0, 1], dtype=t)
    if t.kind == "c":
        parts = values("f4" if code == "c8" else "f8")
        return np.concatenate([parts, parts[::-1]]).view(t)
    if t.kind in "iu":
        info = np.iinfo(t)
        edges = [info.min, info.min + 1, -1, 0, 1, 7, 100, info.max - 1, info.max]
        edges = np.array([v for v in edges if info.min <= v], dtype=t)
        noise = np.frombuffer(random.bytes(12 * t.itemsize), t)
        return np.concatenate([edges, noise, noise >> (4 * t.itemsize)])
    info = np.finfo(t)
    edges = [0.0, -0.0, 0.5, 1.5, -2.5, 0.125, 1e-5, info.tiny, info.smallest_subnormal, -info.max, info.max, np.inf, -np.inf]
    nans = np.array(NAN_BITS[code], dtype=f"u{t.itemsize}").view(t)
    noise = [random.normal(0, scale, 6) for scale in (0.1, 30, 3000, 1e6, 1e10)]
    return np.concatenate([np.array(edges, t), nans, *[n.astype(t) for n in noise]])


def in_range(x, to):
    """Where a float has the same integer on every machine: see integerRange."""
    if x.dtype.kind != "f" or to.kind not in "iu":
        return np.ones(x.shape, bool)
    x = np.trunc(x.astype("f8"))
    low = -(2.0**31) if to.itemsize < 8 else -(2.0**63)
    high = {"u4": 2.0**32, "i8": 2.0**63, "u8": 2.0**64}.get(to.str[1:], 2.0**31)
    return (x >= low) & (x < high)


def plain_nans(x, *others):
    """Without NaNs whose payload a float16 does not keep here."""
    if any(np.dtype(o) == "f2" for o in others) and x.dtype.kind == "f":
        bits = x.view(f"u{x.itemsize}")
        return x[~np.isnan(x) | (bits == NAN_BITS[x.dtype.str[1:]][0])]
    return x


def text(x):
    return base64.b64encode(np.ascontiguousarray(x.astype(x.dtype.newbyteorder("<"))).tobytes()).decode()


def case(name, configuration, t, x=None, y=None):
    """One codec: x encoded, and y decoded."""
    codec = numcodecs.get_codec({"id": name, **configuration})
    c = {"codec": "numcodecs." + name, "configuration": configuration, "type": np.dtype(t).name}
    try:
        if x is not None and len(x):
            c["x"], c["encoded"] = text(x), text(codec.encode(x.copy()))
        if y is not None and len(y):
            c["y"], c["decoded"] = text(y), text(codec.decode(y.copy()))
    except OverflowError:  # a number of the configuration that the type lacks
        return []
    return [c]


def astype():
    real = ["b1", *INTEGERS, *FLOATS]
    for t, a in [*[(t, a) for t in real for a in real], *[(t, a) for t in ("c8", "c16") for a in ("c8", "c16")]]:
        x, y = plain_nans(values(t), t, a), plain_nans(values(a), t, a)
        x, y = x[in_range(x, np.dtype(a))], y[in_range(y, np.dtype(t))]
        yield from case("astype", {"encode_dtype": np.dtype(a).str, "decode_dtype": np.dtype(t).str}, t, x, y)


def fixedscaleoffset():
    constants = [(10, 10), (-3, 7), (0.5, 3), (2, 0.1), (273.15, 100.0), (-1e4, 1e-3)]
    pairs = [(t, a) for t in INTEGERS + FLOATS for a in INTEGERS + FLOATS]
    for i, (t, a) in enumerate(pairs):
        for offset, scale in (constants[i % 6], constants[(i + 1) % 6], constants[(i + 3) % 6]):
            x, y = plain_nans(values(t), t, a), plain_nans(values(a), t, a)
            try:
                x = x[in_range(np.around((x - offset) * scale), np.dtype(a))]
            except OverflowError:
                continue
            y = y[in_range(y / scale + offset, np.dtype(t))]
            yield from case(
                "fixedscaleoffset",
                {"offset": offset, "scale": scale, "dtype": np.dtype(t).str, "astype": np.dtype(a).str}, t, x, y,
            )


def quantize():
    for t in FLOATS:
        for a in FLOATS:
            for digits in (-2, -1, 0, 1, 2, 3, 4, 9, 30):
                bits = math.ceil(math.log2(10.0**digits))
                if bits > {"f2": 15, "f4": 127, "f8": 1023}[t]:
                    continue
                configuration = {"digits": digits, "dtype": np.dtype(t).str, "astype": np.dtype(a).str}
                yield from case("quantize", configuration, t, plain_nans(values(t), t, a), plain_nans(values(a), t, a))


def bitround():
    for t, most in (("f2", 10), ("f4", 23), ("f8", 52)):
        for keep in (0, 1, 3, 9, most - 1, most):
            x = values(t)
            rounded = numcodecs.BitRound(keep).encode(x.copy()).view(t)
            yield from case("bitround", {"keepbits": keep}, t, x[np.isnan(x) == np.isnan(rounded)])


def delta():
    for t in INTEGERS:
        for a in INTEGERS:
            wide = np.dtype(a).itemsize >= np.dtype(t).itemsize
            x = values(t) if wide else np.cumsum(random.integers(0, 3, 30)).astype(t)
            x = np.concatenate([np.array([3 if wide else 0], t), x])
            exact = np.promote_types(t, a).kind in "iu"
            configuration = {"dtype": np.dtype(t).str, "astype": np.dtype(a).str}
            yield from case("delta", configuration, t, x, values(a) if exact else None)
    for t in FLOATS:
        for a in FLOATS:
            x, y = random.normal(0, 100, 50), random.normal(0, 10, 50)
            x[:3], y[:3] = [-0.0, -0.0, 0.0], [-0.0, -0.0, 0.0]
            yield from case("delta", {"dtype": np.dtype(t).str, "astype": np.dtype(a).str}, t, x.astype(t), y.astype(a))


def n5_arrays(files, arrays):
    """Blocks that tensorstore writes, padded, and the same ones cut as other writers do."""
    types = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]
    for i, name in enumerate(types):
        for compression in ("raw", "gzip", "zstd")[:: 1 + i % 2]:
            for cut in (False, True):
                if not (cut and compression != "raw"):
                    n5_array(files, arrays, name, compression, cut)


def n5_array(files, arrays, name, compression, cut):
    shape, block = [7, 5, 3], [4, 3, 2]
    data = np.frombuffer(random.bytes(105 * np.dtype(name).itemsize), name).reshape(shape)
    if data.dtype.kind == "f":
        data = random.normal(0, 1, shape).astype(name)
    path = f"n5/{name}_{compression}{'_cut' if cut else ''}"
    with tempfile.TemporaryDirectory() as folder:
        metadata = {"dimensions": shape, "blockSize": block, "dataType": name, "compression": {"type": compression}}
        kvstore = {"driver": "file", "path": folder}
        store = tensorstore.open({"driver": "n5", "kvstore": kvstore, "metadata": metadata}, create=True).result()
        store[...] = data
        for at, _, names in os.walk(folder):
            for n in set(names) - {"attributes.json"}:
                with open(os.path.join(at, n), "rb") as f:
                    content = f.read()
                key = os.path.relpath(os.path.join(at, n), folder)
                if cut:
                    index = [int(x) for x in key.split("/")]
                    extents = [min(b, s - b * k) for b, s, k in zip(block, shape, index)]
                    elements = np.frombuffer(content[16:], data.dtype.newbyteorder(">")).reshape(block, order="F")
                    inside = elements[tuple(slice(0, n) for n in extents)]
                    content = struct.pack(">HHIII", 0, 3, *extents) + inside.tobytes(order="F")
                files[f"v3.zarr/{path}/{key}"] = content
    inner = [
        {"name": "transpose", "configuration": {"order": [2, 1, 0]}},
        {"name": "bytes", "configuration": {"endian": "big"}} if data.itemsize > 1 else {"name": "bytes"},
    ]
    if compression == "gzip":
        inner.append({"name": "gzip", "configuration": {"level": 6}})
    if compression == "zstd":
        inner.append({"name": "zstd", "configuration": {"level": 0, "checksum": False}})
    document = {
        "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": name,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": block}},
        "chunk_key_encoding": {"name": "v2", "configuration": {"separator": "/"}},
        "fill_value": 0, "codecs": [{"name": "n5_default", "configuration": {"codecs": inner}}], "attributes": {},
    }
    files[f"v3.zarr/{path}/zarr.json"] = json.dumps(document).encode()
    files[f"expected/{path}.bin"] = data.astype(data.dtype.newbyteorder("<")).tobytes()
    arrays.append({"store": "v3.zarr", "path": path, "raw": f"expected/{path}.bin"})


def copy_array(files, arrays, root, store, path, raw, to):
    folder = os.path.join(root, path)
    for at, _, names in os.walk(folder):
        for n in names:
            with open(os.path.join(at, n), "rb") as f:
                files[f"{store}/{to}/{os.path.relpath(os.path.join(at, n), folder)}"] = f.read()
    with open(raw, "rb") as f:
        files[f"expected/{store}/{to}.bin"] = f.read()
    arrays.append({"store": store, "path": to, "raw": f"expected/{store}/{to}.bin"})


def golden_arrays(files, arrays, golden):
    folder = os.path.join(golden, "zarr-python")
    filters = ["delta", "delta_astype", "fixedscaleoffset", "fso_delta", "quantize", "bitround", "packbits", "astype"]
    with open(os.path.join(folder, "expected.json")) as f:
        document = json.load(f)
    for a in document["arrays"]:
        group, _, name = a["path"].partition("/")
        if name in filters and (a["store"], group) in (("v3.zarr", "numcodecs"), ("v2.zarr", "filter")):
            copy_array(files, arrays, os.path.join(folder, a["store"]), a["store"], a["path"], os.path.join(folder, a["raw"]), a["path"])
    folder = os.path.join(golden, "zarrs")
    with open(os.path.join(folder, "expected.json")) as f:
        document = json.load(f)
    for a in document["arrays"]:
        if a["path"] in ("bitround_f4", "bitround_i4", "packbits_bool", "packbits_u8", "reshape", "squeeze"):
            copy_array(files, arrays, folder, "v3.zarr", a["path"], os.path.join(folder, a["raw"]), "zarrs/" + a["path"])


def main(golden, archive):
    files, arrays = {}, []
    golden_arrays(files, arrays, golden)
    n5_arrays(files, arrays)
    cases = [*astype(), *fixedscaleoffset(), *quantize(), *bitround(), *delta()]
    files["numcodecs.json"] = ("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n").encode()
    files["expected.json"] = (json.dumps({"arrays": arrays}, indent=1) + "\n").encode()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as z:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            z.writestr(entry, files[name])
    print(len(cases), "cases,", len(arrays), "arrays")


main(*sys.argv[1:])
