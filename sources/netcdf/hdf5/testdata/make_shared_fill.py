"""Writes a file whose fill values, of both kinds of messages, are shared.

    python make_shared_fill.py FOLDER

needs h5py and numpy.
"""

import ctypes
import glob
import os
import sys

import h5py
from h5py import h5f, h5p

library = ctypes.CDLL(glob.glob(os.path.join(os.path.dirname(h5py.__file__), "..", "h5py.libs", "libhdf5-*"))[0])
properties, access = h5p.create(h5p.FILE_CREATE), h5p.create(h5p.FILE_ACCESS)
access.set_libver_bounds(h5f.LIBVER_EARLIEST, h5f.LIBVER_LATEST)  # writes both kinds
library.H5Pset_shared_mesg_nindexes(ctypes.c_int64(properties.id), 1)
library.H5Pset_shared_mesg_index(ctypes.c_int64(properties.id), 0, 1 << 5, 1)
with h5py.File(h5f.create(f"{sys.argv[1]}/shared_fill.h5".encode(), h5f.ACC_TRUNC, properties, access)) as f:
    for name, value in ("a", 7), ("b", 7), ("c", 9):
        f.create_dataset(name, (3,), "<i2", chunks=(2,), fillvalue=value)[0] = 1
