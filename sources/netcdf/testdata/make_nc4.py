"""Writes NetCDF-4 and HDF5 files, and what netCDF4-python reads from them.

    python make_nc4.py FOLDER

needs netCDF4, h5py and numpy. The folder gets the files, and expected.json about
these and those that were there before, in the form of the expected.json beside
this script.
"""

import hashlib
import json
import os
import sys

import h5py
import netCDF4
import numpy as np

FOLDER = sys.argv[1]
rng = np.random.default_rng(4)


def values(shape, dtype):
    return rng.integers(0, 100, shape).astype(dtype)


def plain(d):
    """A file of h5py, without dimension scales."""
    d["square"] = values((5, 5), "<i4")
    d["same"] = values((5, 7), ">f8")
    d.create_dataset("growing", data=values((7, 5), "<i2"), maxshape=(None, 5), chunks=(2, 3))
    d["a/one"] = values((7,), "u1")
    d["a/b/two"] = values((3, 7), "<f4")
    d["c/three"] = values((7, 5), "<f4")
    d["c"].attrs["where"] = "c"
    d["text"] = np.array([b"ab", b"c"], "S1")
    d["soft"] = h5py.SoftLink("/a/one")


def scales(d):
    """A file of h5py with dimension scales."""
    d["x"] = np.arange(4, dtype="<f4")
    d["x"].make_scale("x")
    d["y"] = np.arange(3, dtype="<f4")
    d["y"].make_scale()
    d["v"] = values((3, 4), "<i4")
    d["v"].dims[0].attach_scale(d["y"])
    d["v"].dims[1].attach_scale(d["x"])
    d["partly"] = values((3, 4, 6), "<i4")
    d["partly"].dims[1].attach_scale(d["x"])
    d["w/v"] = values((4,), "<i4")
    d["w/v"].dims[0].attach_scale(d["x"])


def model(d):
    """A file of netCDF with what its model has."""
    d.setncattr("title", "everything")
    d.setncattr_string("string", "a string")
    d.setncattr("strings", ["a", "", "b" * 40])
    for code in "i1 i2 i4 i8 u1 u2 u4 u8 f4 f8".split():
        d.setncattr("one_" + code, np.array(7, code))
        d.setncattr("more_" + code, np.array([1, 2, 3], code))
    d.setncattr("odd", np.array([np.nan, np.inf, -np.inf]))
    d.createDimension("time", None)
    d.createDimension("level", None)
    d.createDimension("y", 5)
    d.createDimension("x", 6)
    d.createDimension("chars", 8)
    t = d.createVariable("time", "f8", ("time",))
    t[:] = np.arange(9)
    t.units = "days since 2000-01-01"
    short = d.createVariable("short", "i4", ("time", "x"), fill_value=-3)
    short[:4] = values((4, 6), "i4")
    # libnetcdf misplaces values where another dimension than the first ends early.
    unfilled = d.createVariable("default_fill", "f4", ("time", "y", "x"), zlib=True, chunksizes=(1, 2, 4))
    unfilled[2, :3] = values((3, 6), "f4")
    d.createVariable("both_grow", "f4", ("time", "level", "x"))[:] = values((9, 7, 6), "f4")
    for code in "i1 i2 i4 i8 u1 u2 u4 u8 f4 f8".split():
        d.createVariable("nofill_" + code, code, ("time",), fill_value=False)[:2] = values(2, code)
    wide = d.createVariable("wide", "f4", ("y", "x"), zlib=True, shuffle=True, fletcher32=True, chunksizes=(4, 4), least_significant_digit=2)
    wide[:] = rng.random((5, 6))
    c = d.createVariable("names", "S1", ("y", "chars"))
    c[:] = netCDF4.stringtochar(np.array(["abc", "", "defghijk", "x", "yz"], "S8"))
    s = d.createVariable("strings", str, ("y",))
    for i, text in enumerate(["one", "", "grün", "four", "x" * 100]):
        s[i] = text
    d.createVariable("scalar", "i4")[...] = 5
    enum = d.createEnumType("u1", "cloud", {"clear": 0, "cumulus": 1, "missing": 255})
    e = d.createVariable("clouds", enum, ("x",), fill_value=255)
    e[:] = np.array([0, 1, 0, 1, 0, 255], "u1")
    # A coordinate of two dimensions, and a variable that only has the name of one.
    two = d.createVariable("level", "f4", ("level", "x"))
    two[:3] = values((3, 6), "f4")
    d.createVariable("y", "i4", ("x",))[:] = range(6)
    g = d.createGroup("inner")
    g.createDimension("x", 3)  # hides the one above
    g.createVariable("x", "i4", ("x",))[:] = range(3)
    g.createVariable("v", "i2", ("y", "x"))[:] = values((5, 3), "i2")
    deep = g.createGroup("deep")
    deep.createVariable("v", "i2", ("time", "x"))[:] = values((9, 3), "i2")
    deep.createVariable("longer", "i2", ("level",))[:] = values((7,), "i2")
    for i in range(30):
        v = deep.createVariable(f"v{i}", "i4", ("x",))
        for k in range(i):
            v.setncattr(f"a{k:02}", np.int32(k))


