"""Compares what zarr-python reads from migrated hierarchies with what h5py has read from
their sources.

    check_hdf5_types.py EXPECTED FILE TARGET [FILE TARGET…]

EXPECTED is the file that make_types.py writes, and FILE the name of a file in it. Prints
how many arrays of each file are equal, and one line for each difference. Exits with 1 if
there is a difference.
"""

import hashlib
import json
import sys
import warnings

import numpy as np
import zarr


def digest(v):
    if v.dtype.kind in "OT":
        return hashlib.sha256(b"".join(s.encode() + b"\0" for s in v.ravel())).hexdigest()
    return hashlib.sha256(v.astype(v.dtype.newbyteorder("<")).tobytes()).hexdigest()


def check(expected, target):
    """Yields the differences of a hierarchy."""
    for path, want in expected["arrays"].items():
        try:
            v = np.asarray(zarr.open_array(f"{target}/{path}", mode="r", zarr_format=3)[...])
        except Exception as error:  # whatever a reader raises, it could not read the array
            yield f"{path}: zarr-python cannot read it: {type(error).__name__}: {error}"
            continue
        if list(v.shape) != want["shape"] or digest(v) != want["sha256"]:
            yield f"{path}: the elements are {v!r}"
    found = zarr.open_array(f"{target}/attributes/d", mode="r", zarr_format=3).attrs.asdict()
    for name, want in expected["attributes"].items():
        if found.get(name) != want:
            yield f"attribute {name} is {found.get(name)!r}, want {want!r}"


def main(expected, *pairs):
    warnings.simplefilter("ignore")
    with open(expected) as f:
        files = json.load(f)["files"]
    failed = False
    for name, target in zip(pairs[::2], pairs[1::2], strict=True):
        differences = list(check(files[name], target))
        print(f"{name}: {len(files[name]['arrays'])} arrays, {len(differences)} differences in zarr-python")
        for d in differences:
            print("DIFFERENT", d.replace("\n", " "))
        failed = failed or bool(differences)
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
