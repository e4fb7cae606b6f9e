"""Writes files with about 200 MB of texts to a folder, and one of 100 KB that expands to
2 GB.

Usage: text_sources.py FOLDER
"""

import os
import random
import sys
import warnings

import h5py
import netCDF4
import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import zarr

warnings.simplefilter("ignore")
os.chdir(sys.argv[1])
random.seed(1)
ROWS = 100_000
noise = "".join(random.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=1 << 22))


def text(n):
    at = random.randrange(len(noise) - n)
    return noise[at : at + n]


texts = [text(random.randrange(4000)) for _ in range(ROWS)]
objects = np.array(texts, dtype=object)
table = pa.table({"s": texts})

repeated = pa.DictionaryArray.from_arrays(pa.array([0] * 20_000, pa.int32()), pa.array([text(100_000)]))
pq.write_table(pa.table({"s": repeated}), "dictionary.parquet", store_schema=False)
pq.write_table(table, "plain.parquet", use_dictionary=False)
pq.write_table(table, "delta.parquet", use_dictionary=False, column_encoding={"s": "DELTA_BYTE_ARRAY"})
pq.write_table(table, "page.parquet", use_dictionary=False, data_page_size=1 << 30, write_batch_size=ROWS, max_rows_per_page=ROWS)


def arrow(name, table, rows=ROWS, compression=None):
    with ipc.new_file(name, table.schema, options=ipc.IpcWriteOptions(compression=compression)) as w:
        w.write_table(table, max_chunksize=rows)


arrow("texts.arrow", table)
arrow("views.arrow", pa.table({"s": pa.array(texts, pa.string_view())}))
arrow("batches.arrow", table, 5000, "lz4")
arrow("batch.arrow", table, ROWS, "zstd")

for name, data, chunks, shards, dtype in [
    ("chunks.zarr", objects, 2000, None, "string"),
    ("shards.zarr", objects, 500, 20_000, "string"),
    ("bytes.zarr", np.array([t.encode() for t in texts], dtype=object), 2000, None, "variable_length_bytes"),
]:
    shards = shards and (shards,)
    zarr.create_array(store=name, shape=(ROWS,), chunks=(chunks,), shards=shards, dtype=dtype)[:] = data
v2 = zarr.open_group("v2.zarr", mode="w", zarr_format=2)
v2.create_array("s", shape=(ROWS,), chunks=(2000,), dtype="string")[:] = objects

with h5py.File("texts.h5", "w") as f:
    f.create_dataset("chunked", data=texts, dtype=h5py.string_dtype(), chunks=(1000,))
    f.create_dataset("contiguous", data=texts, dtype=h5py.string_dtype())
with netCDF4.Dataset("texts.nc", "w") as f:
    f.createDimension("x", ROWS)
    f.createVariable("s", str, ("x",))[:] = objects
