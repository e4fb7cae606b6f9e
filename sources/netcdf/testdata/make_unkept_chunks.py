"""Writes unkept_chunks.h5: chunks that HDF5 reads, and Zarr does not or not everywhere. Run with h5py 3.16 in
this folder."""

import zlib

import h5py
import numpy as np
from h5py import h5d, h5p, h5s, h5t

values = (np.arange(40) // 7).astype("<i4").reshape(4, 10)
with h5py.File("unkept_chunks.h5", "w", libver="latest") as f:
    # One chunk has bytes behind the end of the compressed stream.
    behind = f.create_dataset("behind", values.shape, "<i4", chunks=(2, 10), compression="gzip")
    behind.id.write_direct_chunk((0, 0), zlib.compress(values[:2].tobytes()))
    behind.id.write_direct_chunk((2, 0), zlib.compress(values[2:].tobytes()) + b"behind the end")

    def filtered(name, *filters):
        plist = h5p.create(h5p.DATASET_CREATE)
        plist.set_chunk((2, 10))
        for add in filters:
            add(plist)
        d = h5d.create(f.id, name, h5t.STD_I32LE, h5s.create_simple(values.shape), plist)
        d.write(h5s.ALL, h5s.ALL, values)

    def deflate(plist):
        plist.set_deflate(4)

    filtered(b"shuffled_last", deflate, h5p.PropDCID.set_shuffle)
    filtered(b"shuffled_again", h5p.PropDCID.set_shuffle, deflate, h5p.PropDCID.set_shuffle)
    filtered(b"summed_and_shuffled", h5p.PropDCID.set_fletcher32, h5p.PropDCID.set_shuffle)

with h5py.File("unkept_chunks.h5") as f:
    for name in f:
        assert (f[name][...] == values).all(), name
