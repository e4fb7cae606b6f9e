"""The arrays that a table becomes, from what pyarrow reads of it, and the comparison with a target.

real_files.py uses this module for Parquet, Feather and Arrow IPC.
"""

import collections
import json
import re
import subprocess

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import zarr

# Column is what an array has to hold: its path, the type in words, the elements, and which of them
# are null. Elements are NumPy numbers, or objects for texts and bytes. error says why pyarrow has
# no elements.
Column = collections.namedtuple("Column", "path kind elements null error", defaults=(None, None, None, None))

MAGIC = (b"PAR1", b"PARE", b"ARROW1", b"FEA1")
SUFFIXES = (".parquet", ".parq", ".arrow", ".arrows", ".stream", ".feather")
TEMPORAL = {pa.types.is_timestamp: "M8", pa.types.is_date: "M8", pa.types.is_time: "m8", pa.types.is_duration: "m8"}
MOST_BYTES = 1 << 30  # a table that decodes to more is not compared


def is_table(source):
    with open(source, "rb") as f:
        begin = f.read(8)
    return begin.startswith(MAGIC) or begin[:4] == b"\xff\xff\xff\xff" or source.suffix in SUFFIXES


def chunked(array):
    """One array of a column."""
    return array if isinstance(array, pa.Array) else pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)


def of_parquet(source):
    """Yields the schema, then the name of each column, its type, and a function that reads it."""
    f = pq.ParquetFile(source, pre_buffer=False, memory_map=False)
    if sum(f.metadata.row_group(i).total_byte_size for i in range(f.metadata.num_row_groups)) > MOST_BYTES:
        raise ValueError("the table is too large to be compared")
    rows = sum(f.metadata.row_group(i).num_rows for i in range(f.metadata.num_row_groups))

    def column(i):
        array = chunked(f.reader.read_column(i))
        if len(array) != rows:
            raise ValueError(f"{len(array)} of {rows} rows")
        return array

    yield f.schema_arrow
    for i, field in enumerate(f.schema_arrow):
        yield field.name, field.type, lambda i=i: column(i)


def of_ipc(source):
    """The same of a file, or of a stream."""
    with open(source, "rb") as f:
        reader = ipc.open_file(f) if f.read(6) == b"ARROW1" else ipc.open_stream((f.seek(0), f)[1])
        table = reader.read_all()
    yield table.schema
    for i, name in enumerate(table.schema.names):
        yield name, i, lambda i=i: chunked(table.column(i))


def clean(name):
    """A name as zmigrate changes it if no path of Zarr can have it."""
    name = re.sub(r"[\x00-\x1f\x7f-\x9f\\/\ufffd]", "_", name.rstrip("\0"))
    if name.startswith("__"):
        name = name.lstrip("_")
        name = name.rstrip("_") if name.endswith("__") else name
    return "unnamed" if not name.strip(".") else name


def level_names(schema):
    """The names that columns get which pandas made of an index: those of the levels, or index."""
    names = set(schema.names)
    found = [n for n in schema.names if re.fullmatch(r"__index_level_\d+__", n)]
    described = json.loads((schema.metadata or {}).get(b"pandas", b"{}")).get("columns", [])
    given = {c.get("field_name"): c["name"] for c in described if isinstance(c.get("name"), str)}
    for name in sorted(found, key=lambda n: int(n[14:-2])):
        usual = "index" if found == ["__index_level_0__"] else f"level_{name[14:-2]}"
        new = next((n for n in (given.get(name), usual) if n and n not in names and clean(n) == n), clean(name))
        names.add(new)
        yield name, new


def numbers(array, dtype):
    """The elements of an array of fixed width, bit for bit: those of nulls are arbitrary."""
    width = np.dtype(dtype).itemsize
    data = array.buffers()[1]
    if data is None or not len(array) or not width:
        return np.zeros(len(array), dtype)
    return np.frombuffer(data, dtype, len(array), array.offset * width)


def absent(array, above):
    """Which elements are null, by themselves or by what is around them."""
    return np.asarray(pc.is_null(array).to_numpy(zero_copy_only=False), bool) | above


def decimals(array, path, null):
    t = array.type
    digits = ["" if v is None else f"{v:f}" for v in array.to_pylist()]
    if t.precision > 18:
        return Column(path, "string", np.array(digits, object), null)
    return Column(path, "int64", np.array([int(v.scaleb(t.scale)) if v is not None else 0 for v in array.to_pylist()], "i8"), null)


