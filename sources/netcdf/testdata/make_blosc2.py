"""Writes datasets that the filter Blosc2 has compressed, with hdf5plugin.

    make_blosc2.py FILE [SEED]

Without SEED, the file has a few datasets, all with the numbers 0, 1, 2 … in C order, and in the group
"refused" some with filters and codecs that this project refuses, by their names. With SEED,
it has hundreds of datasets of random numbers.
"""

import itertools
import sys

import h5py
import hdf5plugin
import numpy as np

CODECS = ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]
FILTERS = [hdf5plugin.Blosc2.NOFILTER, hdf5plugin.Blosc2.SHUFFLE, hdf5plugin.Blosc2.BITSHUFFLE, hdf5plugin.Blosc2.DELTA]
NUMBERS = {"blosclz": 0, "lz4": 1, "lz4hc": 2, "zlib": 4, "zstd": 5}
BYTEDELTA = 35  # hdf5plugin has no name for it

with h5py.File(sys.argv[1], "w") as f:
    if len(sys.argv) == 2:
        for i, codec in enumerate(CODECS):
            f.create_dataset(codec, data=np.arange(600, dtype="i4").reshape(20, 30), chunks=(7, 11), compression=hdf5plugin.Blosc2(codec, 5, FILTERS[i % 4]))
        for filter in (34, 35):  # bytedelta, the old one and that of today
            f.create_dataset(f"filter{filter}", data=np.arange(600, dtype="i4").reshape(20, 30), chunks=(20, 17), compression=32026, compression_opts=(0, 0, 0, 0, 5, filter, 5))
        for name, filter, codec in ("int_trunc", 36, 5), ("ndmean", 33, 5), ("filter 200", 200, 1), ("zfp_acc", 0, 33), ("codec 200", 1, 200):
            f.create_dataset(f"refused/{name}", shape=(20, 30), dtype="i4", chunks=(7, 11), compression=32026, compression_opts=(0, 0, 0, 0, 5, filter, codec))
        f.create_dataset("line", data=np.arange(600, dtype="f8"), chunks=(600,), compression=hdf5plugin.Blosc2())
        sys.exit()
    rng = np.random.default_rng(int(sys.argv[2]))
    shapes = [((100,), (33,)), ((40, 50), (11, 50)), ((7, 9, 12), (3, 4, 5)), ((20000,), (20000,))]
    for i, (codec, how, kind, (shape, chunk)) in enumerate(itertools.product(CODECS, [*FILTERS, BYTEDELTA], ["i2", "f4", "f8", "u1", "S3"], shapes)):
        n = int(np.prod(shape))
        a = rng.integers(0, 50, n).cumsum() % 251 if i % 3 else np.arange(n) // 5
        a = (a.astype("i4").astype("S3") if kind == "S3" else a.astype(kind)).reshape(shape)
        f.create_dataset(f"d{i:03}", data=a, chunks=chunk, compression=32026, compression_opts=(0, 0, 0, 0, [0, 1, 5, 9][i % 4], how, NUMBERS[codec]))
