"""Writes NetCDF and HDF5 files for tables of references that zmigrate makes.

    target_reference_sources.py FOLDER SEED COUNT

FOLDER gets COUNT data sets of random variables, with all filters to which references can lead, in
NetCDF-4 and in the classic formats. Some are several files along time. It prints a line for each
data set: its name, and the names of its files with spaces between them.
"""

import pathlib
import random
import sys

import netCDF4
import numpy as np

folder, seed, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
rng, choose = np.random.default_rng(seed), random.Random(seed)
FILTERS = [{}, {"zlib": True, "shuffle": False}, {"zlib": True}, {"zlib": True, "complevel": 9, "fletcher32": True}, {"fletcher32": True},
           {"compression": "zstd", "shuffle": False}, {"compression": "zstd"}, {"compression": "bzip2"}, {"contiguous": True}]
TYPES = ["i1", "i2", "i4", "f4", "f8"]
NEW_TYPES = ["u1", "u2", "u4", "i8", "u8"]


def values(dtype, shape):
    """Returns random values in patches, so that filters have something to do."""
    if np.dtype(dtype).kind == "f":
        return rng.normal(280, 20, shape).astype(dtype)
    return rng.integers(0, 100, shape).astype(dtype)


def variable(d, name, dtype, dims, shape, classic, chunks):
    options = {} if classic else dict(choose.choice(FILTERS))
    if not classic and "time" in dims:
        options.pop("contiguous", None)
    if not classic and not options.get("contiguous"):
        options["chunksizes"] = chunks
    fill = choose.choice([None, 7, 0])
    if fill is not None:
        options["fill_value"] = np.dtype(dtype).type(fill)
    v = d.createVariable(name, dtype, dims, **options)
    v.set_auto_maskandscale(False)
    v.units = "K"
    if dtype == "i2" and choose.random() < 0.5:
        v.scale_factor, v.add_offset = 0.01, 273.15
    v[:] = values(dtype, shape)


def write(path, form, steps, first, layout):
    """Writes a file of that many steps. Variables are those of layout."""
    classic = form != "NETCDF4"
    with netCDF4.Dataset(path, "w", format=form) as d:
        d.title = "références"
        d.version = np.int32(3)
        d.createDimension("time", None)
        d.createDimension("y", 40)
        d.createDimension("x", 50)
        t = d.createVariable("time", "f8", ("time",), **({} if classic else {"chunksizes": (512,)}))
        t.units, t.standard_name = "hours since 2001-01-01", "time"
        t[:] = np.arange(first, first + steps)
        for axis, n in (("y", 40), ("x", 50)):
            v = d.createVariable(axis, "f4", (axis,))
            v[:] = np.linspace(-1, 1, n)
        state = choose.getstate()
        choose.seed(layout)
        for i in range(6):
            dtype = choose.choice(TYPES if classic else TYPES + NEW_TYPES)
            chunks = (choose.choice([1, 2, 4]), choose.choice([40, 20, 17]), choose.choice([50, 25, 13]))
            variable(d, f"v{i}", dtype, ("time", "y", "x"), (steps, 40, 50), classic, chunks)
        if first == 0 and steps == 8:
            variable(d, "still", "f4", ("y", "x"), (40, 50), classic, (40, 25))
            v = d.createVariable("one", "i4", ())
            v[...] = 42
            if not classic:
                v = d.createVariable("holes", "f4", ("y", "x"), zlib=True, chunksizes=(10, 25), fill_value=np.float32(-1))
                v[12:18, :30] = values("f4", (6, 30))  # the other chunks are not stored
                names = d.createVariable("names", str, ("y",))
                names[:] = np.array([f"№ {i}" for i in range(40)], dtype=object)
                g = d.createGroup("deep").createGroup("er")
                variable(g, "inner", "f8", ("y", "x"), (40, 50), False, (10, 50))
        choose.setstate(state)


for n in range(count):
    form = ["NETCDF4", "NETCDF4", "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF4", "NETCDF3_64BIT_DATA"][n % 6]
    layout = choose.randrange(1 << 30)
    if n % 3 < 2:
        write(folder / f"one{n}.nc", form, 8, 0, layout)
        print(f"one{n}\tone{n}.nc")
    else:
        files = [f"part{n}_{k}.nc" for k in range(3)]
        for k, name in enumerate(files):
            write(folder / name, form, 4, 4 * k, layout)
        print(f"part{n}\t" + " ".join(files))
