"""Makes Zarr arrays, migrates them with tensorstore and compares them.

    migrate_speed.py make ARRAY METADATA     of a smooth field with some noise
    migrate_speed.py migrate SOURCE TARGET METADATA
    migrate_speed.py compare ARRAY ARRAY

ARRAY, SOURCE and TARGET are folders, METADATA is the JSON by which tensorstore
creates an array. migrate works in two ways: on the whole array at once, and chunk by
chunk (or shard by shard) of the target, several at a time. For the faster way it prints
the wall time and the processor time in seconds, as JSON.
"""

import collections
import itertools
import json
import shutil
import sys
import time

import numpy as np
import tensorstore

AT_ONCE = 4  # regions


def open_array(folder, metadata=None):
    spec = {"kvstore": {"driver": "file", "path": folder + "/"}}
    if metadata is not None:
        return tensorstore.open(spec | {"driver": driver(metadata), "metadata": metadata}, create=True).result()
    for name in ("zarr3", "zarr"):
        try:
            return tensorstore.open(spec | {"driver": name}, read=True).result()
        except ValueError:
            continue
    raise SystemExit(f"{folder}: no array")


def driver(metadata):
    return "zarr3" if metadata["zarr_format"] == 3 else "zarr"


def make(folder, metadata):
    array = open_array(folder, metadata)
    layers, rows, columns = array.shape
    random = np.random.default_rng(1)
    y, x = np.mgrid[:rows, :columns]
    for layer in range(layers):
        values = 15 + 10 * np.sin(x / 97 + layer / 31) + 3 * np.cos(y / 71) + random.random((rows, columns)) / 64
        array[layer].write((np.round(1024 * values) / 1024).astype("f4")).result()


def whole(source, target):
    target.write(source).result()


def regions(source, target):
    chunk = target.chunk_layout.write_chunk.shape
    starts = itertools.product(*(range(0, extent, step) for extent, step in zip(target.shape, chunk)))
    waiting = collections.deque()
    for start in starts:
        at = tuple(slice(a, min(a + step, extent)) for a, step, extent in zip(start, chunk, target.shape))
        waiting.append(target[at].write(source[at]))
        if len(waiting) == AT_ONCE:
            waiting.popleft().result()
    for write in waiting:
        write.result()


def migrate(folder, to, metadata):
    measured = []
    for way in (whole, regions):
        shutil.rmtree(to, ignore_errors=True)
        began, used = time.perf_counter(), time.process_time()
        way(open_array(folder), open_array(to, metadata))
        measured.append((time.perf_counter() - began, time.process_time() - used))
    print(json.dumps(min(measured)))


def compare(one, other):
    one, other = open_array(one), open_array(other)
    for layer in range(0, one.shape[0], 16):
        at = slice(layer, layer + 16)
        if one.shape != other.shape or not np.array_equal(one[at].read().result(), other[at].read().result()):
            raise SystemExit(f"they differ from [{layer}] on")


match sys.argv[1:]:
    case ["make", folder, metadata]:
        make(folder, json.loads(metadata))
    case ["migrate", source, target, metadata]:
        migrate(source, target, json.loads(metadata))
    case ["compare", one, other]:
        compare(one, other)
