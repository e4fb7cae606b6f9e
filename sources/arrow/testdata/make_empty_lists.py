"""Writes empty_lists.arrow and empty_lists.parquet: a column of lists of the fixed size 0,
and a column of numbers. Run with pyarrow 26 in this folder."""

import pyarrow as pa
import pyarrow.parquet as pq

table = pa.table({"a": pa.array([[], [], []], pa.list_(pa.float32(), 0)), "b": pa.array([1, 2, 3], pa.int32())})
with pa.OSFile("empty_lists.arrow", "wb") as f, pa.ipc.new_file(f, table.schema) as w:
    w.write_table(table)
pq.write_table(table, "empty_lists.parquet")
