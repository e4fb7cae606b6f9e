"""Writes HDF5 files with compounds, sequences, references and attributes of compounds, and
what h5py reads from them.

    python make_types.py FOLDER

needs h5py and numpy. The folder gets types_earliest.h5 and types_latest.h5, and in
expected.json: for each array that a file becomes if each member of compounds becomes an array,
the shape and the SHA-256 of the elements in C order, little-endian, texts each with a zero
byte behind it; and the JSON of attributes.
"""

import hashlib
import json
import os
import sys

import h5py
import numpy as np

FOLDER = sys.argv[1]
rng = np.random.default_rng(20261124)
numbers = ["<i1", "<u2", ">i4", "<i8", ">u4", "<f4", ">f8", "<f2", "?"]


def random_type(depth=0):
    """A random compound."""
    members = []
    for i in range(int(rng.integers(1, 6))):
        kind = int(rng.integers(0, 8 if depth < 2 else 7))
        name = f"m{i}" + ("é", "", " x", "")[i % 4]
        if kind < 3:
            members.append((name, str(rng.choice(numbers))))
        elif kind == 3:
            members.append((name, f"S{int(rng.integers(1, 9))}"))
        elif kind == 4:
            members.append((name, str(rng.choice(numbers[:8])), tuple(int(n) for n in rng.integers(1, 4, int(rng.integers(1, 3))))))
        elif kind == 5:
            members.append((name, h5py.string_dtype()))
        elif kind == 6:
            members.append((name, h5py.enum_dtype({"A": 0, "B": 5}, "<i2")))
        else:
            members.append((name, random_type(depth + 1)))
    return np.dtype(members, align=bool(rng.integers(0, 2)))


def fill(a):
    """Random elements for a compound."""
    for name in a.dtype.names:
        t = a.dtype[name]
        if t.names:
            fill(a[name])
        elif h5py.check_string_dtype(t) and h5py.check_string_dtype(t).length is None:
            a[name] = [f"t{rng.integers(0, 99)}é" * int(rng.integers(0, 3)) for _ in range(len(a))]
        elif t.kind == "S":
            a[name] = [b"abcdefgh"[: int(rng.integers(0, t.itemsize + 1))] for _ in range(len(a))]
        elif h5py.check_enum_dtype(t):
            a[name] = rng.choice([0, 5], len(a))
        else:
            a[name] = rng.integers(0, 100, (len(a), *t.shape)).astype(t.base)


