"""Reads the arrays of a migrated hierarchy of extension data types with all readers, and
compares them with the expected values.

    check_types.py EXPECTED TARGET

EXPECTED is the JSON file that type_sources.py wrote. Files named in it lie beside it.
This script decodes each array from its document and its chunks. zarr-python and
tensorstore read it, too, if they know its type. Prints one line for each label and one
for each difference. Exits with 1 if there is a difference.
"""

import base64
import collections
import itertools
import json
import pathlib
import sys
import warnings

import numcodecs.zstd
import numpy as np
import tensorstore
import zarr

from check import first_difference, opaque_with_tensorstore
from type_sources import INTS, numpy_type, swapped, words

# The types that each peer reads, in the versions of requirements.txt. It is a
# difference if a peer cannot read a type of the table, and also if it can read a type
# that the table does not have. Neither peer has r* (tensorstore expects its fill value
# in base64).
ZARR_PYTHON = {
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "complex64", "complex128", "numpy.datetime64", "numpy.timedelta64", "fixed_length_utf32", "null_terminated_bytes", "raw_bytes",
}
TENSORSTORE = {
    "complex64", "complex128", "bfloat16", "float8_e3m4", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
    "float4_e2m1fn", "int2", "int4", "raw_bytes",
}


def name_of(data_type):
    return data_type["name"] if isinstance(data_type, dict) else data_type


def zarr_python_reads(document):
    """zarr-python reads structs of the types that it has."""
    data_type = document["data_type"]
    return all(name_of(t) in ZARR_PYTHON for t in leaves(data_type))


def leaves(data_type):
    """The data types of a struct's fields, at any depth; another type itself."""
    if name_of(data_type) != "struct":
        return [data_type]
    return [t for field in data_type["configuration"]["fields"] for t in leaves(field["data_type"])]


def tensorstore_reads(document):
    """tensorstore reads structs field by field, but no field with a configuration.
    It misreads the numbers of float8_e8m0fnu: 1 becomes 2^-64."""
    data_type, fill = document["data_type"], document["fill_value"]
    if data_type == "float8_e8m0fnu":
        return fill == "NaN" or fill == 2.0**-127
    if name_of(data_type) != "struct":
        return name_of(data_type) in TENSORSTORE
    types = [field["data_type"] for field in data_type["configuration"]["fields"]]
    return all(isinstance(t, str) and t in TENSORSTORE | {"float32", "int16"} for t in types)


def little(values, t):
    """Elements as C-ordered bytes in the little-endian type t. Small integers
    are bytes with their sign, which ml_dtypes leaves out."""
    values = np.asarray(values)
    if values.dtype.name in INTS:
        return values.astype(np.int8).tobytes()
    return np.ascontiguousarray(values.astype(t, copy=False)).tobytes()


def scalar(data_type, text):
    """The little-endian bytes of a fill value in Zarr v3's JSON."""
    t, name = numpy_type(data_type), name_of(data_type)
    if name == "struct":
        fields = data_type["configuration"]["fields"]
        if text.keys() != {field["name"] for field in fields}:
            raise ValueError(f"fill value {text} has other fields than {data_type}")
        return b"".join(scalar(field["data_type"], text[field["name"]]) for field in fields)
    if name.startswith("complex"):
        part = name.removeprefix("complex_") if name.startswith("complex_") else f"float{t.itemsize * 4}"
        return b"".join(scalar(part, x) for x in text)
    if t.kind == "U":
        return np.array(text, t).tobytes()
    if t.kind == "S" or t.type is np.void:
        data = base64.b64decode(text, validate=True) if isinstance(text, str) else bytes(text)
        return data.ljust(t.itemsize, b"\0") if t.kind == "S" else data
    if t.kind in "mM":
        return (-(2**63) if text == "NaT" else text).to_bytes(8, "little", signed=True)
    if t.kind in "iub" or name in INTS:
        return int(text).to_bytes(t.itemsize, "little", signed=text < 0)
    if isinstance(text, str) and text.startswith("0x"):
        return int(text, 16).to_bytes(t.itemsize, "little")
    return np.array(float(text.replace("Infinity", "inf")) if isinstance(text, str) else text).astype(t).tobytes()


