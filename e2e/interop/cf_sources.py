"""Writes packed NetCDF variables, and the physical values that other programs read.

    cf_sources.py DIR SEED

writes into DIR:

packed.nc      variables of every type for which CF packing is used
NAME.bin       the values of variable NAME, in C order and the host's byte order; missing
               values are NaN
expected.json  the data types by NAME

netCDF4-python, which knows valid ranges, reads the variables masked_*. xarray, which
knows _Unsigned, reads the others. Both choose the types of the CF conventions for
headers that keep CF's own rules, and all headers written here do.
"""

import json
import pathlib
import sys

import netCDF4
import numpy as np
import xarray

INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
SHAPE = (5, 7, 31)


def parameter(random, t):
    return np.dtype(t).type(random.choice([-1, 1]) * 10 ** random.uniform(-6, 4))


def stored(random, t, special):
    """Values of all magnitudes, with special ones among them."""
    count = int(np.prod(SHAPE))
    if t[0] == "f":
        data = (random.standard_normal(count) * 10 ** random.uniform(-3, 5, count)).astype(t)
    else:
        data = random.integers(0, 256, count * np.dtype(t).itemsize, np.uint8).view(t).copy()
    for value in special:
        data[random.integers(0, count, count // 20)] = value
    return data.reshape(SHAPE)


def write_variable(out, random, name, t, masked):
    attributes = {}
    # float32 packs at most 16 bits by CF's rules; xarray and netCDF4-python
    # each have rules of their own for headers that break CF's.
    small = np.dtype(t).itemsize <= 2 or t == "f4"
    kind = str(random.choice(["f4", "f8"])) if small else "f8"
    which = random.integers(0, 3)
    if which != 1 or kind == "f4":
        attributes["scale_factor"] = parameter(random, kind)
    if which != 0:
        attributes["add_offset"] = parameter(random, kind)

    limits = np.finfo(t) if t[0] == "f" else np.iinfo(t)
    edges = [limits.min, limits.max, 0, 1]
    special = [np.dtype(t).type(v) for v in random.permutation(np.array(edges, dtype=t))]
    unsigned = t in ("i1", "i2") and not masked and random.random() < 0.5
    fill = special[0] if masked or random.random() < 0.6 else None
    if unsigned:
        attributes["_Unsigned"] = "true"
    elif random.random() < 0.5:
        attributes["missing_value"] = np.array(special[1 : int(random.integers(2, 4))])
    if masked:
        low, high = np.sort(stored(random, t, []).flat[:2])
        if random.random() < 0.5:
            attributes["valid_range"] = np.array([low, high], t)
        else:
            attributes["valid_min"] = low
    v = out.createVariable(name, t, ("a", "b", "c"), fill_value=fill)
    v.setncatts(attributes)
    v.set_auto_maskandscale(False)
    v[...] = stored(random, t, special)


def main():
    directory, random = pathlib.Path(sys.argv[1]), np.random.default_rng(int(sys.argv[2]))
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / "packed.nc"
    with netCDF4.Dataset(file, "w", format="NETCDF3_64BIT_DATA") as out:
        for name, size in zip("abc", SHAPE):
            out.createDimension(name, size)
        for t in [*INTEGERS, "f4", "f8"]:
            for i in range(8):
                write_variable(out, random, f"plain_{t}_{i}", t, False)
                if t[0] != "f":
                    write_variable(out, random, f"masked_{t}_{i}", t, True)
    expected = {}

    def keep(name, values):
        expected[name] = values.dtype.name
        np.ascontiguousarray(values).tofile(directory / f"{name}.bin")

    with netCDF4.Dataset(file) as data:
        for name in data.variables:
            if name.startswith("masked_"):
                keep(name, np.ma.filled(data[name][...], np.nan))
    with xarray.open_dataset(file, engine="netcdf4", decode_times=False) as data:
        for name in data.variables:
            if name.startswith("plain_"):
                keep(name, data[name].values)
    (directory / "expected.json").write_text(json.dumps(expected))
    print(f"{len(expected)} variables")


main()
