"""Writes a Parquet file with maps that have keys and no values, which are sets.

    python make_sets.py FILE

needs pyarrow. Its lists become such maps: the schema in the footer is changed. pyarrow has to
read the same lists from the file.
"""

import sys

import pyarrow as pa
import pyarrow.parquet as pq

import make_foreign as foreign

LISTS = [[3, 1], [], None, [7]]
MAP, UNION_OF_MAP = 1, 2  # numbers of the old and of the new annotation

sink = pa.BufferOutputStream()
table = pa.table({"set": pa.array(LISTS, pa.list_(pa.field("key", pa.int32(), nullable=False)))})
pq.write_table(table, sink, store_schema=False, compression="none", use_compliant_nested_type=False)
f = foreign.File(sink.getvalue().to_pybytes())
node = foreign.get(f.footer, foreign.SCHEMA)[1][1]
foreign.put(node, 6, MAP)
foreign.put(node, 10, [[UNION_OF_MAP, foreign.STRUCT, []]])
with open(sys.argv[1], "wb") as out:
    out.write(f.bytes())
read = pq.ParquetFile(sys.argv[1])
assert "(Map)" in str(read.schema), read.schema
assert read.read()["set"].to_pylist() == LISTS
