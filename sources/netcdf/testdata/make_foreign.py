"""Writes files with the faults and old forms of other writers, and what h5py and
netCDF4-python read of them.

    python make_foreign.py FOLDER [FILE ...]

needs h5py, hdf5plugin, netCDF4, numpy and tables. FOLDER gets copies of the files that are named,
the files of this script, and expected.json about all of them, in the form of the
expected.json beside this script. Dimensions and attributes are those of netCDF4,
values those of h5py where it reads the file. What netCDF4 leaves out has no
dimensions.
"""

import hashlib
import json
import os
import shutil
import sys
import warnings

import h5py
import hdf5plugin
import netCDF4
import numpy as np
import tables

FOLDER = sys.argv[1]
warnings.simplefilter("ignore")


def at(name):
    return os.path.join(FOLDER, name)


def patch(name, old, new):
    with open(at(name), "rb") as f:
        data = f.read()
    assert old in data, name
    with open(at(name), "wb") as f:
        f.write(data.replace(old, new))


def zero_bytes():
    """Names that end at a zero byte, which libnetcdf reads as C does."""
    for format in ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"):
        name = f"zero_bytes_{format.lower()[8:]}.nc"
        with netCDF4.Dataset(at(name), "w", format=format) as f:
            f.createDimension("xQ", 3)
            f.createDimension("longerQQQ", 2)
            f.createDimension("rQ", None)
            f.setncattr("titleQ", "a text")
            v = f.createVariable("xQ", "i4", ("xQ",))
            v[:] = [1, 2, 3]
            v.setncattr("unitsQ", "m")
            f.createVariable("partQother", "f4", ("rQ", "longerQQQ"))[:] = np.arange(8).reshape(4, 2)
            f.createVariable("plain", "i2", ("xQ", "longerQQQ"))[:] = np.arange(6).reshape(3, 2)
        patch(name, b"Q", b"\0")


def scales():
    """Dimensions with several scales, of which libnetcdf takes the last."""
    for version in ("earliest", "latest"):
        with h5py.File(at(f"scales_{version}.h5"), "w", libver=version) as f:
            for name, n in (("x1", 4), ("x2", 4), ("x3", 4), ("y", 3), ("other", 5)):
                f[name] = np.arange(n, dtype="f4")
                f[name].make_scale(name)
            for name, scales in (("two", ["x1", "x2"]), ("three", ["x2", "x3", "x1"]), ("one", ["x3"])):
                f[name] = np.arange(12, dtype="i4").reshape(3, 4)
                f[name].dims[0].attach_scale(f["y"])
                for s in scales:
                    f[name].dims[1].attach_scale(f[s])


def old_arrays():
    """Array datatypes in messages that say version 1."""
    t = np.dtype([("a", "<i4"), ("b", ">f8", (2,)), ("c", [("d", "<i2", (2, 3)), ("e", "S3")]), ("f", "<u2", (3,))])
    rng = np.random.default_rng(5)
    with h5py.File(at("old_arrays.h5"), "w", libver="earliest") as f:
        f["compound"] = np.frombuffer(rng.integers(0, 64, 5 * t.itemsize, "u1").tobytes(), t)
        f["chunked"] = np.frombuffer(rng.integers(0, 64, 8 * t.itemsize, "u1").tobytes(), t)
        array = h5py.h5t.array_create(h5py.h5t.STD_I32BE, (2, 2))
        d = h5py.h5d.create(f.id, b"array", array, h5py.h5s.create_simple((3,)))
        d.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(12, dtype=">i4").reshape(3, 2, 2), mtype=array)
    patch("old_arrays.h5", b"\x2a\0\0\0", b"\x1a\0\0\0")


def pytables():
    """What PyTables writes, with arrays as columns."""

    class Row(tables.IsDescription):
        number = tables.Int32Col()
        vector = tables.Float32Col(shape=(3,))
        matrix = tables.Int16Col(shape=(2, 2))
        text = tables.StringCol(5)
        flag = tables.BoolCol()
        z = tables.ComplexCol(itemsize=16)

    rng = np.random.default_rng(6)
    for name, filters in (("plain", None), ("zlib", tables.Filters(1, "zlib", shuffle=True)), ("blosc", tables.Filters(5, "blosc:lz4"))):
        with tables.open_file(at(f"pytables_{name}.h5"), "w") as f:
            t = f.create_table("/", "table", Row, filters=filters)
            for i in range(7):
                r = t.row
                r["number"], r["vector"], r["matrix"] = i, rng.random(3), rng.integers(0, 9, (2, 2))
                r["text"], r["flag"], r["z"] = f"t{i}", i % 2, complex(i, -i)
                r.append()
            t.flush()
            f.create_carray("/group", "carray", obj=rng.integers(0, 9, (6, 5)).astype("i4"), chunkshape=(3, 3), filters=filters, createparents=True)
            e = f.create_earray("/group", "earray", tables.Float64Atom(shape=(2,)), (0,), filters=filters)
            e.append(rng.random((4, 2)))
            f.create_array("/group", "bools", obj=np.array([True, False, True]))


