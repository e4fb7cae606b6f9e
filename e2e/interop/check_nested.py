"""Compares migrated lists within lists with expected.json of nested_sources.py.

    check_nested.py FOLDER

FOLDER/CASE.zarr is the migrated table of a case. make_nested.py of sources/netcdf writes such
folders, too.
"""

import json
import pathlib
import sys

import zarr

folder = pathlib.Path(sys.argv[1])
wrong = compared = 0
for case, want in json.loads((folder / "expected.json").read_text()).items():
    group = zarr.open_group(folder / (case + ".zarr"), mode="r")
    for path, elements in want["arrays"].items():
        compared += 1
        if group[path][...].tolist() != elements:
            wrong += 1
            print("DIFFERENT", case, path)
print(f"{compared} arrays")
sys.exit(bool(wrong or not compared))
