"""Writes an HDF5 file with hundreds of datasets that szip compressed, and what h5py reads
from it.

    python make_szip.py FOLDER

needs h5py and numpy. The folder gets szip.h5, and expected.json in the form of make.py.
"""

import hashlib
import json
import os
import sys

import h5py
import numpy as np

FOLDER = sys.argv[1]
rng = np.random.default_rng(20261124)
ENTROPY, NEAREST = h5py.h5z.SZIP_EC_OPTION_MASK, h5py.h5z.SZIP_NN_OPTION_MASK


def data(kind, shape, dtype, bits):
    """Elements of integers with so many bits, or of floats."""
    n = int(np.prod(shape))
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        v = np.cumsum(rng.normal(size=n)) if kind != "noise" else rng.normal(size=n)
        return np.where(rng.random(n) < 0.1, -9999, v).reshape(shape).astype(dtype)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.kind == "i" else (0, (1 << bits) - 1)
    if kind == "noise":
        v = rng.integers(low, high, n, dtype=dtype.newbyteorder("="), endpoint=True)
        return v.reshape(shape).astype(dtype)
    high = min(high, 2**62)
    if kind == "few":
        v = np.where(rng.random(n) < 0.03, min(high, 7), 0)
    elif kind == "fill":  # a scene with a frame that is filled, as in swaths of satellites
        v = np.clip(np.cumsum(rng.integers(-2, 3, n)) + high // 3, low, high)
        v[: n // 4] = high
    else:
        v = np.clip(np.cumsum(rng.integers(-3, 4, n)) + (low + high) // 2, low, high)
    return np.asarray(v).reshape(shape).astype(dtype)


def create(g, name, base, precision, shape, chunk, mask, block, kind, setup=lambda p: None):
    t = base.copy()
    if precision:
        t.set_precision(precision)
    p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    p.set_chunk(chunk)
    setup(p)
    p.set_szip(mask, block)
    d = h5py.Dataset(h5py.h5d.create(g.id, name.encode(), t, h5py.h5s.create_simple(shape), p))
    d[...] = data(kind, shape, d.dtype, precision or 8 * t.get_size())


def digest(a):
    return hashlib.sha256(a.astype(a.dtype.newbyteorder("<")).tobytes()).hexdigest()


t = h5py.h5t
integers = [t.STD_I8LE, t.STD_U8LE, t.STD_I16LE, t.STD_U16LE, t.STD_I16BE, t.STD_U16BE, t.STD_I32LE, t.STD_U32LE, t.STD_I32BE, t.STD_I64LE, t.STD_U64BE]
floats = [t.IEEE_F32LE, t.IEEE_F32BE, t.IEEE_F64LE, t.IEEE_F64BE]
shapes = [((30, 40), (10, 16)), ((200,), (64,)), ((7, 5, 9), (4, 5, 9)), ((20, 33), (20, 33)), ((3, 70, 2), (2, 41, 2)), ((2, 5000), (1, 4500))]
kinds = ["smooth", "noise", "few", "fill"]
number = 0
with h5py.File(os.path.join(FOLDER, "szip.h5"), "w", libver="v110") as f:
    for base in integers + floats:
        for mask in (ENTROPY, NEAREST):
            for block in (4, 8, 16, 32):
                shape, chunk = shapes[number % (len(shapes) - (number % 5 > 0))]
                create(f, f"type {number}", base, 0, shape, chunk, mask, block, kinds[number % len(kinds)])
                number += 1
    # Precisions that are smaller than the type, as in a sensor of 12 bits.
    for base, size in ((t.STD_U8LE, 8), (t.STD_U16LE, 16), (t.STD_I16BE, 16), (t.STD_U32LE, 32), (t.STD_I32BE, 32), (t.STD_U64LE, 64)):
        for precision in range(1 + (base in (t.STD_I16BE, t.STD_I32BE)), size, 1 if size < 32 else 3 if size < 64 else 9):
            shape, chunk = shapes[number % 5]
            create(f, f"precision {number}", base, precision, shape, chunk, (ENTROPY, NEAREST)[number % 2], (8, 16, 32)[number % 3], kinds[number % len(kinds)])
            number += 1
    # Behind other filters, and in front of them.
    create(f, "shuffled", t.STD_I32LE, 0, (30, 40), (10, 16), NEAREST, 16, "smooth", lambda p: p.set_shuffle())
    create(f, "checked", t.STD_I16LE, 0, (30, 40), (10, 16), NEAREST, 16, "smooth", lambda p: p.set_fletcher32())
    # As the library writes a grid of HDF-EOS 5, a scene with its attributes.
    scene = f.create_group("HDFEOS/GRIDS/MOD_Grid/Data Fields")
    create(scene, "Cloud_Mask", t.STD_I8BE, 0, (2, 406, 270), (1, 203, 135), NEAREST, 8, "few")
    create(scene, "EV_1KM_RefSB", t.STD_U16BE, 0, (3, 203, 271), (1, 40, 271), NEAREST, 8, "fill")
    scene["EV_1KM_RefSB"].attrs["valid_range"] = np.array([0, 32767], "u2")
    # And a swath, with its geolocation, filled pixels, scaled integers, and all filters in a row.
    geolocation = f.create_group("HDFEOS/SWATHS/MOD_Swath/Geolocation Fields")
    create(geolocation, "Latitude", t.IEEE_F32BE, 0, (81, 54), (20, 54), NEAREST, 16, "smooth")
    create(geolocation, "Longitude", t.IEEE_F32LE, 0, (81, 54), (20, 54), ENTROPY, 32, "smooth", lambda p: p.set_shuffle())
    create(geolocation, "Time", t.IEEE_F64BE, 0, (81,), (20,), NEAREST, 10, "smooth")
    swath = f.create_group("HDFEOS/SWATHS/MOD_Swath/Data Fields")
    create(swath, "Brightness_Temperature", t.STD_I16BE, 0, (2, 81, 54), (1, 20, 54), NEAREST, 8, "fill", lambda p: p.set_shuffle())
    create(swath, "Water_Vapor", t.STD_I16LE, 12, (81, 54), (20, 54), ENTROPY, 4, "fill")
    create(swath, "Quality_Assurance", t.STD_U8BE, 0, (81, 54, 5), (20, 54, 5), NEAREST, 8, "few")
    for name, filled in (("Brightness_Temperature", 2**15 - 1), ("Water_Vapor", 2**11 - 1)):
        swath[name].attrs["_FillValue"] = np.array([filled], swath[name].dtype)
        swath[name].attrs["scale_factor"], swath[name].attrs["add_offset"] = 0.01, -15000.0
    for name in ("Latitude", "Longitude"):
        geolocation[name].attrs["_FillValue"] = np.array([-9999], "f4")
    p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    p.set_chunk((20, 54))
    p.set_fill_value(np.array(-9999, ">f4"))
    p.set_shuffle()
    p.set_szip(NEAREST, 16)
    p.set_fletcher32()
    d = h5py.Dataset(h5py.h5d.create(swath.id, b"Optical_Depth", t.IEEE_F32BE, h5py.h5s.create_simple((81, 54)), p))
    d[:40] = data("smooth", (40, 54), d.dtype, 32)  # the last two rows of chunks have never been written
    f["HDFEOS INFORMATION/StructMetadata.0"] = np.bytes_(
        b"GROUP=SwathStructure\nEND_GROUP=SwathStructure\nGROUP=GridStructure\nEND_GROUP=GridStructure\nEND\n"
    )
result = {}
with h5py.File(os.path.join(FOLDER, "szip.h5")) as f:

    def visit(name, o):
        if isinstance(o, h5py.Dataset) and o.dtype.kind != "S":
            result[name] = {"shape": list(o.shape), "chunks": o.chunks, "sha256": digest(o[()])}

    f.visititems(visit)
print(len(result), "datasets")
with open(os.path.join(FOLDER, "expected.json"), "w") as out:
    json.dump({"reader": f"h5py {h5py.__version__}, libhdf5 {h5py.version.hdf5_version}", "files": {"szip.h5": {"datasets": result, "attributes": {}}}}, out, indent=0)
