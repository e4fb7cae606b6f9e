"""Writes Arrow and Parquet files with pyarrow, and the content of their columns.

    arrow_sources.py DIR SEED [ROWS]

DIR/expected.json has the columns of each file by their paths: the type, the shape,
and all values in C order as JSON (null for nulls, temporal values as integers, bytes
as {"hex"}). A column that is refused has a part of the error instead.
"""

import json
import pathlib
import random
import sys

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

TEMPORAL = ("timestamp", "duration", "date", "time")


def integers(rng, bits, signed, n):
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return [rng.choice([low, high, 0, 1, rng.randint(low, high)]) for _ in range(n)]


def text(rng):
    return "".join(rng.choice("aé日😀\"\\z ") for _ in range(rng.choice([0, 1, 3, 12, 13, 40])))


def holes(rng, values, share=0.2):
    return [None if rng.random() < share else v for v in values]


def tensors(rng, n, shape, permutation=None, names=None):
    flat = pa.array(np.arange(n * int(np.prod(shape)), dtype="f4") * rng.random())
    kind = pa.fixed_shape_tensor(pa.float32(), shape, permutation=permutation, dim_names=names)
    return pa.ExtensionArray.from_storage(kind, pa.FixedSizeListArray.from_arrays(flat, int(np.prod(shape))))


def columns(rng, n):
    """Columns that IPC and Parquet both have."""
    c = {}
    for bits in (8, 16, 32, 64):
        c[f"int{bits}"] = pa.array(integers(rng, bits, True, n), getattr(pa, f"int{bits}")())
        c[f"uint{bits}"] = pa.array(integers(rng, bits, False, n), getattr(pa, f"uint{bits}")())
        c[f"int{bits}_nulls"] = pa.array(holes(rng, integers(rng, bits, True, n)), getattr(pa, f"int{bits}")())
    floats = [rng.choice([0.0, -0.0, float("nan"), float("inf"), rng.uniform(-9, 9)]) for _ in range(n)]
    c["float16"] = pa.array(np.array(floats, "f2"))
    c["float32"] = pa.array(np.array(floats, "f4"))
    c["float64"] = pa.array(floats, pa.float64())
    c["float64_nulls"] = pa.array(holes(rng, floats), pa.float64())
    c["float64_null_only"] = pa.array([None] * n, pa.float64())
    c["bool"] = pa.array([rng.random() < 0.5 for _ in range(n)])
    c["bool_nulls"] = pa.array(holes(rng, [rng.random() < 0.5 for _ in range(n)], 0.5))
    strings = [text(rng) for _ in range(n)]
    c["string"] = pa.array(strings)
    c["string_nulls"] = pa.array(holes(rng, strings))
    c["large_string"] = pa.array(strings, pa.large_string())
    c["binary"] = pa.array([s.encode()[:7] for s in strings], pa.binary())
    c["large_binary"] = pa.array(holes(rng, [s.encode() for s in strings]), pa.large_binary())
    c["fixed_binary"] = pa.array(holes(rng, [rng.randbytes(5) for _ in range(n)]), pa.binary(5))
    words = [rng.choice(["red", "green", "blue", ""]) for _ in range(n)]
    c["dictionary"] = pa.array(words).dictionary_encode()
    c["dictionary_nulls"] = pa.array(holes(rng, words)).dictionary_encode()
    c["dictionary_int8"] = pa.DictionaryArray.from_arrays(
        pa.array([rng.randrange(3) for _ in range(n)], pa.int8()), pa.array([2.5, -1.0, 7.0]))
    for unit in ("s", "ms", "us", "ns"):
        small = [rng.randint(-(10**9), 10**9) for _ in range(n)]
        c[f"timestamp_{unit}"] = pa.array(small, pa.timestamp(unit))
        c[f"duration_{unit}"] = pa.array(holes(rng, small), pa.duration(unit))
    c["timestamp_utc"] = pa.array(small, pa.timestamp("us", "UTC"))
    c["timestamp_zone"] = pa.array(holes(rng, small), pa.timestamp("ms", "Europe/Berlin"))
    c["date32"] = pa.array([rng.randint(-9999, 9999) for _ in range(n)], pa.date32())
    c["time32"] = pa.array([rng.randrange(86400000) for _ in range(n)], pa.time32("ms"))
    c["time64"] = pa.array(holes(rng, [rng.randrange(86400 * 10**9) for _ in range(n)]), pa.time64("ns"))
    c["vector"] = pa.array([[rng.random() for _ in range(3)] for _ in range(n)], pa.list_(pa.float32(), 3))
    c["vector_strings"] = pa.array([[text(rng), text(rng)] for _ in range(n)], pa.list_(pa.string(), 2))
    c["vector_nulls"] = pa.array([holes(rng, [1, 2, rng.randrange(99)]) for _ in range(n)], pa.list_(pa.int16(), 3))
    c["matrix"] = pa.array([[[rng.randrange(99) for _ in range(3)] for _ in range(2)] for _ in range(n)], pa.list_(pa.list_(pa.int64(), 3), 2))
    c["matrix_nulls"] = pa.array(
        holes(rng, [holes(rng, [holes(rng, [4, 5, 6]) for _ in range(2)]) for _ in range(n)]), pa.list_(pa.list_(pa.int32(), 3), 2))
    c["tensor"] = tensors(rng, n, [2, 3], names=["y", "x"])
    c["tensor_permuted"] = tensors(rng, n, [2, 3, 4], permutation=[2, 0, 1], names=["c", "h", "w"])
    inner = pa.StructArray.from_arrays([pa.array(holes(rng, strings)), pa.array(small, pa.int64())], ["name", "count"])
    mask = pa.array([rng.random() < 0.3 for _ in range(n)])
    c["struct"] = pa.StructArray.from_arrays([pa.array(floats, pa.float64()), inner], ["x", "in"], mask=mask)
    return c