def attribute(v):
    if isinstance(v, str):
        return v
    if isinstance(v, (list, tuple)):
        return list(v)
    v = np.atleast_1d(v)
    if v.dtype.kind in "US":
        return [str(x) for x in v]
    special = lambda x: x if not isinstance(x, float) or np.isfinite(x) else str(x)
    return {"dtype": v.dtype.name, "values": [special(x) for x in v.tolist()]}


def variable(v):
    v.set_auto_maskandscale(False)
    v.set_auto_chartostring(False)
    a = np.asarray(v[...])
    if v.dtype is str:
        name, data = "string", json.dumps([str(x) for x in a.ravel()], ensure_ascii=False).encode()
    else:
        name = "char" if a.dtype.kind == "S" else a.dtype.name
        data = np.ascontiguousarray(a).astype(a.dtype.newbyteorder("<")).tobytes()
    return {
        "dimensions": list(v.dimensions), "shape": list(v.shape), "dtype": name,
        "attributes": {k: attribute(v.getncattr(k)) for k in v.ncattrs()}, "sha256": hashlib.sha256(data).hexdigest(),
    }


def group(g):
    return {
        "attributes": {k: attribute(g.getncattr(k)) for k in g.ncattrs()},
        "variables": {n: variable(v) for n, v in g.variables.items()},
        "groups": {n: group(x) for n, x in g.groups.items()},
    }


with h5py.File(os.path.join(FOLDER, "plain.h5"), "w") as f:
    plain(f)
with h5py.File(os.path.join(FOLDER, "scales.h5"), "w", libver="latest") as f:
    scales(f)
with netCDF4.Dataset(os.path.join(FOLDER, "model.nc"), "w") as f:
    model(f)
with netCDF4.Dataset(os.path.join(FOLDER, "classic_model.nc"), "w", format="NETCDF4_CLASSIC") as f:
    f.createDimension("t", None)
    f.createDimension("x", 4)
    f.createVariable("t", "f8", ("t",))[:] = range(3)
    f.createVariable("v", "i2", ("t", "x"), zlib=True)[:] = values((3, 4), "i2")

for i, format in enumerate(["NETCDF4", "NETCDF4", "NETCDF3_CLASSIC"]):
    with netCDF4.Dataset(os.path.join(FOLDER, f"part_{i}.nc"), "w", format=format) as f:
        f.createDimension("t", None)
        f.createDimension("x", 4)
        f.createVariable("t", "f8", ("t",))[:] = np.arange(3) + 3 * i
        f.createVariable("x", "i4", ("x",))[:] = range(4)
        v = f.createVariable("v", "i2", ("t", "x"), fill_value=-1)
        v.units = "m"
        v[:] = values((3, 4), "i2")

result = {}
for name in sorted(os.listdir(FOLDER)):
    if name.endswith((".h5", ".nc")):
        with netCDF4.Dataset(os.path.join(FOLDER, name)) as f:
            result[name] = group(f)
reader = f"netCDF4-python {netCDF4.__version__}, libnetcdf {netCDF4.__netcdf4libversion__}"
with open(os.path.join(FOLDER, "expected.json"), "w") as f:
    json.dump({"reader": reader, "files": result}, f, indent=0)
