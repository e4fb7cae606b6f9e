"""Writes NetCDF files and jobs that migrate parts of them.

    choose_sources.py FOLDER

FOLDER gets the files, a job for each case, and cases.json: for each case the file, the
job, the target and what the job selects, renames and includes. A case is "empty" if
xarray selects nothing, which the job has to refuse. A case with "related" includes a
variable, and "related" has all other variables that have to come along.
"""

import json
import pathlib
import random
import sys
import warnings

import cftime
import netCDF4
import numpy as np
import xarray as xr

from check_choose import wanted

CALENDARS = ["standard", "proleptic_gregorian", "noleap", "all_leap", "360_day", "julian"]
UNITS = ["days since 1999-12-30", "hours since 2000-01-01 06:00", "seconds since 1990-01-01", "minutes since 2000-02-01 00:00 +01:00"]
STEPS = {"d": 1.0, "h": 24.0, "s": 86400.0, "m": 1440.0}  # units in a day


def write_file(path, r, number):
    """Writes a file with times, a latitude, bounds and packed data."""
    units, calendar = UNITS[number % len(UNITS)], CALENDARS[number % len(CALENDARS)]
    kind = ["i4", "f8", "i8", "f8"][number % 4]
    n = 60
    start = cftime.datetime(2000, 1, 1, calendar=calendar)
    first = round(cftime.date2num(start, units, calendar) * 4) / 4
    step = max(STEPS[units[0]] / (4 if kind == "f8" else 1), 1 if kind != "f8" else 0)
    times = (first + np.arange(n) * step * r.choice([1, 2, 5])).astype(kind)
    lat = np.linspace(-87.5, 87.5, 36).astype("f4" if number % 2 else "f8")
    if number % 3 == 0:
        lat = lat[::-1]
    if number % 5 == 4:
        times = times[::-1]
    rng = np.random.default_rng(number)
    ds = xr.Dataset(
        {
            "v": (("time", "lat", "x"), rng.integers(-100, 100, (n, 36, 7)).astype("i2"),
                  {"scale_factor": 0.5, "add_offset": 3.0, "coordinates": "area", "cell_methods": "time: mean lat: mean"}),
            "w": (("lat", "time"), rng.random((36, n)).astype("f4"), {}),
            "profile": (("lat",), rng.random(36), {}),
            "lat_bnds": (("lat", "nv"), np.stack([lat - 2.5, lat + 2.5], axis=1), {}),
            "area": (("lat", "x"), rng.random((36, 7)), {"units": "m2"}),
            "lat": (("lat",), lat, {"units": "degrees_north", "bounds": "lat_bnds"}),
            "time": (("time",), times, {"units": units, "calendar": calendar}),
            "x": (("x",), np.arange(7, dtype="i8") * 10, {}),
        }
    )
    chunked = {"chunksizes": (7, 10, 3)} if number % 2 else {}
    ds.to_netcdf(path, format="NETCDF4" if number % 2 else "NETCDF3_64BIT" if kind != "i8" else "NETCDF4", encoding={"v": {**chunked, "_FillValue": None}})


def date(r, t):
    """A text for a time, of some precision."""
    year, month, day, hour = f"{t.year:04d}", f"{t.month:02d}", f"{t.day:02d}", f"{t.hour:02d}"
    return r.choice([year, f"{year}-{month}", f"{year}-{month}-{day}", f"{year}-{month}-{day}", f"{year}-{month}-{day}T{hour}:00"])


def select(r, ds, times):
    """Chooses parts of some dimensions, as the job spells them and as xarray does."""
    job, own = {}, {}
    if r.random() < 0.7:
        a, b = sorted(r.sample(range(-3, len(times) + 3), 2))
        low, high = (times[min(max(k, 0), len(times) - 1)] for k in (a, b))
        first, last = date(r, low), date(r, high)
        shape = r.randrange(6)
        if shape == 0:
            job["time"], own["time"] = first, {"dates": [first, first]}
        elif shape == 1:
            job["time"], own["time"] = first + "/", {"dates": [first, None]}
        elif shape == 2:
            job["time"], own["time"] = "../" + last, {"dates": [None, last]}
        else:
            job["time"], own["time"] = f"{first}/{last}", {"dates": [first, last]}
    if r.random() < 0.6:
        a, b = sorted(r.choice([float(ds.lat[r.randrange(36)]), r.randrange(-100, 100)]) for _ in range(2))
        low, high = r.choice([(a, b), (a, b), (None, b), (a, None), (a, a)])
        job["lat"], own["lat"] = [low, high], {"values": [low, high]}
    if r.random() < 0.5:
        first, end = sorted(r.sample(range(8), 2))
        step = r.choice([1, 1, 2, 3])
        job["x"], own["x"] = f"{first}:{end}:{step}", {"indices": [first, end, step]}
    return job, own