def refused(n):
    """Columns that cannot be arrays, with parts of the messages about them."""
    return {
        "decimal": (pa.array([None] * n, pa.decimal128(9, 2)), "cast it to float64"),
        "list": (pa.array([[1] * (i % 3) for i in range(n)]), "cast it to fixed_size_list"),
        "map": (pa.array([[("a", i)] for i in range(n)], pa.map_(pa.string(), pa.int64())), "rows of different lengths"),
        "null": (pa.nulls(n), "leave it out"),
        "structs": (pa.array([[{"a": i}] for i in range(n)], pa.list_(pa.struct([("a", pa.int64())]), 1)), "make each of their fields a column"),
    }


def only_ipc(rng, n):
    """Columns that Parquet does not have."""
    strings = holes(rng, [text(rng) for _ in range(n)])
    runs = pa.array([rng.choice([1, 1, 1, 2, None]) for _ in range(n)], pa.int32())
    c = {
        "date64": pa.array([86400000 * rng.randint(-999, 999) for _ in range(n)], pa.date64()),
        "string_view": pa.array(strings, pa.string_view()),
        "int_between": pa.array(range(n)),
        "binary_view": pa.array([None if s is None else s.encode() * 3 for s in strings], pa.binary_view()),
        "runs": pa.compute.run_end_encode(runs),
        "dictionary_vectors": pa.DictionaryArray.from_arrays(
            pa.array(holes(rng, [rng.randrange(2) for _ in range(n)]), pa.uint16()), pa.array([[1, 2], [3, 4]], pa.list_(pa.int32(), 2))),
        "dictionary_of_null": pa.DictionaryArray.from_arrays(pa.array([i % 2 for i in range(n)]), pa.array(["a", None])),
    }
    return c


def plain(v):
    if isinstance(v, bytes):
        return {"hex": v.hex()}
    if isinstance(v, float) and (v != v or v in (float("inf"), float("-inf"))):
        return "NaN" if v != v else "Infinity" if v > 0 else "-Infinity"
    return v


def rows(array):
    """The elements of all rows, flattened, and the shape of a row."""
    kind = array.type
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], kind)
    if isinstance(kind, pa.FixedShapeTensorType):
        # Not to_numpy_ndarray: for a permutation that is not its own inverse, it
        # shows elements of other tensors (pyarrow 26).
        tensor = np.array(array.storage.flatten()).reshape([len(array)] + kind.shape)
        tensor = tensor.transpose([0] + [1 + i for i in kind.permutation or range(len(kind.shape))])
        return tensor.ravel().tolist(), list(tensor.shape[1:])
    if pa.types.is_dictionary(kind):
        return rows(array.dictionary.take(array.indices))
    if pa.types.is_run_end_encoded(kind):
        return rows(pa.compute.run_end_decode(array))
    if pa.types.is_fixed_size_list(kind):
        shape = []
        inner = kind
        while pa.types.is_fixed_size_list(inner):
            shape.append(inner.list_size)
            inner = inner.value_type

        def pad(v, shape):
            if not shape:
                return [v]
            if v is None:
                return [None] * int(np.prod(shape))
            return [x for item in v for x in pad(item, shape[1:])]

        return [x for v in array.to_pylist() for x in pad(v, shape)], shape
    if str(kind).startswith(TEMPORAL):
        wide = pa.int32() if str(kind).startswith(("date32", "time32")) else pa.int64()
        array = array.view(wide)
    return array.to_pylist(), []


