"""Reads the arrays of the matrix of readers with one reader.

    read.py READER FOLDER

FOLDER holds the groups 0, 1, …, each with an array a. Prints a JSON object with the version
of the reader and, in found, an entry for each group: the elements, little-endian, in
hexadecimal digits with commas between them, or null where the reader refuses the array.
"""

import importlib.metadata
import json
import logging
import pathlib
import sys
import warnings

import numpy as np


def elements(values):
    values = np.asarray(values)
    if values.dtype.kind in "OT":
        items = [item.encode() if isinstance(item, str) else bytes(item) for item in values.ravel().tolist()]
    else:
        if values.dtype.name in ("int2", "int4"):  # their sign fills the byte
            values = values.astype(np.int8)
        if values.dtype.name in ("uint2", "uint4"):
            values = values.astype(np.uint8)
        data = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"), copy=False)).tobytes()
        size = values.dtype.itemsize
        items = [data[i : i + size] for i in range(0, len(data), size)]
    return ",".join(item.hex() for item in items)


def zarr_python():
    import zarr

    return lambda group: elements(zarr.open_array(group / "a", mode="r")[...])


def zarrs():
    import zarr
    import zarrs  # noqa: F401

    zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True})
    return lambda group: elements(zarr.open_array(group / "a", mode="r")[...])


def xarray():
    import xarray

    def read(group):
        xarray.open_zarr(group, consolidated=False, chunks=None).load()
        array = xarray.open_zarr(group, consolidated=False, chunks=None, decode_cf=False)["a"]
        values = array.values
        if values.dtype.kind in "mM":
            values = values.astype(array.encoding.get("dtype", values.dtype))
        return elements(values)

    return read


def tensorstore():
    import tensorstore as ts

    def read(group):
        spec = {"driver": "zarr3", "kvstore": f"file://{group}/a/"}
        data_type = json.loads((group / "a" / "zarr.json").read_text())["data_type"]
        if isinstance(data_type, dict) and data_type["name"] == "struct":  # it reads one field at a time
            columns = []
            for field in data_type["configuration"]["fields"]:
                values = ts.open({**spec, "field": field["name"]}, read=True).result().read().result()
                columns.append(elements(values).split(","))
            return ",".join(map("".join, zip(*columns)))
        array = ts.open(spec, read=True).result()
        values = array.read().result()
        if isinstance(data_type, dict):  # Python sees no bytes of opaque elements, but a plain array in memory does
            *shape, size = array.shape
            metadata = {"zarr_format": 2, "dtype": f"|V{size}", "shape": shape, "chunks": shape, "compressor": None}
            metadata |= {"filters": None, "order": "C", "fill_value": None}
            spec = {"driver": "zarr", "kvstore": "memory://", "metadata": metadata}
            plain = ts.open(spec, create=True, context=ts.Context()).result()
            plain.write(array).result()
            data = plain.kvstore.read(".".join("0" * len(shape)) or "0").result().value
            return ",".join(data[i : i + size].hex() for i in range(0, len(data), size))
        return elements(values)

    return read


def gdal():
    import rasterio

    logging.disable(logging.CRITICAL)

    def read(group):
        rank = len(json.loads((group / "a" / "zarr.json").read_text())["shape"])
        with rasterio.open(f'ZARR:"{group}":/a') as data:
            values = data.read(1)
        return elements(values.reshape(-1) if rank < 2 else values)

    return read


PACKAGES = {"zarr-python": "zarr", "zarrs-python": "zarrs", "xarray": "xarray", "tensorstore": "tensorstore"}


def gdal_version():
    import rasterio

    return rasterio.__gdal_version__


def main(reader, folder):
    warnings.simplefilter("ignore")
    read = {"zarr-python": zarr_python, "zarrs-python": zarrs, "xarray": xarray, "tensorstore": tensorstore, "gdal": gdal}[reader]()
    version = gdal_version() if reader == "gdal" else importlib.metadata.version(PACKAGES[reader])
    folder, found = pathlib.Path(folder).resolve(), []
    for i in range(len(list(folder.iterdir()))):
        try:
            found.append(read(folder / str(i)))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever a reader raises (zarrs: a panic of Rust), it refuses the array
            found.append(None)
            print(i, type(error).__name__, str(error)[:200], file=sys.stderr)
    print(json.dumps({"version": version, "found": found}))


main(*sys.argv[1:])
