"""Reads copies of a Zarr hierarchy with zarr-python, and with tensorstore if it knows
data type and codecs, and compares each array with the expected values.

    check_copy.py EXPECTED STORE SOURCE TARGET [TARGET…]

EXPECTED is the JSON file of the golden stores. Files named in it lie beside it. STORE
is the name of a store in EXPECTED, or empty if there is only one. SOURCE is the path of
that store; its documents state the expected attributes and dimension names. Each TARGET
has some of the arrays. Together the TARGETs must have all arrays, each once. Prints how
many arrays are equal for each reader, and one line for each difference. Exits with 1 if
there is a difference.
"""

import collections
import json
import pathlib
import sys
import warnings

import numpy as np
import tensorstore
import zarr

from check import compare_attributes, little

# What tensorstore knows of Zarr v3.
TENSORSTORE_TYPES = {"bool", "bfloat16", "float16", "float32", "float64", "complex64", "complex128"} | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}
TENSORSTORE_CODECS = {"bytes", "blosc", "gzip", "zstd", "crc32c", "transpose", "sharding_indexed"}


def codec_names(codecs):
    for codec in codecs:
        if isinstance(codec, str):
            yield codec
            continue
        yield codec["name"]
        configuration = codec.get("configuration", {})
        yield from codec_names(configuration.get("codecs", []) + configuration.get("index_codecs", []))


def for_tensorstore(document):
    kind = document["data_type"]
    return isinstance(kind, str) and kind in TENSORSTORE_TYPES and TENSORSTORE_CODECS.issuperset(codec_names(document["codecs"]))


def read(file):
    return json.loads(file.read_text()) if file.exists() else {}


def described(node):
    """The attributes and the dimension names that a node of the source has."""
    if (node / "zarr.json").exists():
        document = read(node / "zarr.json")
        return document.get("attributes", {}), document.get("dimension_names")
    attributes = read(node / ".zattrs")
    return attributes, attributes.pop("_ARRAY_DIMENSIONS", None)


def named(dimensions):
    """Dimension names, where all absent means the same as none."""
    return list(dimensions) if any(name is not None for name in dimensions or []) else None


def values_of(expected):
    """Expected elements of variable size."""
    return [bytes.fromhex(v["hex"]) if isinstance(v, dict) else v for v in expected["values"]]


def compare_values(want, got, folder):
    """Yields the differences of elements that a reader found."""
    if list(got.shape) != want["shape"]:
        yield f"shape is {list(got.shape)}, want {want['shape']}"
    elif "values" in want:
        elements = np.asarray(got, dtype=object).reshape(-1).tolist()
        if elements != values_of(want):
            yield f"elements are {elements}, want {values_of(want)}"
    else:
        got, raw = little(got), (folder / want["raw"]).read_bytes()
        if got != raw:
            at = next((i for i, (a, b) in enumerate(zip(got, raw)) if a != b), min(len(got), len(raw)))
            yield f"byte {at} of the {len(raw)} expected differs, of {len(got)}"


def native(kind):
    """A data type without its byte order. The type of strings has no byte order."""
    return kind if isinstance(kind, np.dtypes.StringDType) else kind.newbyteorder("=")


def plain(scalar):
    """What can be compared of a fill value: the bytes, if it has a fixed size."""
    return scalar if isinstance(scalar, (str, bytes)) else little(scalar)


def compare_with_zarr(want, source, target, folder):
    array = zarr.open_array(target, mode="r", zarr_format=3)
    attributes, dimensions = described(source)
    yield from compare_attributes(attributes, array.attrs.asdict())
    if named(array.metadata.dimension_names) != named(dimensions):
        yield f"dimension names are {array.metadata.dimension_names}, want {dimensions}"
    yield from compare_values(want, array[...], folder)
    try:
        original = zarr.open_array(source, mode="r")
    except Exception:  # it has codecs that zarr-python lacks
        return
    if native(array.dtype) != native(original.dtype):
        yield f"data type is {array.dtype}, want {original.dtype}"
    elif original.fill_value is not None and plain(array.fill_value) != plain(original.fill_value):
        yield f"fill value is {array.fill_value!r}, want {original.fill_value!r}"


def compare_with_tensorstore(want, target, folder):
    array = tensorstore.open({"driver": "zarr3", "kvstore": f"file://{target.resolve()}/"}, read=True).result()
    yield from compare_values(want, array.read().result(), folder)


def compare(want, source, targets, equal, folder):
    """Yields the differences of one array, and counts for each reader whether it
    is equal."""
    found = [target / want["path"] for target in targets if (target / want["path"] / "zarr.json").exists()]
    if len(found) != 1:
        yield f"in {len(found)} of the targets, want one"
        return
    readers = {"zarr-python": lambda: compare_with_zarr(want, source / want["path"], found[0], folder)}
    if for_tensorstore(read(found[0] / "zarr.json")):
        readers["tensorstore"] = lambda: compare_with_tensorstore(want, found[0], folder)
    for reader, differences in readers.items():
        wrong = []
        try:
            wrong.extend(differences())
        except Exception as error:  # whatever a reader raises, it could not read the array
            wrong.append(f"cannot read it: {type(error).__name__}: {error}")
        equal[reader] += not wrong
        yield from (f"{reader}: {d}" for d in wrong)


def main(expected, store, source, *targets):
    expected, source, targets = pathlib.Path(expected), pathlib.Path(source), list(map(pathlib.Path, targets))
    equal, different = collections.Counter(), []
    for target in targets:
        groups = {node.parent.relative_to(target) for node in target.rglob("zarr.json") if read(node)["node_type"] == "group"}
        for group in groups:
            got = zarr.open_group(target / group, mode="r", zarr_format=3).attrs.asdict()
            different += [f"group {group}: {d}" for d in compare_attributes(described(source / group)[0], got)]
    for want in json.loads(expected.read_text())["arrays"]:
        if want.get("store", "") == store:
            different += [f"{want['path']}: {d}" for d in compare(want, source, targets, equal, expected.parent)]
    print(", ".join(f"{reader}: {n} arrays are equal" for reader, n in equal.items()) or "no array is equal")
    for line in different:
        print("DIFFERENT", line.replace("\n", " "))
    return 1 if different else 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main(*sys.argv[1:]))
