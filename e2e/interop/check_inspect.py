"""Checks that `zmigrate inspect` shows everything that the tools of a format show:
ncdump -h for NetCDF, h5dump -H -p for HDF5 (h5py if a file is too new for h5dump), and
pyarrow for Arrow and Parquet.

    check_inspect.py FILE NAME [FILE NAME…]

NAME.json and NAME.txt are the output of inspect for FILE, with and without --json. Not
compared are the offsets of bytes in a file, the time when space is allocated, and the
bookkeeping of a dimension without a variable. Prints how many facts of each file were
found, and one line for each that was not. Exits with 1 if there is such a fact.
"""

import json
import math
import pathlib
import re
import subprocess
import sys

import cdl
import h5dump
import h5facts


class Node:
    """A node of the output with --json."""

    def __init__(self, n):
        self.json = n
        self.rows = {d["name"]: d["text"] for d in n.get("details", []) if not d.get("attribute")}
        self.attributes = n["attributes"] or {}
        self.details = {d["name"]: d["text"] for d in n.get("details", []) if d.get("attribute")}
        self.hidden = dict(x.split(": ", 1) for x in re.split(r"; (?=\w+: )(?![^{]*})", self.rows.get("bookkeeping", "")) if x)
        self.rank = len(n.get("shape", []))

    def list(self, row):
        """A row of numbers, each with a sign between."""
        text = self.rows[row]
        return [] if text == "scalar" else [int(w) if w.isdigit() else w for w in text.split(" × ")]


class Shown:
    def __init__(self, name):
        document = json.loads(pathlib.Path(name + ".json").read_text())
        self.nodes = {n["path"]: Node(n) for n in document["nodes"]}
        self.text = pathlib.Path(name + ".txt").read_text()
        self.found, self.missing = 0, []

    def fact(self, ok, *what):
        if ok:
            self.found += 1
        else:
            self.missing.append(" ".join(str(w) for w in what))
        return ok

    def node(self, path):
        n = self.nodes.get(path)
        self.fact(n is not None, f"/{path}: no such node")
        return n

    def check_text(self):
        """The text has all that the document has."""
        blocks = []
        for line in self.text.splitlines()[1:]:
            if line.startswith(" "):
                blocks[-1].append(line)
            else:
                blocks.append([line])
        if not self.fact(len(blocks) == len(self.nodes), f"{len(blocks)} nodes in the text, {len(self.nodes)} in the document"):
            return
        for (path, n), (head, *lines) in zip(self.nodes.items(), blocks):
            j = n.json
            if "problem" in j:
                want = f"/{path}: cannot be read: {j['problem']}"
            elif j["kind"] == "group":
                want = f"/{path} (group)"
            else:
                names = j.get("dimension_names") or [""] * n.rank
                dims = [f"{d}={x}" if d else str(x) for d, x in zip(names, j.get("shape", []))]
                dims = [x + " (unlimited)" if d in j.get("unlimited", []) else x for d, x in zip(names, dims)]
                want = f"/{path} {compact(j['data_type'])} [{', '.join(dims)}]"
            self.fact(head == want, f"text: {head!r}, want {want!r}")
            rows = {re.sub(" +", " ", x.strip()) for x in lines if not x.startswith("    ")}
            for name, text in n.rows.items():
                self.fact(re.sub(" +", " ", f"{name} {text}".strip()) in rows, f"text of /{path}: no row {name} {text}")
            for key, row in (("chunk_shape", "chunks"), ("fill_value", "fill value")):
                if key in j and "problem" not in j:
                    text = " × ".join(map(str, j[key])) or "scalar" if key == "chunk_shape" else compact(j[key], True)
                    self.fact(f"{row} {text}" in rows, f"text of /{path}: no row {row} {text} in {rows}")
            attributes = [x for x in lines if x.startswith("    ")]
            for name, value in n.attributes.items():
                ok = any(x.startswith(f"    {name} = ") and self.attribute_line(x, name, value, n.details.get(name)) for x in attributes)
                self.fact(ok, f"text of /{path}: no attribute {name} = {value}")
            for name, detail in n.details.items():
                if name not in n.attributes:
                    self.fact(f"    {name}: {detail}" in attributes, f"text of /{path}: no attribute {name}: {detail}")

    @staticmethod
    def attribute_line(line, name, value, detail):
        line = line.removeprefix(f"    {name} = ")
        number = re.fullmatch(r"(\S+)(  \(.*\))", line)
        if name == "_FillValue" and number and isinstance(value, str) and len(value) == 12:  # of base64
            kind, _, want = detail.rpartition(" = ")
            return number[2] == f"  ({kind})" and same(float(want.replace("Infinity", "inf")), number[1])
        decoded, end = json.JSONDecoder().raw_decode(line)
        return decoded == value and line[end:] == (f"  ({detail})" if detail else "")


