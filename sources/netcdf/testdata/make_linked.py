"""Writes HDF5 files that refer to each other: external links, elements in other files, and
hundreds of virtual datasets; and what h5py reads from them.

    python make_linked.py FOLDER

needs h5py and numpy. The folder gets linked_earliest.h5 and linked_latest.h5, the files to
which they refer, and expected.json: for each of the two files and each dataset, the shape and
the SHA-256 of the elements in C order, little-endian.
"""

import hashlib
import json
import os
import sys

import h5py
import numpy as np

FOLDER = os.path.abspath(sys.argv[1])
os.chdir(FOLDER)  # libhdf5 finds elements in other files from here
rng = np.random.default_rng(20261124)
os.makedirs("parts", exist_ok=True)


def data(shape, dtype="<i4"):
    return rng.integers(0, 30000, shape).astype(dtype)


def parts():
    """Files with sources of one to three dimensions, stored in several ways."""
    for i in range(4):
        with h5py.File(f"parts/part_{i}.h5", "w", libver=("earliest", "latest")[i % 2]) as f:
            for rank, shape in enumerate([(37,), (12, 17), (6, 7, 8)], 1):
                options = [{}, {"chunks": True, "compression": "gzip"}, {"chunks": True, "shuffle": True}, {}][i]
                f.create_dataset(f"d{rank}", data=data(shape, ("<i4", ">i4")[i % 2]), **options)
            f.create_dataset("text", data=np.array([f"no. {k} of {i}" for k in range(9)], object))
            f.create_dataset("rows", data=data((3 + i, 5)), maxshape=(None, 5), chunks=(2, 5))
            f["soft"] = h5py.SoftLink("/d1")
            f.create_group("g").create_dataset("inner", data=data((4,)))
            f["g/back"] = h5py.ExternalLink("../linked_latest.h5", "/plain")
            f["g/further"] = h5py.ExternalLink("part_1.h5", "/d2")
    for i in range(5):
        with h5py.File(f"block_{i}.h5", "w") as f:
            f["x"] = data((3, 4)) + 100000 * i
            f[f"y{i}"] = data((2,))
    for i, n in enumerate((1000, 400, 3000)):
        data((n,), "u1").tofile(f"parts/raw_{i}.bin")


def external(g):
    """Links to other files."""
    for i in range(4):
        g[f"dataset {i}"] = h5py.ExternalLink(f"parts/part_{i}.h5", f"/d{i % 3 + 1}")
    g["soft"] = h5py.ExternalLink("parts/part_1.h5", "soft")
    g["inner"] = h5py.ExternalLink("./parts/../parts/part_2.h5", "g/inner")
    g["further"] = h5py.ExternalLink("parts/part_0.h5", "g/further")
    g["back"] = h5py.ExternalLink("parts/part_0.h5", "g/back")
    g["through"] = h5py.SoftLink(g.name + "/group/inner")
    g["group"] = h5py.ExternalLink("parts/part_3.h5", "g")


def raw(g):
    """Elements in other files."""
    for name, shape, dtype, files in [
        ("one", (10, 20), "<i2", [("parts/raw_0.bin", 0, 400)]),
        ("open", (30,), ">f8", [("parts/raw_2.bin", 8, h5py.h5f.UNLIMITED)]),
        ("offset", (17, 3), "<u4", [("parts/raw_2.bin", 1001, 204)]),
        ("several", (100, 6), "<i2", [("parts/raw_0.bin", 3, 501), ("parts/raw_1.bin", 0, 400), ("parts/raw_2.bin", 7, 299)]),
        ("bytes", (450,), "u1", [("parts/raw_1.bin", 100, 300), ("parts/raw_0.bin", 0, 150)]),
    ]:
        g.create_dataset(name, shape, dtype, external=files)


def split(n, extent):
    """A random (start, stride, count, block) with n indexes below an extent, or None."""
    for _ in range(20):
        block = int(rng.choice([b for b in range(1, n + 1) if n % b == 0]))
        count = n // block
        stride = block + int(rng.integers(0, 3)) if count > 1 else block
        length = (count - 1) * stride + block
        if length <= extent:
            return int(rng.integers(0, extent - length + 1)), stride, count, block
    return 0, n, 1, n


def select(space, dims):
    start, stride, count, block = (tuple(x) for x in zip(*dims, strict=True))
    space.select_hyperslab(start, count, stride, block)
    return space


