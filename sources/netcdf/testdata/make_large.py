"""Writes large.h5 with h5py: datasets that are larger than any array can be, none of whose elements
was ever written, and a small one."""

import sys

import h5py
import numpy as np

with h5py.File(sys.argv[1], "w") as f:
    f.create_dataset("small", data=np.arange(5, dtype="i2"))
    f.create_dataset("bytes_2_63", shape=(2**60,), dtype="f8")
    f.create_dataset("chunks_2_63", shape=(2**31, 2**29), dtype="f8", chunks=(64, 64))
    f.create_dataset("chunks_2_64", shape=(2**61,), dtype="f8", chunks=(1024,))
