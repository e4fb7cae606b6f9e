"""Writes Arrow and Parquet files with pyarrow, and the content of their columns.

    arrow_sources.py DIR SEED [ROWS]

DIR/expected.json has the columns of each file by their paths: the type, the shape,
and all values in C order as JSON (null for nulls, temporal values as integers, bytes
as {"hex"}). A column that is refused has a part of the error instead. A list of varying
length is an array of elements and an array of offsets; null_lists says that some of the
lists are null.
"""

import decimal
import itertools
import json
import pathlib
import random
import struct
import sys

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

EXACT = decimal.Context(prec=100)
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
        "null": (pa.nulls(n), "leave it out"),
        "structs": (pa.array([[{"a": i}] for i in range(n)], pa.list_(pa.struct([("a", pa.int64())]), 1)), "make each of their fields a column"),
    }


def ragged(rng, n):
    """Lists of varying length."""

    def lists(make, share=0.0, most=6):
        return holes(rng, [[make() for _ in range(rng.choice([0, 1, 2, rng.randrange(most + 1)]))] for _ in range(n)], share)

    pairs = [("a", pa.float32()), ("in", pa.struct([("b", pa.string()), ("c", pa.bool_())]))]

    def pair():
        return rng.choice([None, {"a": rng.random(), "in": rng.choice([None, {"b": text(rng), "c": None}])}])

    keyed = [[(text(rng) + str(k), rng.choice([None, k])) for k in range(rng.randrange(4))] for _ in range(n)]
    c = {
        "list": pa.array(lists(lambda: rng.randrange(999)), pa.list_(pa.int16())),
        "list_nulls": pa.array(lists(lambda: rng.choice([None, rng.random()]), 0.2), pa.list_(pa.float64())),
        "list_long": pa.array(lists(lambda: rng.randrange(9), most=300), pa.list_(pa.int8())),
        "list_empty": pa.array([[] for _ in range(n)], pa.list_(pa.int32())),
        "list_strings": pa.array(lists(lambda: rng.choice([None, text(rng)]), 0.1), pa.list_(pa.string())),
        "list_bool": pa.array(lists(lambda: rng.choice([None, True, False])), pa.list_(pa.bool_())),
        "list_dates": pa.array(lists(lambda: rng.randrange(9999)), pa.list_(pa.int32())).cast(pa.list_(pa.date32())),
        "large_list": pa.array(lists(lambda: rng.randrange(999), 0.2), pa.large_list(pa.uint32())),
        "list_structs": pa.array(lists(pair, 0.2), pa.list_(pa.struct(pairs))),
        "map": pa.array(keyed, pa.map_(pa.string(), pa.int64())),
        "map_nulls": pa.array(holes(rng, keyed), pa.map_(pa.string(), pa.int64())),
    }
    inner = pa.array(lists(lambda: rng.random()), pa.list_(pa.float32()))
    empty = pa.array([len(v) == 0 and rng.random() < 0.5 for v in inner.to_pylist()])
    c["within"] = pa.StructArray.from_arrays([inner, pa.array(range(n))], ["list", "number"], mask=empty)
    return c


def decimals(rng, n):
    """Decimals of all widths that Parquet has."""

    def some(digits, scale, share=0.0):
        most = 10**digits - 1
        numbers = [rng.choice([0, most, -most, rng.randint(-99, 99), rng.randint(-most, most)]) for _ in range(n)]
        return holes(rng, [decimal.Decimal(v).scaleb(-scale, EXACT) for v in numbers], share)

    lists = holes(rng, [some(9, 2)[:rng.randrange(4)] for _ in range(n)])
    return {
        "decimal": pa.array(some(9, 2), pa.decimal128(9, 2)),
        "decimal_nulls": pa.array(some(18, 5, 0.3), pa.decimal128(18, 5)),
        "decimal_short": pa.array(some(3, 3, 0.1), pa.decimal128(3, 3)),
        "decimal_whole": pa.array(some(12, 0), pa.decimal128(12, 0)),
        "decimal_text": pa.array(some(19, 4), pa.decimal128(19, 4)),
        "decimal_text_nulls": pa.array(some(38, 38, 0.3), pa.decimal128(38, 38)),
        "decimal_wide": pa.array(some(76, 20, 0.1), pa.decimal256(76, 20)),
        "decimal_wide_short": pa.array(some(5, 2, 0.1), pa.decimal256(5, 2)),
        "decimal_list": pa.array(lists, pa.list_(pa.decimal128(9, 2))),
        "decimal_pairs": pa.array([some(20, 3)[:2] for _ in range(n)], pa.list_(pa.decimal128(20, 3), 2)),
    }


