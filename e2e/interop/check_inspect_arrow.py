"""The part of check_inspect.py for Arrow and Parquet files."""

import re

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

TOKEN = re.compile(r"[{};]|\((?:[^()]|\([^()]*\))*\)|=|[^\s{};()=]+")
LOGICAL = {"String": "STRING", "List": "LIST", "Map": "MAP", "Null": "NULL", "Date": "DATE", "Float16": "FLOAT16", "JSON": "JSON", "BSON": "BSON", "UUID": "UUID", "Enum": "ENUM", "None": ""}
UNITS = {"milliseconds": "MILLIS", "microseconds": "MICROS", "nanoseconds": "NANOS"}


def logical(text):
    """A logical type of pyarrow in the spelling of the specification."""
    kind, _, parameters = text.partition("(")
    f = dict(p.split("=") for p in parameters.rstrip(")").split(", ") if "=" in p)
    if kind == "Int":
        return f"INTEGER({f['bitWidth']},{f['isSigned']})"
    if kind == "Decimal":
        return f"DECIMAL({f['precision']},{f['scale']})"
    if kind in ("Timestamp", "Time"):
        return f"{kind.upper()}({UNITS[f['timeUnit']]},{f['isAdjustedToUTC']})"
    return LOGICAL[kind]


class Schema:
    """Parses the text of a schema: (repetition, type, name, logical type, number,
    children)."""

    def __init__(self, text):
        self.lines = [line.strip() for line in text.splitlines()[1:] if line.strip()]
        self.root = self.node()

    def node(self):
        line = self.lines.pop(0)
        m = re.fullmatch(r"(\w+) (\S+) field_id=(-?\d+) (.*?)(?: \(([A-Z].*)\))?( \{|;)", line)
        repetition, kind, number, name, meaning, end = m.groups()
        children = []
        if end == " {":
            while self.lines[0] != "}":
                children.append(self.node())
            self.lines.pop(0)
        return repetition, kind, name, logical(meaning) if meaning else "", int(number), children


def spelled(node, named=False):
    """A node as inspect writes it."""
    repetition, kind, name, meaning, number, children = node
    text = f"{repetition} {kind}" + f" {name}" * named + f" ({meaning})" * bool(meaning) + (f" = {number}" if number >= 0 else "")
    if kind == "group":
        text += " {" + "; ".join(spelled(c, True) for c in children) + "}"
    return text


def arrow_type(t, field=None):
    """A type of pyarrow as inspect writes it."""
    if isinstance(t, pa.BaseExtensionType):
        return f"{t.extension_name} of {arrow_type(t.storage_type)}"
    if pa.types.is_dictionary(t):
        return f"dictionary<values={arrow_type(t.value_type)}, indices={arrow_type(t.index_type)}, ordered={str(t.ordered).lower()}>"
    if pa.types.is_run_end_encoded(t):
        return f"run_end_encoded<run_ends: {arrow_type(t.run_end_type)}, values: {arrow_type(t.value_type)}, nullable>"
    if pa.types.is_map(t):
        return f"map<entries: struct<{part(t.key_field)}, {part(t.item_field)}>>"
    if pa.types.is_fixed_size_list(t):
        return f"fixed_size_list<{part(t.value_field)}>[{t.list_size}]"
    for is_list, name in ((pa.types.is_list, "list"), (pa.types.is_large_list, "large_list")):
        if is_list(t):
            return f"{name}<{part(t.value_field)}>"
    if pa.types.is_union(t):
        fields = [t.field(i) for i in range(t.num_fields)]
        return f"{t.mode}_union<{', '.join(f'{f.name}: {arrow_type(f.type)}={c}' + ', nullable' * f.nullable for f, c in zip(fields, t.type_codes))}>"
    if pa.types.is_struct(t):
        return f"struct<{', '.join(part(f) for f in t)}>"
    names = {"string": "utf8", "large_string": "large_utf8", "halffloat": "float16", "float": "float32", "double": "float64", "date32[day]": "date32", "date64[ms]": "date64"}
    return names.get(str(t), str(t))


def part(f):
    return f"{f.name}: {arrow_type(f.type)}" + ", nullable" * f.nullable


def same_arrow(text):
    """A type without the names that differ between pyarrow and the files: those of elements and
    entries of lists and maps, and parameters of extension types."""
    text = re.sub(r"(?<=[a-z_]) \{.*?\} of ", " of ", text)
    text = re.sub(r"\b(item|element|array): ", "item: ", text)
    text = re.sub(r"\b(entries|key_value|map): struct", "entries: struct", text)
    return text


def columns(fields, prefix=""):
    """Yields the paths and fields of columns, and of groups with True: structs and lists."""
    for f in fields:
        if pa.types.is_struct(f.type) and f.type.num_fields > 0:
            yield prefix + f.name, f, True
            yield from columns([f.type.field(i) for i in range(f.type.num_fields)], prefix + f.name + "/")
        else:
            yield prefix + f.name, f, pa.types.is_map(f.type) or pa.types.is_list(f.type) or pa.types.is_large_list(f.type)


