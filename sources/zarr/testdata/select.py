"""Select arrays of Zarr v2 and v3 from folders of goldens.

usage: python3 -P select.py GOLDEN golden.zip

(-P keeps this script from hiding a module of Python's own)

GOLDEN holds zarr-python/ (v2.zarr, v3.zarr, *_consolidated.zarr) and zarrs/
(arrays below a folder without a document), each with expected.json, the values
of each array.
"""

import json
import os
import sys
import zipfile

golden, archive = sys.argv[1:]

CHOSEN = {
    "v2.zarr": (
        "layout/", "shape/", "fill/", "compressor/", "filter/", "xarray/",
        "dtype/struct", "dtype/be_", "dtype/le_f4", "dtype/le_U4", "dtype/vlen_utf8",
        "dtype/S5", "dtype/V6", "dtype/b1",
    ),
    "v3.zarr": (
        "keys/", "meta/", "shape/", "sharding/e", "sharding/i", "sharding/n", "sharding/p",
        "sharding/st", "sharding/t", "transpose/", "fill/", "dtype/string", "dtype/struct", "dtype/bytes",
        "dtype/float32_", "dtype/datetime64_ns", "blosc/lz4_", "crc32c/", "numcodecs/shuffle",
    ),
    "": ("b2b/", "bitround", "packbits", "reshape", "squeeze", "transpose", "pcodec", "zfp/float32_fixed_rate", "zfp/sharded"),
}
ROOTS = {
    "zarr-python": [
        "v2.zarr/.zgroup", "v2.zarr/.zattrs", "v3.zarr/zarr.json",
        "v2_consolidated.zarr/.zmetadata", "v3_consolidated.zarr/zarr.json",
    ],
    "zarrs": [],
}

files = {}
for writer, documents in ROOTS.items():
    root = os.path.join(golden, writer)
    with open(os.path.join(root, "expected.json")) as f:
        expected = json.load(f)
    arrays, paths = [], set(documents)
    for array in expected["arrays"]:
        store = array.get("store", "")
        if not array["path"].startswith(CHOSEN[store]):
            continue
        arrays.append({k: array[k] for k in ("store", "path", "shape", "raw", "values") if k in array})
        if "raw" in array:
            paths.add(array["raw"])
        for at, _, names in os.walk(os.path.join(root, store, array["path"])):
            paths.update(os.path.relpath(os.path.join(at, name), root) for name in names)
        group = os.path.dirname(array["path"])
        for name in ("zarr.json", ".zgroup", ".zattrs"):
            if group and os.path.exists(os.path.join(root, store, group, name)):
                paths.add(os.path.join(store, group, name))
    for path in paths:
        with open(os.path.join(root, path), "rb") as f:
            files[writer + "/" + path] = f.read()
    text = json.dumps({"writer": expected["writer"], "arrays": arrays}, indent=1) + "\n"
    files[writer + "/expected.json"] = text.encode()

with zipfile.ZipFile(archive, "w") as out:
    for name in sorted(files):
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED
        out.writestr(info, files[name], compresslevel=9)
