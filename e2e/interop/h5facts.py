"""The facts of h5dump.py, of h5py: for files that are newer than h5dump."""

import h5py
import hdf5plugin  # registers the filters
from h5py import h5a, h5d, h5g, h5l, h5o, h5s, h5t

import h5dump


def type_text(t):
    """A datatype as h5dump.Parser.type has it."""
    kind = t.get_class()
    if kind in (h5t.INTEGER, h5t.FLOAT, h5t.BITFIELD):
        bits, name = 8 * t.get_size(), "float"
        if kind == h5t.BITFIELD:
            name = "bitfield"
        elif kind == h5t.INTEGER:
            name = "int" if t.get_sign() == h5t.SGN_2 else "uint"
        text = h5dump.number(name, bits, t.get_order() == h5t.ORDER_BE)
        return text if t.get_precision() == bits else f"{text} ({t.get_precision()} bits)"
    if kind == h5t.STRING:
        size = "any length" if t.is_variable_str() else f"{t.get_size()} bytes"
        padding = {h5t.STR_NULLTERM: "null-terminated", h5t.STR_NULLPAD: "null-padded", h5t.STR_SPACEPAD: "space-padded"}[t.get_strpad()]
        return f"text of {size}, {padding}, {'UTF-8' if t.get_cset() == h5t.CSET_UTF8 else 'ASCII'}"
    if kind == h5t.VLEN:
        return f"sequence of {type_text(t.get_super())}"
    if kind == h5t.ARRAY:
        return f"array [{' '.join(map(str, t.get_array_dims()))}] of {type_text(t.get_super())}"
    if kind == h5t.COMPOUND:
        members = [f"{t.get_member_name(i).decode()}: {type_text(t.get_member_type(i))}" for i in range(t.get_nmembers())]
        return "compound {" + "; ".join(members) + "}"
    if kind == h5t.ENUM:
        names = [f"{t.get_member_name(i).decode()} = {t.get_member_value(i)}" for i in range(t.get_nmembers())]
        return f"enum of {type_text(t.get_super())} {{{', '.join(names)}}}"
    if kind == h5t.OPAQUE:
        return f"opaque, {t.get_tag().decode()}".removesuffix(" ")
    if kind == h5t.REFERENCE:
        if t.equal(h5t.STD_REF_OBJ):
            return "reference to an object"
        return "reference to a region" if t.equal(h5t.STD_REF_DSETREG) else "encoded reference"
    raise ValueError(f"datatype of class {kind}")


def extents(space):
    if space.get_simple_extent_type() == h5s.NULL:
        return None, None
    most = space.get_simple_extent_dims(maxdims=True)
    return list(space.get_simple_extent_dims()), ["unlimited" if n == h5s.UNLIMITED else n for n in most]


class Facts:
    """Has the objects of h5dump.Parser."""

    def __init__(self, file):
        self.objects, self.first = {}, {}
        with h5py.File(file) as f:
            self.first[h5o.get_info(f.id).addr] = ""
            self.types = {}
            f.visititems(lambda path, o: self.types.setdefault(h5o.get_info(o.id).addr, path) if isinstance(o, h5py.Datatype) else None)
            self.group("", h5g.open(f.id, b"/"))

    def type(self, t):
        if t.committed():
            return ("name", self.types[h5o.get_info(t).addr])
        return type_text(t)

    def attributes(self, o):
        found = {}
        for i in range(h5a.get_num_attrs(o)):
            a = h5a.open(o, index=i)
            found[a.name.decode()] = (self.type(a.get_type()), extents(a.get_space())[0])
        return found

    def group(self, path, g):
        self.objects[path] = {"kind": "group", "attributes": self.attributes(g)}
        for name in g:
            child = f"{path}/{name.decode()}".strip("/")
            link = g.links.get_info(name)
            if link.type == h5l.TYPE_SOFT:
                self.objects[child] = {"kind": "link", "text": f"soft, to {g.links.get_val(name).decode()}"}
            elif link.type == h5l.TYPE_EXTERNAL:
                to, target = g.links.get_val(name)
                self.objects[child] = {"kind": "link", "text": f"external, to {target.decode()} in {to.decode()}"}
            elif link.type != h5l.TYPE_HARD:
                self.objects[child] = {"kind": "link", "text": "user-defined"}
            else:
                self.object(child, h5o.open(g, name))

    def object(self, path, o):
        address = h5o.get_info(o).addr
        if address in self.first:
            self.objects[path] = {"kind": "group", "hard": self.first[address]}
            return
        self.first[address] = path
        if isinstance(o, h5g.GroupID):
            self.group(path, o)
        elif isinstance(o, h5t.TypeID):
            self.objects[path] = {"kind": "type", "attributes": {}, "type": type_text(o)}
        else:
            self.dataset(path, o)

    def dataset(self, path, d):
        made = d.get_create_plist()
        layouts = {h5d.CHUNKED: "CHUNKED", h5d.CONTIGUOUS: "CONTIGUOUS", h5d.COMPACT: "COMPACT", h5d.VIRTUAL: "MAPPING"}
        shape, most = extents(d.get_space())
        self.objects[path] = {
            "kind": "dataset",
            "attributes": self.attributes(d),
            "type": self.type(d.get_type()),
            "shape": shape,
            "most": most,
            "layout": layouts[made.get_layout()],
            "chunks": list(made.get_chunk()) if made.get_layout() == h5d.CHUNKED else None,
            "filters": [{"id": f[0], "parameters": list(f[2])} for f in map(made.get_filter, range(made.get_nfilters()))],
            "fill": None,  # check_hdf5.py compares those, where they take the place of chunks
        }
