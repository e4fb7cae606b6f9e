"""Select the arrays that this package can decode from a folder of goldens.

usage: python3 select.py GOLDEN/zarr-python zarr-python-v3.zip

The folder holds v3.zarr, written by zarr-python, and expected.json with the
values of each array.
"""

import json
import os
import sys
import zipfile

TYPES = {
    "bool", "raw_bytes", "complex64", "complex128", "numpy.datetime64", "numpy.timedelta64",
    "fixed_length_utf32", "null_terminated_bytes", "struct",
} | {
    kind + bits for kind, widths in (("int", "8 16 32 64"), ("uint", "8 16 32 64"), ("float", "16 32 64")) for bits in widths.split()
}
CODECS = {"bytes", "transpose", "gzip", "zstd", "crc32c"}

root, archive = sys.argv[1:]
with open(os.path.join(root, "expected.json")) as f:
    expected = json.load(f)
arrays, files = [], {}
for array in expected["arrays"]:
    folder = os.path.join(root, array["store"], array["path"])
    if array["store"] != "v3.zarr" or "raw" not in array:
        continue
    with open(os.path.join(folder, "zarr.json")) as f:
        document = json.load(f)
    data_type = document["data_type"]
    name = data_type if isinstance(data_type, str) else data_type["name"]
    if name not in TYPES or not {c["name"] for c in document["codecs"]} <= CODECS:
        continue
    arrays.append({"store": "v3.zarr", "path": array["path"], "raw": array["raw"]})
    paths = [os.path.join(at, x) for at, _, names in os.walk(folder) for x in names]
    for p in [*paths, os.path.join(root, array["raw"])]:
        with open(p, "rb") as f:
            files[os.path.relpath(p, root)] = f.read()
text = json.dumps({"writer": expected["writer"], "arrays": arrays}, indent=1) + "\n"
files["expected.json"] = text.encode()
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as z:
    for name in sorted(files):
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
        z.writestr(entry, files[name])
