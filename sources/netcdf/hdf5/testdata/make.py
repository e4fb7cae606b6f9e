"""Writes HDF5 files of many kinds, and what h5py reads from them.

    python make.py FOLDER

needs h5py, hdf5plugin and numpy. The folder gets the files and expected.json:
for each file and path, the shape, the SHA-256 of the elements in C order,
little-endian and without padding (of texts of variable length: each followed
by a zero byte), and the same of each attribute.
"""

import ctypes
import glob
import hashlib
import json
import os
import sys

import h5py
import hdf5plugin
import numpy as np

FOLDER = sys.argv[1]
rng = np.random.default_rng(20261121)


def data(shape, dtype):
    n = int(np.prod(shape))
    return (np.cumsum(rng.integers(-3, 4, n)) + 40).reshape(shape).astype(dtype)


def library():
    """The library that h5py is linked with, for what h5py has no name for."""
    return ctypes.CDLL(glob.glob(os.path.join(os.path.dirname(h5py.__file__), "..", "h5py.libs", "libhdf5-*"))[0])


def types(g):
    for code in "i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split():
        for order in "<>":
            g.create_dataset(f"{code}_{'little' if order == '<' else 'big'}", data=data((5, 3), order + code))
    g["complex"] = data((4,), "<c8") + np.complex64(1j)
    g["bool"] = np.array([True, False, True])
    g["bytes"] = np.array([b"a", b"bcd", b""], "S5")
    g["text"] = np.array(["x", "grün", "", "z" * 300], object)
    g.create_dataset("text_chunked", data=np.array([f"no. {i}" for i in range(50)], object), chunks=(7,), compression="gzip")
    g["opaque"] = np.array([b"abc", b"def"], "V3")
    g["enum"] = np.array([0, 2, 1], h5py.enum_dtype({"A": 0, "B": 1, "C": 2}, "i2"))
    record = np.dtype([("a", "<i2"), ("b", ">f8"), ("c", "S3")], align=True)
    r = np.zeros(4, record)
    r["a"], r["b"], r["c"] = range(4), [0.5, 1, 2, 3], [b"x", b"yz", b"", b"abc"]
    g["compound"] = r
    a = g.create_dataset("array", (3,), np.dtype(("<i4", (2, 2))))
    a[...] = data((3, 2, 2), "<i4")
    g["scalar"] = np.float64(3.25)
    g["empty"] = np.zeros((0, 4), "f4")
    g["null"] = h5py.Empty("f4")
    g["type"] = np.dtype("<i4")
    g.create_dataset("committed", data=data((3,), "<i4"), dtype=g["type"])
    g["references"] = np.array([g["scalar"].ref, g.ref], h5py.ref_dtype)
    v = g.create_dataset("sequences", (2,), h5py.vlen_dtype("f4"))
    v[0], v[1] = [1, 2, 3], [4]


def layouts(g):
    shape, chunk = (23, 17), (5, 4)
    g.create_dataset("contiguous", data=data(shape, "<f4"))
    g.create_dataset("fixed", data=data(shape, "<i4"), chunks=chunk)
    g.create_dataset("fixed_filtered", data=data(shape, "<i4"), chunks=chunk, compression="gzip")
    g.create_dataset("extensible", data=data((200, 3), "<i2"), chunks=(1, 2), maxshape=(None, 3))
    g.create_dataset("extensible_second", data=data((3, 200), "<i2"), chunks=(2, 1), maxshape=(8, None), compression="lzf")
    g.create_dataset("btree", data=data((60, 40), "<i2"), chunks=(3, 2), maxshape=(None, None), shuffle=True, compression="gzip")
    g.create_dataset("btree_plain", data=data((31, 20), "<i2"), chunks=(3, 4), maxshape=(None, None))
    g.create_dataset("single", data=data(shape, "<u2"), chunks=shape)
    g.create_dataset("single_filtered", data=data(shape, "<u2"), chunks=shape, compression="gzip", fletcher32=True)
    g.create_dataset("paged", data=data((3000,), "<i2"), chunks=(2,))
    d = g.create_dataset("paged_sparse", (6000,), "<i2", chunks=(2,), fillvalue=-7)
    d[3000:3010] = range(10)
    d = g.create_dataset("extensible_paged", (150000,), "u1", chunks=(1,), maxshape=(None,), fillvalue=9)
    d[140000:140005], d[135000:135002] = 1, 2
    d = g.create_dataset("sparse", (100, 100), "<f4", chunks=(10, 10), maxshape=(None, 100), fillvalue=np.nan)
    d[35:47, 20:30] = 5
    g.create_dataset("never", (10, 10), "<f8", fillvalue=1.5)
    g.create_dataset("never_chunked", (10, 10), ">i4", chunks=(3, 3), fillvalue=258)
    d = g.create_dataset("grown", (3, 3), "<i4", chunks=(2, 2), maxshape=(9, 9), fillvalue=4)
    d[...] = 1
    d.resize((8, 7))
    d = g.create_dataset("shrunk", data=data((20, 20), "<i4"), chunks=(3, 3), maxshape=(None, None))
    d.resize((7, 8))
    p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    p.set_chunk((4, 4))
    p.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    s = h5py.h5s.create_simple((10, 9), (20, 30))
    d = h5py.Dataset(h5py.h5d.create(g.id, b"implicit", h5py.h5t.STD_I32LE, s, p))
    d[...] = data((10, 9), "i4")
    p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    p.set_layout(h5py.h5d.COMPACT)
    d = h5py.Dataset(h5py.h5d.create(g.id, b"compact", h5py.h5t.STD_I32BE, h5py.h5s.create_simple((6, 2)), p))
    d[...] = data((6, 2), "i4")
    p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    p.set_chunk((4, 4))
    p.set_deflate(3)
    if g.file.libver[0] not in ("earliest", "v108"):
        library().H5Pset_chunk_opts(ctypes.c_int64(p.id), 2)  # leave chunks at the edges alone
    d = h5py.Dataset(h5py.h5d.create(g.id, b"raw_edges", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((9, 6)), p))
    d[...] = data((9, 6), "i4")


