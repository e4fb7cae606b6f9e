"""Writes tables with lists within lists, with pyarrow: Parquet, Arrow IPC files and streams.

    nested_sources.py FOLDER SEED CASES

A case is a folder of one to three files, which are one table. expected.json has, for each case,
the elements of each array that the table becomes, by its path, and the values that take the place
of nulls. This script computes them from the rows as pyarrow has them.
"""

import json
import os
import pathlib
import random
import sys

import pyarrow as pa
import pyarrow.parquet as pq

folder, seed, cases = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
number, text = pa.int32(), pa.string()


def struct(**fields):
    return pa.struct(list(fields.items()))


TYPES = {
    "twice": pa.list_(pa.list_(number)),
    "thrice": pa.list_(pa.large_list(pa.list_(text))),
    "structs": pa.list_(struct(a=number, b=pa.list_(number), c=pa.list_(struct(d=number, e=pa.list_(number))))),
    "struct": struct(x=pa.list_(pa.list_(text)), y=number),
    "map": pa.map_(number, pa.list_(number)),
    "maps": pa.list_(pa.map_(number, text)),
    "last": pa.list_(struct(b=pa.list_(struct(z=pa.list_(number))), a=number)),
}


def is_list(t):
    return pa.types.is_list(t) or pa.types.is_large_list(t)


def draw(t, rng, nulls):
    """A random value of a type. Keys of maps are never null."""
    if nulls and rng.random() < 0.15:
        return None
    if is_list(t):
        return [draw(t.value_type, rng, nulls) for _ in range(rng.choice([0, 0, 1, 2, 5]))]
    if pa.types.is_map(t):
        return [(rng.randrange(99), draw(t.item_type, rng, nulls)) for _ in range(rng.choice([0, 1, 3]))]
    if pa.types.is_struct(t):
        return {f.name: draw(f.type, rng, nulls) for f in t}
    return rng.choice(["", "a", "bcd"]) if pa.types.is_string(t) else rng.randrange(1000)


def arrays(t, values, path, elements, fills):
    """Adds the arrays of values of a type to elements, and what takes the place of nulls to fills."""
    if is_list(t) or pa.types.is_map(t):
        of = t.value_type if is_list(t) else struct(key=t.key_type, value=t.item_type)
        offsets, items = [0], []
        for v in values:
            v = v or []
            items += v if is_list(t) else [{"key": key, "value": item} for key, item in v]
            offsets.append(len(items))
        elements[path + "/offsets"], fills[path + "/offsets"] = offsets, 0
        arrays(of, items, path + "/values", elements, fills)
    elif pa.types.is_struct(t):
        for f in t:
            arrays(f.type, [None if v is None else v[f.name] for v in values], f"{path}/{f.name}", elements, fills)
    else:
        fills[path] = "none" if pa.types.is_string(t) else -1
        elements[path] = [fills[path] if v is None else v for v in values]


def write(table, path, kind, rng):
    if kind == 0:
        pq.write_table(table, path + ".parquet", row_group_size=rng.choice([2, 7, 1000]), data_page_version=rng.choice(["1.0", "2.0"]),
                       data_page_size=rng.choice([64, 1 << 20]), write_batch_size=rng.choice([3, 1024]))
    elif kind == 3:
        pq.write_table(table, path + ".parquet", store_schema=False, compression=rng.choice(["none", "zstd"]))
    else:
        options = pa.ipc.IpcWriteOptions(compression=rng.choice([None, "lz4", "zstd"]))
        new, suffix = (pa.ipc.new_file, ".arrow") if kind == 1 else (pa.ipc.new_stream, ".arrows")
        with pa.OSFile(path + suffix, "wb") as sink, new(sink, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=rng.choice([3, 100]))


expected = {}
for case in range(cases):
    rng = random.Random(f"{seed} {case}")
    nulls, tables = case % 2 == 1, []
    name = f"case_{case:03}"
    os.makedirs(folder / name)
    for i in range(1 + case % 3):
        rows = rng.choice([0, 1, 3, 9, 40])
        table = pa.table({c: pa.array([draw(t, rng, nulls) for _ in range(rows)], t) for c, t in TYPES.items()})
        tables.append(table.slice(rows // 4))
        write(tables[-1], str(folder / name / str(i)), (case + i) % 4, rng)
    whole, elements, fills = pa.concat_tables(tables), {}, {}
    for c, t in TYPES.items():
        arrays(t, whole[c].to_pylist(), c, elements, fills)
    expected[name] = {"arrays": elements, "fills": fills if nulls else {}}
(folder / "expected.json").write_text(json.dumps(expected))
