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

# Lists of fixed size within lists of varying length. Parquet has them only with the schema of Arrow.
FIXED = {
    "pairs": pa.list_(pa.list_(number, 2)),
    "boxes": pa.list_(pa.large_list(pa.list_(pa.list_(number, 3), 2))),
    "fields": pa.list_(struct(a=pa.list_(text, 3), b=number, c=pa.list_(pa.list_(number, 2)))),
    "values": pa.map_(number, pa.list_(number, 1)),
}

# List views, whose elements are anywhere. In Parquet they would be lists.
VIEWS = {
    "view": pa.list_view(number),
    "view_twice": pa.large_list_view(pa.list_view(text)),
    "view_list": pa.list_view(pa.list_(number)),
    "list_view": pa.list_(pa.list_view(number)),
    "view_structs": pa.list_view(struct(a=number, b=pa.list_(text), c=pa.list_view(struct(d=number, e=pa.list_(number))))),
    "view_fixed": pa.list_view(pa.list_(number, 2)),
    "struct_view": struct(v=pa.large_list_view(number), w=number),
}


def is_view(t):
    return pa.types.is_list_view(t) or pa.types.is_large_list_view(t)


def is_list(t):
    return pa.types.is_list(t) or pa.types.is_large_list(t) or is_view(t)


def scattered(t, values, rng, nulls):
    """An array of values, of which list views have their elements in any order, with others between."""
    none = pa.array([v is None for v in values], pa.bool_())
    if pa.types.is_struct(t):
        fields = [scattered(f.type, [None if v is None else v[f.name] for v in values], rng, nulls) for f in t]
        return pa.StructArray.from_arrays(fields, fields=list(t), mask=none)
    if not is_list(t):
        return pa.array(values, t)
    items, begins, order = [], [0] * len(values), list(range(len(values)))
    if is_view(t) and rng.random() < 0.7:
        rng.shuffle(order)
    for i in order:
        v = values[i]
        if v is None:
            continue
        same = [k for k in order[:order.index(i)] if values[k] == v] if is_view(t) else []
        if same and rng.random() < 0.5:
            begins[i] = begins[same[0]]  # two lists share their elements
            continue
        if is_view(t) and rng.random() < 0.2:
            items += [draw(t.value_type, rng, nulls) for _ in range(rng.choice([1, 3]))]
        begins[i] = len(items)
        items += v
    child = scattered(t.value_type, items, rng, nulls)
    offset = pa.int64() if pa.types.is_large_list(t) or pa.types.is_large_list_view(t) else pa.int32()
    sizes = [len(v or []) for v in values]
    if is_view(t):
        kind = pa.ListViewArray if pa.types.is_list_view(t) else pa.LargeListViewArray
        return kind.from_arrays(pa.array(begins, offset), pa.array(sizes, offset), child, type=t, mask=none)
    kind = pa.ListArray if pa.types.is_list(t) else pa.LargeListArray
    ends = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
    return kind.from_arrays(pa.array(ends, offset), child, type=t, mask=none)


def draw(t, rng, nulls):
    """A random value of a type. Keys of maps are never null."""
    if nulls and rng.random() < 0.15:
        return None
    if is_list(t):
        return [draw(t.value_type, rng, nulls) for _ in range(rng.choice([0, 0, 1, 2, 5]))]
    if pa.types.is_fixed_size_list(t):
        return [draw(t.value_type, rng, nulls) for _ in range(t.list_size)]
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
        fills[path] = "none" if pa.types.is_string(of_fixed(t)) else -1
        elements[path] = [filled(t, v, fills[path]) for v in values]


def of_fixed(t):
    """The type of the elements of lists of fixed size within each other."""
    return of_fixed(t.value_type) if pa.types.is_fixed_size_list(t) else t


def filled(t, v, fill):
    """A value of fixed size with fill in place of nulls."""
    if pa.types.is_fixed_size_list(t):
        return [filled(t.value_type, x, fill) for x in (v or [None] * t.list_size)]
    return fill if v is None else v


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
    types = TYPES | (FIXED if case % 3 else {}) | (VIEWS if case % 3 == 2 else {})
    os.makedirs(folder / name)
    for i in range(1 + case % 3):
        rows = rng.choice([0, 1, 3, 9, 40])
        drawn = {c: [draw(t, rng, nulls) for _ in range(rows)] for c, t in types.items()}
        table = pa.table({c: scattered(t, drawn[c], rng, nulls) if c in VIEWS else pa.array(drawn[c], t) for c, t in types.items()})
        tables.append(table.slice(rows // 4))
        write(tables[-1], str(folder / name / str(i)), [(case + i) % 4, (case + i) % 3, 1 + (case + i) % 2][case % 3], rng)
    whole, elements, fills = pa.concat_tables(tables), {}, {}
    for c, t in types.items():
        arrays(t, whole[c].to_pylist(), c, elements, fills)
    expected[name] = {"arrays": elements, "fills": fills if nulls else {}}
(folder / "expected.json").write_text(json.dumps(expected))