def virtual(g):
    sources = {1: (37,), 2: (12, 17), 3: (6, 7, 8)}
    for number in range(150):
        rank = int(rng.integers(1, 4))
        shape = tuple(int(rng.integers(8, 14)) for _ in range(rank))
        p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        p.set_fill_value(np.array(-number, "<i4"))
        # What overlaps is not defined, so each mapping has rows of its own.
        ends = sorted({0, shape[0], *rng.integers(1, shape[0], int(rng.integers(0, 4))).tolist()})
        for low, high in zip(ends, ends[1:], strict=False):
            below = int(rng.integers(1, rank + 1))  # dimensions of the source
            source = sources[below]
            # Along dimensions that the source lacks, the virtual selection has one index.
            own = sorted(rng.choice(rank, below, replace=False).tolist())
            room = (high - low, *shape[1:])
            to, frm = [(int(rng.integers(0, n)), 1, 1, 1) for n in room], []
            for j, k in enumerate(own):
                n = int(rng.integers(1, min(room[k], source[j]) + 1))
                to[k] = split(n, room[k])
                frm.append(split(n, source[j]))
            to[0] = (to[0][0] + low, *to[0][1:])
            file = f"parts/part_{int(rng.integers(0, 5))}.h5"  # number 4 is missing
            vspace, sspace = h5py.h5s.create_simple(shape), h5py.h5s.create_simple(source)
            p.set_virtual(select(vspace, to), file.encode(), f"d{below}".encode(), select(sspace, frm))
        h5py.h5d.create(g.id, f"random {number:03}".encode(), h5py.h5t.STD_I32LE, h5py.h5s.create_simple(shape), p)
    # Whole sources, in the same file and in others.
    g.create_dataset("own", data=data((5, 4)))
    layout = h5py.VirtualLayout((3, 5, 4), "<i4")
    layout[0] = h5py.VirtualSource(".", g.name + "/own", (5, 4))
    layout[2, :, ::2] = h5py.VirtualSource(".", g.name + "/own", (5, 4))[:, 1:3]
    g.create_virtual_dataset("same file", layout, fillvalue=7)
    layout = h5py.VirtualLayout((9,), h5py.string_dtype())
    layout[:] = h5py.VirtualSource("parts/part_0.h5", "text", (9,), h5py.string_dtype())
    g.create_virtual_dataset("text", layout)
    layout = h5py.VirtualLayout((4, 37), "<i4")
    for i in range(4):
        layout[3 - i] = h5py.VirtualSource(f"parts/part_{i}.h5", "soft", (37,))
    g.create_virtual_dataset("nested source", layout)
    layout = h5py.VirtualLayout((2, 37), "<i4")
    layout[0] = h5py.VirtualSource(".", g.name + "/nested source", (4, 37))[2]
    g.create_virtual_dataset("nested", layout, fillvalue=1)


def endless(g):
    """Selections without an end, whose extents are those of the sources."""
    unlimited = h5py.h5s.UNLIMITED

    def create(name, shape, limits, mappings):
        p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        p.set_fill_value(np.array(-1, "<i4"))
        for to, file, path, source, limit, frm in mappings:
            p.set_virtual(select(h5py.h5s.create_simple(shape, limits), to), file, path, select(h5py.h5s.create_simple(source, limit), frm))
        h5py.h5d.create(g.id, name, h5py.h5t.STD_I32LE, h5py.h5s.create_simple(shape, limits), p)

    rows = ((3, 5), (unlimited, 5))
    create(b"rows", (1, 5), (unlimited, 5), [([(0, 1, unlimited, 1), (0, 5, 1, 5)], b"parts/part_2.h5", b"rows", *rows, [(0, 1, unlimited, 1), (0, 5, 1, 5)])])
    create(b"every other", (1, 5), (unlimited, 5), [
        ([(i, 2, unlimited, 1), (0, 5, 1, 5)], f"parts/part_{i}.h5".encode(), b"rows", *rows, [(0, 1, unlimited, 1), (0, 5, 1, 5)]) for i in (0, 1)
    ])
    create(b"blocks", (1, 5), (unlimited, 5), [([(1, 3, unlimited, 2), (0, 5, 1, 5)], b"parts/part_3.h5", b"rows", *rows, [(1, 1, unlimited, 1), (0, 5, 1, 5)])])
    block = ((3, 4), (3, 4))
    create(b"numbered", (3, 4), (unlimited, 4), [([(0, 3, unlimited, 3), (0, 4, 1, 4)], b"block_%b.h5", b"x", *block, [(0, 3, 1, 3), (0, 4, 1, 4)])])
    create(b"numbered paths", (1, 2), (unlimited, 2), [([(0, 1, unlimited, 1), (0, 2, 1, 2)], b"block_0.h5", b"y%b", (2,), (2,), [(0, 2, 1, 2)])])
    create(b"apart", (3, 4), (unlimited, 4), [([(1, 5, unlimited, 3), (0, 4, 1, 4)], b"block_%b.h5", b"x", *block, [(0, 3, 1, 3), (0, 4, 1, 4)])])


