"""Files as users have them, jobs over them, and what xarray itself makes of the files.

    scenarios.py FOLDER          writes the files and jobs, and cases.json with their names
    scenarios.py FOLDER check    compares each target with what xarray makes of the sources

Prints a line for each scenario, which begins with DIFFERENT if the two are not the same. Exits with
1 if there is a difference.
"""

import functools
import json
import pathlib
import sys
import warnings

import netCDF4
import numpy as np
import pandas as pd
import xarray as xr

DAILY = 'source: {driver: netcdf, url: "days/*.nc", concat: time}\n'
NIGHTLY = 'source: {driver: netcdf, url: "%s", concat: time}\ntarget: {url: nightly.zarr, existing: append, append: {dimension: time, gaps: warn}}\n'


def field(start, steps):
    """A field of four steps a day, with bounds, whose values tell their time and place."""
    time = pd.date_range(start, periods=steps, freq="6h")
    hours = (time - pd.Timestamp("2001-01-01")) // pd.Timedelta("1h")
    values = hours.values[:, None, None] + np.arange(6.0).reshape(2, 3) / 8
    bounds = np.stack([time, time + pd.Timedelta("6h")], axis=1)
    ds = xr.Dataset({"tas": (("time", "lat", "lon"), values.astype("f4"), {"units": "K"}), "time_bnds": (("time", "nv"), bounds)})
    ds = ds.assign_coords(time=("time", time, {"bounds": "time_bnds"}), lat=[-45.0, 45.0], lon=[0.0, 120.0, 240.0])
    return ds


def write(folder):
    (folder / "days").mkdir()
    (folder / "parts").mkdir()
    for day in pd.date_range("2001-01-01", periods=365):  # the order of names is not that of time
        field(day, 4).to_netcdf(folder / "days" / day.strftime("%d-%m-%Y.nc"))
    for k, start in enumerate(["2001-01-01", "2001-01-02", "2001-01-03"]):  # a day of each is in the next one
        part = field(start, 8)
        (part.assign(tas=part.tas + 1000 * k)).to_netcdf(folder / "parts" / f"p{k}.nc")
    table = xr.Dataset({"name": ("x", np.array(["a", "bé", ""], object)), "v": ("x", [1.5, -9999.0, 3.0]), "n": ("x", [1, 2, 3])})
    table.to_netcdf(folder / "table.nc")
    with netCDF4.Dataset(folder / "ragged.nc", "w") as f:
        f.createDimension("x", 2)
        f.createVariable("ragged", f.createVLType(np.int32, "list"), ("x",))[0] = np.arange(3, dtype="i4")
        f.createVariable("v", "f4", ("x",))[:] = [1, 2]


@functools.cache
def daily(folder, *days):
    files = [folder / "days" / f"{d}-2001.nc" for d in days] or list((folder / "days").glob("*.nc"))
    return xr.combine_by_coords([xr.open_dataset(f).load() for f in files], combine_attrs="override")


def overlapping(folder, keep):
    parts = [xr.open_dataset(f) for f in sorted((folder / "parts").glob("*.nc"))]
    return xr.concat(parts, "time", data_vars="minimal").drop_duplicates("time", keep=keep)


def table(folder):
    return xr.open_dataset(folder / "table.nc")


def without_fill(ds):
    return ds.assign(v=ds.v.where(ds.v != -9999))


def chunks(of):
    return lambda target: {name: target[name].encoding["chunks"] for name in of} == of


def few_objects(target):
    return sum(f.is_file() for f in pathlib.Path(target.encoding["source"]).rglob("*")) < 30


# By name: the jobs without their first line, what xarray makes of the sources, how far floats may be
# from it, and a property of the target.
SCENARIOS = {
    "year": ([DAILY], daily, 0, few_objects),
    "chunks": ([DAILY + "defaults: {chunks: {time: 100, lat: 1}}\n"], daily, 0, chunks({"tas": (100, 1, 3), "time": (100,)})),
    "lossy": ([DAILY + "defaults: {codecs: [numcodecs.zfpy: {mode: 4, tolerance: 0.5}]}\n"], daily, 0.5, None),
    "nightly": (
        [NIGHTLY % "days/01-01-2001.nc", NIGHTLY % "days/02-01-2001.nc", NIGHTLY % "days/10-01-2001.nc"],
        lambda folder: daily(folder, "01-01", "02-01", "10-01"), 0, None,
    ),
    "first": (['source: {driver: netcdf, url: "parts/*.nc", concat: time, overlap: first}\n'], lambda folder: overlapping(folder, "first"), 0, None),
    "last": (['source: {driver: netcdf, url: "parts/*.nc", concat: time, overlap: last}\n'], lambda folder: overlapping(folder, "last"), 0, None),
    "strings": (["source: {driver: netcdf, url: table.nc}\ndefaults: {codecs: [zstd]}\n"], table, 0, None),
    "exclude": (["source: {driver: netcdf, url: table.nc, exclude: [name]}\n"], lambda folder: table(folder).drop_vars("name"), 0, None),
    "fill": (
        ["source: {driver: netcdf, url: table.nc}\narrays: {v: {attributes: {_FillValue: -9999}}}\n"],
        lambda folder: without_fill(table(folder)), 0, None,
    ),
    "attributes": (
        ["source: {driver: netcdf, url: table.nc}\nattributes: {title: new}\n"],
        lambda folder: table(folder).assign_attrs(title="new"), 0, None,
    ),
    "skip": (
        ["source: {driver: netcdf, url: ragged.nc, unsupported: skip}\n"],
        lambda folder: xr.open_dataset(folder / "ragged.nc", drop_variables="ragged"), 0, None,
    ),
}


def differs(folder, name):
    jobs, make, tolerance, holds = SCENARIOS[name]
    want = make(folder).load()
    got = xr.open_zarr(folder / f"{name}.zarr", chunks=None).load()
    if tolerance:
        xr.testing.assert_allclose(got, want, rtol=0, atol=tolerance)
        xr.testing.assert_equal(got.drop_vars("tas"), want.drop_vars("tas"))
    else:
        xr.testing.assert_equal(got, want)
    assert got.attrs == want.attrs, f"the attributes are {got.attrs}"
    for variable in want.variables:
        assert set(got[variable].dims) == set(want[variable].dims)
    assert holds is None or holds(got), "the target lacks its property"


def main(folder, check=None):
    if not check:
        write(folder)
        cases = []
        for name, (jobs, *_) in SCENARIOS.items():
            for k, job in enumerate(jobs):
                target = "" if "target:" in job else f"target: {{url: {name}.zarr}}\n"
                (folder / f"{name}{k}.yaml").write_text("zmigrate: 1\n" + job + target)
                cases.append(f"{name}{k}.yaml")
        (folder / "cases.json").write_text(json.dumps(cases))
        return False
    wrong = False
    for name in SCENARIOS:
        try:
            differs(folder, name)
            print(f"{name}: as xarray has it")
        except Exception as error:
            wrong = True
            print(f"DIFFERENT {name}:", " ".join(str(error).split())[:400])
    return wrong


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main(pathlib.Path(sys.argv[1]), *sys.argv[2:]))
