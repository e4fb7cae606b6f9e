"""Missing values in Zarr hierarchies of v2, as xarray sees them there and in migrated
copies.

    missing.py write FOLDER
    missing.py check FOLDER TARGET NIGHT…
    missing.py again FOLDER TARGET

write makes the hierarchies 0.zarr and 1.zarr with xarray, two nights of one series,
plain.zarr with zarr-python, and marked.nc with netCDF4, whose missing_value is NaN. check
compares TARGET with the NIGHTs, one after the other along time. again compares TARGET with
marked.nc, and writes it again with xarray. Both print a line for each variable that differs,
and exit with 1 if there is one.
"""

import sys
import warnings

import netCDF4
import numpy as np
import xarray
import zarr


def night(first):
    rng = np.random.default_rng(first)
    time = np.datetime64("2026-01-01", "ns") + np.arange(first, first + 4).astype("timedelta64[D]")
    seen = time.copy()
    seen[1] = np.datetime64("NaT")
    bright = rng.integers(1, 200, (4, 3)).astype("f4")
    bright[2, 2] = np.nan
    height = rng.normal(size=(4, 3)).astype("f4")
    height[1, 1] = np.nan
    packed = rng.integers(-9, 9, (4, 3)) * 0.5
    packed[0, 0] = np.nan
    dims = ("time", "x")
    return xarray.Dataset(
        {
            "packed": (dims, packed), "height": (dims, height), "nan": (dims, height), "bright": (dims, bright),
            "dark": (dims, bright), "seen": (("time",), seen), "count": (dims, np.arange(12).reshape(4, 3)),
        },
        coords={"time": time, "x": [1.0, 2.0, 3.0]},
    )


ENCODING = {
    "packed": {"dtype": "i2", "scale_factor": 0.5, "add_offset": 1.0, "_FillValue": -32768},
    "height": {"_FillValue": -9999.0},
    "bright": {"dtype": "u1", "_FillValue": 255},
    "dark": {"dtype": "u1", "_FillValue": 0},
    "seen": {"dtype": "i8", "_FillValue": -999, "units": "days since 2000-01-01"},
    "time": {"dtype": "i8", "units": "days since 2000-01-01"},
}


def write(folder):
    for n in range(2):
        night(4 * n).to_zarr(f"{folder}/{n}.zarr", zarr_format=2, encoding=ENCODING)
    group = zarr.open_group(f"{folder}/plain.zarr", mode="w", zarr_format=2)
    for name, kind, fill in [("seven", "i4", 7), ("depth", "f4", -9999.0), ("nan", "f8", np.nan), ("none", "f8", None), ("zero", "f8", 0.0)]:
        array = group.create_array(name, shape=(3,), dtype=kind, fill_value=fill)
        array.attrs["_ARRAY_DIMENSIONS"] = ["time"]
        array[:] = [0, 7, -9999]
    group["none"].attrs["_FillValue"] = -9999.0
    with netCDF4.Dataset(f"{folder}/marked.nc", "w") as file:
        file.createDimension("x", 3)
        for name, kind, fill in [("both", "f4", np.nan), ("alone", "f4", None), ("packed", "i2", -9), ("count", "i4", None)]:
            variable = file.createVariable(name, kind, ("x",), fill_value=fill)
            variable.set_auto_maskandscale(False)
            variable.missing_value = np.float32(np.nan)
            variable[:] = [1, -9, np.nan] if kind == "f4" else [1, -9, 3]
        file["packed"].scale_factor = 0.5


def missing(values):
    return np.isnat(values) if values.dtype.kind == "M" else np.isnan(values)


def same(want, got):
    if want.dims != got.dims or want.dtype.kind != got.dtype.kind or not np.array_equal(missing(want.values), missing(got.values)):
        return False
    return np.allclose(want.values.astype("f8"), got.values.astype("f8"), rtol=1e-6, equal_nan=True)


def check(folder, target, *nights):
    parts = [xarray.open_zarr(f"{folder}/{name}", consolidated=None).load() for name in nights]
    want, got = xarray.concat(parts, dim="time", data_vars="minimal"), xarray.open_zarr(f"{folder}/{target}").load()
    wrong = [f"variables {sorted(got.variables)}, want {sorted(want.variables)}"] if set(got.variables) != set(want.variables) else []
    for name in set(want.variables) & set(got.variables):
        if not same(want[name], got[name]):
            wrong.append(f"{name}: {got[name].values.tolist()}, want {want[name].values.tolist()}")
    print(f"{target}: {len(want.variables)} variables compared")
    for line in wrong:
        print(f"DIFFERENT {target}: {line}")
    return 1 if wrong else 0


def again(folder, target):
    want, got = xarray.open_dataset(f"{folder}/marked.nc", engine="netcdf4").load(), xarray.open_zarr(f"{folder}/{target}").load()
    got.to_netcdf(f"{folder}/again.nc", engine="netcdf4", encoding={name: {"chunksizes": None} for name in got})
    got.to_zarr(f"{folder}/again.zarr")
    wrong = []
    for copy in (got, xarray.open_dataset(f"{folder}/again.nc", engine="netcdf4"), xarray.open_zarr(f"{folder}/again.zarr")):
        wrong += [f"{name}: {copy[name].values.tolist()}" for name in want if want[name].dtype != copy[name].dtype or not want[name].equals(copy[name])]
    print(f"{target}: {len(want)} variables compared and written again")
    for line in wrong:
        print(f"DIFFERENT {target}: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit({"write": write, "check": check, "again": again}[sys.argv[1]](*sys.argv[2:]))
