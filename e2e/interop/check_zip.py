"""Compares arrays in zip archives of zarr-python with copies of them.

    check_zip.py ARCHIVE TARGET

Prints one line for each equal array and one for each difference. Exits with 1 if there
is a difference.
"""

import sys

import numpy as np
import zarr

zarr.config.set({"array.rectilinear_chunks": True})
archive, target = sys.argv[1:]
failed = False
with zarr.storage.ZipStore(archive, mode="r") as store:
    copy = zarr.open_group(target, mode="r", zarr_format=3)
    for name, array in zarr.open_group(store, mode="r").members(max_depth=None):
        if not isinstance(array, zarr.Array):
            continue
        if name in copy and np.array_equal(array[...], copy[name][...]):
            print(f"{name} is equal")
        else:
            failed = True
            print(f"DIFFERENT {name}")
sys.exit(failed)
