"""Select the Zarr v3 arrays from a folder of goldens.

usage: python3 select.py GOLDEN/zarr-python zarr-python-v3.zip

The folder holds v3.zarr, written by zarr-python, and expected.json with the
values of each array.
"""

import json
import os
import sys
import zipfile

root, archive = sys.argv[1:]
with open(os.path.join(root, "expected.json")) as f:
    expected = json.load(f)
arrays, files = [], {}
for array in expected["arrays"]:
    folder = os.path.join(root, array["store"], array["path"])
    if array["store"] != "v3.zarr":
        continue
    arrays.append({k: array[k] for k in ("store", "path", "raw", "values") if k in array})
    paths = [os.path.join(at, x) for at, _, names in os.walk(folder) for x in names]
    if "raw" in array:
        paths.append(os.path.join(root, array["raw"]))
    for p in paths:
        with open(p, "rb") as f:
            files[os.path.relpath(p, root)] = f.read()
text = json.dumps({"writer": expected["writer"], "arrays": arrays}, indent=1) + "\n"
files["expected.json"] = text.encode()
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as z:
    for name in sorted(files):
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
        z.writestr(entry, files[name])
