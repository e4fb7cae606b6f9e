"""Compares parts of NetCDF files that were migrated with what xarray selects.

    check_choose.py FOLDER

FOLDER is what choose_sources.py has filled, with the targets. Prints how many cases are
equal, and one line for each difference. Exits with 1 if there is a difference.
"""

import json
import pathlib
import sys
import warnings

import numpy as np
import xarray as xr


def part(ds, dim, how):
    """The part of a dimension, in the order of the file."""
    if "indices" in how:
        return ds.isel({dim: slice(*how["indices"])})
    low, high = how.get("values") or how["dates"]
    if "values" in how:
        low, high = (None if b is None else ds[dim].dtype.type(b) for b in (low, high))
    falls = ds.sizes[dim] > 1 and ds[dim].values[0] > ds[dim].values[-1]
    rising = ds.isel({dim: slice(None, None, -1)}) if falls else ds
    chosen = rising.sel({dim: slice(low, high)})
    return chosen.isel({dim: slice(None, None, -1)}) if falls else chosen


def wanted(ds, case):
    """What xarray makes of a file for a case."""
    for dim, how in case["select"].items():
        ds = part(ds, dim, how)
    if case["include"]:
        ds = ds[case["include"]]
    return ds.rename(case["rename"])


def differences(folder, case):
    with xr.open_dataset(folder / case["file"]) as source, xr.open_zarr(folder / case["target"]) as target:
        want, got = wanted(source, case).load(), target.load()
        if got.attrs.get("title", "").split(" ")[0] != "case":
            yield f"the title is {got.attrs.get('title')!r}"
        for name in case["rename"].values():
            if name not in got.indexes:
                yield f"the dimension {name} has no coordinate"
        if "v" in got and case["rename"]:
            new = case["rename"]
            methods = f"{new.get('time', 'time')}: mean {new.get('lat', 'lat')}: mean"
            if got["v"].attrs["cell_methods"] != methods:
                yield f"cell_methods is {got['v'].attrs['cell_methods']!r}, want {methods!r}"
        for name in want.variables:
            if name not in got.variables:
                yield f"there is no {name}"
                continue
            x, y = want[name], got[name]
            if x.dims != y.dims or not np.array_equal(x.values, y.values, equal_nan=x.dtype.kind == "f") or x.dtype != y.dtype:
                yield f"{name}: {y.dims} {y.dtype} {y.shape}, want {x.dims} {x.dtype} {x.shape}, or other values"
        lat = case["rename"].get("lat", "lat")
        if lat in got.dims:
            bounds = got[lat].attrs.get("bounds") or got[lat].encoding.get("bounds")
            if bounds not in got.variables or got[bounds].dims[0] != lat:
                yield f"the bounds of {lat}, {bounds}, are not there"


def main(folder):
    cases = [c for c in json.loads((folder / "cases.json").read_text()) if not c["empty"]]
    wrong = 0
    for case in cases:
        for line in differences(folder, case):
            wrong += 1
            print(f"DIFFERENT {case['job']}: {line} ({json.dumps(case['select'])})")
    print(f"{len(cases)} cases, {wrong} differences")
    return wrong > 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main(pathlib.Path(sys.argv[1])))
