"""Compares targets with the rows of files, each time once, as xarray joins them.

    check_overlap.py FOLDER

FOLDER is what overlap_sources.py has filled, with the targets. Prints how many cases are
equal, and one line for each difference. Exits with 1 if there is a difference.
"""

import json
import pathlib
import sys
import warnings

import numpy as np
import xarray as xr

CODER = xr.coders.CFDatetimeCoder(use_cftime=True)


def read(files):
    """Joins files. Of rows with one time the first counts."""
    parts = [xr.open_dataset(f, decode_times=CODER).load() for f in files]
    joined = xr.concat(parts, "time", data_vars="minimal", coords="minimal", compat="override", join="override")
    _, index = np.unique(joined["time"].values, return_index=True)
    return joined.isel(time=np.sort(index))


def differences(folder, case):
    files = [f for which in ("ab" if not case["refused"] else "a") for f in sorted((folder / f"case{case['number']}" / which).glob("*.nc"))]
    want = read(files)
    with xr.open_zarr(folder / case["target"], decode_times=CODER, chunks=None) as target:
        got = target.load()
    if got["time"].dtype != want["time"].dtype or sorted(got.variables) != sorted(want.variables):
        yield f"{sorted(got.variables)}, want {sorted(want.variables)}"
        return
    for name in want.variables:
        x, y = want[name], got[name]
        if x.dims != y.dims or x.shape != y.shape or not np.array_equal(x.values, y.values):
            yield f"{name}: {y.values.tolist()}, want {x.values.tolist()}"


def main(folder):
    cases = json.loads((folder / "cases.json").read_text())
    wrong = 0
    for case in cases:
        list_ = list(differences(folder, case))
        for text in list_:
            print(f"DIFFERENT {case['target']}: {text[:500]}")
        wrong += bool(list_)
    print(f"equal: {len(cases) - wrong} of {len(cases)} cases, {sum(c['refused'] for c in cases)} refused")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(pathlib.Path(sys.argv[1]))
