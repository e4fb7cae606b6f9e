"""Writes lists that are null and have elements nevertheless, as pyarrow keeps them.

    make_null_lists.py FOLDER

filled.arrow and filled.arrows have such lists, and empty.arrow the same lists as pyarrow reads
them, without these elements.
"""

import pathlib
import sys

import pyarrow as pa

folder = pathlib.Path(sys.argv[1])
NULL = pa.array([False, True, False, True, False])


def offsets(*lengths):
    return pa.array([sum(lengths[:i]) for i in range(len(lengths) + 1)], pa.int32())


items = pa.array(range(10), pa.int16())
plain = pa.ListArray.from_arrays(offsets(2, 3, 0, 1, 4), items, mask=NULL)
inner = pa.LargeListArray.from_arrays(offsets(2, 3, 0, 1, 4).cast("int64"), items, mask=pa.array([False, False, True, False, True]))
table = pa.table({
    "plain": plain,
    "within": pa.ListArray.from_arrays(offsets(1, 1, 0, 2, 1), inner, mask=NULL),
    "struct": pa.StructArray.from_arrays([pa.ListArray.from_arrays(offsets(2, 3, 0, 1, 4), items)], ["list"], mask=NULL),
    "texts": pa.ListArray.from_arrays(offsets(2, 3, 0, 1, 4), pa.array([f"no. {i}" for i in range(10)]), mask=NULL),
})
empty = pa.table({name: pa.array(table[name].to_pylist(), table[name].type) for name in table.column_names})
assert empty.equals(table) and empty["plain"].chunk(0).offsets != table["plain"].chunk(0).offsets
twice = pa.concat_tables([table, table])
with pa.ipc.new_file(folder / "filled.arrow", table.schema) as f:
    f.write_table(twice)
with pa.ipc.new_stream(folder / "filled.arrows", table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as f:
    f.write_table(twice)
with pa.ipc.new_file(folder / "empty.arrow", table.schema) as f:
    f.write_table(pa.concat_tables([empty, empty]))