def refused():
    """References that lead out of the folder, in circles, or to what they should not."""
    os.makedirs("refused", exist_ok=True)
    with h5py.File("refused/short.h5", "w") as f:
        f["d"] = data((5,))
    with h5py.File("refused/refused.h5", "w") as f:
        f["wide"] = data((9,), "<i8")
        f["plain"] = data((12,))
        f["absolute"] = h5py.ExternalLink("/else/where.h5", "/d")
        f["circle"] = h5py.ExternalLink("refused.h5", "/back")
        f["back"] = h5py.ExternalLink("refused.h5", "/circle")
        f.create_dataset("raw above", (10,), "<i2", external=[("../parts/raw_0.bin", 0, 20)])
        for name, file, path, shape in [
            ("above", "../parts/part_0.h5", "d1", (9,)), ("itself", ".", "itself", (9,)), ("one", ".", "two", (9,)), ("two", "refused.h5", "one", (9,)),
            ("other type", ".", "wide", (9,)), ("shorter", "short.h5", "d", (9,)),
        ]:
            layout = h5py.VirtualLayout((9,), "<i4")
            layout[:] = h5py.VirtualSource(file, path, shape)[:9]
            f.create_virtual_dataset(name, layout)
        layout = h5py.VirtualLayout((3, 4), "<i4")
        layout[...] = h5py.VirtualSource(".", "plain", (12,))
        f.create_virtual_dataset("other shape", layout)


def tiny():
    """A bit of everything in few bytes, for tests that change each of them."""
    with h5py.File("tiny_linked.h5", "w", libver="v110") as f:
        f["d"] = data((6,))
        f["link"] = h5py.ExternalLink("other.h5", "/d")
        f.create_dataset("raw", (4,), "<i4", external=[("other.bin", 8, 8), ("other.bin", 100, h5py.h5f.UNLIMITED)])
        layout = h5py.VirtualLayout((3, 6), "<i4")
        layout[0] = h5py.VirtualSource(".", "d", (6,))
        layout[1, 1:3] = h5py.VirtualSource("other.h5", "d", (6,))[2:4]
        layout[2, ::2] = h5py.VirtualSource("missing.h5", "d", (6,))[::2]
        f.create_virtual_dataset("v", layout, fillvalue=5)
        p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        u = h5py.h5s.UNLIMITED
        p.set_virtual(select(h5py.h5s.create_simple((1, 2), (u, 2)), [(0, 1, u, 1), (0, 2, 1, 2)]), b".", b"n%b", select(h5py.h5s.create_simple((2,)), [(0, 2, 1, 2)]))
        f["n0"], f["n1"] = data((2,)), data((2,))
        h5py.h5d.create(f.id, b"w", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((1, 2), (u, 2)), p)


def digest(v):
    if v.dtype.hasobject:
        return hashlib.sha256(b"".join((s if isinstance(s, bytes) else s.encode()) + b"\0" for s in v.ravel())).hexdigest()
    return hashlib.sha256(v.astype(v.dtype.newbyteorder("<")).tobytes()).hexdigest()


parts()
for name in ("earliest", "latest"):
    with h5py.File(f"linked_{name}.h5", "w", libver=name) as f:
        f["plain"] = data((3,))
        for part in (external, raw, virtual, endless):
            part(f.create_group(part.__name__))
refused()
tiny()
expected = {}
for name in ("linked_earliest.h5", "linked_latest.h5"):
    found = []
    with h5py.File(name) as f:
        f.visititems_links(lambda path, _: found.append(path))
        found += ["external/group/inner", "external/group/further", "external/group/back"]
        expected[name] = {
            path: {"shape": f[path].shape, "sha256": digest(np.asarray(f[path][()]))} for path in found if isinstance(f[path], h5py.Dataset)
        }
    print(name, len(expected[name]), "datasets")
with open("expected.json", "w") as f:
    json.dump({"reader": f"h5py {h5py.__version__}, libhdf5 {h5py.version.hdf5_version}", "files": expected}, f, indent=0)