def filters(g):
    shape, chunk = (40, 30), (16, 13)
    for name, options in {
        "gzip": dict(compression="gzip", compression_opts=6),
        "shuffle_gzip": dict(compression="gzip", shuffle=True),
        "fletcher32": dict(fletcher32=True),
        "all": dict(compression="gzip", shuffle=True, fletcher32=True),
        "lzf": dict(compression="lzf"),
        "shuffle_lzf": dict(compression="lzf", shuffle=True),
        "zstd": hdf5plugin.Zstd(),
        "bzip2": hdf5plugin.BZip2(),
        "lz4": hdf5plugin.LZ4(),
        "bitshuffle": hdf5plugin.Bitshuffle(nelems=64, cname="none"),
        "bitshuffle_lz4": hdf5plugin.Bitshuffle(),
        "bitshuffle_zstd": hdf5plugin.Bitshuffle(nelems=48, cname="zstd"),
        "blosc_lz4": hdf5plugin.Blosc(cname="lz4", shuffle=1),
        "blosc_zstd": hdf5plugin.Blosc(cname="zstd", shuffle=2),
        "blosc_blosclz": hdf5plugin.Blosc(cname="blosclz", shuffle=0),
    }.items():
        g.create_dataset(name, data=data(shape, "<f4"), chunks=chunk, **options)
        g.create_dataset(name + "_big", data=data(shape, ">i2"), chunks=chunk, **options)
    for code in "i1 u1 <i2 >u2 <i4 >i8 <u8".split():
        g.create_dataset("scaleoffset_" + code.strip("<>"), data=data(shape, code), chunks=chunk, scaleoffset=0)
    g.create_dataset("scaleoffset_fill", data=data(shape, "<i4"), chunks=chunk, scaleoffset=0, fillvalue=41)
    g.create_dataset("scaleoffset_same", data=np.full(shape, 9, "<i4"), chunks=chunk, scaleoffset=0)
    g.create_dataset("scaleoffset_wild", data=rng.integers(-2**31, 2**31, shape).astype(">i4"), chunks=chunk, scaleoffset=0)
    g.create_dataset("scaleoffset_f4", data=data(shape, "<f4") / 7, chunks=chunk, scaleoffset=3)
    g.create_dataset("scaleoffset_f8", data=data(shape, ">f8") / 7, chunks=chunk, scaleoffset=2, fillvalue=1e20)
    random = rng.integers(0, 256, shape).astype("u1")
    g.create_dataset("incompressible", data=random, chunks=chunk, compression="lzf")

    def low(name, t, setup, values):
        p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        p.set_chunk(chunk)
        setup(p)
        d = h5py.Dataset(h5py.h5d.create(g.id, name, t, h5py.h5s.create_simple(shape), p))
        d[...] = values

    def nbit(p):
        p.set_filter(h5py.h5z.FILTER_NBIT, 0, ())

    for name, base, precision, offset in [
        (b"nbit_i4", h5py.h5t.STD_I32LE, 13, 3), (b"nbit_u2", h5py.h5t.STD_U16BE, 9, 0), (b"nbit_i8", h5py.h5t.STD_I64BE, 40, 10),
    ]:
        t = base.copy()
        t.set_precision(precision)
        t.set_offset(offset)
        low(name, t, nbit, data(shape, "i4") - 40 * (base != h5py.h5t.STD_U16BE))
    reduced = h5py.h5t.STD_I32BE.copy()
    reduced.set_precision(20)
    record = h5py.h5t.create(h5py.h5t.COMPOUND, 12)
    record.insert(b"a", 0, reduced)
    record.insert(b"b", 4, h5py.h5t.IEEE_F32LE)
    record.insert(b"c", 10, h5py.h5t.STD_U8LE)
    r = np.zeros(shape, [("a", "<i4"), ("b", "<f4"), ("c", "u1")])
    r["a"], r["b"], r["c"] = data(shape, "i4") - 30, data(shape, "f4") / 7, data(shape, "u1")
    low(b"nbit_compound", record, nbit, r)
    low(b"nbit_array", h5py.h5t.array_create(reduced, (2, 3)), nbit, data(shape + (2, 3), "i4") - 35)
    low(b"nbit_whole", h5py.h5t.IEEE_F32LE, nbit, data(shape, "f4"))
    if h5py.h5z.filter_avail(h5py.h5z.FILTER_SZIP):
        low(b"szip", h5py.h5t.STD_I32LE, lambda p: p.set_szip(h5py.h5z.SZIP_NN_OPTION_MASK, 8), data(shape, "i4"))


