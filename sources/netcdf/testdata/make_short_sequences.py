"""Writes short_sequences.nc, with sequences along unlimited dimensions that other variables make longer.

    python make_short_sequences.py FILE

needs netCDF4 and numpy. It prints what netCDF4 reads. Version 1.7.5 puts the elements of r in wrong rows.
"""

import sys

import netCDF4
import numpy as np

with netCDF4.Dataset(sys.argv[1], "w") as f:
    f.createDimension("t", None)
    f.createDimension("u", None)
    ints = f.createVLType("i4", "ints")
    f.createVariable("t", "i4", ("t",), chunksizes=(4,))[:] = np.arange(4)
    f.createVariable("u", "i4", ("u",), chunksizes=(4,))[:] = np.arange(3)
    q = f.createVariable("q", ints, ("t",), chunksizes=(2,))
    q[1] = np.array([1, 2], "i4")
    r = f.createVariable("r", ints, ("t", "u"), chunksizes=(2, 2))
    r[0, 0], r[0, 1], r[1, 0] = (np.array(v, "i4") for v in ([3], [4, 5], [6, 7, 8]))
    g = f.createGroup("g")
    g.createDimension("n", None)
    s = g.createVariable("s", ints, ("n",), chunksizes=(2,))
    s[2] = np.array([9], "i4")
    g.createVariable("k", "i4", ("n",), chunksizes=(2,), fill_value=-1)[:2] = [5, 6]

with netCDF4.Dataset(sys.argv[1]) as f:
    for v in (f["q"], f["r"], f["g/s"], f["g/k"]):
        print(v.name, v.shape, v[:].tolist())