def write_related(path, r):
    """Writes a file with a variable v, and with others that it names, directly or not.

    Returns the names of those that are needed to say where and when the values of v are,
    and of the others that v names.
    """
    sizes = {"time": 3, "lev": 4, "y": 5, "x": 6, "nv": 2, "corner": 4}
    kinds, needed, measures = {}, set(), set()
    v = {}

    def put(name, dims, **attrs):
        kinds[name] = (dims, np.arange(int(np.prod([sizes[d] for d in dims])), dtype="f8").reshape([sizes[d] for d in dims]), attrs)
        return name

    def chance():
        return r.random() < 0.6

    dims = ("time", "lev", "y", "x")
    for d in dims:
        if chance() or d == "lev":
            needed.add(put(d, (d,)))
    if "time" in needed and chance():
        kinds["time"][2].update({r.choice(["bounds", "climatology"]): put("time_limits", ("time", "nv")), "units": "days since 2000-01-01"})
        needed.add("time_limits")
    if chance():
        kinds["lev"][2].update(standard_name="atmosphere_sigma_coordinate", formula_terms="sigma: lev ps: ps ptop: ptop")
        needed |= {put("ps", ("time", "y", "x")), put("ptop", ())}
        if chance():
            kinds["lev"][2]["bounds"] = put("lev_limits", ("lev", "nv"), formula_terms="sigma: lev_limits ps: ps ptop: ptop")
            needed.add("lev_limits")
    coordinates = []
    if chance():
        for name in ("lat", "lon"):
            coordinates.append(put(name, ("y", "x"), units="degrees_north" if name == "lat" else "degrees_east"))
            if chance():
                kinds[name][2]["bounds"] = put(name + "_corners", ("y", "x", "corner"))
                needed.add(name + "_corners")
    if chance():
        coordinates.append(put("height", (), units="m"))
    if chance():
        coordinates.append(put("basin", ("y",)))
    if coordinates:
        r.shuffle(coordinates)
        v["coordinates"] = " ".join(coordinates)
        needed |= set(coordinates)
    if chance():
        v["grid_mapping"] = put("crs", (), grid_mapping_name="latitude_longitude")
        needed.add("crs")
        if {"x", "y"} <= needed and chance():
            v["grid_mapping"] = "crs: x y"
            if {"lat", "lon"} <= needed and chance():
                v["grid_mapping"] += " geographic: lat lon"
                needed.add(put("geographic", (), grid_mapping_name="latitude_longitude"))
    if chance():
        v["cell_measures"] = "area: " + put("cell_area", ("y", "x"))
        measures.add("cell_area")
    if chance():
        v["ancillary_variables"] = put("quality", dims)
        measures.add("quality")
    put("v", dims, cell_methods="time: lev: mean y: x: sum", **v)
    put("unrelated", ("x",))
    file = netCDF4.Dataset(path, "w", format=r.choice(["NETCDF4", "NETCDF3_CLASSIC"]))
    for name, n in sizes.items():
        file.createDimension(name, n)
    for name in r.sample(sorted(kinds), len(kinds)):
        own, values, attrs = kinds[name]
        file.createVariable(name, "f8", own)[...] = values
        file[name].setncatts(attrs)
    file.close()
    return sorted(needed), sorted(measures)


def main(folder):
    r = random.Random(20260131)
    cases = []
    for number in range(48):
        file = f"related{number}.nc"
        needed, measures = write_related(folder / file, r)
        case = {"file": file, "job": f"related{number}.json", "target": f"related{number}.zarr", "select": {}, "rename": {}, "include": ["v"], "empty": False, "related": needed}
        for dim, new in (("time", "t"), ("lev", "level"), ("y", "j"), ("x", "i")):
            if r.random() < 0.5:
                case["rename"][dim] = new
        if number % 8 == 3:
            case["include"], case["related"] = ["v"] + measures, sorted(needed + measures)
        alone = number % 8 == 5  # without coordinates
        if alone:
            case["related"] = []
        source = {"driver": "netcdf", "url": file, "include": case["include"], "coordinates": not alone}
        document = {"zmigrate": 1, "source": source, "target": {"url": case["target"]}, "attributes": {"title": "case"}, "dimensions": case["rename"]}
        (folder / case["job"]).write_text(json.dumps(document))
        cases.append(case)
    for number in range(12):
        file = f"source{number}.nc"
        write_file(folder / file, r, number)
        with xr.open_dataset(folder / file) as ds:
            times = xr.CFTimeIndex(cftime.num2date(*(lambda raw: (raw.time.values, raw.time.units, raw.time.calendar))(xr.open_dataset(folder / file, decode_times=False))))
            times = sorted(times)
            for k in range(8):
                job, own = select(r, ds, times)
                case = {"file": file, "job": f"job{number}_{k}.json", "target": f"out{number}_{k}.zarr", "select": own, "rename": {}, "include": []}
                if k % 4 == 1:
                    case["rename"] = r.choice([{"lat": "latitude"}, {"lat": "y", "time": "t"}, {"time": "lat", "lat": "time"}])
                if k % 4 == 2:
                    case["include"] = r.choice([["v"], ["v"] if "x" in job else ["w"], ["profile", "v"]])
                case["empty"] = 0 in wanted(ds, case).sizes.values()
                document = {
                    "zmigrate": 1,
                    "source": {"driver": "netcdf", "url": file, "select": job, **({"include": case["include"]} if case["include"] else {})},
                    "target": {"url": case["target"]},
                    "attributes": {"title": f"case {k}"},
                    "dimensions": case["rename"],
                }
                (folder / case["job"]).write_text(json.dumps(document))
                cases.append(case)
    (folder / "cases.json").write_text(json.dumps(cases))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(pathlib.Path(sys.argv[1]))
