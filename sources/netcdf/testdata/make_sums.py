"""Write an HDF5 file whose metadata have checksums, with h5py.

usage: python3 -P make_sums.py FILE

Each dataset has another index of its chunks, and all of the chunks have a
checksum: Fletcher-32, or the Adler-32 of zlib.
"""

import sys

import h5py
import numpy as np

values = np.arange(24, dtype="<i4").reshape(6, 4) ** 2
with h5py.File(sys.argv[1], "w", libver=("v110", "v110")) as f:
    f.create_dataset("single", data=values, chunks=(6, 4), fletcher32=True)
    f.create_dataset("fixed", data=values, chunks=(2, 3), fletcher32=True)
    f.create_dataset("extensible", data=values, chunks=(2, 4), maxshape=(None, 4), compression="gzip", shuffle=True)
    f.create_dataset("tree", data=values, chunks=(3, 2), maxshape=(None, None), compression="gzip", fletcher32=True)
