"""Compares what zarr-python reads from migrated tables with what pyarrow reads from
their sources.

    check_arrow.py DIR

DIR has the file expected.json that arrow_sources.py wrote, and a hierarchy FILE.zarr
for each file in it. Nulls have the fill values of their arrays. Prints how many
columns of each file are equal, and one line for each difference. Exits with 1 if there
is a difference.
"""

import json
import math
import pathlib
import sys
import warnings

import numpy as np
import zarr


def plain(v):
    """An element as expected.json has it."""
    if isinstance(v, (bytes, np.void)):
        return {"hex": bytes(v).hex()}
    if isinstance(v, float) and not math.isfinite(v):
        return "NaN" if math.isnan(v) else "Infinity" if v > 0 else "-Infinity"
    return v


def elements(a):
    """The elements of an array; times are integers."""
    if a.dtype.kind in "mM":
        a = a.view("i8")
    if a.dtype.kind == "V":
        return [plain(v) for v in a.ravel()]
    return [plain(v) for v in a.ravel().tolist()]


def compare(want, target):
    """Yields the differences of a column."""
    array = zarr.open_array(target, mode="r", zarr_format=3)
    if list(array.shape) != want["shape"]:
        yield f"shape is {list(array.shape)}, want {want['shape']}"
        return
    [fill] = elements(np.asarray([array.fill_value], array.dtype))
    wanted = [fill if v is None else v for v in want["values"]]
    got = elements(np.asarray(array[...]))
    for i, (a, b) in enumerate(zip(got, wanted, strict=True)):
        if a != b:
            yield f"element {i} is {a!r}, want {b!r}"
            return


def check(name, columns, target):
    """Yields the differences of the copy of a file."""
    equal = 0
    for path, want in columns.items():
        if "error" in want:
            if (target / path / "zarr.json").exists():
                yield f"{path}: is there and should not be"
            continue
        try:
            wrong = list(compare(want, target / path))
        except Exception as error:  # whatever a reader raises, it could not read the array
            wrong = [f"zarr-python cannot read it: {type(error).__name__}: {error}"]
        equal += not wrong
        yield from (f"{name}: {path}: {d}" for d in wrong)
    print(f"{name}: {equal} columns equal in zarr-python")


def main(folder):
    warnings.simplefilter("ignore")
    folder = pathlib.Path(folder)
    files = json.loads((folder / "expected.json").read_text())["files"]
    differences = [d for name, file in files.items() for d in check(name, file["columns"], folder / f"{name}.zarr")]
    for d in differences:
        print("DIFFERENT", d.replace("\n", " "))
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
