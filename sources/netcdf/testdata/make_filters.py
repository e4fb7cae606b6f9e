"""Writes datasets of texts and sequences with filters that are meant for numbers, with hdf5plugin.

    make_filters.py FILE

The group "plain" has the same elements as each dataset of its name in the other groups.
"""

import sys

import h5py
import hdf5plugin
import numpy as np

N = 20
DATA = {
    "texts": (np.array([f"no. {i}" for i in range(N)], object), h5py.string_dtype()),
    "sequences": (None, h5py.vlen_dtype("i4")),
    "short": (np.array([b"%d" % i for i in range(N)], "S5"), "S5"),
    "long": (np.array([b"%d, " % i * 60 for i in range(N)], "S300"), "S300"),
}
FILTERS = {
    "plain": ({"compression": "gzip"}, DATA),
    "bitshuffle": (hdf5plugin.Bitshuffle(cname="none"), DATA),
    "bitshuffle_lz4": (hdf5plugin.Bitshuffle(), DATA),
    "bitshuffle_zstd": (hdf5plugin.Bitshuffle(cname="zstd"), DATA),
    "szip": ({"compression": "szip"}, ["texts", "sequences"]),
    "nbit": (None, ["short", "long"]),
}


def with_nbit(group, name, dtype):
    """h5py has no name for this filter."""
    p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    p.set_chunk((12,))
    p.set_filter(h5py.h5z.FILTER_NBIT, h5py.h5z.FLAG_OPTIONAL, ())
    return h5py.Dataset(h5py.h5d.create(group.id, name.encode(), h5py.h5t.py_create(np.dtype(dtype)), h5py.h5s.create_simple((N,)), p))


with h5py.File(sys.argv[1], "w", libver="latest") as f:
    for group, (options, names) in FILTERS.items():
        for name in names:
            values, dtype = DATA[name]
            if options is None:
                d = with_nbit(f.require_group(group), name, dtype)
            else:
                d = f.create_dataset(f"{group}/{name}", (N,), dtype, chunks=(12,), **options)
            if values is None:
                for i in range(N):
                    d[i] = np.arange(i % 4)
            else:
                d[...] = values
with h5py.File(sys.argv[1]) as f:
    for group, (_, names) in FILTERS.items():
        for name in names:
            got, want = f[group][name][...], f["plain"][name][...]
            assert all(np.array_equal(a, b) for a, b in zip(got, want)), (group, name)
            print(group, name, [f[group][name].id.get_chunk_info(i).filter_mask for i in range(2)])
