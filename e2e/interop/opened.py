"""Hierarchies of other programs that a Go program opens, and appends rows to.

    opened.py make DIRECTORY
    opened.py check DIRECTORY

make writes DIRECTORY/xarray.zarr, with consolidated metadata, and DIRECTORY/zarr.zarr,
without, by xarray and zarr-python. Their arrays have 10 rows of numbers from 0 on. check
reads them when the arrays have 25 such rows, each with the attribute "rows", and the
element 3 of each has become 0.
"""

import pathlib
import sys

import numpy as np
import xarray
import zarr

OLD, NEW = 10, 25


def numbers(rows, kind):
    return np.arange(rows * 4, dtype=kind).reshape(rows, 4)


def make(directory):
    dataset = xarray.Dataset(
        {"t": (("time", "x"), numbers(OLD, "f4"), {"units": "K"}), "n": (("time", "x"), numbers(OLD, "i2"))},
    )
    dataset.to_zarr(directory / "xarray.zarr", zarr_format=3, consolidated=True, encoding={"t": {"chunks": (4, 3)}, "n": {"_FillValue": -1}})
    root = zarr.create_group(directory / "zarr.zarr", zarr_format=3)
    for name, options in {
        "sharded": {"dtype": "f8", "chunks": (2, 2), "shards": (8, 4), "fill_value": "NaN"},
        "g/big": {"dtype": ">i4", "chunks": (3, 4), "compressors": zarr.codecs.GzipCodec(level=1)},
        "g/turned": {"dtype": "u1", "chunks": (4, 4), "filters": zarr.codecs.TransposeCodec(order=(1, 0))},
        "g/v2keys": {"dtype": "i8", "chunks": (6, 1), "chunk_key_encoding": {"name": "v2", "separator": "."}, "compressors": None},
    }.items():
        array = root.create_array(name, shape=(OLD, 4), dimension_names=("time", "x"), attributes={"limit": float("nan")}, **options)
        array[...] = numbers(OLD, options["dtype"])


def check(directory):
    found = {}
    with xarray.open_zarr(directory / "xarray.zarr", consolidated=True, mask_and_scale=False) as dataset:
        found |= {f"xarray {name}": (variable.values, variable.attrs) for name, variable in dataset.data_vars.items()}
    for store, paths in {"xarray.zarr": ("t", "n"), "zarr.zarr": ("sharded", "g/big", "g/turned", "g/v2keys")}.items():
        root = zarr.open_group(directory / store, mode="r", use_consolidated=False)
        found |= {f"{store} {path}": (root[path][...], dict(root[path].attrs)) for path in paths}
    for name, (values, attributes) in found.items():
        want = numbers(NEW, values.dtype)
        want[0, 3] = 0
        if not np.array_equal(values, want):
            print(f"DIFFERENT {name}: {values.tolist()}")
        if attributes.get("rows") != NEW or ("zarr.zarr" in name) != ("limit" in attributes):
            print(f"DIFFERENT {name}: attributes {attributes}")
    print(f"{len(found)} arrays")


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
