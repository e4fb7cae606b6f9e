"""Writes files that count times from several moments, with jobs that append parts of them.

    choose_append.py FOLDER [check]

FOLDER gets 48 sets of three files, for each set the jobs that append two parts of the joined
files under new names of dimensions, and cases.json. With "check", the script compares the
targets with what xarray selects from the joined files. The script prints how many cases
are equal, and one line for each difference. The script exits with 1 if there is one.
"""

import json
import pathlib
import random
import sys
import warnings

import cftime
import numpy as np
import xarray as xr

CALENDARS = ["standard", "proleptic_gregorian", "noleap", "all_leap", "360_day", "julian"]
STEPS = {"days": 1, "hours": 24, "minutes": 1440}  # units in a day
RENAMES = [{}, {"time": "t"}, {"time": "t", "lat": "latitude"}, {"lat": "y", "x": "lon"}, {"time": "lat", "lat": "time"}]
CODER = xr.coders.CFDatetimeCoder(use_cftime=True)
LENGTH = 8  # days of a file


def write_file(path, r, calendar, kind, begin, own, which):
    """Writes LENGTH days of a series, counted from a moment up to 40 days before them."""
    word, away = r.choice(list(STEPS)), r.randint(0, 40)
    origin = cftime.num2date(-away, f"days since {begin.isoformat()}", calendar)
    units = f"{word} since {origin.year:04d}-{origin.month:02d}-{origin.day:02d}"
    days = away + np.arange(LENGTH)
    attrs = {"units": units, "calendar": calendar}
    lat = np.linspace(60, -60, 5)
    values = np.random.default_rng(r.randrange(1000)).integers(-100, 100, (LENGTH, 5, 6)).astype("i2")
    xr.Dataset(
        {
            "v": (("time", "lat", "x"), values, {"scale_factor": 0.5, "cell_methods": "time: mean"}),
            "w": (("lat", "time"), values[:, :, 0].T.astype("f4"), {}),
            "time": (("time",), (days * STEPS[word]).astype(kind), {**attrs, which: "time_limits"}),
            "time_limits": (("time", "nv"), (np.stack([days, days + 1], axis=1) * STEPS[word]).astype(kind), attrs if own else {}),
            "lat": (("lat",), lat, {"bounds": "lat_limits"}),
            "lat_limits": (("lat", "nv"), np.stack([lat + 15, lat - 15], axis=1), {}),
            "x": (("x",), np.arange(6, dtype="i4") * 10, {}),
        }
    ).to_netcdf(path, format="NETCDF4" if kind == "i8" else r.choice(["NETCDF4", "NETCDF3_64BIT"]), encoding={"v": {"_FillValue": None}})


def write(folder):
    r = random.Random(20261123)
    cases = []
    for number in range(48):
        calendar, kind = CALENDARS[number % len(CALENDARS)], r.choice(["i4", "i8", "f8"])
        start = cftime.datetime(r.choice([1999, 2000, 2020]), r.randint(1, 12), r.randint(1, 28), calendar=calendar)
        days = cftime.num2date(np.arange(3 * LENGTH), f"days since {start.isoformat()}", calendar)
        names = r.sample(["a", "b", "c"], 3) if number % 2 else ["a", "b", "c"]
        files = [f"set{number}_{n}.nc" for n in names]
        own, which = r.random() < 0.5, r.choice(["bounds", "climatology"])
        for k, file in enumerate(files):
            write_file(folder / file, r, calendar, kind, days[k * LENGTH], own, which)
        first, middle, end = sorted(r.sample(range(3 * LENGTH + 1), 3))
        lat = r.choice([None, [-30, 60], [-60, 0], [None, 30]])
        x = r.choice([None, [1, 6, 2], [0, 4, 1]])
        rename, chunks, jobs = r.choice(RENAMES), {"time": r.choice([1, 4, 5])}, []
        # target.append has a name in the target before one in the source.
        along = "time" if "time" not in rename.values() and r.random() < 0.5 else rename.get("time", "time")
        for a, b in ((first, middle), (middle, end)):
            # The second job may have only the files of its part.
            used = files[a // LENGTH : (b - 1) // LENGTH + 1] if a > first and number % 3 == 0 else files
            skipped = files.index(used[0]) * LENGTH
            time = f"{a - skipped}:{b - skipped}" if r.random() < 0.4 else "/".join(d.strftime("%Y-%m-%d") for d in (days[a], days[b - 1]))
            select = {"time": time, **({"lat": lat} if lat else {}), **({"x": "{}:{}:{}".format(*x)} if x else {})}
            job = f"job{number}_{len(jobs)}.json"
            source = {"driver": "netcdf", "url": sorted(used), "concat": "time", "select": select}
            target = {"url": f"out{number}.zarr", "existing": "append", "append": {"dimension": along, "gaps": "allow"}}
            document = {"zmigrate": 1, "source": source, "target": target, "dimensions": rename, "defaults": {"chunks": chunks}}
            (folder / job).write_text(json.dumps(document))
            jobs.append(job)
        cases.append({"files": files, "jobs": jobs, "target": f"out{number}.zarr", "time": [first, end], "lat": lat, "x": x, "rename": rename})
    (folder / "cases.json").write_text(json.dumps(cases))


def decoded(ds, time):
    """Decodes times, and limits of a climatology, which xarray decodes only with their own units."""
    if "climatology" in ds[time].attrs:
        ds["time_limits"].attrs.update({k: ds[time].attrs[k] for k in ("units", "calendar")})
    return xr.decode_cf(ds, decode_times=CODER).load()


def differences(folder, case):
    parts = []
    for file in case["files"]:
        with xr.open_dataset(folder / file, decode_cf=False) as source:
            parts.append(decoded(source, "time"))
    want = xr.concat(parts, "time", data_vars="minimal", coords="minimal", compat="equals", join="exact")
    want = want.isel(time=slice(*case["time"]))
    if case["lat"]:
        low, high = case["lat"]
        want = want.sel(lat=slice(high, low))  # lat falls
    if case["x"]:
        want = want.isel(x=slice(*case["x"]))
    want = want.rename(case["rename"])
    with xr.open_zarr(folder / case["target"], decode_cf=False, chunks=None) as target:
        got = decoded(target, case["rename"].get("time", "time"))
    if set(got.variables) != set(want.variables):
        yield f"the variables are {sorted(got.variables)}, want {sorted(want.variables)}"
        return
    for name in want.variables:
        x, y = want[name], got[name]
        if x.dims != y.dims or x.dtype != y.dtype or not np.array_equal(x.values, y.values):
            yield f"{name}: {y.dims} {y.dtype} {y.shape}, want {x.dims} {x.dtype} {x.shape}, or other values"
    for name in set(want.dims) - {"nv"}:
        if name not in got.indexes:
            yield f"the dimension {name} has no coordinate"


def check(folder):
    cases = json.loads((folder / "cases.json").read_text())
    wrong = 0
    for case in cases:
        for line in differences(folder, case):
            wrong += 1
            print(f"DIFFERENT {case['target']}: {line} ({json.dumps(case)})")
    print(f"{len(cases)} cases, {wrong} differences")
    return wrong > 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit((check if sys.argv[2:] == ["check"] else write)(pathlib.Path(sys.argv[1])))
