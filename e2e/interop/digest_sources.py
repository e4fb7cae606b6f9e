"""Computes digests with the program of docs/digest.md.

    digest_sources.py FOLDER

Writes to FOLDER:

    cases.json   regions of arrays: the file with the bytes, the size of an element, the shape,
                 the start in the array, and the digest
    source.zarr  a Zarr v2 hierarchy with arrays of several types and layouts
    digests.json the digests of the arrays of source.zarr
    job.json     a job that migrates source.zarr with other chunks
"""

import itertools
import json
import pathlib
import re
import sys
import warnings

import numpy as np
import zarr

page = pathlib.Path(__file__).parents[2] / "docs" / "digest.md"
program = re.search(r"```python\n(.*?)```", page.read_text(), re.DOTALL)[1]
exec(compile(program, str(page), "exec"))  # defines digest and text

warnings.simplefilter("ignore")  # zarr-python warns of types without a specification
folder = pathlib.Path(sys.argv[1])
folder.mkdir(exist_ok=True)
rng = np.random.default_rng(20)


def values(dtype, shape):
    """Random bits: NaNs with payloads, infinities and both zeros are among them."""
    dtype = np.dtype(dtype)
    n = int(np.prod(shape))
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    a = np.frombuffer(rng.bytes(n * dtype.itemsize), dtype).copy()
    if dtype.kind == "f":
        a[::5] = 0.0
        a[1::5] = -0.0
    if dtype.kind == "U":
        a = np.array(["ab\u00e9\U0001f30d"[i % 4] * (i % 3) for i in range(n)], dtype)
    return a.reshape(shape)


RECORD = np.dtype([("a", ">i2"), ("b", "<f8"), ("c", "u1")])
TYPES = ["?", "i1", "<u2", ">i2", "<i4", ">f4", "<f4", "<f8", ">f8", "<i8", "<c8", ">c16", "V3", "V7", "S5", "<U3", "<M8[s]", "<f2", RECORD]
SHAPES = [(), (1,), (7,), (5000,), (3, 5), (300, 1), (2, 3000), (4, 3, 7), (5, 1, 2), (2, 3, 4, 5), (1, 1, 1, 1), (0, 4)]

cases = []
data = bytearray()


def case(a, start, want):
    little = a.astype(a.dtype.newbyteorder("<"))
    cases.append(dict(at=len(data), size=a.dtype.itemsize, shape=list(a.shape), start=start, digest=text(want)))
    data.extend(little.tobytes())


for dtype, shape in itertools.product(TYPES, SHAPES):
    a = values(dtype, shape)
    want = digest(a)
    case(a, [0] * a.ndim, want)
    if not all(shape) or not shape:
        continue
    # The digests of parts, cut anywhere, add up to the digest of the whole.
    cuts = [sorted({0, n, *rng.integers(0, n + 1, 2).tolist()}) for n in shape]
    total = 0
    for box in itertools.product(*(list(itertools.pairwise(c)) for c in cuts)):
        start = [i for i, _ in box]
        part = a[tuple(slice(i, j) for i, j in box)]
        total += digest(part, start)
    if text(total) != text(want):
        sys.exit(f"{dtype} {shape}: the parts add up to {text(total)}, want {text(want)}")
    case(part, start, digest(part, start))
    far = [int(i) for i in rng.integers(0, 1 << 40, len(shape))]
    case(a, far, digest(a, far))

(folder / "data.bin").write_bytes(data)
(folder / "cases.json").write_text(json.dumps(cases))

root = zarr.open_group(folder / "source.zarr", mode="w", zarr_format=2)
digests, arrays = {}, {}
for i, (dtype, shape, chunks, order) in enumerate([
    ("<f4", (60, 50), (7, 9), "C"), (">f8", (40, 30), (40, 30), "F"), ("<i2", (9, 11, 13), (2, 3, 13), "F"),
    ("?", (101,), (10,), "C"), (">c16", (20, 6), (20, 5), "C"), ("i1", (33, 5), (8, 2), "C"), ("<f8", (), (), "C"),
    ("<M8[s]", (50,), (7,), "C"), ("<U3", (23, 2), (5, 2), "C"), ("<u8", (12, 1, 3), (5, 1, 2), "C"),
]):
    a = values(dtype, shape)
    name = f"a{i}"
    root.create_array(name, shape=shape, chunks=chunks, dtype=a.dtype, order=order, compressors=None, fill_value=None)[...] = a
    digests[name] = text(digest(a))
    arrays[name] = {"chunks": [max(1, n // 3) for n in shape]}
# Most chunks hold only the fill value, and are not stored.
sparse = np.full((100, 90), -0.0)
sparse[33, 44:50] = 1.5
root.create_array("sparse", shape=sparse.shape, chunks=(10, 10), dtype="<f8", fill_value=-0.0)[...] = sparse
digests["sparse"] = text(digest(sparse))
arrays["sparse"] = {"chunks": [20, 7]}
words = np.array([["", "x"], ["\u00fcber", "long " * 99], ["x", "y"]], object)
root.create_array("words", shape=words.shape, chunks=(2, 1), dtype=str)[...] = words
digests["words"] = text(digest(words))
arrays["words"] = {"chunks": [3, 2]}

(folder / "digests.json").write_text(json.dumps(digests))
(folder / "job.json").write_text(json.dumps({
    "zmigrate": 1,
    "source": {"driver": "zarr", "url": str(folder / "source.zarr")},
    "target": {"url": str(folder / "target.zarr")},
    "run": {"digest": "all"},
    "arrays": arrays,
}))
print(f"{len(cases)} regions, {len(digests)} arrays")
