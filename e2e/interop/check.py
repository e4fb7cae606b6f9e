"""Reads migrated hierarchies with zarr-python, tensorstore and xarray, and
compares everything with the expected values.

    check.py EXPECTED TARGET [EXPECTED TARGET…]

EXPECTED is a JSON file that raw_sources.py or netcdf_sources.py wrote. Files named in
it lie beside it. Prints one line for each label with the number of equal arrays, and
one line for each difference. Exits with 1 if there is a difference.
"""

import collections
import json
import math
import pathlib
import sys
import warnings

import numpy as np
import tensorstore
import xarray
import zarr

from netcdf_sources import json_fill


def little(values):
    """The elements as C-ordered little-endian bytes."""
    values = np.ascontiguousarray(values)
    return values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()


def with_zarr(target, path):
    array = zarr.open_array(target / path, mode="r", zarr_format=3)
    return {
        "type": array.dtype, "shape": list(array.shape), "dimensions": array.metadata.dimension_names,
        "fill": little(array.fill_value), "attributes": array.attrs.asdict(), "bytes": little(array[...]),
    }


def with_tensorstore(target, path):
    array = tensorstore.open({"driver": "zarr3", "kvstore": f"file://{target / path}/"}, read=True).result()
    metadata = array.spec().to_json()["metadata"]
    got = {"dimensions": metadata.get("dimension_names"), "attributes": metadata.get("attributes", {})}
    if metadata["data_type"] == "raw_bytes":
        *shape, size = array.shape
        return got | {"type": np.dtype(f"V{size}"), "shape": shape, "bytes": opaque_with_tensorstore(array)}
    return got | {
        "type": array.dtype.numpy_dtype, "shape": list(array.shape),
        "fill": little(array.fill_value), "bytes": little(array.read().result()),
    }


def opaque_with_tensorstore(array):
    """The bytes of an opaque array. tensorstore gives the elements to Python
    without their bytes, so it writes them to a plain array in memory first."""
    if 0 in array.shape:
        return b""
    *shape, size = array.shape
    plain = tensorstore.open(
        {
            "driver": "zarr", "kvstore": "memory://",
            "metadata": {
                "zarr_format": 2, "dtype": f"|V{size}", "shape": shape, "chunks": shape,
                "compressor": None, "filters": None, "order": "C", "fill_value": None,
            },
        },
        create=True, context=tensorstore.Context(),
    ).result()
    plain.write(array[tensorstore.d[:].label[("",) * array.rank]]).result()
    return plain.kvstore.read(".".join("0" * len(shape)) or "0").result().value


def with_xarray(target, path):
    group, _, name = path.rpartition("/")
    dataset = open_xarray(target, group)
    variable = dataset.variables[name]
    attributes = dict(variable.attrs)
    if "_FillValue" in attributes:  # xarray has decoded it
        attributes["_FillValue"] = json_fill(np.asarray(attributes["_FillValue"])[()], variable.dtype)
    return {
        "type": variable.dtype, "shape": list(variable.shape), "dimensions": list(variable.dims),
        "attributes": attributes, "bytes": little(variable.values),
    }


def open_xarray(target, group, cache={}):
    """The group as a dataset whose values are those in the store."""
    if (target, group) not in cache:
        cache[target, group] = xarray.open_zarr(
            target, group=group or None, consolidated=True, chunks=None, decode_cf=False, zarr_format=3
        )
    return cache[target, group]