def compact(value, quoted=False):
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text if quoted or not isinstance(value, str) else value


def check_hdf5(shown, file):
    try:
        objects = h5dump.Parser(run("h5dump", "-H", "-p", file)).objects
    except RuntimeError as e:
        print(f"{e}: h5py takes its place")
        objects = h5facts.Facts(file).objects
    for path, o in objects.items():
        parent, _, name = path.rpartition("/")
        if o["kind"] == "link":
            n = shown.nodes.get(path)
            texts = [n.rows.get("link")] if n else [shown.nodes[parent].rows.get(f"link {name}"), shown.nodes[parent].rows.get(f"type {name}", "")]
            shown.fact(any(o["text"] in (t or "") for t in texts), f"/{path}: link {o['text']}, shown {texts}")
        elif "hard" in o:
            check_hard(shown, path, o)
        elif o["kind"] == "type":
            row = shown.nodes[parent].rows.get(f"type {name}", "")
            shown.fact(h5dump.same_type(row) == o["type"], f"/{path}: type {o['type']}, shown {row}")
        elif o["kind"] == "group":
            if n := shown.node(path):
                check_attributes(shown, path, n, o, objects)
        elif is_dimension(shown, path, o, objects):
            dims = shown.nodes[parent].rows.get("dimensions", "").split(", ")
            grows = o["most"][0] == "unlimited"
            shown.fact(any(re.fullmatch(re.escape(name) + r" = \d+" + (r" \(unlimited\)" if grows else ""), d) for d in dims), f"/{path}: no dimension")
        else:
            check_dataset(shown, path, o, objects)


def is_dimension(shown, path, o, objects):
    """Whether a dataset stands for a dimension without a variable of that name, or
    for one whose variable is no coordinate."""
    parent, _, name = path.rpartition("/")
    apart = f"{parent}/_nc4_non_coord_{name}".strip("/") in objects or path not in shown.nodes
    return apart and {"CLASS", "NAME"} <= o["attributes"].keys()


def check_hard(shown, path, o):
    """An object has two paths, and one of them names the other."""
    parent, _, name = path.rpartition("/")

    def first(p):
        n = shown.nodes.get(p)
        row = n.rows.get("link", "") if n else shown.nodes[p.rpartition("/")[0]].rows.get("link " + p.rpartition("/")[2], "")
        if not row and not n:
            row = shown.nodes[p.rpartition("/")[0]].rows.get("type " + p.rpartition("/")[2], "")
        m = re.search(r"hard, to the same object as /(.*?)\)?$", row)
        return m.group(1) if m else p

    shown.fact(first(path) == first(o["hard"]), f"/{path}: hard link to /{o['hard']}")


def check_type(shown, path, what, want, text, objects):
    """Whether a text begins with a datatype; returns what is behind it."""
    text = h5dump.same_type(text)
    if isinstance(want, tuple):
        shown.fact(text.startswith(f"/{want[1]}"), f"/{path}: {what} has the type /{want[1]}, shown {text}")
        want = objects[want[1]]["type"]
    if text.startswith("/") and what != "type":  # the name alone, of what is described in its group
        names = [p for p, o in objects.items() if o["kind"] == "type" and text.startswith(f"/{p}")]
        if shown.fact(names, f"/{path}: {what} has the type {text}, which is none"):
            text = objects[max(names, key=len)]["type"] + text.removeprefix("/" + max(names, key=len))
    elif text.startswith("/"):
        text = text[text.index(": ") + 2 :]
    ok = shown.fact(text.startswith(want), f"/{path}: {what}: {want}, shown {text}")
    return text.removeprefix(want) if ok else ""


