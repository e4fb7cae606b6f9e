"""Makes the HDF5 files of this folder, with h5py."""
import h5py
import numpy as np

huge = 1 << 20
for name, library in ("earliest", "earliest"), ("v110", "v110"):
    with h5py.File(f"{name}.h5", "w", libver=(library, "latest")) as f:
        options = dict(shape=(huge, huge), dtype="<i8", fillvalue=7)
        f.create_dataset("contiguous", **options)
        f.create_dataset("empty", chunks=(1024, 1024), **options)
        if name == "earliest":  # later indexes take room for all chunks
            some = f.create_dataset("some", chunks=(1024, 1024), compression="gzip", **options)
            some[0, 0] = 1
            some[-1, -1] = 2
