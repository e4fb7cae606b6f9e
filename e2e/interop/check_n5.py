"""Compares what zmigrate made of N5 containers with what z5py and tensorstore read from them.

    check_n5.py CONTAINER TARGET [CONTAINER TARGET …]

Each array of TARGET must have, bit for bit, the elements of the array of CONTAINER, with its
dimensions reversed. Prints a line for each pair, and exits with 1 if there is a difference.
"""

import json
import pathlib
import sys

import numpy as np
import tensorstore
import z5py
import zarr

failed = False
for container, target in zip(sys.argv[1::2], sys.argv[2::2]):
    compared = 0
    group = zarr.open_group(target, mode="r", zarr_format=3)
    for document in sorted(pathlib.Path(container).rglob("attributes.json")):
        name = str(document.parent.relative_to(container))
        if "dimensions" not in document.read_text():
            continue
        array = group[name]
        got = np.asarray(array[...])
        if json.loads(document.read_text())["compression"]["type"] in ("lz4", "blosc") and "z5py" in container:  # tensorstore reads neither of z5py's
            want = z5py.File(container, use_zarr_format=False, mode="r")[name][...]
        else:
            want = tensorstore.open({"driver": "n5", "kvstore": f"file://{document.parent}/"}, read=True).result().read().result().T
        if want.dtype != got.dtype or want.shape != got.shape or np.ascontiguousarray(want).tobytes() != np.ascontiguousarray(got).tobytes():
            failed = True
            print(f"DIFFERENT {target}: {name}")
        if "tensorstore" in container and list(array.metadata.dimension_names) != [f"a{k}" for k in reversed(range(got.ndim))]:
            failed = True
            print(f"DIFFERENT {target}: {name}: dimensions {array.metadata.dimension_names}")
        if "z5py" in container and dict(array.attrs) != {"unit": "nm"}:
            failed = True
            print(f"DIFFERENT {target}: {name}: attributes {dict(array.attrs)}")
        compared += 1
    print(f"{container}: {compared} arrays are equal")
    failed |= compared == 0
sys.exit(failed)
