"""Reads the variables of cf_sources.py whose packing became codecs, and compares
them with the physical values that others read from the NetCDF file.

    check_cf_codecs.py DIR TARGET

TARGET is what zmigrate made of DIR/packed.nc. zarr-python divides where CF multiplies,
so values may differ by a few units in the last place of the larger summand. Missing
values must be the same, with one exception: values outside of a valid range may be too
many for a codec to name; to zarr-python they are then values. Prints one line for each
difference, and a count. Exits with 1 if there is a difference.
"""

import json
import pathlib
import sys

import numpy as np
import zarr

LISTED = 256  # values outside of a valid range that cast_value can name


def difference(directory, name, array, data_type):
    if array.dtype != data_type:
        return f"is {array.dtype}, want {data_type}"
    got = array[...]
    want = np.fromfile(directory / f"{name}.bin", data_type).reshape(got.shape)
    codecs = {c.to_dict()["name"]: c.to_dict().get("configuration", {}) for c in array.filters}
    missing = np.isnan(want)
    if len(codecs["cast_value"].get("scalar_map", {}).get("decode", [])) <= 3 and name.startswith("masked_"):
        missing &= np.isnan(got)  # there may be too many of them to name
    if (np.isnan(got) != missing).any():
        return f"{np.isnan(got).sum()} values are missing, want {missing.sum()}"
    offset = abs(float(codecs["scale_offset"].get("offset", 0)))
    room = 8 * np.finfo(data_type).eps * (np.abs(want) + offset)
    far = np.argwhere(~missing & ~(np.isnan(want)) & (np.abs(got - want) > room))
    if len(far):
        at = tuple(far[0])
        return f"element {far[0].tolist()} is {got[at]!r}, want {want[at]!r}"
    return None


def main(directory, target):
    directory, equal = pathlib.Path(directory), 0
    group = zarr.open_group(target, mode="r")
    expected = json.loads((directory / "expected.json").read_text())
    for name, array in sorted(group.arrays()):
        wrong = difference(directory, name, array, expected[name])
        equal += wrong is None
        if wrong:
            print(f"DIFFERENT {name}: {wrong}")
    print(f"{equal} variables equal")
    sys.exit(equal < len(list(group.array_keys())))


if __name__ == "__main__":
    main(*sys.argv[1:])
