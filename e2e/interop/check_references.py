"""Compares what zmigrate made of tables of references with the files that the tables refer to.

    check_references.py FILE TARGET [FILE TARGET …]

Each array of TARGET must have, bit for bit, the elements that h5py reads from FILE. Prints a
line for each pair, and exits with 1 if there is a difference.
"""

import sys

import h5py
import hdf5plugin  # noqa: F401, the filters of the files
import numpy as np
import zarr

failed = False
compared = 0
for path, target in zip(sys.argv[1::2], sys.argv[2::2]):
    with h5py.File(path, "r") as f:
        arrays = {name: a for name, a in zarr.open_group(target, mode="r", zarr_format=3).members(max_depth=None) if isinstance(a, zarr.Array)}
        if not arrays:
            failed = True
            print(f"DIFFERENT {target} has no arrays")
        for name, array in arrays.items():
            want, got = f[name][...], np.asarray(array[...])
            if want.dtype.kind == "S" and got.dtype.kind != "S":
                got = np.char.encode(got.astype("U"), "latin-1") if got.dtype.kind in "UT" else got
            want = want.astype(want.dtype.newbyteorder("="))
            if want.shape != got.shape or want.dtype.itemsize != got.dtype.itemsize or want.tobytes() != got.tobytes():
                failed = True
                print(f"DIFFERENT {target}: {name}: {want.dtype} {want.shape}, {got.dtype} {got.shape}")
            compared += 1
print(f"{compared} arrays compared")
sys.exit(failed)
