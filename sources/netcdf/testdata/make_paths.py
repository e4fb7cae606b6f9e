"""Writes paths.h5: 20 groups, each with two links to the next, which make a
million paths to the last one."""

import h5py

with h5py.File("paths.h5", "w", libver="latest") as f:
    group = f
    for _ in range(20):
        below = group.create_group("a")
        group["b"] = below
        group = below
