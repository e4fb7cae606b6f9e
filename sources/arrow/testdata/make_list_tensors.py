"""Writes list_tensors.arrow and list_tensors.parquet: lists, maps and lists of fixed size of tensors
whose axes are permuted, and lists whose elements have metadata. Run with pyarrow 26 in this folder."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

kind = pa.fixed_shape_tensor(pa.int16(), [2, 3], permutation=[1, 0], dim_names=["y", "x"])
storage = pa.FixedSizeListArray.from_arrays(pa.array(np.arange(18), pa.int16()), 6)
tensors = pa.ExtensionArray.from_storage(kind, storage)
offsets = pa.array([0, 1, 3], pa.int32())
element = pa.field("element", pa.int8(), metadata={"units": "m"})
table = pa.table({
    "list": pa.ListArray.from_arrays(offsets, tensors),
    "map": pa.MapArray.from_arrays(offsets, pa.array(["a", "b", "c"]), tensors),
    "pairs": pa.FixedSizeListArray.from_arrays(pa.concat_arrays([tensors, tensors.slice(0, 1)]), 2),
    "plain": pa.ListArray.from_arrays(offsets, pa.array([1, 2, 3], pa.int8()), type=pa.list_(element)),
})
with pa.OSFile("list_tensors.arrow", "wb") as f, pa.ipc.new_file(f, table.schema) as w:
    w.write_table(table)
pq.write_table(table, "list_tensors.parquet")
