"""Opens hierarchies by the expressions that `zmigrate run` printed.

    open_printed.py FOLDER LINES

LINES is a JSON list of expressions, with "or" between two of them. Paths in them are relative to
FOLDER. Prints a line for each expression, which begins with DIFFERENT if it fails or misses an array.
"""

import json
import os
import pathlib
import sys
import warnings

import xarray
import zarr


def arrays_of(opened):
    if isinstance(opened, dict):
        return sum(len(group.variables) for group in opened.values())
    if isinstance(opened, xarray.Dataset):
        return len(opened.variables)
    return 1 if isinstance(opened, zarr.Array) else sum(isinstance(a, zarr.Array) for _, a in opened.members(max_depth=None))


def load(opened):
    if isinstance(opened, dict):
        [group.load() for group in opened.values()]
    elif isinstance(opened, xarray.Dataset):
        opened.load()
    elif isinstance(opened, zarr.Array):
        opened[...]
    else:
        [a[...] for _, a in opened.members(max_depth=None) if isinstance(a, zarr.Array)]


def main(folder, lines):
    warnings.simplefilter("ignore")
    os.chdir(folder)
    wrong = False
    for line in json.loads(lines):
        for text in line.split("  #")[0].split(" or "):
            try:
                opened = eval(text, {"xarray": xarray, "zarr": zarr})
                load(opened)
                root = pathlib.Path(text.split('"')[1])
                want = sum('"node_type": "array"' in f.read_text() for f in root.rglob("zarr.json") if '"consolidated_metadata"' not in f.read_text())
                difference = "" if arrays_of(opened) == want else f"{arrays_of(opened)} of {want} arrays"
            except Exception as error:
                difference = f"{type(error).__name__}: {str(error)[:300]}"
            wrong = wrong or bool(difference)
            print(f"DIFFERENT {text}: {difference}" if difference else f"{text}: opens")
    return wrong


sys.exit(main(*sys.argv[1:]))