def check_metadata(shown, path, n, metadata):
    for key, value in (metadata or {}).items():
        key, value = key.decode(errors="replace"), value.decode(errors="replace")
        if key.startswith("ARROW:extension"):
            continue  # a part of the type
        elif key.startswith(("ARROW:", "PARQUET:")):
            shown.fact(key in n.rows, f"/{path}: metadata {key}")
        else:
            shown.fact(n.attributes.get(key) == value, f"/{path}: metadata {key} = {value}, shown {n.attributes.get(key)}")


def check_batches(shown, root, what, rows):
    shown.fact(root.rows.get("rows") == str(sum(rows)), f"{sum(rows)} rows, shown {root.rows.get('rows')}")
    text = root.rows.get(what, "")
    shown.fact(text.split(",")[0] == str(len(rows)), f"{len(rows)} {what}, shown {text}")
    each = []
    for words in root.rows.get("rows of each", "").split(", "):
        *times, n = words.split(" × ")
        each += [int(n or 0)] * int(times[0] if times else 1)
    if not root.rows.get("rows of each") and rows:
        each = [int(re.search(r"of (\d+) to", text).group(1))] * len(rows)
    shown.fact(not rows or each == rows, f"{what} of {rows} rows, shown {each}")


def check_parquet(shown, file):
    f = pa.parquet.ParquetFile(file)
    m, root = f.metadata, shown.nodes[""]
    shown.fact(root.rows.get("written by") == m.created_by, f"written by {m.created_by}")
    shown.fact(root.rows.get("format") == f"Parquet, version {m.format_version.split('.')[0]}", f"version {m.format_version}, shown {root.rows.get('format')}")
    check_batches(shown, root, "row groups", [m.row_group(i).num_rows for i in range(m.num_row_groups)])
    check_metadata(shown, "", root, m.metadata)
    top = {n[2]: n for n in Schema(str(f.schema)).root[5]}
    for path, field, is_struct in columns(f.schema_arrow):
        n = shown.node(path)
        if n is None:
            continue
        node = top.get(path) or descend(top, path.split("/"))
        text = n.rows.get("Parquet type", "")
        shown.fact(text == spelled(node), f"/{path}: {spelled(node)}, shown {text}")
        if is_struct:
            continue
        want = same_arrow(arrow_type(field.type))
        got = [same_arrow(n.rows.get(row, "")) for row in ("Arrow type", "written as")]
        if not pa.types.is_null(field.type):
            shown.fact(any(want == g.replace("decimal(", "decimal128(") or nested_structs(want) for g in got), f"/{path}: Arrow type {want}, shown {got}")
        check_metadata(shown, path, n, {k: v for k, v in (field.metadata or {}).items() if k != b"PARQUET:field_id"})
        codecs, encodings, sizes = set(), set(), [0, 0]
        dotted = path.replace("/", ".") if top.get(path) is None else path
        for g in range(m.num_row_groups):
            for i in range(m.num_columns):
                c = m.row_group(g).column(i)
                if c.path_in_schema == dotted or c.path_in_schema.startswith(dotted + "."):
                    codecs.add(c.compression.lower())
                    encodings |= {e.lower() for e in c.encodings}
                    sizes = [sizes[0] + c.total_compressed_size, sizes[1] + c.total_uncompressed_size]
        if codecs:
            text = n.rows.get("compression", "")
            names = {"lz4": "lz4_raw"}
            want = " and ".join(sorted(names.get(c, c) for c in codecs))
            shown.fact(text == f"{want}, {sizes[0]} bytes of {sizes[1]}", f"/{path}: {want} {sizes}, shown {text}")
            got = set(n.rows.get("encodings", "").split(", "))
            shown.fact(got == encodings, f"/{path}: encodings {encodings}, shown {got}")


def nested_structs(want):
    """Structs within lists are refused; their fields are in the Parquet type."""
    return "struct<" in want


def descend(top, names):
    node = top[names[0]]
    for name in names[1:]:
        node = next(c for c in node[5] if c[2] == name)
    return node


def check_ipc(shown, file):
    with pa.memory_map(file) as f:
        try:
            reader = pa.ipc.open_file(f)
            batches = [reader.get_batch(i).num_rows for i in range(reader.num_record_batches)]
            kind = "Arrow IPC file"
        except pa.ArrowInvalid:
            f.seek(0)
            reader = pa.ipc.open_stream(f)
            batches = [b.num_rows for b in reader]
            kind = "Arrow IPC stream"
        schema = reader.schema
    root = shown.nodes[""]
    shown.fact(root.rows.get("format") == kind, f"{kind}, shown {root.rows.get('format')}")
    check_batches(shown, root, "record batches", batches)
    check_metadata(shown, "", root, schema.metadata)
    for path, field, is_struct in columns(schema):
        if n := shown.node(path):
            want, got = same_arrow(arrow_type(field.type)), same_arrow(n.rows.get("Arrow type", ""))
            shown.fact(want == got, f"/{path}: Arrow type {want}, shown {got}")
            shown.fact((n.rows.get("nullable") == "no") != field.nullable, f"/{path}: nullable {field.nullable}")
            if not is_struct:
                check_metadata(shown, path, n, field.metadata)


def check_arrow(shown, file):
    with open(file, "rb") as f:
        magic = f.read(4)
    (check_parquet if magic == b"PAR1" else check_ipc)(shown, file)
