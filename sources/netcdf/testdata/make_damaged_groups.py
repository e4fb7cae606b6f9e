"""Writes damaged_groups.h5, a file with two damaged groups. h5py reads what is not in them."""

import h5py
import numpy as np

NAME = "damaged_groups.h5"
with h5py.File(NAME, "w", libver="latest") as f:
    f["whole"] = np.arange(4, dtype="<i2")
    f["below/group/x"] = np.arange(3, dtype="<i2")
    links = f.create_group("links")
    links["scale"] = np.arange(3, dtype="<i2")
    links["scale"].make_scale("scale")
    f["below/group/x"].dims[0].attach_scale(links["scale"])
    for i in range(9):  # so many links are in a heap, and so many attributes
        links[f"v{i}"] = f["whole"]
    f["attributes/x"] = np.arange(5, dtype="<i2")
    for i in range(9):
        f["attributes"].attrs[f"a{i}"] = np.int8(i)

with open(NAME, "r+b") as f:
    data = bytearray(f.read())
    at = -1
    while (at := data.find(b"FRHP", at + 1)) >= 0:  # headers of heaps, which have checksums
        data[at + 30] ^= 0xFF
    f.seek(0)
    f.write(data)

with h5py.File(NAME) as f:
    assert list(f) == ["attributes", "below", "links", "whole"]
    assert f["whole"][1] == 1 and f["below/group/x"][2] == 2 and f["attributes/x"][4] == 4
    for broken in (lambda: list(f["links"]), lambda: dict(f["attributes"].attrs)):
        try:
            broken()
        except (OSError, RuntimeError) as e:
            print(e)
        else:
            raise AssertionError("not damaged")
