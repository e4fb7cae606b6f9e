"""Writes empty_dims.h5 and empty_dims.json: datasets without scales, some of which have no elements, and the names
that netCDF4-python 1.7.5 (libnetcdf 4.10.1) gives their dimensions. Run in this folder, with h5py 3.16."""

import json

import h5py
import netCDF4

with h5py.File("empty_dims.h5", "w", libver="latest") as f:
    f.create_dataset("a", (0,), "i1", maxshape=(0,)).make_scale("a")
    for g in (f, f.create_group("g")):
        g.create_dataset("b", (3, 0, 0), "i1")
        g.create_dataset("c", (0, 3), "i1")
        g.create_dataset("d", (0, 3), "i1", maxshape=(None, 3), chunks=(2, 3))
        g.create_dataset("e", (0, 5), "i1", maxshape=(None, 5), chunks=(2, 5))
        g.create_dataset("f", (3, 3), "i1", maxshape=(None, 3), chunks=(2, 3))

with netCDF4.Dataset("empty_dims.h5") as f:
    names = {}
    for group, at in ((f, ""), (f["g"], "g/")):
        for name, variable in group.variables.items():
            names[at + name] = variable.dimensions
with open("empty_dims.json", "w") as out:
    json.dump(names, out, indent=1)
    out.write("\n")
