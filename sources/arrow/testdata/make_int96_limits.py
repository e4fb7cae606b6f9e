"""Writes int96_limits.parquet: the first and the last timestamps that nanoseconds in 64 bits can say, in
12 bytes. Run with pyarrow 26 in this folder."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

day = 86400 * 10**9
values = [1 - 2**63, -106751 * day - 1, -106751 * day, -1, 2**63 - 1]
table = pa.table({"t": np.array(values).view("M8[ns]")})
pq.write_table(table, "int96_limits.parquet", use_deprecated_int96_timestamps=True)
assert pq.read_table("int96_limits.parquet")["t"].cast("int64").to_pylist() == values
