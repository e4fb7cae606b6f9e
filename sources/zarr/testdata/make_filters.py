"""Write a hierarchy of Zarr v2 with filters that Zarr v3 has no codecs for.

usage: python3 -P make_filters.py FILE.zip

(-P keeps this script from hiding a module of Python's own)

filters.zarr has the arrays. expected.json lists them, with the values that zarr-python reads.
"""

import json
import os
import sys
import tempfile
import zipfile

import numcodecs
import numpy as np
import zarr

JSON, MSGPACK, CATEGORIZE = numcodecs.JSON, numcodecs.MsgPack, numcodecs.Categorize
TEXTS = np.array(["a", "", "Zürich", "日本", "\U0001f40b", 'x"\\\n\u0000y', "foo" * 30, "7"], dtype=object)
TABLE = np.array([["a", "b", "c"], ["d", "", "é"], ["g", "h", "i"], ["j", "k", "l"], ["m", "n", "o"]], dtype=object)
LONG = np.array([str(i) * (i % 70) for i in range(300)], dtype=object)
LABELS = ["male", "female", "日本"]
WORDS = np.array(["male", "female", "unexpected", "日本", "male", "female", ""], dtype=object)
NUMBERS = np.arange(100, dtype="<i4").reshape(10, 10)


def write(root):
    def add(name, data, codec, chunks, **rest):
        root.create_dataset(name, shape=data.shape, chunks=chunks, dtype=object, object_codec=codec, **rest)[...] = data

    for name, codec in {"json": JSON(), "msgpack": MSGPACK()}.items():
        add(name, TEXTS, codec, 3)
        add(name + "_table", TABLE, codec, (2, 2), compressor=numcodecs.Zlib())
        add(name + "_long", LONG, codec, 300, compressor=numcodecs.Zstd())
        root.create_dataset(name + "_partly", shape=9, chunks=3, dtype=object, object_codec=codec, fill_value="gone")[0:2] = ["a", "b"]
    add("json_column", TEXTS, JSON(), 3, order="F")
    add("json_indented", TEXTS, JSON(ensure_ascii=False, indent=1), 4, compressor=None)
    add("msgpack_former", TEXTS, MSGPACK(use_bin_type=False), 8)
    root.create_dataset("json_scalar", shape=(), dtype=object, object_codec=JSON())[...] = "zero"
    add("categories", WORDS, CATEGORIZE(LABELS, dtype=object), 3)
    add("categories_wide", WORDS, CATEGORIZE(LABELS, dtype=object, astype=">u2"), 3)
    add("categories_table", TABLE, CATEGORIZE(list("abcdefghijkl"), dtype=object, astype="<i4"), (2, 2), order="F")
    root.create_dataset("categories_fixed", data=WORDS.astype("<U10"), chunks=3, filters=[CATEGORIZE(LABELS, dtype="<U10")])
    root.create_dataset("categories_big", data=WORDS.astype(">U10"), chunks=3, filters=[CATEGORIZE(LABELS, dtype=">U10")])
    root.create_dataset("base64", data=NUMBERS, chunks=(3, 4), compressor=numcodecs.Base64())
    root.create_dataset("base64_filter", data=NUMBERS.astype(">f8"), chunks=(3, 4), order="F", filters=[numcodecs.Base64()])
    add("base64_texts", TEXTS, numcodecs.VLenUTF8(), 3, filters=[numcodecs.Base64()])


def expected(root, folder):
    for name, array in root.arrays():
        entry = {"store": "filters.zarr", "path": name, "shape": array.shape}
        values = np.asarray(array[...])
        if values.dtype == object:
            entry["values"] = values.ravel().tolist()
        else:
            entry["raw"] = name + ".raw"
            values.astype(values.dtype.newbyteorder("<")).tofile(os.path.join(folder, entry["raw"]))
        yield entry


def main():
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
        root = zarr.open_group(os.path.join(folder, "filters.zarr"), mode="w")
        write(root)
        with open(os.path.join(folder, "expected.json"), "w") as file:
            json.dump({"arrays": list(expected(root, folder))}, file, ensure_ascii=False)
        for place, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                path = os.path.join(place, name)
                with open(path, "rb") as file:
                    archive.writestr(zipfile.ZipInfo(os.path.relpath(path, folder)), file.read(), zipfile.ZIP_DEFLATED)


main()
