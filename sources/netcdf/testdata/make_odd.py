"""Writes odd.h5 with h5py, which has what a copy cannot keep, or not as it is, and
odd.nc with netCDF4, which has a text with a zero byte."""

import sys

import h5py
import netCDF4
import numpy as np


def text_attribute(node, name, value):
    """An attribute of one fixed-length text, as netCDF writes it."""
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(len(value))
    kind.set_strpad(h5py.h5t.STR_NULLTERM)
    space = h5py.h5s.create(h5py.h5s.SCALAR)
    data = np.frombuffer(value, f"V{len(value)}").reshape(())
    memory = kind.copy()
    h5py.h5a.create(node.id, name.encode(), kind, space).write(data, mtype=memory)


with h5py.File(sys.argv[1], "w", libver="latest") as f:
    f.attrs["complex"] = 1 + 2j
    text_attribute(f, "latin", b"\xb0C")
    d = f.create_dataset("plain", data=np.arange(4, dtype="i4"))
    d.attrs["matrix"] = np.arange(6, dtype="i2").reshape(2, 3)
    d.attrs["one"] = np.array([[7]], "i2")
    d.attrs.create("texts", [["a", "b"], ["c", "dé"]], dtype=h5py.string_dtype())
    d.attrs["none"] = np.zeros((0, 3))
    d.attrs["reference"] = f.ref
    text_attribute(d, "units", b"\xb0C")
    text_attribute(d, "zero", b"a\nb\x00c")
    f.create_dataset("utf8", data=["é", "b"], dtype=h5py.string_dtype())
    texts = np.full((4, 5), b"a", object)
    texts[2, 3] = b"\xff\xfe"
    f.create_dataset("latin", data=texts, dtype=h5py.string_dtype(), chunks=(3, 2))
    f.create_dataset("fill", shape=(2,), dtype=h5py.string_dtype(), fillvalue=b"\xff")
    f.create_dataset("letters", data=np.array([b"a", b"", b"c"], "S1"))
    f["dangling"] = h5py.SoftLink("/nowhere")
    f["loop"] = h5py.SoftLink("/loop")
    f["through"] = h5py.SoftLink("/plain/below")
    f["group/external"] = h5py.ExternalLink("other.h5", "/there")

with netCDF4.Dataset(sys.argv[2], "w") as d:
    d.zero = "a\nb\0c"
