"""Writes files of 10 GB that are nearly all holes, and what is not of them.

    python make_big.py FOLDER

needs h5py, numpy and a file system with holes. Each file has 25 variables of 400
chunks, for which there is room and nothing else, and NAME.extents.gz is its size
and its extents: where each begins, how long it is, and its bytes; all numbers in
64 bits, little-endian.
"""

import gzip
import os
import struct
import sys

import h5py
import numpy as np

FOLDER = sys.argv[1]
UNLIMITED = h5py.h5s.UNLIMITED


def variables(f):
    f.attrs["title"] = "ten gigabytes"
    f.create_dataset("time", data=np.arange(400, dtype="f8"), maxshape=(None,), chunks=(512,)).make_scale("time")
    f.create_dataset("y", data=np.arange(512, dtype="f4")).make_scale("y")
    f.create_dataset("x", data=np.arange(512, dtype="f4")).make_scale("x")
    for i in range(25):
        p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        p.set_chunk((1, 512, 512))
        p.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        p.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        limit = [(UNLIMITED, 512, 512), (400, 512, 512), (UNLIMITED, UNLIMITED, 512)][i % 3]
        s = h5py.h5s.create_simple((400, 512, 512), limit)
        g = f.require_group(f"group{i % 5}")
        d = h5py.Dataset(h5py.h5d.create(g.id, f"v{i}".encode(), h5py.h5t.IEEE_F32LE, s, p))
        for k, name in enumerate(("time", "y", "x")):
            d.dims[k].attach_scale(f[name])
        for k in range(12):
            d.attrs[f"attribute {k}"] = f"of variable {i}" * 5


def extents(path):
    with open(path, "rb") as f:
        at, size = 0, os.path.getsize(path)
        while at < size:
            try:
                begin = os.lseek(f.fileno(), at, os.SEEK_DATA)
            except OSError:
                return  # only a hole is left
            at = os.lseek(f.fileno(), begin, os.SEEK_HOLE)
            f.seek(begin)
            yield begin, f.read(at - begin)


for name, libver in {"big_v108": "earliest", "big_v110": ("v110", "v110")}.items():
    path = os.path.join(FOLDER, name + ".h5")
    with h5py.File(path, "w", libver=libver) as f:
        variables(f)
    text = struct.pack("<q", os.path.getsize(path)) + b"".join(struct.pack("<qq", at, len(data)) + data for at, data in extents(path))
    with open(os.path.join(FOLDER, name + ".extents.gz"), "wb") as f:
        f.write(gzip.compress(text, 9, mtime=0))
