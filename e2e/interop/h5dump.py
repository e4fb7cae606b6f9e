"""What `h5dump -H -p` shows of an HDF5 file, as facts."""

import math
import re

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[{}()\[\];,]|[^\s{}()\[\];,"]+')


def tokens(text):
    for line in text.splitlines():
        free = re.match(r"\s*(COMMENT) ([^\"].*)", line)  # the comment of a filter, in its author's words
        named = re.fullmatch(r'\s*([A-Z_]+) "(.*)" (\{)', line)  # a name may contain quotes
        if free:
            yield from free.groups()
        elif named:
            word, name, brace = named.groups()
            yield from (word, '"' + re.sub(r'(["\\])', r"\\\1", name) + '"', brace)
        else:
            yield from TOKEN.findall(line)


class Parser:
    """Parses the output: objects are {"kind", "attributes", …} by their paths."""

    def __init__(self, text):
        self.tokens = list(tokens(text))
        self.at = 0
        self.objects = {}
        self.take("HDF5")
        self.next()
        self.take("{")
        self.take("GROUP")
        self.take('"/"')
        self.group("")
        self.take("}")

    def peek(self):
        return self.tokens[self.at]

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def take(self, want):
        got = self.next()
        if got != want:
            raise ValueError(f"{got} where {want} is expected, after {self.tokens[self.at - 9 : self.at - 1]}")

    def maybe(self, want):
        if self.peek() == want:
            self.at += 1
            return True
        return False

    def name(self):
        return re.sub(r"\\(.)", r"\1", self.next()[1:-1])

    def skip(self):
        """Skips a text in braces."""
        self.take("{")
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.next(), 0)

    def group(self, path):
        self.take("{")
        o = self.objects[path] = {"kind": "group", "attributes": {}}
        while not self.maybe("}"):
            word = self.next()
            if word == "ATTRIBUTE":
                self.attribute(o)
                continue
            if word == "HARDLINK":
                o["hard"] = self.name().strip("/")
                continue
            if word == "COMMENT":
                self.next()
                continue
            child = f"{path}/{self.name()}".strip("/")
            if word == "GROUP":
                self.group(child)
            elif word == "DATASET":
                self.dataset(child)
            elif word == "DATATYPE":
                self.named(child)
            elif word == "SOFTLINK":
                self.take("{")
                self.take("LINKTARGET")
                self.objects[child] = {"kind": "link", "text": "soft, to " + self.name()}
                self.take("}")
            elif word == "EXTERNAL_LINK":
                self.take("{")
                self.take("TARGETFILE")
                file = self.name()
                self.take("TARGETPATH")
                self.objects[child] = {"kind": "link", "text": f"external, to {self.name()} in {file}"}
                self.at -= 1
                while self.next() != "}":
                    pass
            elif word == "USERDEFINED_LINK":
                self.objects[child] = {"kind": "link", "text": "user-defined"}
                self.skip()
            else:
                raise ValueError(f"{word} in a group")

    def named(self, path):
        o = self.objects[path] = {"kind": "type", "attributes": {}}
        if self.maybe("{"):
            self.take("HARDLINK")
            o["hard"] = self.name().strip("/")
            self.take("}")
            return
        o["type"] = self.type()
        self.maybe(";")
        if self.peek() == "{":
            self.skip()

    def attribute(self, o):
        name = self.name()
        self.take("{")
        self.take("DATATYPE")
        kind = self.type()
        self.take("DATASPACE")
        o["attributes"][name] = (kind, self.space()[0])
        self.take("}")

    def space(self):
        """Extents, None for no elements at all, and how far they grow."""
        word = self.next()
        if word == "NULL":
            return None, None
        if word == "SCALAR":
            return [], []
        self.take("{")
        shape = self.extents()
        self.take("/")
        most = self.extents()
        self.take("}")
        return shape, most

    def extents(self):
        self.take("(")
        list = []
        while not self.maybe(")"):
            word = self.next()
            if word != ",":
                list.append("unlimited" if word == "H5S_UNLIMITED" else int(word))
        return list

    def dataset(self, path):
        self.take("{")
        o = self.objects[path] = {"kind": "dataset", "attributes": {}, "chunks": None, "filters": [], "fill": None, "layout": None}
        while not self.maybe("}"):
            word = self.next()
            if word == "HARDLINK":
                o["hard"] = self.name().strip("/")
            elif word == "COMMENT":
                self.next()
            elif word == "ATTRIBUTE":
                self.attribute(o)
            elif word == "DATATYPE":
                o["type"] = self.type()
            elif word == "DATASPACE":
                o["shape"], o["most"] = self.space()
            elif word == "STORAGE_LAYOUT":
                self.take("{")
                o["layout"] = self.next()
                if o["layout"] == "CHUNKED":
                    o["chunks"] = self.extents()
                self.close()
            elif word == "FILTERS":
                self.filters(o["filters"])
            elif word == "FILLVALUE":
                self.fill(o)
            elif word == "ALLOCATION_TIME":
                self.skip()
            else:
                raise ValueError(f"{word} in a dataset")

    def close(self):
        """Skips to the end of the open braces."""
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.next(), 0)

    def filters(self, list):
        self.take("{")
        while not self.maybe("}"):
            word = self.next()
            if word == "USER_DEFINED_FILTER":
                self.take("{")
                f = {"parameters": []}
                while not self.maybe("}"):
                    word = self.next()
                    if word == "FILTER_ID":
                        f["id"] = int(self.next())
                    elif word == "COMMENT":
                        f["name"] = self.next()
                    elif word == "PARAMS":
                        self.take("{")
                        while not self.maybe("}"):
                            f["parameters"].append(int(self.next()) % 2**32)
                list.append(f)
            elif word in ("CHECKSUM", "PREPROCESSING", "COMPRESSION"):
                name = self.next()
                f = {"id": {"DEFLATE": 1, "SHUFFLE": 2, "FLETCHER32": 3, "SZIP": 4, "NBIT": 5, "SCALEOFFSET": 6}[name]}
                if self.peek() == "{":
                    start = self.at
                    self.skip()
                    if name == "DEFLATE":
                        f["parameters"] = [int(self.tokens[start + 2])]
                list.append(f)
            elif word != "NONE":
                raise ValueError(f"{word} among filters")

    def fill(self, o):
        self.take("{")
        self.take("FILL_TIME")
        self.next()
        self.take("VALUE")
        start, depth = self.at, 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.next(), 0)
        value = self.tokens[start : self.at - 1]
        if value[0] not in ("H5D_FILL_VALUE_DEFAULT", "H5D_FILL_VALUE_UNDEFINED", "NO"):
            o["fill"] = value

    def type(self):
        """A datatype as zmigrate writes it, without the offsets of members of compounds;
        ("name", path) for a committed one."""
        word = self.next()
        if word[0] == '"':
            self.at -= 1
            return ("name", self.name().strip("/"))
        standard = re.fullmatch(r"H5T_(STD|IEEE)_([IUFB])(\d+)(LE|BE)", word)
        if standard:
            _, kind, bits, order = standard.groups()
            return number({"I": "int", "U": "uint", "F": "float", "B": "bitfield"}[kind], int(bits), order == "BE")
        if re.fullmatch(r"\d+-bit", word):
            return self.odd_number(int(word[:-4]))
        if word == "H5T_STRING":
            return self.string()
        self.take("{")
        if word == "H5T_VLEN":
            text = f"sequence of {self.type()}"
        elif word == "H5T_ARRAY":
            extents = []
            while self.maybe("["):
                extents.append(self.next())
                self.take("]")
            text = f"array [{' '.join(extents)}] of {self.type()}"
        elif word == "H5T_COMPOUND":
            members = []
            while self.peek() != "}":
                kind = self.type()
                members.append(f"{self.name()}: {kind}")
                self.take(";")
            text = "compound {" + "; ".join(members) + "}"
        elif word == "H5T_ENUM":
            base, names = self.type(), []
            self.take(";")
            while self.peek() != "}":
                name = self.name()
                names.append(f"{name} = {int(self.next())}")
                self.take(";")
            text = f"enum of {base} {{{', '.join(names)}}}"
        elif word == "H5T_OPAQUE":
            fields = {}
            while self.peek() != "}":
                key = self.next()
                fields[key] = self.name() if self.peek()[0] == '"' else self.next()
                self.take(";")
            text = f"opaque, {fields['OPAQUE_TAG']}".removesuffix(" ")
        elif word == "H5T_REFERENCE":
            text = {"H5T_STD_REF_OBJECT": "reference to an object", "H5T_STD_REF_DSETREG": "reference to a region"}.get(self.next(), "encoded reference")
        else:
            raise ValueError(f"datatype {word}")
        self.take("}")
        return text

    def odd_number(self, bits):
        """Such as `32-bit big-endian unsigned integer 20-bit precision`."""
        order, kind = self.next(), self.next()
        if kind == "unsigned":
            self.take("integer")
            kind = "unsigned"
        text = number({"integer": "int", "unsigned": "uint", "floating-point": "float"}[kind], bits, order == "big-endian")
        precision = int(self.next()[:-4])
        self.take("precision")
        return text if precision == bits else f"{text} ({precision} bits)"

    def string(self):
        self.take("{")
        f = {}
        while not self.maybe("}"):
            key = self.next()
            f[key] = self.next()
            self.take(";")
        size = "any length" if f["STRSIZE"] == "H5T_VARIABLE" else f"{f['STRSIZE']} bytes"
        padding = {"H5T_STR_NULLTERM": "null-terminated", "H5T_STR_NULLPAD": "null-padded", "H5T_STR_SPACEPAD": "space-padded"}[f["STRPAD"]]
        return f"text of {size}, {padding}, {f['CSET'].removeprefix('H5T_CSET_').replace('UTF8', 'UTF-8')}"


