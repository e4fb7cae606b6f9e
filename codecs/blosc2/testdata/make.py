"""Writes frames of python-blosc2, and what it reads of them, to an archive.

    make.py ARCHIVE SEED COUNT

NNNN.b2frame is a frame. expected.json has the number of bytes and the SHA-256 of the content of
each. Names of frames that this project refuses are the reason: int_trunc (filter 36).b2frame.
"""

import hashlib
import json
import math
import random
import sys
import zipfile

import blosc2
import numpy as np

archive, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
C, F, S = blosc2.Codec, blosc2.Filter, blosc2.SplitMode
OLD_BYTEDELTA = 34  # which bytes behind whole elements get is not defined


def content(rng, dtype, n):
    """n random elements, of some kind that compresses well or badly."""
    if dtype.kind in "VS":
        return np.frombuffer(content(rng, np.dtype("u1"), n * dtype.itemsize).tobytes(), dtype) if n else np.zeros(0, dtype)
    g = np.random.default_rng(rng.randrange(1 << 30))
    kinds = [
        lambda: np.arange(n) // 7, lambda: g.integers(0, 1 << 30, n), lambda: np.zeros(n), lambda: np.full(n, rng.choice([1, -3, 77])),
        lambda: g.integers(-3, 4, n).cumsum(), lambda: np.concatenate([np.zeros(n // 2), g.integers(0, 9, n - n // 2)]),
    ]
    return rng.choice(kinds)().astype(dtype)


def parameters(rng, dtype):
    truncated = [[F.TRUNC_PREC, F.SHUFFLE]] if dtype.kind == "f" else []
    filters = rng.choice([[F.SHUFFLE], [F.BITSHUFFLE], [F.NOFILTER], [F.DELTA, F.SHUFFLE], [F.DELTA], [F.SHUFFLE, F.BITSHUFFLE], [F.DELTA, F.BITSHUFFLE], [F.SHUFFLE, F.BYTEDELTA], [F.DELTA, F.SHUFFLE, F.BYTEDELTA], [F.BYTEDELTA], [F.BYTEDELTA, F.BITSHUFFLE], *([[F.SHUFFLE, OLD_BYTEDELTA]] if dtype.itemsize < 128 else []), *truncated])
    meta = [10 if f == F.TRUNC_PREC else rng.choice([0, 0, 0, 2]) if f == F.SHUFFLE else rng.choice([0 if dtype.itemsize < 256 else 4, min(dtype.itemsize, 127), 3]) if f == F.BYTEDELTA else dtype.itemsize if f == OLD_BYTEDELTA else 0 for f in filters]
    codec = rng.choice([C.BLOSCLZ, C.LZ4, C.LZ4HC, C.ZLIB, C.ZSTD])
    dictionary = {"use_dict": True} if codec in (C.ZSTD, C.LZ4, C.LZ4HC) and rng.random() < 0.12 else {}
    return {"codec": codec, "clevel": rng.choice([0, 1, 5, 9]), "filters": filters, "filters_meta": meta, "nthreads": 1} | dictionary


def chunks(rng, dtype, sizes):
    """A frame of chunks of bytes."""
    how = parameters(rng, dtype)
    how |= {"typesize": dtype.itemsize, "blocksize": rng.choice([0, 0, 256, 1000]) * dtype.itemsize}
    how["splitmode"] = rng.choice([S.ALWAYS_SPLIT, S.NEVER_SPLIT, S.AUTO_SPLIT, S.FORWARD_COMPAT_SPLIT])
    n = rng.choice(sizes)
    whole = content(rng, dtype, n).tobytes()
    frame = blosc2.SChunk(chunksize=rng.choice([max(n, 1), 1000, 33]) * dtype.itemsize, contiguous=True, cparams=how, dparams={"nthreads": 1})
    for i in range(0, len(whole), frame.chunksize):
        frame.append_data(whole[i:i + frame.chunksize])
    return frame.to_cframe(), frame[:] if n else b""


def array(rng, dtype, sizes):
    """A frame of an array."""
    how = parameters(rng, dtype)
    shape = tuple(rng.choice([1, 2, 5, 13, 20]) for _ in range(rng.choice([0, 1, 2, 2, 3, 4])))
    if len(shape) == 1 or math.prod(shape) > max(sizes):
        shape = (rng.choice(sizes) or 3,)
    grid = {}
    if shape and rng.random() < 0.6:
        chunk = tuple(rng.randint(1, n) for n in shape)
        grid = {"chunks": chunk, "blocks": tuple(rng.randint(1, n) for n in chunk)}
    kind = rng.random()
    if kind < 0.1 and dtype.kind == "f":
        a = blosc2.full(shape, np.nan, dtype=dtype, cparams=how, **grid)
    elif kind < 0.2:
        a = blosc2.zeros(shape, dtype=dtype, cparams=how, **grid)
    else:
        a = blosc2.asarray(content(rng, dtype, int(np.prod(shape))).reshape(shape), cparams=how, **grid)
    return a.to_cframe(), np.asarray(a[...]).tobytes()


def refused(rng):
    """Frames that this project does not read, by the reason."""
    whole = np.arange(5000, dtype="i4")
    yield "int_trunc (filter 36)", blosc2.SChunk(data=whole, contiguous=True, cparams={"filters": [F.SHUFFLE, F.INT_TRUNC], "filters_meta": [0, 4], "typesize": 4}).to_cframe()
    yield "ndlz (codec 32)", blosc2.asarray(whole.reshape(50, 100).astype("u1"), chunks=(50, 100), blocks=(25, 50), cparams={"codec": C.NDLZ, "codec_meta": 4, "filters": [F.NOFILTER], "filters_meta": [0]}).to_cframe()


with zipfile.ZipFile(archive, "w") as z:
    def add(name, data):
        z.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)

    expected = {}
    for i in range(count):
        rng = random.Random(f"{seed} {i}")
        dtype = np.dtype(rng.choice(["u1", "i2", "u2", "i4", "f4", "f8", "i8", "V3", "S5", "V16", "V300"]))
        try:
            frame, whole = rng.choice([chunks, array])(rng, dtype, [0, 1, 7, 100, 500 if dtype.itemsize < 300 else 20] + ([20000] if count > 200 else []))
        except RuntimeError:
            continue  # python-blosc2 cannot read some frames with dictionaries that it has written
        add(f"{i:04}.b2frame", frame)
        expected[f"{i:04}.b2frame"] = {"bytes": len(whole), "sha256": hashlib.sha256(whole).hexdigest()}
    for codec in (C.ZSTD, C.LZ4, C.LZ4HC):
        frame = blosc2.SChunk(data=(np.arange(6000) // 3 % 500).astype("i4"), contiguous=True, chunksize=12000, cparams={"codec": codec, "use_dict": True, "typesize": 4, "blocksize": 4096})
        whole = frame[:]
        add(f"dictionary_{codec.name}.b2frame", frame.to_cframe())
        expected[f"dictionary_{codec.name}.b2frame"] = {"bytes": len(whole), "sha256": hashlib.sha256(whole).hexdigest()}
    for reason, frame in refused(random.Random(seed)):
        add(f"{reason}.b2frame", frame)
    add("expected.json", json.dumps(expected))
