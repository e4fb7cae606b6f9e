"""Generates NetCDF files with characters, and compares what xarray reads from them with what
xarray reads from their copies: characters.py FOLDER, then characters.py FOLDER check."""

import json
import pathlib
import random
import sys
import warnings

import netCDF4
import numpy as np
import xarray as xr

FORMATS = ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "NETCDF4", "NETCDF4_CLASSIC"]


def texts(r, shape, length, ascii_only):
    """Texts of at most length bytes."""
    letters = "abcxyz 019" if ascii_only else "abäö€z "
    made = np.empty(shape, dtype=object)
    for index in np.ndindex(*shape):
        text = ""
        for _ in range(r.randint(0, length)):
            text += r.choice(letters)
        while len(text.encode()) > length:
            text = text[:-1]
        made[index] = text
    return made


def characters(made, length):
    raw = np.zeros(made.shape + (length,), "S1")
    for index in np.ndindex(*made.shape):
        for i, byte in enumerate(made[index].encode()):
            raw[index + (i,)] = bytes([byte])
    return raw


def write(path, r, form, rows, first):
    with netCDF4.Dataset(path, "w", format=form) as d:
        d.set_auto_mask(False)
        d.createDimension("time", None if r.random() < 0.8 else rows)
        for name, n in {"x": 3, "y": 2, "n": 5, "m": 12, "free": 4}.items():
            d.createDimension(name, n)
        time = d.createVariable("time", "f8", ("time",))
        time.units = "hours since 2000-01-01"
        time[:] = np.arange(first, first + rows)
        field = d.createVariable("field", "f4", ("time", "x"))
        field[:] = np.arange(rows * 3).reshape(rows, 3)
        if r.random() < 0.3:  # a dimension of numbers cannot be that of texts
            d.createVariable("numbers", "i2", ("free",))[:] = 7
        for k, dims in enumerate([("x", "n"), ("time", "m"), ("y", "x", "n"), ("n",), ("time", "x"), ("x", "free"), ("time", "y", "m")]):
            if r.random() < 0.3:
                continue
            length = len(d.dimensions[dims[-1]])
            shape = tuple(rows if name == "time" else len(d.dimensions[name]) for name in dims[:-1])
            chunks = {}
            if form == "NETCDF4" and r.random() < 0.5:
                chunks = {"zlib": True, "chunksizes": [max(1, n // 2) for n in shape + (length,)]}
            v = d.createVariable(f"text{k}", "S1", dims, **chunks)
            v.set_auto_chartostring(False)
            encoded = dims[-1] in ("n", "m") and r.random() < 0.5
            v[:] = characters(texts(r, shape, length, not encoded), length)
            v.long_name = "texts"
            if encoded:
                v.setncattr("_Encoding", "utf-8")


def main(folder):
    cases = []
    for number in range(40):
        r = random.Random(number)
        form = FORMATS[number % len(FORMATS)]
        rows = r.randint(1, 5)
        names = [f"{number}.0.nc"]
        state = r.getstate()
        write(folder / names[0], r, form, rows, 0)
        if number % 2:
            r.setstate(state)
            names.append(f"{number}.1.nc")
            write(folder / names[1], r, form, rows, rows)
        source = {"driver": "netcdf", "url": names if len(names) > 1 else names[0]}
        if len(names) > 1:
            source |= {"concat": "time", "join": "override"}
        texts_type = {"data_type": "null_terminated_bytes"}
        job = {"zmigrate": 1, "source": source, "target": {"url": f"{number}.zarr"}, "defaults": {"chunks": {"time": 2, "x": 2}}}
        if number % 4 < 2:
            job["arrays"] = {"text*": texts_type}
        else:
            job["defaults"] |= texts_type
        if number % 3 == 0:
            job["defaults"]["shards"] = {"time": 4, "x": 4}
        (folder / f"{number}.yaml").write_text(json.dumps(job))
        cases.append({"Job": f"{number}.yaml"})
    (folder / "cases.json").write_text(json.dumps(cases))


def check(folder):
    count = 0
    for number in range(40):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parts = [xr.open_dataset(path) for path in sorted(folder.glob(f"{number}.?.nc"))]
            want = parts[0] if len(parts) == 1 else xr.concat(parts, "time", data_vars="minimal", coords="minimal", compat="override")
            got = xr.open_zarr(folder / f"{number}.zarr")
        assert set(want.variables) == set(got.variables), (number, set(want.variables) ^ set(got.variables))
        for name, v in want.variables.items():
            g = got.variables[name]
            if name.startswith("text"):
                count += 1
            at = f"{number}: {name}"
            if v.dtype == "S1" and v.ndim and all(w.dtype.kind == "S" for w in want.variables.values() if v.dims[-1] in w.dims):
                # xarray joins such characters when it opens its own copies, too.
                assert g.values.tobytes() == v.values.tobytes(), at
                continue
            assert v.dims == g.dims, (at, v.dims, g.dims)
            assert v.dtype == g.dtype, (at, v.dtype, g.dtype)
            assert v.values.tolist() == g.values.tolist(), (at, v.values, g.values)
            assert v.attrs.get("long_name") == g.attrs.get("long_name"), at
    assert count > 100, count
    print(f"{count} variables of characters are the same")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        check(pathlib.Path(sys.argv[1]))
    else:
        main(pathlib.Path(sys.argv[1]))
