"""Writes Parquet files with the faults of other writers, and what pyarrow reads of them.

    python make_foreign.py FOLDER [FILE.parquet ...]

needs pyarrow. FOLDER gets copies of the files that are named, files of pyarrow
whose footers and page headers are changed afterwards, and expected.json, in the
form of that in golden.zip: each column with its values as pyarrow reads them or,
in "refused", the error with which pyarrow refuses it.
"""

import copy
import json
import pathlib
import shutil
import struct
import sys

import pyarrow as pa
import pyarrow.parquet as pq

# The compact protocol of Thrift: a structure is a list of [number, type, value].
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, n):
        self.at += n
        return self.data[self.at - n : self.at]

    def varint(self):
        v = shift = 0
        while True:
            b = self.take(1)[0]
            v |= (b & 127) << shift
            shift += 7
            if b < 128:
                return v

    def zigzag(self):
        v = self.varint()
        return v >> 1 ^ -(v & 1)

    def value(self, kind):
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind == BYTE:
            return self.take(1)[0]
        if kind in (I16, I32, I64):
            return self.zigzag()
        if kind == DOUBLE:
            return self.take(8)
        if kind == BINARY:
            return self.take(self.varint())
        if kind == STRUCT:
            return self.struct()
        head = self.take(1)[0]
        n = head >> 4 if head >> 4 < 15 else self.varint()
        of = head & 15
        return of, [self.take(1)[0] == 1 if of in (TRUE, FALSE) else self.value(of) for _ in range(n)]

    def struct(self):
        fields, number = [], 0
        while True:
            head = self.take(1)[0]
            if head & 15 == 0:
                return fields
            number = number + (head >> 4) if head >> 4 else self.zigzag()
            fields.append([number, head & 15, self.value(head & 15)])


def varint(v):
    out = b""
    while v > 127:
        out, v = out + bytes([v & 127 | 128]), v >> 7
    return out + bytes([v])


def zigzag(v):
    return varint((v << 1) ^ (v >> 63))


def write(kind, v):
    if kind in (TRUE, FALSE):
        return b""
    if kind == BYTE:
        return bytes([v & 255])
    if kind in (I16, I32, I64):
        return zigzag(v)
    if kind == DOUBLE:
        return v
    if kind == BINARY:
        return varint(len(v)) + v
    if kind == STRUCT:
        out, last = b"", 0
        for number, of, value in v:
            of = (TRUE if value else FALSE) if of in (TRUE, FALSE) else of
            head = bytes([number - last << 4 | of]) if 0 < number - last < 16 else bytes([of]) + zigzag(number)
            out, last = out + head + write(of, value), number
        return out + b"\0"
    of, items = v
    head = bytes([len(items) << 4 | of]) if len(items) < 15 else bytes([0xF0 | of]) + varint(len(items))
    return head + b"".join(bytes([1 if x else 2]) if of in (TRUE, FALSE) else write(of, x) for x in items)


def get(s, *path):
    for number in path:
        s = next((value for n, _, value in s if n == number), None)
        if s is None:
            return None
    return s


def put(s, *path, kind=None):
    """put(s, 3, 4, value) sets field 4 of structure 3; None removes it."""
    *above, number, value = path
    s = get(s, *above) if above else s
    old = [f for f in s if f[0] == number]
    if value is None:
        s[:] = [f for f in s if f[0] != number]
    elif old:
        old[0][2] = value
    else:
        s.append([number, kind, value])
        s.sort(key=lambda f: f[0])


# Numbers of fields.
VERSION, SCHEMA, ROWS, GROUPS, PAIRS, CREATED = range(1, 7)  # of the footer
META = 3  # of a column chunk
CODEC, VALUES, UNCOMPRESSED, COMPRESSED, DATA, DICTIONARY, STATISTICS = 4, 5, 6, 7, 9, 11, 12  # of META
GROUP_ROWS = 3
PAGE_TYPE, PAGE_UNCOMPRESSED, PAGE_COMPRESSED, PAGE_CRC, PAGE_V1, PAGE_DICT, PAGE_V2 = 1, 2, 3, 4, 5, 7, 8