def with_numpy(document, folder):
    """Decodes the array's chunks. Returns its fill value and its elements."""
    data_type, shape = document["data_type"], document["shape"]
    t, fill = numpy_type(data_type), scalar(data_type, document["fill_value"])
    chunk = document["chunk_grid"]["configuration"]["chunk_shape"]
    whole = np.zeros([*shape, t.itemsize], np.uint8)
    whole[...] = np.frombuffer(fill, np.uint8)
    for index in itertools.product(*(range(-(-n // k)) for n, k in zip(shape, chunk))):
        file = folder / "/".join(["c", *map(str, index)])
        if not file.exists():
            continue
        data = decoded(file.read_bytes(), document["codecs"], chunk, t)
        place = tuple(slice(i * k, (i + 1) * k) for i, k in zip(index, chunk))
        part = whole[place]
        part[...] = data[tuple(slice(0, n) for n in part.shape)]
        if part.tobytes() == fill * (part.size // t.itemsize):
            raise ValueError(f"chunk {list(index)} holds only the fill value and is stored")
    return {"fill": fill, "bytes": whole.tobytes()}


def decoded(data, codecs, shape, t):
    """One chunk's elements as little-endian bytes in a last dimension."""
    orders = []
    for codec in codecs:
        if codec["name"] == "transpose":
            orders.append(codec["configuration"]["order"])
            shape = [shape[i] for i in orders[-1]]
    for codec in reversed(codecs):
        if codec["name"] == "zstd":
            data = numcodecs.zstd.Zstd().decode(data)
        elif codec["name"] == "bytes":
            endian = codec.get("configuration", {}).get("endian")
            if (endian is None) != (max(words(t)) == 1):
                raise ValueError(f"endian is {endian} for {t}")
            data = np.frombuffer(data, np.uint8).reshape(-1, t.itemsize)
            if endian == "big":
                data = swapped(t, data)
            data = data.reshape([*shape, t.itemsize])
        elif codec["name"] == "transpose":
            order = orders.pop()
            data = data.transpose([*np.argsort(order).astype(int), len(order)])
        else:
            raise ValueError(f"unexpected codec {codec}")
    return data


def with_zarr_python(document, folder):
    array = zarr.open_array(folder, mode="r", zarr_format=3)
    t = numpy_type(document["data_type"])
    if array.dtype.newbyteorder("<") != t:
        raise ValueError(f"data type is {array.dtype}, want {t}")
    return {"fill": little(np.array(array.fill_value, array.dtype), t), "bytes": little(array[...], t)}


def with_tensorstore(document, folder):
    data_type, t = document["data_type"], numpy_type(document["data_type"])
    spec = {"driver": "zarr3", "kvstore": f"file://{folder}/"}
    if name_of(data_type) != "struct":
        array = tensorstore.open(spec, read=True).result()
        if name_of(data_type) == "raw_bytes":
            return {"bytes": opaque_with_tensorstore(array)}
        return {"fill": little(array.fill_value, t), "bytes": little(array.read().result(), t)}
    fills, columns = b"", []
    for field in data_type["configuration"]["fields"]:
        part = tensorstore.open({**spec, "field": field["name"]}, read=True).result()
        t = numpy_type(field["data_type"])
        fills += little(part.fill_value, t)
        columns.append(np.frombuffer(little(part.read().result(), t), np.uint8).reshape(-1, t.itemsize))
    return {"fill": fills, "bytes": np.concatenate(columns, axis=1).tobytes()}


READERS = {
    "NumPy": (with_numpy, lambda document: True),
    "zarr-python": (with_zarr_python, zarr_python_reads),
    "tensorstore": (with_tensorstore, tensorstore_reads),
}


def compare(want, got):
    """Returns the difference of an array as one reader sees it, or None."""
    if got.get("fill", want["fill"]) != want["fill"]:
        return f"fill value is {got['fill'].hex()}, want {want['fill'].hex()} (little-endian)"
    return first_difference(want["bytes"], got["bytes"], want["shape"], numpy_type(want["data_type"]).itemsize)


def check(want, folder):
    """Reads one array with all readers. Returns the names of the readers that must
    read it, and the differences."""
    document = json.loads((folder / "zarr.json").read_text())
    if document["data_type"] != want["data_type"]:
        return [], [f"data type is {document['data_type']}, want {want['data_type']}"]
    able, wrong = [], []
    for reader, (read, reads) in READERS.items():
        try:
            difference = compare(want, read(document, folder))
        except Exception as error:  # whatever a reader raises, it could not read the array
            difference = f"cannot read it: {type(error).__name__}: {error}"
        if reads(document):
            able.append(reader)
        elif difference is None:
            difference = "reads it, which check_types.py does not know"
        else:
            continue
        if difference:
            wrong.append(f"{reader}: {difference}")
    return able, wrong


def main(expectation, target):
    # zarr-python warns that some of these types have no final specification.
    warnings.filterwarnings("ignore", category=zarr.errors.UnstableSpecificationWarning)
    folder, target = pathlib.Path(expectation).parent, pathlib.Path(target).resolve()
    expected = json.loads(pathlib.Path(expectation).read_text())
    labels, differences = {}, []
    for path, want in expected["arrays"].items():
        want |= {"bytes": (folder / want["bytes"]).read_bytes(), "fill": bytes.fromhex(want["fill"])}
        able, wrong = check(want, target / path)
        counts = labels.setdefault(want["label"], collections.Counter())
        counts.update(arrays=1, equal=not wrong, **{reader: 1 for reader in able})
        differences += [f"{path} ({want['label']}): {d}" for d in wrong]
    for label, counts in labels.items():
        readers = ", ".join(f"{reader} {counts[reader]}" for reader in READERS if counts[reader])
        print(f"{label}: {counts['equal']} of {counts['arrays']} arrays equal in {readers}")
    for difference in differences:
        print("DIFFERENT", difference)
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
