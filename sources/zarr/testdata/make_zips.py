"""Write hierarchies into zip archives with zarr-python.

usage: python3 -P make_zips.py FOLDER

(-P keeps this script from hiding a module of Python's own)

Every array holds 0, 1, 2 ... in C order, but for its last row, which is not
stored and so holds the fill value, 65535.
"""

import os
import sys
import warnings
import zipfile

import numpy as np
import zarr

folder = sys.argv[1]
warnings.filterwarnings("ignore", "Duplicate name")


def store(name, **options):
    path = os.path.join(folder, name)
    if os.path.exists(path):
        os.remove(path)
    return zarr.storage.ZipStore(path, mode="w", **options)


def fill(group, name, **options):
    array = group.create_array(name, dtype="uint16", fill_value=65535, **options)
    values = np.arange(array.size, dtype="uint16").reshape(array.shape)
    array[:-1] = values[:-1]


# Members as they are; documents that are written again stand there twice.
with store("stored.zarr.zip") as zip:
    root = zarr.create_group(zip, attributes={"title": "first"})
    fill(root, "g/plain", shape=(5, 6), chunks=(1, 4), compressors=None)
    fill(root, "sharded", shape=(9, 8), chunks=(2, 4), shards=(4, 8))
    root.attrs["title"] = "second"

# Deflated members, in the format v2, with consolidated metadata.
with store("deflated.zarr.zip", compression=zipfile.ZIP_DEFLATED) as zip:
    root = zarr.create_group(zip, zarr_format=2)
    fill(root, "a", shape=(5, 600), chunks=(1, 400), order="F", compressors=None)
    zarr.consolidate_metadata(zip)

# Chunk grids with uneven chunks, as lists, run lengths and steps.
zarr.config.set({"array.rectilinear_chunks": True})
with store("rectilinear.zarr.zip") as zip:
    root = zarr.create_group(zip)
    fill(root, "lists", shape=(6, 10), chunks=[[1, 3, 1, 1], [5, 2, 3]])
    fill(root, "runs", shape=(9, 25), chunks=[[2, 2, 2, 2, 1], [10, 10, 3, 2]])
    fill(root, "steps", shape=(7, 10), chunks=[3, [4, 4, 2]])
    fill(root, "even", shape=(7, 10), chunks=[[3, 3, 1], [4, 4, 2]])
    fill(root, "grown", shape=(9,), chunks=[[3, 3, 3]])
    root["grown"].resize((14,))
    fill(root, "shrunk", shape=(7, 3), chunks=[[2, 4, 1], [2, 1]])
    root["shrunk"].resize((5, 3))
    fill(root, "sharded", shape=(14, 8), chunks=(2, 4), shards=[[4, 8, 2], [8]])
