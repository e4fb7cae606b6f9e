"""Runs the recipes for lists of varying length of a page of the documentation.

    check_lists.py PAGE FOLDER

FOLDER has table.parquet, which this script writes if it is called without PAGE, and
table.zarr. The Python blocks of the page's section run there, and their variables are
compared with what pyarrow reads. Blocks that import Awkward Array are left out if it is
not installed.
"""

import importlib.util
import os
import pathlib
import random
import re
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

*pages, folder = sys.argv[1:]
os.chdir(folder)
if not pages:
    rng = random.Random(7)
    rows = [[rng.random() for _ in range(rng.choice([0, 1, 3, 50]))] for _ in range(300)]
    tracks = [[[rng.random() for _ in range(rng.choice([0, 1, 3]))] for _ in range(rng.choice([0, 1, 4]))] for _ in rows]
    events = [[{"a": rng.randrange(9), "b": b} for b in lists] for lists in tracks]
    table = pa.table({"hits": pa.array(rows, pa.list_(pa.float64())), "tracks": pa.array(tracks), "events": pa.array(events)})
    pq.write_table(table, "table.parquet", row_group_size=70)
    sys.exit()

table = pq.read_table("table.parquet")
want = table["hits"].to_pylist()
section = re.search(r"^## Lists of varying length$(.*?)^## ", pathlib.Path(pages[0]).read_text(), re.S | re.M).group(1)
blocks = re.findall(r"```python\n(.*?)```", section, re.S)
ran, wrong = {}, []
for block in blocks:
    if "awkward" not in block or importlib.util.find_spec("awkward"):
        exec(block, ran)
for name in ["hits", "tracks", "events"]:
    if name in ran and ran[name].to_list() != table[name].to_pylist():
        wrong.append(f"Awkward Array has other lists: {name}")
rows = {i: np.mean(v) for i, v in enumerate(want) if v}
if not np.allclose(ran["means"].values, list(rows.values())) or ran["means"]["row"].values.tolist() != list(rows):
    wrong.append("xarray has other means")
for line in wrong:
    print("DIFFERENT", line)
print(f"{len(blocks)} recipes, {'with' if 'hits' in ran else 'without'} Awkward Array")
sys.exit(bool(wrong or len(blocks) < 3))
