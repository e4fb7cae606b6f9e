"""What `ncdump -h` shows of a NetCDF file, as facts."""

import re

TOKEN = re.compile(
    r'"(?:\\.|[^"\\])*"'  # text
    r"|//[^\n]*"  # a comment
    r"|(?:\\.|[^\s\\;,=(){}:\"*/])+"  # a word: a name, a number
    r"|[;,=(){}:*]",
    re.S,
)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}


def unescape(name):
    return re.sub(r"\\(.)", r"\1", name, flags=re.S)


def text(quoted):
    def one(m):
        escape = m.group(1)
        return chr(int(escape, 8)) if escape.isdigit() else ESCAPES.get(escape, escape)

    return re.sub(r"\\(\d{3}|.)", one, quoted[1:-1], flags=re.S)


class Parser:
    """Parses the output: groups by their paths, each with dims {name: (length,
    unlimited)}, types {name}, variables {name: (type, dimensions)} and attributes
    {(variable, name): (type, values)}; the name of a group's own variable is ""."""

    def __init__(self, output):
        self.tokens = [t for t in TOKEN.findall(output)]
        self.at = 0
        self.groups = {}
        while self.next() != "{":
            pass
        self.group("")

    def peek(self):
        return self.tokens[self.at]

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def until(self, *ends):
        list = []
        while self.peek() not in ends:
            list.append(self.next())
        return list

    def group(self, path):
        g = self.groups[path] = {"dims": {}, "types": set(), "variables": {}, "attributes": {}}
        section = ""
        while True:
            word = self.next()
            if word.startswith("//"):
                continue
            if word == "}":
                return
            if word in ("types", "dimensions", "variables") and self.peek() == ":":
                section = word
                self.next()
            elif word == "group" and self.peek() == ":":
                self.next()
                name = unescape(self.next())
                while self.next() != "{":
                    pass
                self.group(f"{path}/{name}".strip("/"))
            elif section == "types":
                self.type(g, word)
            elif section == "dimensions":
                self.dimension(g, word)
            else:
                self.declaration(g, word)

    def type(self, g, word):
        words = [word, *self.until("{", ";")]
        if "enum" in words or words[0] == "compound" or words[0] == "opaque":
            g["types"].add(unescape(words[-1]))
        elif "*" in words:  # a sequence: TYPE(*) NAME
            g["types"].add(unescape(words[-1]))
        if self.peek() == "{":
            while self.next() != "}":
                pass
            while self.peek() != ";":  # a compound's name may follow it
                self.next()
        self.next()

    def dimension(self, g, word):
        self.next()  # =
        length = self.next()
        self.next()  # ;
        if length != "UNLIMITED":
            g["dims"][unescape(word)] = (int(length), False)
            return
        currently = re.match(r"// \((\d+) currently\)", self.next())
        g["dims"][unescape(word)] = (int(currently.group(1)), True)

    def declaration(self, g, word):
        """A variable, or an attribute: [TYPE] [VARIABLE]:NAME = VALUES."""
        words = [word, *self.until(";", "=", "(")] if word != ":" else [":", *self.until(";", "=", "(")]
        if ":" in words:
            k = words.index(":")
            before, name = [unescape(w) for w in words[:k]], unescape(words[k + 1])
            self.next()  # =
            values = self.until(";")
            self.next()
            if not before:
                before = [""]
            elif len(before) == 1 and word != ":" and before[0] not in g["variables"]:
                before = [before[0], ""]  # TYPE :NAME, of the group
            kind = before[0] if len(before) == 2 else None
            g["attributes"][before[-1], name] = self.values(kind, values)
            return
        dims = []
        if self.peek() == "(":
            self.next()
            dims = [unescape(w) for w in self.until(")") if w != ","]
            self.next()
        self.next()  # ;
        g["variables"][unescape(words[-1])] = (unescape(words[-2]), dims)

    def values(self, kind, words):
        list = [w for w in words if w != ","]
        if kind == "string":
            return kind, [None if w == "NIL" else text(w) for w in list]
        if kind is not None:
            return kind, list
        if list and list[0][0] == '"':
            return "char", "".join(text(w) for w in list)
        kinds = {"b": "byte", "s": "short", "": "int", "LL": "int64", "UB": "ubyte", "US": "ushort", "U": "uint", "ULL": "uint64", "f": "float"}
        number = re.fullmatch(r"([-+]?[\d.]+(?:[eE][-+]?\d+)?|NaN|-?Infinity)(\w*)", list[0])
        digits, suffix = number.groups()
        kind = kinds[suffix]
        if suffix == "" and not re.fullmatch(r"-?\d+", digits):
            kind = "double"
        if list[0] in ("NaNf", "Infinityf", "-Infinityf"):
            kind = "float"
        numbers = [re.fullmatch(r"(.*?)(ULL|LL|UB|US|U|b|s|f)?", w).group(1) for w in list]
        whole = kind not in ("float", "double")
        return kind, [int(n) if whole else float(n.replace("Infinity", "inf")) for n in numbers]
