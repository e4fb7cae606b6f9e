"""Select the arrays with bytes-to-bytes codecs, with pcodec and zfp, that zarrs wrote.

usage: python3 select_zarrs.py GOLDEN/zarrs zarrs-b2b.zip

The folder holds the arrays, and expected.json with the values of
each array. The archive has the layout of zarr-python-v3.zip.
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
    if not array["path"].startswith(("b2b/", "pcodec", "zfp/")):
        continue
    arrays.append({"store": "v3.zarr", "path": array["path"], "raw": array["raw"]})
    paths = {array["raw"]: array["raw"]}
    for at, _, names in os.walk(os.path.join(root, array["path"])):
        for name in names:
            path = os.path.relpath(os.path.join(at, name), root)
            paths[path] = "v3.zarr/" + path
    for path, name in paths.items():
        with open(os.path.join(root, path), "rb") as f:
            files[name] = f.read()
text = json.dumps({"writer": expected["writer"], "arrays": arrays}, indent=1) + "\n"
files["expected.json"] = text.encode()
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as z:
    for name in sorted(files):
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
        z.writestr(entry, files[name])
