"""Opens hierarchies by the expressions that `zmigrate run` printed.

    open_printed.py

Each line of the standard input is a JSON object: a folder, and an expression, with "or" between two
of them. Paths in the expression are relative to the folder. The answer is a line with a JSON string,
which is empty if each expression opens, and loads, all arrays of the hierarchy. An array of more than 1,000
chunks is not loaded but for its last element. An expression without xarray is wrong if xarray opens
the hierarchy.
"""

import json
import math
import os
import pathlib
import sys
import warnings

import xarray
import zarr


def many(shape, chunks):
    """Tells whether an array has more chunks than are loaded here."""
    return math.prod(-(-n // c) for n, c in zip(shape, chunks)) > 1000


def load(opened):
    """Reads the arrays, and returns their number."""
    if isinstance(opened, zarr.Array):
        opened[(-1,) * opened.ndim if many(opened.shape, opened.chunks) else ...]
        return 1
    if isinstance(opened, zarr.Group):
        return sum(load(a) for _, a in opened.members(max_depth=None) if isinstance(a, zarr.Array))
    groups = opened.values() if isinstance(opened, dict) else [opened]
    arrays = [a for group in groups for a in group.variables.values()]
    for a in arrays:
        (a[(-1,) * a.ndim] if many(a.shape, a.encoding.get("chunks") or a.shape) else a).load()
    return len(arrays)


def wrong(text):
    """Returns what is wrong with an expression."""
    root = pathlib.Path(text.split('"')[1])
    documents = [json.loads(f.read_text()) for f in root.rglob("zarr.json")]
    arrays = sum(d["node_type"] == "array" for d in documents)
    try:
        opened = eval(text, {"xarray": xarray, "zarr": zarr})
        loaded = load(opened)
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:300]}"
    return "" if loaded == arrays else f"{loaded} of {arrays} arrays"


def check(expression):
    texts = expression.split("  #")[0].split(" or ")
    for text in texts:
        if what := wrong(text):
            return f"{text}: {what}"
    if "xarray." not in texts[0]:
        root = texts[0].split('"')[1]
        for text in (f'xarray.open_zarr("{root}", decode_times=False)', f'xarray.open_groups("{root}", engine="zarr", decode_times=False)'):
            if not wrong(text):
                return f"{expression}, but {text} opens it"
    return ""


warnings.simplefilter("ignore")
for line in sys.stdin:
    request = json.loads(line)
    os.chdir(request["folder"])
    print(json.dumps(check(request["expression"])), flush=True)
