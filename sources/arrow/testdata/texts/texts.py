"""Writes 50 texts of 1000 bytes, or one of them 50 times, in each way that Arrow and
Parquet know, to the folder of this script.

Usage: texts.py
"""

import os

import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

os.chdir(os.path.dirname(os.path.abspath(__file__)))
ROWS = 50
texts = [f"{i:04}" * 250 for i in range(ROWS)]
once = pa.array(texts[:1])
dictionary = pa.DictionaryArray.from_arrays(pa.array([0] * ROWS, pa.int32()), once)
runs = pa.RunEndEncodedArray.from_arrays(pa.array([ROWS], pa.int32()), once)


def arrow(name, column, compression=None):
    table = pa.table({"s": column})
    with ipc.new_file(name, table.schema, options=ipc.IpcWriteOptions(compression=compression)) as w:
        w.write_table(table)


pq.write_table(pa.table({"s": texts}), "plain.parquet", use_dictionary=False, compression="zstd")
pq.write_table(pa.table({"s": dictionary}), "dictionary.parquet", store_schema=False, compression="zstd")
arrow("offsets.arrow", pa.array(texts[:5]))
arrow("views.arrow", pa.array(texts[:5], pa.string_view()))
arrow("dictionary.arrow", dictionary)
arrow("runs.arrow", runs)
arrow("runs_compressed.arrow", runs, "zstd")