def groups(g):
    for i in range(60):
        g.create_group(f"group {i:02}/inner").create_dataset("v", data=np.arange(i, dtype="<i4"))
    p = h5py.h5p.create(h5py.h5p.GROUP_CREATE)
    library().H5Pset_deflate(ctypes.c_int64(p.id), 6)
    library().H5Pset_shuffle(ctypes.c_int64(p.id))
    packed = h5py.Group(h5py.h5g.create(g.id, b"packed", gcpl=p))
    for i in range(80):
        packed[f"a link with a long name, number {i}"] = g["group 03/inner/v"]
    g["soft"] = h5py.SoftLink("group 07/inner/v")
    g["absolute"] = h5py.SoftLink(g.name.rstrip("/") + "/group 08")
    g["dangling"] = h5py.SoftLink("nowhere")
    g["external"] = h5py.ExternalLink("other.h5", "/there")
    g["hard"] = g["group 09/inner"]
    g["cycle/self"] = g


def attributes(g):
    a = g.create_dataset("few", data=np.int32(1)).attrs
    a["number"] = np.float32(1.5)
    a["big"] = np.array([1, 2, 3], ">i2")
    a["text"] = "grün"
    a["bytes"] = np.bytes_(b"fixed")
    a["texts"] = ["a", "", "ccc"]
    a["matrix"] = data((2, 3), "<i8")
    a["empty"] = h5py.Empty("f4")
    a["none"] = np.zeros(0, "f4")
    a["flag"] = True
    b = g.create_dataset("many", data=np.int32(1)).attrs
    for i in range(120):
        b[f"attribute {i:03}"] = data((i % 7 + 1,), "<f8")
    if g.file.libver[0] != "earliest":
        b["huge"] = data((20000,), "<i4")
        b["large"] = data((1000,), "<i4")


def everything(f):
    for part in (types, layouts, filters, groups, attributes):
        part(f.create_group(part.__name__))


def shared_messages(path):
    p = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    lib, plist = library(), ctypes.c_int64(p.id)
    assert lib.H5Pset_shared_mesg_nindexes(plist, 2) == 0
    assert lib.H5Pset_shared_mesg_index(plist, 0, 1 << 3 | 1 << 1, 10) == 0
    assert lib.H5Pset_shared_mesg_index(plist, 1, 1 << 12 | 1 << 5 | 1 << 11, 10) == 0
    fid = h5py.h5f.create(path.encode(), h5py.h5f.ACC_TRUNC, p)
    with h5py.File(fid) as f:
        for i in range(30):
            d = f.create_dataset(f"d{i:02}", data=data((20, 3), "<f4"), chunks=(7, 3), compression="gzip", fillvalue=2.5)
            d.attrs["shared text"] = np.bytes_(b"the same text in all of them")
            d.attrs["list"] = np.arange(12, dtype="<i8")


def digest(a):
    """The SHA-256 of elements, or None for what is not compared."""
    t = a.dtype
    if h5py.check_string_dtype(t) and h5py.check_string_dtype(t).length is None:
        return hashlib.sha256(b"".join((s if isinstance(s, bytes) else s.encode()) + b"\0" for s in a.ravel())).hexdigest()
    if t.hasobject:
        return None
    if t.names:
        packed = np.dtype([(n, t[n].newbyteorder("<")) for n in t.names])
        a = a.astype(packed)
    return hashlib.sha256(a.astype(a.dtype.newbyteorder("<")).tobytes()).hexdigest()