def check_attributes(shown, path, n, o, objects):
    for name, (kind, shape) in o["attributes"].items():
        text = n.hidden.get(name) or n.details.get(name)
        if shown.fact(text is not None, f"/{path}: attribute {name}"):
            rest = check_type(shown, path, name, kind, text, objects).split(" = ")[0]
            want = ", null" if shape is None else f" [{' × '.join(map(str, shape))}]" if shape else ""
            shown.fact(rest == want, f"/{path}: attribute {name} has shape {shape}, shown {text}")
            shown.fact(name in n.hidden or name in n.attributes or " = " in text, f"/{path}: attribute {name} has no value")


def check_dataset(shown, path, o, objects):
    n = shown.nodes.get(re.sub("(^|/)_nc4_non_coord_", r"\1", path)) or shown.node(path)
    if n is None:
        return
    rest = check_type(shown, path, "type", o["type"], n.rows.get("stored type", ""), objects)
    shown.fact(rest == "", f"/{path}: type {o['type']}, shown {n.rows.get('stored type')}")
    if o["shape"] is None:
        shown.fact("null" in n.rows.get("stored shape", ""), f"/{path}: null dataspace")
    else:
        shape = n.list("stored shape") if "stored shape" in n.rows else n.json.get("shape", [])[: len(o["shape"])]
        shown.fact(shape == o["shape"], f"/{path}: shape {o['shape']}, shown {shape}")
        most = n.list("can grow to") if "can grow to" in n.rows else shape
        shown.fact(most == o["most"], f"/{path}: max shape {o['most']}, shown {most}")
    layout = {"CHUNKED": "chunks", "CONTIGUOUS": "contiguous", "COMPACT": "compact", "MAPPING": "virtual"}[o["layout"]]
    shown.fact(n.rows.get("layout", "").startswith(layout), f"/{path}: layout {layout}, shown {n.rows.get('layout')}")
    if o["chunks"]:
        chunks = n.list("chunks") if "chunks" in n.rows else n.json.get("chunk_shape", [])[: len(o["chunks"])]
        shown.fact(chunks == o["chunks"], f"/{path}: chunks {o['chunks']}, shown {chunks}")
    filters = re.findall(r"(\S[^,\[]*?) ?\(filter (\d+)\)(?: \[([\d ]*)\])?", n.rows.get("filters", ""))
    if shown.fact(len(filters) == len(o["filters"]), f"/{path}: filters {o['filters']}, shown {filters}"):
        for want, (name, number, parameters) in zip(o["filters"], filters):
            ok = int(number) == want["id"] and want.get("parameters", parameters.split()) in ([int(p) for p in parameters.split()], parameters.split())
            shown.fact(ok, f"/{path}: filter {want}, shown {name} {number} {parameters}")
    if o["fill"]:
        fills = [n.rows.get("stored fill", ""), compact(n.json.get("fill_value", ""))]
        if n.rows["stored type"].split(": ")[-1].startswith(("enum", "opaque")):  # hexadecimal digits, or a name
            shown.fact(any(fills), f"/{path}: fill value")
        else:
            shown.fact(any(h5dump.same_value(o["fill"], f) for f in fills), f"/{path}: fill value {o['fill']}, shown {fills}")
    check_attributes(shown, path, n, o, objects)


CDL_TYPES = {
    "byte": "int8", "char": "uint8", "short": "int16", "int": "int32", "int64": "int64", "ubyte": "uint8", "ushort": "uint16",
    "uint": "uint32", "uint64": "uint64", "float": "float32", "double": "float64", "string": "string",
}  # fmt: skip


def is_cdl_type(kind, shown):
    """Whether a type that inspect shows is one of ncdump."""
    if kind in CDL_TYPES and shown.split(" ")[0] in (kind, CDL_TYPES[kind]):
        return True
    if kind in ("char", "string"):
        return shown.startswith("text") or shown.split(" ")[0] == kind
    return re.match(r"/(?:.*/)?" + re.escape(kind) + r"(: | \[|$)", shown) is not None


