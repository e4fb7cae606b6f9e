"""Writes regions.h5: references to regions, whose selections have all versions.

    python make_regions.py FILE

needs h5py. The file has one dataset of references for each pair of bounds of libhdf5, and in the attribute
"text" of each dataset its references as text, by what libhdf5 reads of the file.
"""

import sys

import h5py
import numpy as np

LARGE = 1 << 33


def spaces():
    """Selections in the large dataset."""
    def box(*slabs):
        s = h5py.h5s.create_simple((LARGE, 20))
        s.select_none()
        for start, count, stride, block in slabs:
            s.select_hyperslab(start, count, stride, block, h5py.h5s.SELECT_OR)
        return s

    near = [
        box(((2, 3), (1, 1), (1, 1), (4, 5))),
        box(((2, 3), (3, 2), (7, 9), (1, 1))),
        box(((2, 3), (3, 2), (7, 9), (2, 4))),
        box(((2, 3), (1, 1), (1, 1), (2, 2)), ((11, 9), (1, 1), (1, 1), (3, 4))),
    ]
    far = [
        box(((LARGE - 9, 3), (1, 1), (1, 1), (4, 5))),
        box(((LARGE - 90, 3), (3, 2), (7, 9), (2, 4))),
        box(((2, 3), (1, 1), (1, 1), (2, 2)), ((LARGE - 5, 9), (1, 1), (1, 1), (3, 4))),
    ]
    for rows in ([3, 1, 12], [3, LARGE - 1]):
        s = h5py.h5s.create_simple((LARGE, 20))
        s.select_elements(np.array([(r, 5) for r in rows], "u8"))
        (near if max(rows) < 1 << 32 else far).append(s)
    return near, far


def text(reference, f, steps):
    """The boxes or points of a reference, in the form of this program. If steps is false, the
    file lists the boxes."""
    s = h5py.h5r.get_region(reference, f.id)
    if s.get_select_type() == h5py.h5s.SEL_POINTS:
        parts = [",".join(str(x) for x in p) for p in s.get_select_elem_pointlist()]
    elif steps and s.is_regular_hyperslab() and set(s.get_regular_hyperslab()[3]) == {1}:
        start, stride, count, _ = s.get_regular_hyperslab()
        return [",".join(f"{a}:{a + (n - 1) * by + 1}:{by}" for a, by, n in zip(start, stride, count))]
    else:
        parts = [",".join(f"{a}:{b + 1}" for a, b in zip(*block)) for block in s.get_select_hyper_blocklist()]
    return parts


with h5py.File(sys.argv[1], "w", libver=("earliest", "v112")) as f:
    f.create_dataset("d", (LARGE, 20), "i1", chunks=(64, 20))
for low in ("earliest", "v110", "v112"):
    with h5py.File(sys.argv[1], "r+", libver=(low, "v112")) as f:
        near, far = spaces()
        if low == "earliest":
            far = []  # libhdf5 does not write them
        refs = [h5py.h5r.create(f.id, b"d", h5py.h5r.DATASET_REGION, s) for s in near + far]
        d = f.create_dataset(low, (len(refs),), h5py.regionref_dtype)
        d[:] = refs
        d.attrs["text"] = [";".join(f"[{p}]" for p in text(r, f, low != "earliest")) for r in refs]