def compounds(g):
    for number in range(120):
        t = random_type()
        n = int(rng.integers(1, 60))
        a = np.zeros(n, t)
        fill(a)
        shape = (n,) if n % 2 else (2, n // 2)
        options = [{}, {"chunks": tuple(max(1, k // 3) for k in shape)}, {"chunks": shape, "compression": "gzip", "shuffle": True}][number % 3]
        d = g.create_dataset(f"c{number:03}", data=a.reshape(shape), **options)
        d.attrs["number"] = number
    d = g.create_dataset("never", (6,), np.dtype([("a", "<i4"), ("b", ">f8", (2,))]), chunks=(2,), fillvalue=np.array((3, [1.5, 2.5]), [("a", "<i4"), ("b", ">f8", (2,))])[()])
    d[2:4] = np.ones(2, d.dtype)


def sequences(g):
    for number, base in enumerate(["<f4", ">i2", "<i8", "u2", "f8"] * 8):
        shape = [(int(rng.integers(1, 80)),), (int(rng.integers(1, 9)), 7), (3, 2, 5), ()][number % 4]
        options = {"chunks": tuple(max(1, k // 2) for k in shape), "compression": "gzip"} if number % 3 == 1 and shape else {}
        d = g.create_dataset(f"s{number:02}", shape, h5py.vlen_dtype(np.dtype(base)), **options)
        for index in np.ndindex(*shape):
            if rng.random() < 0.8:
                v = rng.integers(0, 1000, int(rng.integers(0, 12))).astype(base)
                d[index if shape else ()] = v
    g.create_dataset("never", (4,), h5py.vlen_dtype(np.dtype("<f4")), chunks=(2,))


def references(g):
    objects = [g.name, g.parent.name + "compounds/c003", "/sequences", "/compounds/c010"]
    g["objects"] = np.array([g.file[o].ref for o in objects], h5py.ref_dtype)
    d = g.create_dataset("some", (2, 3), h5py.ref_dtype)
    d[0, 1], d[1, 2] = g.file["/compounds"].ref, g.ref
    m = g.create_dataset("matrix", data=np.arange(120).reshape(10, 12))
    r = g.create_dataset("regions", (4,), h5py.regionref_dtype)
    r[0], r[1], r[2] = m.regionref[2:5, 3:4], m.regionref[...], m.regionref[0, :]
    both = np.dtype([("to", h5py.ref_dtype), ("n", "<i4")])
    c = g.create_dataset("compound", (2,), both)
    c[0] = (m.ref, 1)
    c[1] = (g.ref, 2)


def attributes(g):
    a = g.create_dataset("d", data=np.int32(1)).attrs
    for number in range(40):
        t = random_type()
        v = np.zeros(1 + number % 3, t)
        fill(v)
        a[f"compound {number}"] = v[0] if number % 2 else v
    a["nested"] = np.array([(1.5, (np.nan, b"x")), (-np.inf, (2, b""))], [("a", "<f8"), ("b", [("c", "<f4"), ("d", "S3")])])
    a["matrix"] = np.array([[(1,), (2,)], [(3,), (4,)]], [("a", "<i2")])
    two = np.empty(2, object)
    two[0], two[1] = np.array([1, 2, 3], "<i4"), np.array([], "<i4")
    a.create("sequence", two, (2,), h5py.vlen_dtype("<i4"))
    a["reference"] = g.ref


def tiny():
    """A bit of everything in few bytes, for tests that change each of them."""
    with h5py.File(os.path.join(FOLDER, "tiny_types.h5"), "w", libver="v110") as f:
        t = np.dtype([("a", "<i2"), ("b", [("c", h5py.string_dtype()), ("d", ">f4", (2,))]), ("e", h5py.ref_dtype)])
        c = f.create_dataset("c", (3,), t, chunks=(2,))
        for i in range(2):
            c[i] = (i, ("text" * i, (1, 2)), f.ref)
        s = f.create_dataset("s", (2, 2), h5py.vlen_dtype(np.dtype("<i2")))
        s[0, 1], s[1, 1] = np.array([1, 2, 3], "<i2"), np.array([4], "<i2")
        r = f.create_dataset("r", (2,), h5py.regionref_dtype)
        r[0], r[1] = c.regionref[1:2], c.regionref[...]
        f.attrs["x"] = np.array([(1, (2.5, b"y"))], [("p", "<i4"), ("q", [("u", "<f8"), ("v", "S2")])])


def digest(v):
    v = np.asarray(v)
    if v.dtype.hasobject:
        return hashlib.sha256(b"".join((s if isinstance(s, bytes) else s.encode()) + b"\0" for s in v.ravel())).hexdigest()
    return hashlib.sha256(v.astype(v.dtype.newbyteorder("<")).tobytes()).hexdigest()


def entry(v):
    return {"shape": list(v.shape), "sha256": digest(v)}


def path_of(f, ref):
    return f[ref].name if ref else ""


def region_of(f, ref):
    if not ref:
        return ""
    s = h5py.h5r.get_region(ref, f.id)
    name = h5py.h5i.get_name(h5py.h5r.dereference(ref, f.id)).decode()
    if s.get_select_type() == h5py.h5s.SEL_ALL:
        return name + "[...]"
    start, stride, count, block = s.get_regular_hyperslab()
    if max(count) > 1:
        start, count, block = start, (1,) * len(start), count  # stride 1
    return name + "[" + ",".join(f"{a}:{a + b}" for a, b in zip(start, block, strict=True)) + "]"


def fields(out, f, path, v):
    for name in v.dtype.names:
        t = v.dtype[name]
        if h5py.check_ref_dtype(t):
            out[f"{path}/{name}"] = entry(np.array([path_of(f, r) for r in v[name].ravel()], object).reshape(v.shape))
        elif t.names:
            fields(out, f, f"{path}/{name}", v[name])
        else:
            out[f"{path}/{name}"] = entry(v[name])


def as_json(v):
    if isinstance(v, np.void) or (isinstance(v, np.ndarray) and v.dtype.names and v.ndim == 0):
        return {name: as_json(v[name]) for name in v.dtype.names}
    if isinstance(v, np.ndarray):
        return [as_json(x) for x in v]
    if isinstance(v, bytes):
        return v.decode()
    if isinstance(v, np.bool_):
        return int(v)
    if isinstance(v, np.floating):
        return float(v) if np.isfinite(v) else {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(v)]
    return v.item() if isinstance(v, np.generic) else v


tiny()
expected = {}
for version in ("earliest", "latest"):
    name = f"types_{version}.h5"
    with h5py.File(os.path.join(FOLDER, name), "w", libver=version) as f:
        for part in (compounds, sequences, references, attributes):
            part(f.create_group(part.__name__))
    arrays = {}
    with h5py.File(os.path.join(FOLDER, name)) as f:
        for path, d in f["compounds"].items():
            fields(arrays, f, f"compounds/{path}", d[()])
        for path, d in f["sequences"].items():
            rows = [d[i] for i in np.ndindex(*d.shape)] if d.shape else [d[()]]
            offsets = np.cumsum([0] + [len(r) for r in rows]).astype("<i8")
            arrays[f"sequences/{path}/offsets"] = entry(offsets)
            # h5py gives the bytes of big-endian values without swapping them.
            arrays[f"sequences/{path}/values"] = entry(np.concatenate(rows).view(h5py.check_vlen_dtype(d.dtype)))
        g = f["references"]
        for path in ("objects", "some"):
            arrays[f"references/{path}"] = entry(np.array([path_of(f, r) for r in g[path][()].ravel()], object).reshape(g[path].shape))
        arrays["references/regions"] = entry(np.array([region_of(f, r) for r in g["regions"][()]], object))
        fields(arrays, f, "references/compound", g["compound"][()])
        attrs = {}
        for key, v in f["attributes/d"].attrs.items():
            attrs[key] = "/attributes" if key == "reference" else as_json(v)
    expected[name] = {"arrays": arrays, "attributes": attrs}
    print(name, len(arrays), "arrays,", len(attrs), "attributes")
with open(os.path.join(FOLDER, "expected.json"), "w") as f:
    json.dump({"reader": f"h5py {h5py.__version__}, libhdf5 {h5py.version.hdf5_version}", "files": expected}, f, indent=0)
