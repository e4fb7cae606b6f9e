"""Writes texts.h5: attributes of one text with zero bytes within, of all kinds of padding. Run with h5py 3.16 in
this folder."""

import h5py
import numpy as np
from h5py import h5a, h5s, h5t

with h5py.File("texts.h5", "w") as f:
    d = f.create_dataset("d", data=1.0)
    for name, padding in {"terminated": h5t.STR_NULLTERM, "zeros": h5t.STR_NULLPAD, "spaces": h5t.STR_SPACEPAD}.items():
        for number, text in enumerate([b"a\0b\0\0", b"ab \0\0", b"ab   ", b"\0b\0  ", b"\0\0\0\0\0"]):
            kind = h5t.C_S1.copy()
            kind.set_size(len(text))
            kind.set_strpad(padding)
            h5a.create(d.id, f"{name}{number}".encode(), kind, h5s.create(h5s.SCALAR)).write(np.frombuffer(text, "S5")[0:1].reshape(()), mtype=kind)

for name, text in sorted(h5py.File("texts.h5")["d"].attrs.items()):
    print(name, text)
