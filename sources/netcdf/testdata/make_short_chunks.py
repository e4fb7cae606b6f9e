"""Writes short_chunks.h5, with chunks at the edges that end behind their last element of the dataset.

    python make_short_chunks.py FILE

needs h5py and numpy. The reads of libhdf5 are asserted. The chunk of "damaged" lacks elements of
the dataset.
"""

import sys
import zlib

import h5py
import numpy as np


def stored(values, least):
    """The bytes of a chunk, shuffled and with deflate, up to an element."""
    part = np.ravel(values)[:least]
    return zlib.compress(part.view("u1").reshape(-1, part.itemsize).T.tobytes())


with h5py.File(sys.argv[1], "w", libver="latest") as f:
    options = {"compression": "gzip", "shuffle": True}
    line = f.create_dataset("line", (10,), "<i4", chunks=(6,), **options)
    line.id.write_direct_chunk((0,), stored(np.arange(6, dtype="<i4"), 6))
    line.id.write_direct_chunk((6,), stored(np.arange(6, 12, dtype="<i4"), 4))
    square = f.create_dataset("square", (5, 6), "<i4", chunks=(4, 4), **options)
    all_elements = np.arange(8 * 8, dtype="<i4").reshape(8, 8)
    for place, least in {(0, 0): 16, (0, 4): 14, (4, 0): 4, (4, 4): 2}.items():
        square.id.write_direct_chunk(place, stored(all_elements[place[0] :, place[1] :][:4, :4], least))
    damaged = f.create_dataset("damaged", (10,), "<i4", chunks=(6,), **options)
    damaged.id.write_direct_chunk((6,), stored(np.arange(6, 12, dtype="<i4"), 3))
with h5py.File(sys.argv[1]) as f:
    assert np.array_equal(f["line"], np.arange(10))
    assert np.array_equal(f["square"], all_elements[:5, :6])
