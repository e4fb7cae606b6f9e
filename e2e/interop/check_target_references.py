"""Compares tables of references that zmigrate made with the files to which they lead.

    check_target_references.py FOLDER

The standard input has a line for each data set: the name of its table, of which FOLDER has
NAME.json and NAME.parq, and the names of its files. xarray must read from the table, by fsspec,
what it reads from the files by netCDF4: all variables of all groups, with their values bit for
bit, their names of dimensions and their attributes, both decoded and as they are stored. It must
read the JSON by the engine kerchunk, too. The Parquet is read with fastparquet and with pyarrow.
"""

import pathlib
import sys
import warnings

import fsspec
import netCDF4
import numpy as np
import xarray as xr
from fsspec.implementations.reference import LazyReferenceMapper

warnings.simplefilter("ignore")
folder = pathlib.Path(sys.argv[1]).resolve()
failed, compared = False, 0


def differ(text):
    global failed
    failed = True
    print("DIFFERENT", text)


def tables(name):
    """Yields the ways to open a table, with arguments for xarray."""
    storage = lambda fo: dict(filename_or_obj="reference://", engine="zarr", backend_kwargs={"consolidated": False, "storage_options": {"fo": fo, "remote_protocol": "file"}})
    yield "json", storage(str(folder / f"{name}.json"))
    yield "parquet", storage(str(folder / f"{name}.parq"))
    local = fsspec.filesystem("file")
    yield "pyarrow", storage(LazyReferenceMapper(str(folder / f"{name}.parq"), fs=local, engine="pyarrow"))
    yield "kerchunk", dict(filename_or_obj=str(folder / f"{name}.json"), engine="kerchunk")


def compare(where, want, got):
    global compared
    if set(want.variables) != set(got.variables):
        differ(f"{where}: variables {sorted(want.variables)}, {sorted(got.variables)}")
    if want.attrs.keys() != got.attrs.keys() or any(np.any(want.attrs[k] != got.attrs[k]) for k in want.attrs):
        differ(f"{where}: attributes {want.attrs}, {got.attrs}")
    for v in set(want.variables) & set(got.variables):
        w, g = want[v], got[v]
        compared += 1
        if w.dims != g.dims or w.attrs != g.attrs:
            differ(f"{where} {v}: {w.dims} {w.attrs}, {g.dims} {g.attrs}")
        elif w.dtype.kind in "OUT":
            if list(map(str, w.values.ravel())) != list(map(str, g.values.ravel())):
                differ(f"{where} {v}: other texts")
        elif w.dtype != g.dtype or np.ascontiguousarray(w.values).tobytes() != np.ascontiguousarray(g.values).tobytes():
            differ(f"{where} {v}: {w.dtype} {w.shape}, {g.dtype} {g.shape}, or other values")


def groups(path):
    """Lists the groups of a file."""
    def below(g, name):
        yield name
        for k, x in g.groups.items():
            yield from below(x, f"{name}/{k}" if name else k)
    with netCDF4.Dataset(path) as d:
        return list(below(d, ""))


for line in sys.stdin:
    name, files = line.rstrip("\n").split("\t")
    files = [folder / f for f in files.split(" ")]
    for group in groups(files[0]):
        for decode in (True, False):
            options = dict(group=group or None, decode_cf=decode, decode_timedelta=False)
            parts = [xr.open_dataset(f, engine="netcdf4", **options) for f in files]
            want = parts[0] if len(parts) == 1 else xr.concat(parts, "time", data_vars="minimal", coords="minimal", compat="override", join="override")
            for kind, how in tables(name):
                if kind == "kerchunk" and not decode:
                    continue  # this engine always decodes
                with xr.open_dataset(**how, **options) as got:
                    compare(f"{name} {kind} /{group} {'decoded' if decode else 'stored'}", want, got)
print(f"{compared} variables compared")
sys.exit(failed)
