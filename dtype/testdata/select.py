"""Writes zarr-python.json: what the arrays of the golden data that zarr-python
3.4.2 wrote say of their data types, each distinct document once.

    python select.py GOLDEN/zarr-python > zarr-python.json
"""

import json
import pathlib
import sys

root = pathlib.Path(sys.argv[1])
documents = {}
for store in ("v3.zarr", "v2.zarr"):
    for path in sorted((root / store).rglob("*")):
        if path.name not in ("zarr.json", ".zarray"):
            continue
        text = json.loads(path.read_text())
        names = ("data_type", "dtype", "filters", "fill_value")
        keep = {k: text[k] for k in names if k in text and (k != "filters" or text[k])}
        if "data_type" in keep or "dtype" in keep:
            where = str(path.parent.relative_to(root))
            documents.setdefault(json.dumps(keep), {"path": where, **keep})
print("[\n" + ",\n".join(json.dumps(d) for d in documents.values()) + "\n]")