class File:
    """A Parquet file in pieces: the footer, and the pages of each column chunk."""

    def __init__(self, data):
        length = struct.unpack("<I", data[-8:-4])[0]
        self.footer = Reader(data, len(data) - 8 - length).struct()
        self.pages = {}
        for g, group in enumerate(get(self.footer, GROUPS)[1]):
            for c, chunk in enumerate(get(group, 1)[1]):
                meta = get(chunk, META)
                at = min(x for x in (get(meta, DATA), get(meta, DICTIONARY)) if x)
                end, pages = at + get(meta, COMPRESSED), []
                while at < end:
                    r = Reader(data, at)
                    header = r.struct()
                    pages.append([header, r.take(get(header, PAGE_COMPRESSED))])
                    at = r.at
                self.pages[g, c] = pages

    def metas(self):
        return [get(chunk, META) for group in get(self.footer, GROUPS)[1] for chunk in get(group, 1)[1]]

    def all_pages(self):
        return [p for pages in self.pages.values() for p in pages]

    def data_pages(self):
        return [p for p in self.all_pages() if get(p[0], PAGE_TYPE) in (0, 3)]

    def bytes(self):
        """The file, with offsets and total sizes moved by as much as headers grew."""
        out = b"PAR1"
        for g, group in enumerate(get(self.footer, GROUPS)[1]):
            for c, chunk in enumerate(get(group, 1)[1]):
                meta = get(chunk, META)
                begin = len(out)
                dictionary = None
                data = None
                for header, body in self.pages[g, c]:
                    if get(header, PAGE_TYPE) == 2:
                        dictionary = len(out)
                    elif data is None:
                        data = len(out)
                    out += write(STRUCT, header) + body
                put(meta, DATA, begin if data is None else data)
                if get(meta, DICTIONARY) is not None and dictionary is not None:
                    put(meta, DICTIONARY, dictionary)
                if not getattr(self, "own_sizes", False):
                    put(meta, COMPRESSED, len(out) - begin)
        if hasattr(self, "last"):
            self.last(self)
        footer = write(STRUCT, self.footer)
        return out + footer + struct.pack("<I", len(footer)) + b"PAR1"


def table(n=30):
    return pa.table(
        {
            "i": pa.array([None if k % 7 == 3 else k * k - 50 for k in range(n)], pa.int32()),
            "s": pa.array([None if k % 5 == 4 else "text " * (k % 4) + str(k) for k in range(n)]),
            "f": pa.array([k / 4 - 1 for k in range(n)]),
            "d": pa.array([["red", "green", "blue"][k % 3] for k in range(n)]),
            "u": pa.array([k * 7 % 256 for k in range(n)], pa.uint8()),
        },
        schema=pa.schema([pa.field("i", pa.int32()), pa.field("s", pa.string()), pa.field("f", pa.float64(), nullable=False), pa.field("d", pa.string()), pa.field("u", pa.uint8())]),
    )


BASES = {}


def base(codec, version, **kw):
    key = codec, version, tuple(kw.items())
    if key not in BASES:
        sink = pa.BufferOutputStream()
        pq.write_table(table(), sink, compression=codec, data_page_version=version, row_group_size=20, store_schema=False, write_statistics=True, use_dictionary=["d"], **kw)
        BASES[key] = sink.getvalue().to_pybytes()
    f = File(BASES[key])
    f.codec = codec
    return f


CASES = {}


def case(name, bases):
    def add(change):
        for codec, version in bases:
            f = base(codec, version)
            change(f)
            CASES[f"{name}_{codec}_v{version[0]}.parquet"] = f.bytes()
        return change

    return add


COMPRESSED_BASES = [("snappy", "1.0"), ("zstd", "2.0")]
PLAIN_BASES = [("none", "1.0"), ("none", "2.0")]
BOTH = [("snappy", "1.0"), ("none", "2.0")]


def squeeze(f, codec):
    """Compresses the pages that the writer left as they were, being short."""
    for page in f.data_pages():
        header, body = page
        v2 = get(header, PAGE_V2)
        if v2 and get(v2, 7) is False and codec != "none":
            levels = get(v2, 5) + get(v2, 6)
            packed = body[:levels] + pa.compress(body[levels:], codec=codec, asbytes=True)
            put(v2, 7, True)
            put(header, PAGE_COMPRESSED, len(packed))
            page[1] = packed