def expect(table):
    found = {}

    def add(path, array):
        if pa.types.is_struct(array.type):
            if isinstance(array, pa.ChunkedArray):
                array = pa.concat_arrays(array.chunks)
            for i in range(array.type.num_fields):
                add(f"{path}/{array.type[i].name}", pa.compute.struct_field(array, [i]))
            return
        values, shape = rows(array)
        found[path] = {"type": str(array.type), "shape": [len(array)] + shape, "values": [plain(v) for v in values]}

    for name in table.column_names:
        add(name, table[name])
    return found


def main():
    folder, seed, n = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 200
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    both = columns(rng, n)
    bad = refused(n)
    files = {}

    def table(extra):
        every = {**both, **extra, **{k: v for k, (v, _) in bad.items()}}
        return pa.table(list(every.values()), pa.schema(
            [pa.field(k, v.type, metadata={"units": "m"} if k == "int8" else None) for k, v in every.items()], metadata={"made by": "arrow_sources.py"}))

    def keep(name, t):
        good = t.select([c for c in t.column_names if c not in bad])
        files[name] = {"columns": {**expect(good), **{k: {"error": e} for k, (_, e) in bad.items() if k in t.column_names}}}

    t = table(only_ipc(rng, n))
    union = pa.UnionArray.from_sparse(pa.array([0] * n, pa.int8()), [pa.array(range(n))])
    t = t.add_column(0, "union", union)
    bad["union"] = (union, "a column for each member")
    for codec in (None, "lz4", "zstd"):
        name = f"file_{codec or 'plain'}.arrow"
        with ipc.new_file(folder / name, t.schema, options=ipc.IpcWriteOptions(compression=codec)) as w:
            w.write_table(t, max_chunksize=max(n // 3, 1))
        keep(name, t)
    with ipc.new_stream(folder / "stream.arrows", t.schema) as w:
        w.write_table(t, max_chunksize=max(n // 4, 1))
    keep("stream.arrows", t)
    for deltas in (False, True):
        name = f"dictionaries_{'deltas' if deltas else 'replaced'}.arrows"
        d = pa.chunked_array([pa.array(w).dictionary_encode() for w in (["a", "b", "a"], ["a", "b", "c"], ["a", "b", "c", "d"])])
        t2 = pa.table({"words": d})
        with ipc.new_stream(folder / name, t2.schema, options=ipc.IpcWriteOptions(emit_dictionary_deltas=deltas)) as w:
            w.write_table(t2)
        keep(name, t2)
    with ipc.new_file(folder / "empty.arrow", both_schema := pa.schema([("a", pa.int32()), ("s", pa.string())])):
        pass
    keep("empty.arrow", both_schema.empty_table())
    pq.write_table(both_schema.empty_table(), folder / "empty.parquet")
    keep("empty.parquet", both_schema.empty_table())

    del bad["union"]
    t = table({})
    small = {"data_page_size": 256, "write_batch_size": 7, "row_group_size": max(2 * n // 5, 1)}
    for codec, version in (("none", "1.0"), ("snappy", "2.0"), ("gzip", "1.0"), ("brotli", "2.0"), ("zstd", "1.0"), ("lz4", "2.0")):
        name = f"{codec}_v{version[0]}.parquet"
        pq.write_table(t, folder / name, compression=codec, data_page_version=version,
                       use_dictionary=codec in ("snappy", "gzip", "lz4"), write_page_checksum=codec == "zstd", **small)
        keep(name, pq.read_table(folder / name))
    encodings = {
        "DELTA_BINARY_PACKED": [c for c in both if c.startswith(("int", "timestamp", "date", "uint", "time"))],
        "DELTA_LENGTH_BYTE_ARRAY": ["string", "string_nulls", "large_string", "binary", "large_binary"],
        "DELTA_BYTE_ARRAY": ["string", "string_nulls", "large_string", "binary", "large_binary", "fixed_binary"],
        "BYTE_STREAM_SPLIT": [c for c in both if c.startswith(("float", "int32", "int64", "fixed"))],
        "RLE": ["bool", "bool_nulls"],
    }
    for encoding, names in encodings.items():
        t2 = t.select(names)
        name = f"{encoding.lower()}.parquet"
        pq.write_table(t2, folder / name, use_dictionary=False, column_encoding={c: encoding for c in names}, **small)
        keep(name, pq.read_table(folder / name))
    t2 = t.select([c for c in t.column_names if not c.startswith(("vector", "matrix", "tensor", "structs", "list", "map", "duration"))])
    name = "without_schema.parquet"
    pq.write_table(t2, folder / name, store_schema=False, use_deprecated_int96_timestamps=True, version="1.0")
    keep(name, pq.read_table(folder / name))
    (folder / "expected.json").write_text(json.dumps({"writer": f"pyarrow {pa.__version__}", "seed": seed, "files": files}, ensure_ascii=False))


main()
