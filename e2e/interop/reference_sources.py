"""Writes HDF5 files, and tables of references to their chunks, with kerchunk and VirtualiZarr.

    reference_sources.py FOLDER SEED COUNT

FOLDER gets COUNT files of random arrays, and for each file N several tables: FILE.json by
kerchunk, with small chunks inline; FILE_templates.json, which is the same table of version 1 with
templates; FILE.parq, in Parquet, by kerchunk; FILE_virtual.json and FILE_virtual.parq by
VirtualiZarr. It prints a line for each table: the table and the file.
"""

import json
import pathlib
import random
import sys
import warnings

import fsspec
import h5py
import hdf5plugin
import numpy as np
from fsspec.implementations.reference import LazyReferenceMapper
from kerchunk.df import refs_to_dataframe
from kerchunk.hdf import SingleHdf5ToZarr
from obstore.store import LocalStore
from virtualizarr import open_virtual_dataset
from virtualizarr.parsers import HDFParser

try:
    from obspec_utils.registry import ObjectStoreRegistry
except ImportError:
    from virtualizarr.registry import ObjectStoreRegistry

warnings.simplefilter("ignore")
folder, seed, count = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]), int(sys.argv[3])
fs = fsspec.filesystem("file")
registry = ObjectStoreRegistry({"file://": LocalStore()})
TYPES = ["i1", "u1", "<i2", ">i2", "<u4", ">i4", "<i8", ">u8", "<f4", ">f4", "<f8", ">f8", "S5", "?"]
FILTERS = [{}, {"compression": "gzip", "compression_opts": 5}, {"shuffle": True}, {"compression": "gzip", "shuffle": True},
           {"compression": "gzip", "shuffle": True, "fletcher32": True}, {"fletcher32": True},
           dict(hdf5plugin.Zstd()), dict(hdf5plugin.Blosc(cname="lz4", shuffle=1))]


def skipped(path):
    """Whether a filter was skipped for a chunk, which VirtualiZarr does not notice."""
    with h5py.File(path) as f:
        arrays = [a for a in f.values() if isinstance(a, h5py.Dataset) and a.chunks]
        return any(a.id.get_chunk_info(i).filter_mask for a in arrays for i in range(a.id.get_num_chunks()))


def values(r, dtype, shape, few):
    """Random bytes, so that NaNs of all kinds occur; or few different ones, which can be compressed."""
    if few:
        return np.resize(values(r, dtype, (1,), False), shape)
    dtype = np.dtype(dtype)
    n = int(np.prod(shape, dtype=int))
    if dtype == bool:
        data = r.integers(0, 2, n).astype(bool)
    elif dtype.kind == "S":
        data = r.integers(97, 123, n * dtype.itemsize, dtype=np.uint8).view(dtype)
    else:
        data = r.integers(0, 256, n * dtype.itemsize, dtype=np.uint8).view(dtype)
    return data.reshape(shape)


def write(path, r, choose):
    with h5py.File(path, "w", libver=choose.choice(["earliest", "latest"])) as f:
        for k in range(6):
            dtype = choose.choice(TYPES)
            shape = tuple(choose.sample(range(1, 60), choose.randint(1, 3)))
            group = choose.choice(["", "g/", "g/deep/"])
            options = {}
            few = choose.random() < 0.7
            if choose.random() < 0.8:
                options["chunks"] = tuple(choose.randint((n + 1) // 2 if few else 1, n) for n in shape)
                options.update(choose.choice(FILTERS))
                if choose.random() < 0.3:
                    options["maxshape"] = (None,) + shape[1:]
            if np.dtype(dtype).kind in "iu" and choose.random() < 0.5:
                options["fillvalue"] = 7
            d = f.create_dataset(f"{group}x{k}", shape, dtype, **options)
            part = shape[0] if choose.random() < 0.6 or dtype == "S5" else choose.randint(0, shape[0])
            if part:  # kerchunk takes a space for the fill value of strings, so these are written whole
                d[:part] = values(r, dtype, (part,) + shape[1:], few)
            d.attrs["units"] = "m"
            for k, n in enumerate(shape):
                if f"d{n}" not in f:
                    f[f"d{n}"] = np.arange(n, dtype="i4")
                    f[f"d{n}"].make_scale(f"d{n}")
                d.dims[k].attach_scale(f[f"d{n}"])
        f["scalar"] = np.float64(choose.random())


for n in range(count):
    choose = random.Random(f"{seed}-{n}")
    r = np.random.default_rng([seed, n])
    path = folder / f"file {n}.nc"
    write(path, r, choose)
    table = SingleHdf5ToZarr(str(path), inline_threshold=choose.choice([0, 50, 300])).translate()
    name = str(folder / f"file{n}")
    with open(f"{name}.json", "w") as f:
        json.dump(table, f)
    print(f"{name}.json\t{path}")

    short = {"version": 1, "templates": {"u": str(folder), "f": "{{ folder }}/{{ name }} {{ number }}.nc"}, "gen": [], "refs": {}}
    for key, value in table["refs"].items():
        if isinstance(value, list) and choose.random() < 0.3:
            short["gen"].append({"key": key, "url": "{{ f(folder=u, name='file', number=n) }}", "offset": "{{ a * 2 + " + str(value[1] % 2) + " }}",
                                 "length": str(value[2]), "dimensions": {"n": [n], "a": {"start": value[1] // 2, "stop": value[1] // 2 + 1}}})
        elif isinstance(value, list):
            short["refs"][key] = ["{{u}}/file " + str(n) + ".nc"] + value[1:]
        else:
            short["refs"][key] = value
    with open(f"{name}_templates.json", "w") as f:
        json.dump(short, f)
    expanded = fsspec.filesystem("reference", fo=f"{name}_templates.json", remote_protocol="file", simple_templates=False, skip_instance_cache=True).references
    assert {k: v for k, v in expanded.items() if isinstance(v, list)} == {k: v for k, v in table["refs"].items() if isinstance(v, list)}
    print(f"{name}_templates.json\t{path}")

    refs_to_dataframe(table["refs"], f"{name}.parq", record_size=choose.choice([3, 10, 10000]))
    print(f"{name}.parq\t{path}")

    if skipped(path):
        continue
    try:
        virtual = open_virtual_dataset(f"file://{path}", registry=registry, parser=HDFParser(), loadable_variables=[])
    except Exception as err:  # what VirtualiZarr does not read is not the matter here
        print(f"VirtualiZarr: {path}: {err}", file=sys.stderr)
        continue
    for kind in ["json", "parquet"]:
        at = f"{name}_virtual.{'json' if kind == 'json' else 'parq'}"
        try:
            (virtual if kind == "json" else virtual.drop_vars("scalar")).vz.to_kerchunk(at, format=kind)  # it writes no scalars in Parquet
        except Exception as err:
            print(f"VirtualiZarr: {path}: {err}", file=sys.stderr)
            continue
        print(f"{at}\t{path}")
