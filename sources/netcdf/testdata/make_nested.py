"""Writes sequences of sequences, and compounds with sequences, through the HDF5 of h5py.

    make_nested.py FOLDER [SEED]

h5py does not write such elements, so ctypes hands the library its own structures. FOLDER gets
nested.h5, and expected.json with the elements of each array that zmigrate makes of it.
"""

import ctypes
import json
import pathlib
import random
import sys

import h5py
from h5py import h5s, h5t

folder, rng = pathlib.Path(sys.argv[1]), random.Random(sys.argv[2] if len(sys.argv) > 2 else "1")
path = next(line.split()[-1] for line in open("/proc/self/maps") if "/libhdf5-" in line)
write = ctypes.CDLL(path).H5Dwrite
write.restype, write.argtypes = ctypes.c_int, [ctypes.c_int64] * 5 + [ctypes.c_void_p]
kept = []  # memory to which structures lead


class Sequence(ctypes.Structure):
    """hvl_t"""

    _fields_ = [("n", ctypes.c_size_t), ("p", ctypes.c_void_p)]


def sequence(values, depth):
    """The structure of a sequence of sequences, of depth levels, of integers."""
    if depth == 1:
        memory = (ctypes.c_int32 * max(1, len(values)))(*values)
    else:
        memory = (Sequence * max(1, len(values)))(*[sequence(v, depth - 1) for v in values])
    kept.append(memory)
    return Sequence(len(values), ctypes.addressof(memory) if values else None)


def draw(depth):
    if depth == 0:
        return rng.randrange(-1000, 1000)
    return [draw(depth - 1) for _ in range(rng.choice([0, 0, 1, 2, 5]))]


def datatype(depth):
    t = h5t.STD_I32LE
    for _ in range(depth):
        t = h5t.vlen_create(t)
    return t


def arrays(lists, at, depth, expected):
    """What sequences become."""
    offsets, values = [0], []
    for v in lists:
        values += v
        offsets.append(len(values))
    expected[at + "/offsets"] = offsets
    if depth == 1:
        expected[at + "/values"] = values
    else:
        arrays(values, at + "/values", depth - 1, expected)


def put(f, name, file_type, memory_type, shape, memory):
    d = h5py.h5d.create(f.id, name.encode(), file_type, h5s.create_simple(shape))
    if write(d.id, memory_type.id, 0, 0, 0, ctypes.addressof(memory)) < 0:
        raise SystemExit("HDF5 failed")


expected = {}
with h5py.File(folder / "nested.h5", "w", libver="latest") as f:
    for depth, shape in [(1, (7,)), (2, (9,)), (2, (3, 4)), (3, (6,)), (2, (0,)), (4, (5,))]:
        name = f"depth{depth}_rank{len(shape)}_{shape[0]}"
        n = shape[0] * (shape[1] if len(shape) > 1 else 1)
        lists = [draw(depth) for _ in range(n)]
        memory = (Sequence * max(1, n))(*[sequence(v, depth) for v in lists])
        put(f, name, datatype(depth), datatype(depth), shape, memory)
        arrays(lists, name, depth, expected)

    class Inner(ctypes.Structure):
        _fields_ = [("number", ctypes.c_int32), ("twice", Sequence)]

    class Row(ctypes.Structure):
        _fields_ = [("a", ctypes.c_int32), ("once", Sequence), ("in", Inner)]

    inner = h5t.create(h5t.COMPOUND, ctypes.sizeof(Inner))
    inner.insert(b"number", Inner.number.offset, h5t.STD_I32LE)
    inner.insert(b"twice", Inner.twice.offset, datatype(2))
    row = h5t.create(h5t.COMPOUND, ctypes.sizeof(Row))
    row.insert(b"a", Row.a.offset, h5t.STD_I32LE)
    row.insert(b"once", Row.once.offset, datatype(1))
    row.insert(b"in", getattr(Row, "in").offset, inner)
    rows = [(i, draw(1), i * i, draw(2)) for i in range(11)]
    memory = (Row * len(rows))(*[Row(a, sequence(once, 1), Inner(b, sequence(twice, 2))) for a, once, b, twice in rows])
    put(f, "rows", row, row, (len(rows),), memory)
    expected["rows/a"], expected["rows/in/number"] = [r[0] for r in rows], [r[2] for r in rows]
    arrays([r[1] for r in rows], "rows/once", 1, expected)
    arrays([r[3] for r in rows], "rows/in/twice", 2, expected)
(folder / "expected.json").write_text(json.dumps({"": {"arrays": expected}}))
