"""Writes szip streams of all widths, made by libaec's encoder.

    python make.py FILE.zip

needs h5py, whose wheel contains libaec with the functions of szlib. The zip gets
cases.json, which has the parameters of each stream, the size of its content and the
SHA-256 of what libaec decodes from it, and the streams, one after the other.
"""

import ctypes
import glob
import hashlib
import json
import os
import sys
import zipfile

import h5py
import numpy as np

BIG_ENDIAN, NEAREST = 16, 32
rng = np.random.default_rng(20261124)
folder = os.path.join(os.path.dirname(h5py.__file__), "..", "h5py.libs")
ctypes.CDLL(glob.glob(os.path.join(folder, "libaec-*"))[0], ctypes.RTLD_GLOBAL)
szlib = ctypes.CDLL(glob.glob(os.path.join(folder, "libsz-*"))[0])


class Parameters(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("options", "bits", "block", "scanline")]


def call(function, source, room, parameters):
    target = ctypes.create_string_buffer(room)
    size = ctypes.c_size_t(room)
    status = function(target, ctypes.byref(size), bytes(source), ctypes.c_size_t(len(source)), ctypes.byref(parameters))
    assert status == 0, status
    return target.raw[: size.value]


def samples(kind, n, bits):
    """Integers of so many bits, as unsigned."""
    most = (1 << bits) - 1
    if kind == "noise":
        v = rng.integers(0, most, n, dtype=np.uint64, endpoint=True)
    elif kind == "smooth":
        steps = rng.integers(-3, 4, n) * max(1, most >> 12)
        v = np.clip(most // 2 + np.cumsum(steps), 0, min(most, 2**62)).astype(np.uint64)
    elif kind == "few":  # mostly zero
        v = np.where(rng.random(n) < 0.02, rng.integers(0, min(most, 9), n, endpoint=True), 0).astype(np.uint64)
    elif kind == "pairs":
        v = np.where(rng.random(n) < 0.3, 1, 0).astype(np.uint64)
    elif kind == "zeros":
        v = np.zeros(n, np.uint64)
    elif kind == "edges":  # near both ends of the range
        v = np.where(rng.random(n) < 0.5, rng.integers(0, min(most, 5), n, np.uint64, endpoint=True), np.uint64(most) - rng.integers(0, min(most, 5), n, np.uint64, endpoint=True)).astype(np.uint64)
    else:  # quiet and wild stretches
        v = (rng.integers(0, most, n, dtype=np.uint64, endpoint=True) >> np.repeat(rng.integers(0, bits + 1, n // 40 + 1), 40)[:n].astype(np.uint64))
    return v


def encode(v, bits, big):
    width = 1 if bits <= 8 else 2 if bits <= 16 else 4 if bits <= 32 else 8
    return v.astype(f"{'>' if big else '<'}u{width}").tobytes()


cases, streams = [], []
kinds = ["noise", "smooth", "few", "pairs", "zeros", "edges", "mixed"]
number = 0
for bits in [*range(1, 33), 64]:
    for options in (0, NEAREST, BIG_ENDIAN, NEAREST | BIG_ENDIAN):
        for _ in range(4):
            kind = kinds[number % len(kinds)]
            block = [2, 8, 10, 16, 32, 16, 8, 32][number // 3 % 8]
            n = [32, 100, 257, 600, 1000, 300, 2500][number % 5 if kind != "zeros" else 6]
            scanline = [block, block * 4, 3 * block + 1, 37, 64, block * 128, block * 70][number % 7]
            number += 1
            content = encode(samples(kind, n, bits), bits, options & BIG_ENDIAN)
            p = Parameters(options, bits, block, scanline)
            stream = call(szlib.SZ_BufftoBuffCompress, content, 4 * len(content) + 20000, p)
            decoded = call(szlib.SZ_BufftoBuffDecompress, stream, len(content), p)
            assert decoded == content, (bits, options, kind, block, scanline)
            cases.append(
                {
                    "Options": options, "Block": block, "Bits": bits, "Scanline": scanline, "Kind": kind,
                    "Size": len(content), "Length": len(stream), "SHA256": hashlib.sha256(content).hexdigest(),
                }
            )
            streams.append(stream)
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
    for name, data in (("cases.json", json.dumps(cases, indent=0)), ("streams", b"".join(streams))):
        z.writestr(zipfile.ZipInfo(name, (2026, 11, 24, 0, 0, 0)), data, zipfile.ZIP_DEFLATED, 9)
print(len(cases), "streams,", sum(map(len, streams)), "bytes")
