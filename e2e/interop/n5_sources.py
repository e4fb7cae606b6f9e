"""Writes N5 containers with z5py and tensorstore.

    n5_sources.py FOLDER SEED COUNT

FOLDER gets, for each program, a container with COUNT random arrays for each compression.
"""

import pathlib
import random
import sys

import numpy as np
import tensorstore
import z5py

folder, seed, count = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]), int(sys.argv[3])
TYPES = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64"]


def draw(program, compression, n):
    choose = random.Random(f"{seed}-{program}-{compression}-{n}")
    r = np.random.default_rng([seed, n, len(compression), len(program)])
    shape = tuple(choose.randint(1, 16) for _ in range(choose.randint(1, 4)))
    chunks = tuple(choose.randint((n + 2) // 3, n) for n in shape)
    dtype = np.dtype(choose.choice(TYPES))
    size = int(np.prod(shape, dtype=int))
    if choose.random() < 0.5:
        data = r.integers(0, 3, size).astype(dtype)
    else:
        data = r.integers(0, 256, size * dtype.itemsize, dtype=np.uint8).view(dtype)
    return choose, shape, chunks, dtype, data.reshape(shape), choose.choice(["", "group/", "group/deep/"])


container = z5py.File(str(folder / "z5py.n5"), use_zarr_format=False, mode="w")
for compression in ["raw", "gzip", "bzip2", "xz", "lz4", "blosc", "zstd"]:
    for n in range(count):
        choose, shape, chunks, dtype, data, group = draw("z5py", compression, n)
        d = container.require_group(group) if group else container
        d = d.create_dataset(f"{compression}{n}", shape=shape, chunks=chunks, dtype=str(dtype), compression=compression)
        part = slice(0, choose.randint(1, shape[0]))
        d[part] = data[part]
        d.attrs["unit"] = "nm"

for compression in [{"type": "raw"}, {"type": "gzip", "level": 6}, {"type": "gzip", "level": 1, "useZlib": True}, {"type": "bzip2"},
                    {"type": "xz", "preset": 6}, {"type": "blosc", "cname": "zstd", "clevel": 5, "shuffle": 2},
                    {"type": "blosc", "cname": "lz4", "clevel": 9, "shuffle": 1}, {"type": "zstd", "level": 3}]:
    for n in range(count):
        name = "".join(str(v) for v in compression.values())
        choose, shape, chunks, dtype, data, group = draw("tensorstore", name, n)
        d = tensorstore.open({
            "driver": "n5", "kvstore": f"file://{folder}/tensorstore.n5/{group}{name}{n}/", "create": True,
            "metadata": {"dimensions": shape, "blockSize": chunks, "dataType": str(dtype), "compression": compression,
                         "axes": [f"a{k}" for k in range(len(shape))]}}).result()
        part = slice(0, choose.randint(1, shape[0]))
        d[part].write(data[part]).result()
