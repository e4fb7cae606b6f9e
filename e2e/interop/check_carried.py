"""Reads copies of Zarr hierarchies, whose chunks were carried through or encoded
anew, with zarr-python, and compares each element with what is expected.

    check_carried.py EXPECTED SOURCE TARGET

EXPECTED is the JSON file of the golden stores; files named in it lie beside it.
SOURCE is the name of one of these stores in it, TARGET its copy. Prints one line
for all arrays that are equal, one for each difference, and exits with 1 when
there is any.
"""

import json
import pathlib
import sys
import warnings

import numpy as np
import zarr


def little(values):
    """The elements as C-ordered little-endian bytes."""
    values = np.ascontiguousarray(values)
    return values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()


def values_of(array):
    """Elements of variable size, as the golden stores list them."""
    return [v if isinstance(v, str) else list(bytes(v)) for v in np.asarray(array[...]).reshape(-1).tolist()]


def difference(array, expected, folder):
    if list(array.shape) != expected["shape"]:
        return f"has shape {array.shape}, want {expected['shape']}"
    if "raw" in expected:
        got, want = little(array[...]), (folder / expected["raw"]).read_bytes()
        if got != want:
            at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
            return f"differs from byte {at} of {len(want)} on"
    elif all(isinstance(v, str) for v in expected.get("values", [0])) and values_of(array) != expected["values"]:
        return f"holds {values_of(array)}, want {expected['values']}"
    return None


def main(expected, source, target):
    expected, target = pathlib.Path(expected), pathlib.Path(target)
    equal, different = 0, []
    for want in json.loads(expected.read_text())["arrays"]:
        if want["store"] != source:
            continue
        try:
            problem = difference(zarr.open_array(target / want["path"], mode="r", zarr_format=3), want, expected.parent)
        except Exception as e:  # whatever it is, the array was not read
            problem = f"{type(e).__name__}: {e}"
        if problem:
            different.append(f"{source}/{want['path']}: {problem}")
        else:
            equal += 1
    print(f"{source}: {equal} arrays are equal")
    for line in different:
        print("DIFFERENT", line.replace("\n", " "))
    return 1 if different else 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main(*sys.argv[1:]))