def footer_cases():
    for name, rows in (("zero", 0), ("less", 19), ("more", 1000)):

        def group_rows(f):
            put(get(f.footer, GROUPS)[1][0], GROUP_ROWS, rows)

        case(f"group_rows_{name}", [("snappy", "1.0")])(group_rows)

        def values(f):
            for m in f.metas()[:3]:
                put(m, VALUES, rows)

        case(f"values_{name}", [("snappy", "1.0")])(values)

    for name, rows in (("zero", 0), ("less", 7), ("more", 1000), ("negative", -1)):
        case(f"rows_{name}", [("snappy", "1.0")])(lambda f: put(f.footer, ROWS, rows))

    for name, factor in (("zero", 0), ("one", None), ("same", "compressed"), ("huge", 1 << 30)):

        def total(f):
            def last(f):
                for m in f.metas():
                    put(m, UNCOMPRESSED, get(m, COMPRESSED) if factor == "compressed" else 1 if factor is None else factor)

            f.last = last

        case(f"total_{name}", BOTH)(total)

    @case("no_repetition", BOTH)
    def _(f):
        for e in get(f.footer, SCHEMA)[1]:
            if get(e, 4) in (b"f", b"schema"):
                put(e, 3, None)

    @case("root_repetition", BOTH)
    def _(f):
        put(get(f.footer, SCHEMA)[1][0], 3, 2, kind=I32)

    @case("no_converted_type", BOTH)
    def _(f):
        for e in get(f.footer, SCHEMA)[1]:
            put(e, 6, None)

    @case("no_logical_type", BOTH)
    def _(f):
        for e in get(f.footer, SCHEMA)[1]:
            put(e, 10, None)

    @case("unknown_converted_type", BOTH)
    def _(f):
        for e in get(f.footer, SCHEMA)[1][1:]:
            put(e, 10, None)
            put(e, 6, 77, kind=I32)

    @case("unknown_logical_type", BOTH)
    def _(f):
        for e in get(f.footer, SCHEMA)[1][1:]:
            put(e, 6, None)
            put(e, 10, [[99, STRUCT, []]], kind=STRUCT)

    @case("unknown_fields", BOTH)
    def _(f):
        more = [[1000, BINARY, b"of a later version"], [1001, LIST, (STRUCT, [[[1, TRUE, True]]])], [1002, LIST, (FALSE, [True, False])], [1003, DOUBLE, b"12345678"]]
        for s in [f.footer] + get(f.footer, SCHEMA)[1] + get(f.footer, GROUPS)[1] + f.metas() + [p[0] for p in f.all_pages()]:
            s.extend(copy.deepcopy(more))

    for name, codec in (("lzo", 3), ("unknown", 99)):

        def other(f):
            for m in f.metas()[:2]:
                put(m, CODEC, codec)

        case(f"codec_{name}", BOTH[:1])(other)

    @case("unknown_physical_type", BOTH)
    def _(f):
        for m in f.metas()[:3]:
            put(m, 1, 99)

    @case("no_statistics", BOTH)
    def _(f):
        for m in f.metas():
            put(m, STATISTICS, None)

    @case("no_created_by", BOTH)
    def _(f):
        put(f.footer, CREATED, None)

    @case("unknown_encoding_listed", BOTH)
    def _(f):
        for m in f.metas():
            get(m, 2)[1].append(200)

    @case("dictionary_offset_zero", BOTH)
    def _(f):
        def last(f):
            for m in f.metas():
                if get(m, DICTIONARY) is None:
                    put(m, DICTIONARY, 0, kind=I64)

        f.last = last

    @case("dictionary_offset_missing", BOTH)
    def _(f):
        def last(f):
            for m in f.metas():
                if get(m, DICTIONARY) is not None:
                    put(m, DATA, get(m, DICTIONARY))
                    put(m, DICTIONARY, None)

        f.last = last

    @case("names_end_in_nul", BOTH)
    def _(f):
        for e in get(f.footer, SCHEMA)[1][1:]:
            put(e, 4, get(e, 4) + b"\0")

    @case("name_empty", BOTH)
    def _(f):
        put(get(f.footer, SCHEMA)[1][1], 4, b"")

    @case("name_has_slash", BOTH)
    def _(f):
        for e in get(f.footer, SCHEMA)[1][1:]:
            put(e, 4, get(e, 4) + b"/x")