def check_ncdump(shown, file, output):
    groups = cdl.Parser(output).groups
    for path, g in groups.items():
        n = shown.node(path)
        if n is None:
            continue
        dims = n.rows.get("dimensions", "").split(", ")
        for name, (length, unlimited) in g["dims"].items():
            text = f"{name} = {length}" + " (unlimited)" * unlimited
            shown.fact(text in dims, f"/{path}: dimension {text}, shown {dims}")
        for name in g["types"]:
            shown.fact(f"type {name}" in n.rows, f"/{path}: type {name}")
        for name, (kind, names) in g["variables"].items():
            at = f"{path}/{name}".strip("/")
            v = shown.node(at)
            if v is None:
                continue
            stored = v.rows.get("stored type", "")
            shown.fact(is_cdl_type(kind, stored), f"/{at}: type {kind}, shown {stored}")
            if "shape" not in v.json and "problem" not in v.json:  # a group of arrays stands for the variable
                shown.fact(v.rows.get("stored dimensions", "") == ", ".join(names), f"/{at}: dimensions {names}")
            elif "problem" not in v.json:
                shown.fact((v.json.get("dimension_names") or [])[: len(names)] == names, f"/{at}: dimensions {names}")
                for k, d in enumerate(names):
                    length, unlimited = dimension(groups, path, d)
                    shown.fact(v.json["shape"][k] == length and (d in v.json.get("unlimited", [])) == unlimited, f"/{at}: {d}")
        for (variable, name), (kind, values) in g["attributes"].items():
            at = f"{path}/{variable}".strip("/")
            if v := shown.node(at):
                check_cdl_attribute(shown, at, v, name, kind, values)


def dimension(groups, path, name):
    while name not in groups[path]["dims"]:
        path = path.rpartition("/")[0]
    return groups[path]["dims"][name]


def check_cdl_attribute(shown, path, v, name, kind, values):
    detail = v.details.get(name)
    if not shown.fact(detail is not None, f"/{path}: attribute {name}"):
        return
    shown.fact(is_cdl_type(kind, detail), f"/{path}: attribute {name} is a {kind}, shown {detail}")
    if kind not in CDL_TYPES:
        value = detail.partition(" = ")[2]
        shown.fact(h5dump.same_value(values, value), f"/{path}: attribute {name} = {values}, shown {value}")
        return
    if name == "_FillValue" or name not in v.attributes:  # in the form of another program
        value = re.search(r"[ =] ?(\S+)$", detail)
        shown_value = value.group(1) if value else None
    else:
        shown_value = v.attributes[name]
    want = values[0] if isinstance(values, list) and len(values) == 1 else values
    shown.fact(same(want, shown_value), f"/{path}: attribute {name} = {want!r}, shown {shown_value!r}")


def same(want, shown):
    if isinstance(want, list):
        return isinstance(shown, list) and len(want) == len(shown) and all(map(same, want, shown))
    if isinstance(want, (int, float)):
        try:
            x = float(str(shown).strip('"').replace("Infinity", "inf"))
        except ValueError:
            return False
        return math.isnan(want) and math.isnan(x) or math.isclose(want, x, rel_tol=1e-7)
    return want == shown or shown is not None and str(shown).strip('"') == want or want == "" and shown == []


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()[:300]}")
    return done.stdout


def check_netcdf(shown, file):
    with open(file, "rb") as f:
        classic = f.read(3) == b"CDF"
    if not classic:
        check_hdf5(shown, file)
    if pathlib.Path(file).suffix == ".h5":
        return  # ncdump makes up dimensions, which differ between its versions
    check_ncdump(shown, file, run("ncdump", "-h", "-p", "9,17", file))


def main():
    from check_inspect_arrow import check_arrow

    missing = 0
    for file, name in zip(sys.argv[1::2], sys.argv[2::2]):
        shown = Shown(name)
        shown.check_text()
        if pathlib.Path(file).suffix in (".nc", ".cdf", ".h5"):
            check_netcdf(shown, file)
        else:
            check_arrow(shown, file)
        for m in shown.missing:
            print(f"DIFFERENT {pathlib.Path(file).name}: {m}")
        print(f"{pathlib.Path(file).name}: {shown.found} facts")
        missing += len(shown.missing)
    sys.exit(missing > 0)


if __name__ == "__main__":
    main()
