"""Writes tables of references in Parquet with fsspec and kerchunk, and what fsspec reads from them.

    make_tables.py FOLDER

Needs kerchunk, fastparquet and pyarrow; the README names the versions. FOLDER gets a table for
each engine, and expected.json: for each key the text that the Go test makes of a reference.
"""

import base64
import json
import pathlib
import sys

import fsspec
from fsspec.implementations.reference import LazyReferenceMapper

folder = pathlib.Path(sys.argv[1]).resolve()
fs = fsspec.filesystem("file")


def array(shape, chunks, **more):
    return json.dumps({"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": "<i4", "compressor": None,
                       "filters": None, "fill_value": 0, "order": "C", **more})


expected = {}
for engine in ["fastparquet", "pyarrow"]:
    root = str(folder / engine)
    table = LazyReferenceMapper.create(root, fs=fs, record_size=5, engine=engine)
    table[".zgroup"] = json.dumps({"zarr_format": 2})
    table["a/.zarray"] = array([7, 5], [2, 2])
    table["a/.zattrs"] = json.dumps({"_ARRAY_DIMENSIONS": ["y", "x"]})
    table["deep/b/.zarray"] = array([], [])
    table["many/.zarray"] = array([12], [1])
    table["none/.zarray"] = array([3], [1])
    for i in range(4):
        for j in range(3):
            n = 3 * i + j
            if n == 4 or n > 9:
                continue  # chunks that are not there
            key = f"a/{i}.{j}"
            if n == 2:
                table[key] = ["s3://bucket/whole.bin"]
            elif n == 6:
                table[key] = "base64:" + base64.b64encode(bytes(range(250, 256)) + b"raw").decode()
            else:
                table[key] = [f"data/file{n % 2}.nc", 1000 * n + (1 << 40), 16]
    table["deep/b/0"] = b"1234"
    for n in range(12):
        table[f"many/{n}"] = ["data/one.nc", 4 * n, 4]
    table.flush()
    table = LazyReferenceMapper(root, fs=fs, engine="pyarrow")
    shown = expected[engine] = {}
    for key in list(table.zmetadata):
        shown[key] = "=" + json.dumps(table.zmetadata[key])
    for key in [f"a/{i}.{j}" for i in range(4) for j in range(3)] + ["deep/b/0"] + [f"many/{n}" for n in range(12)] + ["none/0"]:
        try:
            value = table[key]
        except KeyError:
            continue
        if isinstance(value, list) and value[0] != value[0]:
            continue  # with pandas 3, fsspec takes a path that is null for one that is NaN
        if isinstance(value, (bytes, str)):
            value = value if isinstance(value, bytes) else value.encode()
            shown[key] = "=" + value.decode("latin-1")
        elif len(value) == 1:
            shown[key] = f"{value[0]} 0+-1"
        else:
            shown[key] = f"{value[0]} {int(value[1])}+{int(value[2])}"
(folder / "expected.json").write_text(json.dumps(expected, indent=1, sort_keys=True) + "\n")
