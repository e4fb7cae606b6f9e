"""Select two of every five cases from a folder of goldens that libzfp made.

usage: python3 select.py GOLDEN/zfp golden.zip

The folder holds cases.json and, one behind the other, the inputs (all.in), the
streams (all.zfp) and the decoded outputs (all.out) of its cases.
"""

import json
import os
import sys
import zipfile

root, archive = sys.argv[1:]
with open(os.path.join(root, "cases.json")) as f:
    golden = json.load(f)
files = {"all.in": b"", "all.zfp": b"", "all.out": b""}
data = {}
for name in files:
    with open(os.path.join(root, name), "rb") as f:
        data[name] = f.read()
golden["cases"] = [c for i, c in enumerate(golden["cases"]) if i % 5 in (0, 2)]
for case in golden["cases"]:
    for part in ("in", "zfp", "out"):
        at, size = case[part]
        name = "all." + part
        case[part] = [len(files[name]), size]
        files[name] += data[name][at : at + size]
files["cases.json"] = json.dumps(golden).encode() + b"\n"
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
    for name in sorted(files):
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
        z.writestr(entry, files[name])