# Filters without a decoder here, and the error that they give.
UNKNOWN = {
    "32013": "zfp (filter 32013): it has no decoder here: write the data without it, with h5repack -f NONE",
    "32028": "sperr (filter 32028): it has no decoder here",
    "32024": "sz3 (filter 32024): it has no decoder here",
}


def unknown_filters():
    with h5py.File(at("unknown_filters.h5"), "w") as f:
        for i in range(6):
            f.create_dataset(f"zfp_{i}", data=np.arange(40, dtype="f4"), chunks=(20,), compression=hdf5plugin.Zfp(reversible=True))
        f.create_dataset("sperr", data=np.zeros((40, 40), "f4"), chunks=(20, 20), compression=hdf5plugin.Sperr(rate=16))
        f.create_dataset("sz3", data=np.arange(40, dtype="f4"), chunks=(20,), compression=hdf5plugin.SZ3(absolute=0.1))
        f.create_dataset("plain", data=np.arange(40, dtype="f4"))


def reserved():
    """Names that Zarr reserves, or that it does not have."""
    with h5py.File(at("reserved.h5"), "w") as f:
        f["__categories/label"] = np.arange(3, dtype="i4")
        f["__categories"].attrs["what"] = "labels"
        f["__x"] = np.arange(4, dtype="f4")
        f["__x"].make_scale("__x")
        f["v"] = np.arange(4, dtype="i4")
        f["v"].dims[0].attach_scale(f["__x"])
        f["g/__v"] = np.arange(4, dtype="i4")
        f["g/__v"].dims[0].attach_scale(f["__x"])
        f["zarr.json"] = np.arange(2, dtype="i4")
        f["a\tb\\c"] = np.arange(2, dtype="i2")
        f["..."] = np.arange(2, dtype="i1")
        f.create_group("__EMPTY__/__within")


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


def attributes(v, h):
    """Those of netCDF4, and the integers that only h5py reads."""
    more = {k: attribute(x) for k, x in h.attrs.items() if isinstance(x, np.integer) and k != "_Netcdf4Dimid"} if h else {}
    return {**more, **{k: attribute(v.getncattr(k)) for k in v.ncattrs()}}


def packed(t):
    """The type without padding, little-endian."""
    if t.subdtype:
        return np.dtype((packed(t.subdtype[0]), t.subdtype[1]))
    if t.names:
        return np.dtype([(n, packed(t[n])) for n in t.names])
    return t.newbyteorder("<")


def variable(v, dataset):
    found = {}
    if dataset is not None and dataset.dtype.hasobject:
        return {"error": "has no variable length"}
    for number in dataset._filters if dataset is not None else ():
        if number in UNKNOWN:
            return {"error": UNKNOWN[number]}
    if v is not None:
        found = {"attributes": attributes(v, dataset), "dimensions": list(v.dimensions)}
        v.set_auto_maskandscale(False)
        v.set_auto_chartostring(False)
    a = np.asarray(v[...]) if dataset is None else dataset[...]
    name = "struct" if a.dtype.names else "null_terminated_bytes" if a.dtype.kind == "S" and dataset is not None else "char" if a.dtype.kind == "S" else a.dtype.name
    shape = list(a.shape)
    a = np.ascontiguousarray(a.astype(packed(a.dtype)))
    if v is not None:
        found["dimensions"] += [""] * (len(shape) - len(v.dimensions))
    return {**found, "shape": shape, "dtype": name, "sha256": hashlib.sha256(a.tobytes()).hexdigest()}


def group(g, h):
    left = {n: variable(None, x) for n, x in h.items() if isinstance(x, h5py.Dataset) and n not in g.variables} if h else {}
    return {
        "attributes": attributes(g, h),
        "variables": {**left, **{n: variable(v, h and h[n]) for n, v in g.variables.items()}},
        "groups": {n: group(x, h and h[n]) for n, x in g.groups.items()},
    }


def datasets(h):
    """The same of a file that netCDF4 does not open: values alone."""
    return {
        "variables": {n: variable(None, x) for n, x in h.items() if isinstance(x, h5py.Dataset)},
        "groups": {n: datasets(x) for n, x in h.items() if isinstance(x, h5py.Group)},
    }


for name in sys.argv[2:]:
    shutil.copyfile(name, at(os.path.basename(name)))
    os.chmod(at(os.path.basename(name)), 0o644)
zero_bytes()
scales()
old_arrays()
pytables()
unknown_filters()
reserved()

result = {}
for name in sorted(os.listdir(FOLDER)):
    if name.endswith((".h5", ".hdf5", ".nc")):
        h = None if name.endswith(".nc") else h5py.File(at(name))
        try:
            with netCDF4.Dataset(at(name)) as f:
                result[name] = group(f, h)
        except (AttributeError, OSError):
            result[name] = datasets(h)
reader = f"h5py {h5py.__version__}, netCDF4-python {netCDF4.__version__}, libnetcdf {netCDF4.__netcdf4libversion__}"
with open(at("expected.json"), "w") as f:
    json.dump({"reader": reader, "files": result}, f, indent=0)
