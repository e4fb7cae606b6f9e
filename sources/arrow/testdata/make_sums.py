"""Write Parquet files whose pages have checksums, with pyarrow.

usage: python3 -P make_sums.py FOLDER
"""

import os
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import make_foreign as foreign

folder = sys.argv[1]
n = 60
table = pa.table({
    "number": pa.array(np.arange(n, dtype="int32") ** 2),
    "word": pa.array([["ab", "cde", ""][i % 3] for i in range(n)]),
})
for version, compression in (("1.0", "gzip"), ("2.0", "none")):
    pq.write_table(
        table, os.path.join(folder, f"sums_v{version[0]}.parquet"), data_page_version=version, compression=compression,
        use_dictionary=["word"], data_page_size=80, write_batch_size=10, write_page_checksum=True, write_statistics=False,
        store_schema=False,
    )

# Parquet.jl writes 0 in place of each checksum.
with open(os.path.join(folder, "sums_v1.parquet"), "rb") as data:
    file = foreign.File(data.read())
foreign.put(file.footer, foreign.CREATED, b"Parquet.jl 0.8.6")
for header, _ in file.all_pages():
    foreign.put(header, foreign.PAGE_CRC, 0)
with open(os.path.join(folder, "zero_sums.parquet"), "wb") as out:
    out.write(file.bytes())
assert pq.read_table(os.path.join(folder, "zero_sums.parquet")).equals(table)
