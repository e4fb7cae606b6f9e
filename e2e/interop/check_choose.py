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


# The attributes that name variables.
NAMING = ["coordinates", "bounds", "climatology", "grid_mapping", "formula_terms", "cell_measures", "ancillary_variables"]


def named(attribute, text):
    """The variables in the text of an attribute."""
    words = text.split()
    if attribute in ("formula_terms", "cell_measures"):
        words = [w for w in words if not w.endswith(":")]
    return [w.removesuffix(":") for w in words]


def related(folder, case):
    """Differences of a case of which v and all that it needs are migrated."""
    with xr.open_dataset(folder / case["file"], decode_cf=False) as source, xr.open_zarr(folder / case["target"], decode_cf=False) as target:
        names = {"v", *case["related"]}
        want, got = source[["v"]].merge(source[sorted(names)]).drop_vars(set(source.variables) - names, errors="ignore").rename(case["rename"]), target
        if set(want.variables) != set(got.variables):
            yield f"the variables are {sorted(got.variables)}, want {sorted(want.variables)}"
            return
        for name in want.variables:
            x, y = want.variables[name], got.variables[name]
            if x.dims != y.dims or not np.array_equal(x.values, y.values):
                yield f"{name}: {y.dims}, want {x.dims}, or other values"
            for attribute in NAMING:
                texts = [x.attrs.get(attribute, ""), y.attrs.get(attribute, "")]
                before, after = (named(attribute, text) for text in texts)
                if [case["rename"].get(n, n) for n in before] != after:
                    yield f"{name}: {attribute} is {texts[1]!r}, and was {texts[0]!r}"
    if not case["related"]:
        return
    # xarray takes all that v needs for coordinates, as it does in the file.
    with xr.open_dataset(folder / case["file"], decode_coords="all") as source, xr.open_zarr(folder / case["target"], decode_coords="all") as target:
        want = {case["rename"].get(n, n) for n in source[["v"]].coords if n in case["related"]}
        if not want <= set(target["v"].coords):
            yield f"the coordinates of v are {sorted(target['v'].coords)}, want {sorted(want)}"


def differences(folder, case):
    if "related" in case:
        yield from related(folder, case)
        return
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
            print(f"DIFFERENT {case['job']}: {line} ({json.dumps(case['select'] or case['rename'])})")
    print(f"{len(cases)} cases, {wrong} differences")
    return wrong > 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main(pathlib.Path(sys.argv[1])))