def number(kind, bits, big):
    text = f"bitfield of {bits} bits" if kind == "bitfield" else f"{kind}{bits}"
    return text if bits == 8 else text + (" big-endian" if big else " little-endian")


def same_type(shown):
    """What zmigrate writes of a datatype, without the parts that h5dump does not show."""
    shown = re.sub(r" at byte \d+", "", shown)
    shown = re.sub(r"compound of \d+ bytes", "compound", shown)
    shown = re.sub(r"opaque of \d+ bytes,?", "opaque,", shown)
    shown = re.sub(r"encoded reference to an? \w+", "encoded reference", shown)
    return re.sub(r"\((\d+) bits from bit \d+\)", r"(\1 bits)", shown)


def same_value(words, shown):
    """Whether a fill value as h5dump writes it, with 6 digits, is the one shown."""
    flat = TOKEN.findall(shown)
    words = [w for w in words if w not in "{}(),:;[]"]
    flat = [w for w in flat if w not in "{}(),:;[]"]
    if len(words) != len(flat):
        return False
    for a, b in zip(words, flat):
        if a.strip('"').lower() == b.strip('"').lower():
            continue
        try:
            x, y = float(a), float(b.replace("Infinity", "inf"))
        except ValueError:
            return False
        if not (math.isnan(x) and math.isnan(y) or math.isclose(x, y, rel_tol=1e-5)):
            return False
    return True
