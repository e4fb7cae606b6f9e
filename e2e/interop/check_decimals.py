"""Compares what readers get of migrated decimals with the decimals.

    check_decimals.py FILE TARGET…

FILE is a Parquet file of decimals. Each TARGET has a float64 array for each column that it
holds: the values of decimals, or integers that codecs divide. The values have to be the
floats that are nearest to the decimals, bit for bit, and nulls have to be NaN. Codecs make
integers floats first, which rounds integers of more than 15 digits.
"""

import sys
import warnings

import numpy as np
import pyarrow.parquet as pq
import zarr

warnings.simplefilter("ignore")
table, wrong, equal = pq.read_table(sys.argv[1]), 0, 0
for target in sys.argv[2:]:
    for name, array in zarr.open_group(target, mode="r").arrays():
        kind = table.schema.field(name).type
        value = float
        if any(type(codec).__name__ == "CastValue" for codec in array.filters):
            value = lambda v: float(int(v.scaleb(kind.scale))) / 10.0**kind.scale
        want = np.array([np.nan if v is None else value(v) for v in table[name].to_pylist()])
        got = np.asarray(array[...])
        same = got.dtype == np.float64 and np.array_equal(got.view("i8")[~np.isnan(want)], want.view("i8")[~np.isnan(want)]) and np.isnan(got[np.isnan(want)]).all()
        equal += same
        if not same:
            wrong += 1
            print(f"DIFFERENT {target}: {name}: {got.tolist()}, want {want.tolist()}")
print(f"{equal} arrays equal")
sys.exit(bool(wrong or equal == 0))