def first_difference(want, got, shape, size):
    """The index of the first element that differs, and both elements in hex."""
    for at in range(0, max(len(want), len(got)), size):
        a, b = want[at : at + size], got[at : at + size]
        if a != b:
            index = [int(i) for i in np.unravel_index(at // size, shape or [1])][: len(shape)]
            return f"element {index} is {b.hex() or 'missing'}, want {a.hex() or 'no more'} (little-endian)"
    return None


def compare_array(want, got, folder):
    """Yields the differences of an array as one reader sees it."""
    t = np.dtype(want["type"])
    if np.dtype(got["type"]).newbyteorder("=") != t.newbyteorder("="):
        yield f"data type is {got['type']}, want {t}"
        return
    if list(got["shape"]) != want["shape"]:
        yield f"shape is {got['shape']}, want {want['shape']}"
        return
    if "fill" in got and want.get("fill") is not None and got["fill"].hex() != want["fill"]:
        yield f"fill value is {got['fill'].hex()}, want {want['fill']} (little-endian)"
    # All names absent and no names at all mean the same.
    if list(got["dimensions"] or [None] * len(want["shape"])) != want["dimensions"]:
        yield f"dimension names are {got['dimensions']}, want {want['dimensions']}"
    yield from compare_attributes(want["attributes"], got["attributes"])
    difference = first_difference((folder / want["bytes"]).read_bytes(), got["bytes"], want["shape"], t.itemsize)
    if difference:
        yield difference


def compare_attributes(want, got):
    for name in sorted(want.keys() | got.keys()):
        if name not in got:
            yield f"attribute {name!r} is missing, want {want[name]!r}"
        elif name not in want:
            yield f"attribute {name!r} is {got[name]!r}, want none"
        elif not same(want[name], got[name]):
            yield f"attribute {name!r} is {got[name]!r}, want {want[name]!r}"


def same(a, b):
    """Equality of JSON values. The types must be equal, too, except those of 1 and 1.0."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return a == b


def check_hierarchy(expected, target):
    """Yields the faults of the documents: consolidated metadata must hold
    every node exactly as its own document has it, and nothing else may exist."""
    root = json.loads((target / "zarr.json").read_text())
    consolidated = root.get("consolidated_metadata", {}).get("metadata", {})
    found = {}
    for file in target.rglob("*"):
        path = file.relative_to(target).as_posix()
        if file.name == "zarr.json" and file.parent != target:
            found[path.removesuffix("/zarr.json")] = json.loads(file.read_text())
        elif file.is_file() and file.name != "zarr.json":
            node = next((p for p in map(str, file.relative_to(target).parents) if p in expected["arrays"]), None)
            if node is None:
                yield f"{path}: a file that is no part of a Zarr hierarchy"
    arrays = {path for path, document in found.items() if document["node_type"] == "array"}
    for path in sorted(arrays ^ expected["arrays"].keys()):
        yield f"{path}: " + ("not expected" if path in arrays else "no such array")
    for path in sorted(found.keys() | consolidated.keys()):
        a, b = found.get(path), consolidated.get(path)
        if a is None or b is None:
            yield f"{path}: only in " + ("consolidated metadata" if a is None else "its own document")
        elif {k: v for k, v in a.items() if k != "consolidated_metadata"} != {k: v for k, v in b.items() if k != "consolidated_metadata"}:
            yield f"{path}: consolidated metadata differs from the node's own document"
    members = dict(zarr.open_group(target, mode="r", use_consolidated=True).members(max_depth=None))
    for path in sorted(members.keys() ^ found.keys()):
        yield f"{path}: zarr-python " + ("lists it, it is not there" if path in members else "does not list it")
    attributes = zarr.open_group(target, mode="r", zarr_format=3).attrs.asdict()
    for difference in compare_attributes(expected.get("attributes", {}), attributes):
        yield f"root: {difference}"


READERS = {"zarr-python": with_zarr, "tensorstore": with_tensorstore, "xarray": with_xarray}


def compare(expectation, target):
    """Compares one hierarchy, prints a line for each label and returns the
    differences."""
    folder, target = pathlib.Path(expectation).parent, pathlib.Path(target).resolve()
    expected = json.loads(pathlib.Path(expectation).read_text())
    differences = list(check_hierarchy(expected, target))
    equal, total = collections.Counter(), collections.Counter()
    for path, want in expected["arrays"].items():
        wrong = []
        for reader, read in READERS.items():
            try:
                wrong += [f"{path}: {reader}: {d}" for d in compare_array(want, read(target, path), folder)]
            except Exception as error:  # whatever a reader raises, it could not read the array
                wrong.append(f"{path}: {reader} cannot read it: {type(error).__name__}: {error}")
        total[want["label"]] += 1
        equal[want["label"]] += not wrong
        differences += wrong
    for label, n in total.items():
        print(f"{label}: {equal[label]} of {n} arrays equal in {', '.join(READERS)}")
    return [f"{target.name}: {d}" for d in differences]


def main(arguments):
    # zarr-python warns that raw_bytes has no final specification.
    warnings.filterwarnings("ignore", category=zarr.errors.UnstableSpecificationWarning)
    differences = []
    for expectation, target in zip(arguments[::2], arguments[1::2], strict=True):
        differences += compare(expectation, target)
    for difference in differences:
        print("DIFFERENT", difference)
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
