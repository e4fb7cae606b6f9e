"""Writes a table with fastparquet, which looks for nulls and states the repetition of columns as bools.

    make_bool_repetition.py FILE
"""

import sys

import fastparquet
import pandas as pd

table = pd.DataFrame({"whole": [1, 2, 3], "real": [0.5, 1.5, 2.5], "text": ["a", None, "ccc"], "flag": [True, False, True]})
fastparquet.write(sys.argv[1], table, has_nulls="infer", write_index=False)
assert fastparquet.ParquetFile(sys.argv[1]).to_pandas().equals(table)
