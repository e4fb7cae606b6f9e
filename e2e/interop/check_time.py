"""Compares the times of joined and of appended files with what xarray decodes.

    check_time.py FOLDER

FOLDER is what time_sources.py has filled, with the targets and refused.json, the targets of
the jobs that were refused. Prints how many cases are equal, and one line for each
difference. Exits with 1 if there is a difference.
"""

import datetime
import json
import pathlib
import sys
import warnings

import numpy as np
import xarray as xr

NAMES = ["time", "time_bnds", "reference"]
CODER = xr.coders.CFDatetimeCoder(use_cftime=True)


def differences(folder, case):
    parts = [xr.open_dataset(folder / f, decode_times=CODER).load() for f in case["files"]]
    with xr.open_zarr(folder / case["target"], decode_times=CODER, chunks=None) as target:
        got = target.load()
    raw = xr.open_zarr(folder / case["target"], decode_times=False, chunks=None)
    for name in NAMES:
        if name not in parts[0].variables:
            continue
        want = np.concatenate([p[name].values for p in parts])
        is_ = got[name].values
        if raw[name].dtype != np.dtype(case["kind"]):
            yield f"{name} is {raw[name].dtype}, want {case['kind']}"
        if want.shape != is_.shape:
            yield f"{name}: {is_.shape}, want {want.shape}"
            continue
        for x, y in zip(want.flat, is_.flat):
            if abs(x - y) > datetime.timedelta(microseconds=50 if case["kind"] == "f8" else 0):
                yield f"{name}: {y}, want {x}"
                break
    if not np.array_equal(got["v"].values, np.concatenate([p["v"].values for p in parts])):
        yield "v has other values"


def main(folder):
    cases, refused = json.loads((folder / "cases.json").read_text()), json.loads((folder / "refused.json").read_text()) or []
    equal = wrong = 0
    for case in cases:
        good = case["exact"] and case["fits"]
        if (case["target"] in refused) == good:
            wrong += 1
            print(f"DIFFERENT {case['target']}: {'refused' if good else 'migrated'}, exact is {case['exact']}, fits is {case['fits']}")
            continue
        if not good:
            equal += 1
            continue
        list_ = list(differences(folder, case))
        for text in list_:
            print(f"DIFFERENT {case['target']}: {text}")
        wrong += bool(list_)
        equal += not list_
    print(f"equal: {equal} of {len(cases)} cases, {len(refused)} refused")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(pathlib.Path(sys.argv[1]))
