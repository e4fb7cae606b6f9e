"""Writes files whose addresses and lengths have different sizes, in the old format.

    python make_widths.py FOLDER

needs h5py and numpy. An entry of a symbol table begins with a length and an address.
"""

import sys

import h5py
import numpy as np
from h5py import h5f, h5p

access = h5p.create(h5p.FILE_ACCESS)
access.set_libver_bounds(h5f.LIBVER_EARLIEST, h5f.LIBVER_LATEST)
for address, length in (4, 8), (8, 4):
    properties = h5p.create(h5p.FILE_CREATE)
    properties.set_sizes(address, length)
    name = f"{sys.argv[1]}/widths_{address}_{length}.h5"
    with h5py.File(h5f.create(name.encode(), h5f.ACC_TRUNC, properties, access)) as f:
        g = f.create_group("group")
        for i in range(10):  # more than a node of the symbol table holds
            g.create_dataset(f"d{i}", data=np.arange(3, dtype="<i2") + i)
        g["link"] = h5py.SoftLink("/group/d7")
