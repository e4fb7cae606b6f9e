"""Compares what zmigrate made of the arrays of pack_sources.py.

    check_pack.py FOLDER

zarr-python must read the same from ours.zarr and read.zarr as from theirs.zarr. Chunks
of ours.zarr must have the bytes of theirs.zarr if the chain alone determines them.
Prints one line for each comparison and one for each difference. Exits with 1 if there
is a difference.
"""

import collections
import json
import pathlib
import sys

import numpy as np
import zarr


def differences(folder, name, want):
    t = np.dtype(want["data_type"])
    values = np.frombuffer((folder / "expected" / name).read_bytes(), t).reshape(want["shape"])
    for target in ("ours.zarr", "read.zarr"):
        try:
            got = np.asarray(zarr.open_array(folder / target / name, mode="r")[...])
        except Exception as error:  # whatever it raises, it cannot read the array
            yield target, f"zarr-python cannot read it: {type(error).__name__}: {error}"
            continue
        if got.dtype != t or got.shape != values.shape:
            yield target, f"is {got.dtype} {got.shape}, want {t} {values.shape}"
            continue
        # All NaNs are equal, but zeros of different sign are not, except behind a
        # scale_offset without effect: zarr-python adds its 0 to -0.
        unequal = got != values
        if t.kind == "f":
            if not want["idle"]:
                unequal |= np.signbit(got) != np.signbit(values)
            unequal &= ~(np.isnan(got) & np.isnan(values))
        places = np.argwhere(unequal)
        yield target, len(places) and f"element {places[0].tolist()} is {got[tuple(places[0])]!r}, want {values[tuple(places[0])]!r}"
    if want["same_bytes"]:
        theirs, ours = ({f.relative_to(folder / store): f.read_bytes() for f in (folder / store / name).rglob("*") if f.is_file() and f.name != "zarr.json"}
                        for store in ("theirs.zarr", "ours.zarr"))
        yield "bytes of chunks", theirs != ours and f"chunks {sorted(map(str, (k for k in theirs | ours if theirs.get(k) != ours.get(k))))[:5]}"


def main(folder):
    folder = pathlib.Path(folder)
    equal, wrong = collections.Counter(), 0
    for name, want in json.loads((folder / "expected.json").read_text()).items():
        for what, difference in differences(folder, name, want):
            if difference:
                wrong += 1
                codecs = json.loads((folder / "theirs.zarr" / name / "zarr.json").read_text())["codecs"]
                print(f"DIFFERENT {name} ({want['data_type']}, {json.dumps(codecs)}): {what}: {difference}")
            else:
                equal[what] += 1
    for what, n in equal.items():
        print(f"{what}: {n} arrays equal")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main(sys.argv[1])