def leaf(path, array, null):
    """The column of an array that is neither a list nor a struct."""
    t = array.type
    for is_temporal, kind in TEMPORAL.items():
        if is_temporal(t):
            unit = getattr(t, "unit", {pa.date32(): "D", pa.date64(): "ms"}.get(t))
            return Column(path, f"{kind}[{unit}]", numbers(array, f"i{t.bit_width // 8}").astype("i8"), null)
    if pa.types.is_decimal(t):
        return decimals(array, path, null)
    if pa.types.is_boolean(t):
        return Column(path, "bool", array.fill_null(False).to_numpy(zero_copy_only=False), null)
    if pa.types.is_integer(t) or pa.types.is_floating(t):
        dtype = np.dtype(t.to_pandas_dtype())
        return Column(path, dtype.name, numbers(array, dtype), null)
    if pa.types.is_fixed_size_binary(t):
        return Column(path, "raw", np.array([b"" if v is None else v for v in array.to_pylist()] + [None], object)[:-1], null)
    if pa.types.is_string(t) or pa.types.is_large_string(t) or pa.types.is_string_view(t):
        return Column(path, "string", np.array([v or "" for v in array.to_pylist()] + [None], object)[:-1], null)
    if pa.types.is_binary(t) or pa.types.is_large_binary(t) or pa.types.is_binary_view(t):
        return Column(path, "bytes", np.array([v or b"" for v in array.to_pylist()] + [None], object)[:-1], null)
    return Column(path, error=f"{t.id}")


def columns(path, array, above):
    """Yields the columns of an array, of whose elements some are null by what is around them."""
    t = array.type
    if isinstance(t, pa.BaseExtensionType):
        if isinstance(t, pa.FixedShapeTensorType) and t.permutation:
            shape, order = t.shape, t.permutation
            place = np.arange(np.prod(shape, dtype=int)).reshape(shape).transpose(order).ravel()
            size = len(place)
            for c in columns(path, array.storage, above):
                at = (np.arange(len(array))[:, None] * size + place).ravel()
                yield c._replace(elements=c.elements[at], null=c.null[at]) if c.kind else c
            return
        yield from columns(path, array.storage, above)
    elif pa.types.is_dictionary(t):
        yield from columns(path, array.dictionary_decode(), above)
    elif pa.types.is_run_end_encoded(t):
        yield from columns(path, pc.run_end_decode(array), above)
    elif pa.types.is_struct(t) and t.num_fields:
        null = absent(array, above)
        for i, field in enumerate(t):
            yield from columns(f"{path}/{clean(field.name)}", array.field(i), null)
    elif pa.types.is_fixed_size_list(t):
        null, size = absent(array, above), t.list_size
        yield from columns(path, array.values[array.offset * size : (array.offset + len(array)) * size], np.repeat(null, size))
    elif pa.types.is_list(t) or pa.types.is_large_list(t) or pa.types.is_map(t):
        yield from lists(path, array, absent(array, above))
    else:
        yield leaf(path, array, absent(array, above))


def lists(path, array, null):
    """Lists of varying length: their elements and offsets. A list that is null has no elements."""
    starts = np.asarray(array.offsets.to_numpy(zero_copy_only=False), "i8")
    lengths = np.where(null, 0, np.diff(starts))
    ends = np.concatenate([[0], np.cumsum(lengths)])
    at = np.repeat(starts[:-1] - ends[:-1], lengths) + np.arange(ends[-1])
    values = struct_of(array) if pa.types.is_map(array.type) else array.values
    if len(at) != len(values) or (at != np.arange(len(at))).any():
        values = values.take(pa.array(at))
    yield from columns(f"{path}/values", values, np.zeros(len(values), bool))
    yield Column(f"{path}/offsets", "offsets", ends, np.append(null, False))


def struct_of(array):
    """The entries of maps as structs of a key and a value."""
    return pa.StructArray.from_arrays([array.keys, array.items], ["key", "value"]) if array.offset == 0 else struct_of(pa.concat_arrays([array, array[:0]]))


def expected(source):
    """The columns that the arrays of a target have to hold, by their paths."""
    found = {}
    with open(source, "rb") as f:
        read = of_parquet if f.read(4) in (b"PAR1", b"PARE") else of_ipc
    schema, *fields = read(source)
    renamed = dict(level_names(schema))
    for name, kind, column in fields:
        path = renamed.get(name, clean(name))
        try:
            array = column()
            array.validate()
            of_name = list(columns(path, array, np.zeros(len(array), bool)))
        except (pa.ArrowException, OSError, ValueError, TypeError, OverflowError, KeyError) as error:
            of_name = [Column(path, error=f"{kind}: {type(error).__name__}: {error}")]
        for c in of_name:
            twice = c.path in found
            found[c.path] = Column(c.path, error="several columns of one name") if twice else c
    return found


def fill_of(kind, size):
    """A fill value for a type, in the words of Column or of Zarr. size: of raw bytes."""
    fills = {"offsets": 0, "bool": False, "string": "null", "bytes": [110, 117], "raw": [7] * size, "raw_bytes": [7] * size}
    return fills.get(kind, -77.5 if "float" in kind else 77)