def expected(f):
    datasets, attrs = {}, {}

    def visit(name, o):
        for key in o.attrs:
            v = o.attrs[key]
            if isinstance(v, h5py.Empty):
                entry = {"shape": None}
            else:
                v = np.asarray(v, object if isinstance(v, str) else None)
                if v.dtype == object or v.dtype.kind == "U":
                    sha = hashlib.sha256(b"".join(s.encode() + b"\0" for s in v.ravel())).hexdigest()
                else:
                    sha = digest(v)
                entry = {"shape": list(v.shape), "sha256": sha}
            attrs[f"{name}@{key}"] = entry
        if not isinstance(o, h5py.Dataset):
            return
        if o.shape is None:
            datasets[name] = {"shape": None}
            return
        try:
            v = o[()]
        except OSError as e:
            print(name, e)
            return
        v = np.asarray(v)
        datasets[name] = {"shape": list(v.shape), "chunks": o.chunks, "sha256": digest(v)}

    f.visititems(visit)
    return {"datasets": datasets, "attributes": attrs}


files = {
    "earliest.h5": dict(libver="earliest"),
    "v108.h5": dict(libver=("v108", "v108")),
    "v110.h5": dict(libver=("v110", "v110")),
    "latest.h5": dict(libver="latest"),
}
for name, options in files.items():
    with h5py.File(os.path.join(FOLDER, name), "w", **options) as f:
        everything(f)
with h5py.File(os.path.join(FOLDER, "userblock.h5"), "w", userblock_size=1024, libver="earliest") as f:
    layouts(f)
with open(os.path.join(FOLDER, "userblock.h5"), "r+b") as f:
    f.write(b"a header of another program")
with h5py.File(os.path.join(FOLDER, "order.h5"), "w", track_order=True) as f:
    for i in (3, 1, 2):
        f.create_group(f"g{i}", track_order=True)
        f[f"g{i}"].attrs["z"], f[f"g{i}"].attrs["a"] = 1, 2
    dense = f.create_group("dense", track_order=True)
    for i in rng.permutation(100):
        dense.create_group(f"m{i}")
        dense.attrs[f"a{i}"] = int(i)
shared_messages(os.path.join(FOLDER, "shared.h5"))



def tiny(f):
    """A bit of everything in few bytes; with checksums where the format has them."""
    g = f.create_group("g")
    options = dict(fletcher32=True)
    g.create_dataset("fixed", data=data((6, 5), "<i2"), chunks=(4, 3), **options).attrs["units"] = np.bytes_(b"m")
    g.create_dataset("extensible", data=data((9,), ">i2"), chunks=(2,), maxshape=(None,), **options)
    g.create_dataset("btree", data=data((3, 4), "u1"), chunks=(2, 2), maxshape=(None, None), compression="gzip", **options)
    g.create_dataset("single", data=data((4,), "<f4"), chunks=(4,), compression="gzip")
    g["soft"] = h5py.SoftLink("fixed")
    for i in range(10):
        f.attrs[f"a{i}"] = np.int16(i)


with h5py.File(os.path.join(FOLDER, "tiny_checked.h5"), "w", libver="v110") as f:
    tiny(f)
with h5py.File(os.path.join(FOLDER, "tiny_plain.h5"), "w", libver="earliest") as f:
    tiny(f)
    f["text"] = np.array(["a", "bc"], object)
    f["contiguous"] = data((3,), "<i4")
    f.create_dataset("lzf", data=data((40,), "<i4"), compression="lzf", shuffle=True)
    f.create_dataset("scaleoffset", data=data((40,), "<i4"), scaleoffset=0)

for version, kinds in {"v108": {"btree1": (None,)}, "v110": {"fixed": (12000,), "extensible": (None,), "btree2": (None, None)}}.items():
    with h5py.File(os.path.join(FOLDER, f"chunks_{version}.h5"), "w", libver=(version, version)) as f:
        for kind, limit in kinds.items():
            shape, chunk = ((12000,), (2,)) if len(limit) == 1 else ((6000, 2), (1, 2))
            f.create_dataset(kind, data=np.zeros(shape, "<i2"), chunks=chunk, maxshape=limit)

with h5py.File(os.path.join(FOLDER, "refused.h5"), "w", libver="v110") as f:
    f.create_dataset("external", (4,), "<i4", external=[("other.bin", 0, 16)])
    layout = h5py.VirtualLayout((4,), "<i4")
    layout[:] = h5py.VirtualSource("other.h5", "d", (4,))
    f.create_virtual_dataset("virtual", layout)
    f.create_dataset("sz3", data=data((40,), "<f4"), **hdf5plugin.SZ3(absolute=0.1))

result = {}
for name in sorted(os.listdir(FOLDER)):
    if name.endswith(".h5") and name != "refused.h5":
        with h5py.File(os.path.join(FOLDER, name)) as f:
            result[name] = expected(f)
with open(os.path.join(FOLDER, "expected.json"), "w") as f:
    json.dump({"reader": f"h5py {h5py.__version__}, libhdf5 {h5py.version.hdf5_version}", "files": result}, f, indent=0)
