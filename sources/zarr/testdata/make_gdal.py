"""Write hierarchies with GDAL.

usage: python3 -P make_gdal.py FILE.zip

(-P keeps this script from hiding a module of Python's own)

Every array is an image of 2 bands. Its values are parts of a hash of their places, which no codec
makes much smaller. Each is alone in a hierarchy of its own.
"""

import os
import sys
import tempfile
import zipfile

import numpy as np
import rasterio
import rasterio.shutil

IMAGES = {
    "v2_blosc": ("uint8", "ZARR_V2", {"COMPRESS": "BLOSC"}),
    "v2_bits": ("uint16", "ZARR_V2", {"COMPRESS": "BLOSC", "BLOSC_SHUFFLE": "BIT"}),
    "v2_unshuffled": ("uint16", "ZARR_V2", {"COMPRESS": "BLOSC", "BLOSC_SHUFFLE": "NONE"}),
    "v2_number": ("uint16", "ZARR_V2", {"COMPRESS": "BLOSC", "BLOSC_SHUFFLE": "2"}),
    "v2_lzma": ("uint16", "ZARR_V2", {"COMPRESS": "LZMA", "LZMA_DELTA": 2}),
    "v2_zstd": ("uint8", "ZARR_V2", {"COMPRESS": "ZSTD"}),
    "v2_checksum": ("uint8", "ZARR_V2", {"COMPRESS": "ZSTD", "ZSTD_CHECKSUM": "YES"}),
    "v3_blosc": ("float32", "ZARR_V3", {"COMPRESS": "BLOSC", "BLOSC_SHUFFLE": "BIT"}),
    "v3_null": ("uint8", "ZARR_V3", {"COMPRESS": "NONE"}),
}
SHAPE = (2, 12, 23)

places = np.arange(np.prod(SHAPE), dtype="uint32").reshape(SHAPE)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name, (dtype, form, options) in IMAGES.items():
        values = (places * np.uint32(2654435761) >> 16).astype(dtype)
        with rasterio.open("/vsimem/image.tif", "w", driver="GTiff", count=2, height=12, width=23, dtype=dtype) as image:
            image.write(values)
        options |= {"FORMAT": form, "BLOCKSIZE": "1,12,23", "INTERLEAVE": "BAND"}
        rasterio.shutil.copy("/vsimem/image.tif", f"{name}.zarr", driver="Zarr", **options)
    with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
        for at, folders, files in os.walk("."):
            folders.sort()
            for file in sorted(files):
                path = os.path.relpath(os.path.join(at, file))
                with open(path, "rb") as f:
                    archive.writestr(zipfile.ZipInfo(path), f.read(), zipfile.ZIP_DEFLATED)