def writer_cases():
    for writer in ("parquet-mr", "parquet-mr version 1.2.8 (build 123)", "parquet-mr version 1.2.9", "parquet-mr version 1.2.5-cdh4.5.0", "other version 1.0.0"):
        for cut in (14, 1):

            def short(f):
                put(f.footer, CREATED, writer.encode())

                def last(f):
                    for m in f.metas():
                        if get(m, DICTIONARY) is not None:
                            put(m, COMPRESSED, get(m, COMPRESSED) - cut)

                f.last = last

            name = writer.split(" (")[0].replace(" version ", "_").replace(".", "_")
            case(f"short_by_{cut}_{name}", [("snappy", "1.0")])(short)

    for writer in ("parquet-cpp version 1.5.1-SNAPSHOT", "parquet-cpp version 1.0.0", "parquet-cpp", "parquet-cpp version 2.0.0", "parquet-cpp-arrow version 2.0.0", "somebody"):

        def uncompressed(f):
            put(f.footer, CREATED, writer.encode())
            squeeze(f, f.codec)
            for header, _ in f.all_pages():
                if get(header, PAGE_V2):
                    put(header, PAGE_V2, 7, False, kind=FALSE)

        name = writer.replace(" version ", "_").replace(".", "_")
        every = ["snappy", "zstd", "gzip", "brotli", "none"]
        case(f"not_compressed_{name}", [(codec, "2.0") for codec in (every if name in ("parquet-cpp_1_5_1-SNAPSHOT", "somebody") else every[:1])])(uncompressed)

    @case("is_compressed_missing", [("snappy", "2.0"), ("none", "2.0")])
    def _(f):
        squeeze(f, f.codec)
        for header, _ in f.all_pages():
            if get(header, PAGE_V2):
                put(header, PAGE_V2, 7, None)


def page_cases():
    for name, change in (("more", lambda n: n + 1), ("less", lambda n: n - 1), ("zero", lambda n: 0), ("huge", lambda n: 1 << 28), ("negative", lambda n: -n)):

        def size(f):
            for header, _ in f.all_pages():
                put(header, PAGE_UNCOMPRESSED, change(get(header, PAGE_UNCOMPRESSED)))

        case(f"page_size_{name}", COMPRESSED_BASES + PLAIN_BASES)(size)

    @case("levels_bit_packed", BOTH)
    def _(f):
        for header, _ in f.data_pages():
            if get(header, PAGE_V1):
                put(header, PAGE_V1, 4, 4)  # of the repetition levels, of which there are none

    @case("no_page_statistics", BOTH)
    def _(f):
        for header, _ in f.data_pages():
            put(header, 5 if get(header, 5) else 8, 5 if get(header, 5) else 8, None)

    @case("nulls_of_page_wrong", [("none", "2.0")])
    def _(f):
        for header, _ in f.data_pages():
            put(header, PAGE_V2, 2, 0)

    @case("rows_of_page_wrong", [("none", "2.0")])
    def _(f):
        for header, _ in f.data_pages():
            put(header, PAGE_V2, 3, 3)

    @case("unknown_page_kind", BOTH)
    def _(f):
        for pages in f.pages.values():
            pages.insert(len(pages) - 1, [[[1, I32, 9], [2, I32, 4], [3, I32, 4]], b"what"])

    @case("index_page", BOTH)
    def _(f):
        for pages in f.pages.values():
            pages.insert(len(pages) - 1, [[[1, I32, 1], [2, I32, 4], [3, I32, 4], [6, STRUCT, []]], b"what"])

    @case("null_count_wrong", BOTH)
    def _(f):
        for m in f.metas():
            if get(m, STATISTICS) and get(m, STATISTICS, 3):
                put(m, STATISTICS, 3, 0)


def plain(v):
    if isinstance(v, bytes):
        return {"hex": v.hex()}
    if isinstance(v, float) and v != v:
        return "NaN"
    return v


def expect(path):
    """What pyarrow reads of a file, column by column."""
    found = {}
    try:
        schema = pq.ParquetFile(path).schema_arrow
    except Exception as e:
        return {"refused": str(e).splitlines()[0]}
    for name in schema.names:
        try:
            array = pq.ParquetFile(path).read(columns=None).column(name) if "/" in name or "\0" in name else pq.ParquetFile(path).read(columns=[name]).column(0)
            if pa.types.is_nested(array.type):
                continue
            found[name] = {"type": str(array.type), "shape": [len(array)], "values": [plain(v) for v in array.to_pylist()]}
        except Exception as e:
            found[name] = {"refused": str(e).splitlines()[0]}
    return {"columns": found}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:]:
        shutil.copyfile(name, folder / pathlib.Path(name).name)
    CASES["sound.parquet"] = base("none", "1.0").bytes()
    footer_cases()
    writer_cases()
    page_cases()
    for name, data in CASES.items():
        (folder / name).write_bytes(data)
    files = {p.name: expect(p) for p in sorted(folder.glob("*.parquet"))}
    text = json.dumps({"reader": f"pyarrow {pa.__version__}", "files": files}, ensure_ascii=False, indent=0)
    (folder / "expected.json").write_text(text)


if __name__ == "__main__":
    main()