def type_of(node):
    """The name of the type of an array that inspect describes, and how many bytes raw ones have."""
    t = node.get("data_type")
    if node["path"].endswith("/offsets"):
        return "offsets", 0
    return (t, 0) if t is None or isinstance(t, str) else (t["name"], t["configuration"].get("length_bytes", 0))


def as_texts(column):
    """A column of bytes as texts: pyarrow has bytes for ENUM and JSON of Parquet."""
    return column._replace(kind="string", elements=np.array([v.decode() for v in column.elements] + [None], object)[:-1])


def job(program, source, target, want, unsure):
    """A job that migrates a table, with a fill value for each array that has a null, and the
    problem of each array as inspect has it. If unsure is set, those arrays have a fill value,
    too, of which pyarrow does not say whether there are nulls. A stream of Arrow before 0.15
    has no mark by which inspect could tell the format: then no problem is known."""
    done = subprocess.run([program, "inspect", "--json", source], capture_output=True, text=True, errors="replace")
    nodes = json.loads(done.stdout)["nodes"] if done.returncode == 0 else []
    problems = {node["path"]: node["problem"] for node in nodes if "problem" in node}
    there = {node["path"] for node in nodes}
    for node in nodes:
        if node.get("data_type") == "string" and getattr(want.get(node["path"]), "kind", None) == "bytes":
            want[node["path"]] = as_texts(want[node["path"]])
    fills = {}
    for path, column in want.items():
        if column.kind and column.null.any() and path not in problems and (path in there or not nodes):
            fills[path] = fill_of(column.kind, max(map(len, column.elements), default=0) if column.kind == "raw" else 0)
    known = {path for path, column in want.items() if column.kind}
    for node in nodes:
        kind, size = type_of(node)
        if kind and (unsure and node["path"] not in known or size and node["path"] in fills):
            fills[node["path"]] = fill_of(kind, size)
    return {
        "zmigrate": 1,
        "source": {"driver": "arrow", "url": str(source), "unsupported": "skip"},
        "target": {"url": str(target)},
        "arrays": {re.sub(r"([\\*?\[\]])", r"\\\1", path): {"fill_value": fill} for path, fill in fills.items()},
        "run": {"memory": "4GiB"},
    }, problems


def kind_of(array):
    """The type of an array of Zarr in the words of Column."""
    dtype = array.dtype
    if dtype.kind in "mM":
        return f"{dtype.kind}8[{np.datetime_data(dtype)[0]}]"
    name = array.metadata.data_type.to_json(zarr_format=3)
    name = name if isinstance(name, str) else name["name"]
    return {"variable_length_bytes": "bytes", "raw_bytes": "raw"}.get(name, name)


def differs(array, column):
    """How the elements of an array differ from those of a column, or None."""
    kind = {"offsets": "int64"}.get(column.kind, column.kind)
    got = kind_of(array)
    if got != kind and not (kind == "raw" and got.startswith("r")):
        return f"data type {got}, want {kind}"
    elements = np.asarray(array[...]).reshape(-1)
    if len(elements) != len(column.elements):
        return f"{len(elements)} elements, want {len(column.elements)}"
    fill, want, null = array.fill_value, column.elements, column.null & (column.kind != "offsets")
    if kind in ("string", "bytes", "raw"):
        plain = [v if isinstance(v, str) else bytes(v) for v in elements.tolist()]
        fill = fill if isinstance(fill, str) else bytes(fill)
        wanted = [fill if n else v for v, n in zip(want.tolist(), null)]
        at = [i for i, (a, b) in enumerate(zip(plain, wanted)) if a != b]
        return f"element {at[0]} is {plain[at[0]]!r}, want {wanted[at[0]]!r}" if at else None
    if elements.dtype.kind in "mM":
        elements, fill = elements.view("i8"), np.asarray(fill).view("i8")
    want = np.where(null, np.asarray(fill, elements.dtype), want.astype(elements.dtype, copy=False))
    width = f"u{elements.dtype.itemsize}"
    at = np.flatnonzero(np.ascontiguousarray(elements).view(width) != np.ascontiguousarray(want).view(width))
    return f"element {at[0]} is {elements[at[0]]!r}, want {want[at[0]]!r}" if len(at) else None


def compare(want, problems, target):
    """Compares the arrays of a target with the columns. Returns the number of equal ones, why
    others are not compared, and the differences."""
    equal, left, wrong = 0, [], []
    for path, column in want.items():
        above = [p for p in problems if p == path or path.startswith(p + "/")]
        if above:
            left.append(problems[above[0]])
        elif column.kind is None:
            left.append(f"pyarrow has no elements: {column.error}")
        elif not (target / path / "zarr.json").exists():
            wrong.append(f"{path}: there is no such array")
        else:
            difference = differs(zarr.open_array(target / path, mode="r", zarr_format=3), column)
            equal += difference is None
            wrong += [f"{path}: {difference}"] if difference else []
    return equal, left, wrong