def only_ipc_decimals(rng, n):
    """Decimals that Parquet does not have."""
    numbers = [rng.randint(-999, 999) for _ in range(n)]
    return {
        "decimal_before_point": pa.array([decimal.Decimal(v).scaleb(2) for v in numbers], pa.decimal128(9, -2)),
        "decimal_text_before_point": pa.array([decimal.Decimal(v).scaleb(2) for v in numbers], pa.decimal128(30, -2)),
        "decimal32": pa.array([decimal.Decimal(v).scaleb(-2) for v in numbers], pa.decimal32(9, 2)),
        "decimal64": pa.array(holes(rng, [decimal.Decimal(v).scaleb(-2) for v in numbers]), pa.decimal64(15, 2)),
        "decimal_dictionary": pa.DictionaryArray.from_arrays(
            pa.array([rng.randrange(3) for _ in range(n)], pa.int8()), pa.array([decimal.Decimal(v).scaleb(-1) for v in (1, -2, 33)], pa.decimal128(7, 1))),
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


def big_endian(table):
    """The stream of a table with buffers in big-endian order, as another machine would write it."""
    out = bytearray()
    data = pa.BufferOutputStream()
    with ipc.new_stream(data, table.schema) as w:
        w.write_table(table, max_chunksize=max(len(table) // 3, 1))
    data = data.getvalue().to_pybytes()

    def place(at, i):
        """Where field i of the flatbuffers table at a place is, or 0."""
        entries = at - struct.unpack_from("<i", data, at)[0]
        size = struct.unpack_from("<H", data, entries)[0]
        offset = struct.unpack_from("<H", data, entries + 4 + 2 * i)[0] if 4 + 2 * i < size else 0
        return at + offset if offset else 0

    def follow(at):
        return at + struct.unpack_from("<I", data, at)[0] if at else 0

    def widths(kind):
        """The size of the numbers in each buffer of a type, in the order of the buffers."""
        if pa.types.is_dictionary(kind):
            return [1, kind.index_type.bit_width // 8]
        if pa.types.is_struct(kind):
            return [1] + [w for f in kind for w in widths(f.type)]
        if pa.types.is_map(kind):
            return [1, 4, 1] + widths(kind.key_type) + widths(kind.item_type)
        if pa.types.is_fixed_size_list(kind):
            return [1] + widths(kind.value_type)
        if pa.types.is_list(kind) or pa.types.is_large_list(kind):
            return [1, 8 if pa.types.is_large_list(kind) else 4] + widths(kind.value_type)
        if isinstance(kind, pa.BaseExtensionType):
            return widths(kind.storage_type)
        if pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
            return [1, 8, 1]
        if pa.types.is_string(kind) or pa.types.is_binary(kind):
            return [1, 4, 1]
        plain = pa.types.is_boolean(kind) or pa.types.is_fixed_size_binary(kind) and not pa.types.is_decimal(kind)
        return [1, 1 if plain else kind.bit_width // 8]

    dictionaries = [f.type.value_type for f in table.schema if pa.types.is_dictionary(f.type)]
    at = 0
    while at < len(data):
        length = struct.unpack_from("<I", data, at + 4)[0]
        if length == 0:
            out += data[at:]
            break
        root = follow(at + 8)
        header, kind = follow(place(root, 2)), data[place(root, 1)]
        body = struct.unpack_from("<q", data, place(root, 3))[0] if place(root, 3) else 0
        start = at + 8 + length
        if kind == 1:  # the schema gets a new message in front that says which order its buffers have
            old = data[at + 8:start]
            fields, metadata = (follow(place(header, i)) - at - 8 if place(header, i) else 0 for i in (1, 2))
            head = bytearray(64)
            struct.pack_into("<I HHHHH", head, 0, 16, 10, 12, 8, 10, 4)
            struct.pack_into("<iIhB", head, 16, 12, 40 - 20, 4, 1)
            struct.pack_into("<HHHHH", head, 28, 10, 16, 12, 4, 8 if metadata else 0)
            struct.pack_into("<iIIh", head, 40, 12, 64 + fields - 44, 64 + metadata - 48 if metadata else 0, 1)
            out += struct.pack("<II", 0xFFFFFFFF, 64 + len(old)) + head + old
        else:
            batch, types = header, [f.type for f in table.schema]
            if kind == 2:
                batch = follow(place(header, 1))
                number = struct.unpack_from("<q", data, place(header, 0))[0] if place(header, 0) else 0
                types = [dictionaries[number]]
            vector = follow(place(batch, 2))
            content = bytearray(data[start:start + body])
            sizes = [w for t in types for w in widths(t)]
            assert len(sizes) == struct.unpack_from("<I", data, vector)[0]
            for i, width in enumerate(sizes):
                offset, length_of = struct.unpack_from("<qq", data, vector + 4 + 16 * i)
                span = slice(offset, offset + length_of // width * width)
                content[span] = np.frombuffer(bytes(content[span]), f"V{width}").tobytes() if width == 1 else (
                    np.frombuffer(bytes(content[span]), np.uint8).reshape(-1, width)[:, ::-1].tobytes())
            out += data[at:start] + content
        at = start + body
    back = ipc.open_stream(bytes(out)).read_all()
    other = [name for name in table.column_names if str(back[name].to_pylist()) != str(table[name].to_pylist())]
    assert not other, f"pyarrow reads other values of {other}"
    return bytes(out)


def plain(v):
    if isinstance(v, bytes):
        return {"hex": v.hex()}
    if isinstance(v, float) and (v != v or v in (float("inf"), float("-inf"))):
        return "NaN" if v != v else "Infinity" if v > 0 else "-Infinity"
    return v


def decimal_of(kind):
    """The type of decimals in lists of fixed size or a dictionary, or None."""
    while pa.types.is_fixed_size_list(kind) or pa.types.is_dictionary(kind):
        kind = kind.value_type
    return kind if pa.types.is_decimal(kind) else None


def stored(kind, v):
    """A decimal as integer or text."""
    if v is None:
        return None
    return int(v.scaleb(kind.scale, EXACT)) if kind.precision <= 18 else format(v, "f")


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


def is_ragged(kind):
    return pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind)


def expect(table):
    found = {}

    def add(path, array):
        if isinstance(array, pa.ChunkedArray) and (is_ragged(array.type) or pa.types.is_struct(array.type)):
            array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
        if is_ragged(array.type):
            lengths = [0 if v is None else len(v) for v in array.to_pylist()]
            ends = list(itertools.accumulate(lengths, initial=0))
            found[f"{path}/offsets"] = {"type": "int64", "shape": [len(ends)], "values": ends, "null_lists": array.null_count > 0}
            if pa.types.is_map(array.type):
                pairs = pa.struct([("key", array.type.key_type), ("value", array.type.item_type)])
                entries = [v and [{"key": key, "value": value} for key, value in v] for v in array.to_pylist()]
                array = pa.array(entries, pa.list_(pairs))
            add(f"{path}/values", array.flatten())
            return
        if pa.types.is_struct(array.type):
            for i in range(array.type.num_fields):
                add(f"{path}/{array.type[i].name}", pa.compute.struct_field(array, [i]))
            return
        values, shape = rows(array)
        if kind := decimal_of(array.type):
            values = [stored(kind, v) for v in values]
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
    options = ipc.IpcWriteOptions(use_legacy_format=True, metadata_version=ipc.MetadataVersion.V4)
    old = t.drop_columns(["union"])
    for name, new in (("legacy.arrow", ipc.new_file), ("legacy.arrows", ipc.new_stream)):
        with new(folder / name, old.schema, options=options) as w:
            w.write_table(old, max_chunksize=max(n // 4, 1))
        keep(name, old)
    # pyarrow does not bring views and runs to the order of its own machine.
    foreign = old.drop_columns(["null", "string_view", "binary_view", "runs"])
    (folder / "big_endian.arrows").write_bytes(big_endian(foreign))
    keep("big_endian.arrows", foreign)
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
    t2 = t.select([c for c in t.column_names if not c.startswith(("vector", "matrix", "tensor", "structs", "duration"))])
    name = "without_schema.parquet"
    pq.write_table(t2, folder / name, store_schema=False, use_deprecated_int96_timestamps=True, version="1.0")
    keep(name, pq.read_table(folder / name))

    t = pa.table(ragged(rng, n))
    for codec, kind, new in ((None, "arrow", ipc.new_file), ("lz4", "arrow", ipc.new_file), (None, "arrows", ipc.new_stream), ("zstd", "arrows", ipc.new_stream)):
        name = f"lists_{codec or 'plain'}.{kind}"
        with new(folder / name, t.schema, options=ipc.IpcWriteOptions(compression=codec)) as w:
            w.write_table(t.slice(0, n // 2), max_chunksize=max(n // 4, 1))
            w.write_table(t.slice(0, 0))
            w.write_table(t.slice(n // 2))  # offsets of a part do not begin at 0
        keep(name, t)
    (folder / "lists_big_endian.arrows").write_bytes(big_endian(t))
    keep("lists_big_endian.arrows", t)
    for codec, version, schema in (("none", "1.0", True), ("gzip", "1.0", False), ("zstd", "2.0", True)):
        name = f"lists_{codec}_v{version[0]}.parquet"
        pq.write_table(t, folder / name, compression=codec, data_page_version=version, use_dictionary=codec == "gzip", store_schema=schema, **small)
        keep(name, pq.read_table(folder / name))

    t = pa.table(decimals(rng, n))
    for name, version, more in (("decimals.parquet", "1.0", {"use_dictionary": False}), ("decimals_as_integers.parquet", "2.0", {"store_decimal_as_integer": True})):
        pq.write_table(t, folder / name, data_page_version=version, **more, **small)
        keep(name, pq.read_table(folder / name))
    t = pa.table({**decimals(rng, n), **only_ipc_decimals(rng, n)})
    with ipc.new_file(folder / "decimals.arrow", t.schema, options=ipc.IpcWriteOptions(compression="lz4")) as w:
        w.write_table(t, max_chunksize=max(n // 3, 1))
    keep("decimals.arrow", t)
    (folder / "decimals_big_endian.arrows").write_bytes(big_endian(t))
    keep("decimals_big_endian.arrows", t)
    (folder / "expected.json").write_text(json.dumps({"writer": f"pyarrow {pa.__version__}", "seed": seed, "files": files}, ensure_ascii=False))


if __name__ == "__main__":
    main()
