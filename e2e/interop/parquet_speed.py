"""Measures pyarrow reading columns of Parquet files, on one core.

    parquet_speed.py DIR

Writes files into a folder and prints their names and columns as a list of pairs. Then it
reads lines with a file and a column. For each line it reads the whole column several
times, and prints the least processor time in seconds.
"""

import json
import pathlib
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet

ROWS = 1 << 20
SECONDS = 0.04  # of each measurement


def columns(encoding):
    """Columns without nulls, and with a tenth of nulls at random places."""
    random = np.random.default_rng(1)
    list = {}
    for name in ("int32", "int64", "float32", "float64"):
        if encoding == "DELTA_BINARY_PACKED" and name.startswith("float"):
            continue
        if encoding == "RLE_DICTIONARY":
            values = random.integers(0, 1000, ROWS)
        elif encoding == "DELTA_BINARY_PACKED":
            values = np.cumsum(random.integers(-100, 200, ROWS))
        else:
            values = random.integers(0, 1 << 20, ROWS)
        values = values.astype(name)
        list[name] = pa.array(values)
        list[name + "_nulls"] = pa.array(values, mask=random.random(ROWS) < 0.1)
    return list


def make(folder):
    made = []
    for encoding in ("PLAIN", "RLE_DICTIONARY", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"):
        list = columns(encoding)
        for codec in ("none", "snappy", "zstd"):
            name = f"{encoding.lower()}_{codec}.parquet"
            dictionary = encoding == "RLE_DICTIONARY"
            pa.parquet.write_table(
                pa.table(list), folder / name, compression=codec, use_dictionary=dictionary,
                column_encoding=None if dictionary else {c: encoding for c in list},
            )  # fmt: skip
            made += [(name, c) for c in list]
    return made


def measure(file, column):
    best, end = float("inf"), time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        began = time.process_time()
        file.read(columns=[column], use_threads=False)
        best = min(best, time.process_time() - began)
    return best


def main(folder):
    pa.set_cpu_count(1)
    print(json.dumps(make(folder)), flush=True)
    for line in sys.stdin:
        name, column = line.split()
        with pa.parquet.ParquetFile(folder / name, memory_map=False) as file:
            print(measure(file, column), flush=True)


main(pathlib.Path(sys.argv[1]))
