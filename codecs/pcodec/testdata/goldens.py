"""Makes goldens.zip: Pco streams and the SHA-256 of what they decode to.

    python goldens.py write STEM                    with each version of pcodec
    python goldens.py assets FOLDER STEM            with pcodec 1.1.0
    python goldens.py synthesize STEM COUNT SEED    with pcodec 1.1.0
    python goldens.py pack goldens.zip STEM...

The first three write STEM.bin, streams one after the other, and STEM.json, a
list of {name, type, count, sha256, size}. Values are hashed little-endian, so
run this on a little-endian machine.
"""

import hashlib
import json
import os
import sys
import zipfile
from importlib.metadata import version as installed

import numpy as np

TYPES = ["uint8", "int8", "uint16", "int16", "float16", "uint32", "int32", "float32", "uint64", "int64", "float64"]
CODES = dict(uint32=1, uint64=2, int32=3, int64=4, float32=5, float64=6, uint16=7, int16=8, float16=9, uint8=10, int8=11)


class Goldens:
    def __init__(self, stem):
        self.stem, self.data, self.index = stem, bytearray(), []

    def add(self, name, values, stream):
        self.data += stream
        self.index.append(dict(
            name=name, type=values.dtype.name, count=values.size,
            sha256=hashlib.sha256(values.tobytes()).hexdigest(), size=len(stream)))

    def save(self):
        with open(self.stem + ".bin", "wb") as f:
            f.write(self.data)
        with open(self.stem + ".json", "w") as f:
            json.dump(self.index, f)
        print(self.stem, len(self.index), "streams,", len(self.data), "bytes")


# Values

def values(kind, dtype, n):
    """Values drawn from a generator that is the same in every NumPy."""
    rng = np.random.RandomState(abs(hash_of(kind + dtype)) % 2**32)
    t = np.dtype(dtype)
    i = np.arange(n, dtype=np.float64)
    if kind == "noise":  # every bit pattern: NaNs with payloads, infinities, subnormals
        return np.frombuffer(rng.bytes(n * t.itemsize), dtype=t).copy()
    if kind == "repeat":
        return np.resize(np.frombuffer(rng.bytes(10 * t.itemsize), dtype=t), n)
    scale = min(50.0, np.finfo(t).max if t.kind == "f" else np.iinfo(t).max / 2.5)
    if kind == "walk":
        x = np.cumsum(rng.randint(-2, 3, n)) + (rng.randint(0, 100, n) == 0) * 30.0
    elif kind == "smooth":
        x = scale * np.sin(i / 40) + (i % 3 == 0)
    elif kind == "steps":  # multiples with a few exceptions
        x = rng.randint(0, 9, n) * (0.1 if t.kind == "f" else 7 if t.itemsize == 1 else 100) + (i % 97 == 5)
    elif kind == "line":
        x = 3 * i + (i % 50000 == 7) * 5
    else:
        raise ValueError(kind)
    if t.kind == "u":
        x = x - x.min() if n else x
    if t.kind != "f":
        return x.astype(np.int64).astype(t)
    if kind == "walk":
        x = x.astype(np.float16)  # few bits of mantissa: quantised
    with np.errstate(over="ignore"):
        return x.astype(t)


def hash_of(text):
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "little")


# What each version of pcodec writes

def compressor():
    """A function (values, level, mode, delta, page) to bytes, or None where this
    version has no such mode or delta encoding."""
    import pcodec
    release = tuple(map(int, installed("pcodec").split(".")))
    if release < (0, 1, 0):
        return lambda x, level, mode, delta, page: (
            pcodec.auto_compress(x)
            if mode is None and delta is None and page is None else None)
    standalone = getattr(pcodec, "standalone", None) or getattr(pcodec, "pcodec.standalone")

    def compress(x, level, mode, delta, page):
        options = dict(compression_level=level)
        if page is not None:
            options["paging_spec"] = pcodec.PagingSpec.equal_pages_up_to(page)
        if x.dtype.itemsize == 1:
            options["enable_8_bit"] = True
        if mode is not None:
            make = getattr(getattr(pcodec, "ModeSpec", None), mode[0], None)
            if make is None:
                return None
            options["mode_spec"] = make(*mode[1:])
        if delta is not None:
            if hasattr(pcodec, "DeltaSpec"):
                name = "none" if delta[0] == "no_op" and release < (1, 0, 0) else delta[0]
                make = getattr(pcodec.DeltaSpec, name, None)
                if make is None:
                    return None
                options["delta_spec"] = make(*delta[1:])
            elif delta[0] in ("no_op", "try_consecutive"):
                options["delta_encoding_order"] = (delta + (0,))[1]
            else:
                return None
        return standalone.simple_compress(x, pcodec.ChunkConfig(**options))
    return compress


def cases(dtype, newest):
    """(kind, count, level, mode, delta, page) of all streams of a type."""
    t = np.dtype(dtype)
    for n in (0, 1, 2, 7, 255, 256, 257, 263):
        yield "walk", n, 8, None, None, None
        if newest:
            yield "walk", n, 8, None, ("try_consecutive", 7), None
            yield "repeat", n, 8, None, ("try_lookback",), None
    yield "noise", 257, 8, None, ("no_op",), None
    yield "line", 300000, 8, None, ("try_consecutive", 1), 100001
    yield "steps", 600, 8, None, None, 256
    for level in range(13) if newest else (0, 5, 12):
        yield "steps", 290, level, None, None, None
    modes = [("classic",), ("try_dict",)]
    if t.kind == "f":
        modes += [("try_float_mult", 0.1), ("try_float_mult", -2.5), ("try_float_quant", 3), ("try_float_quant", 10)]
    else:
        modes += [("try_int_mult", 7), ("try_int_mult", 100)]
    deltas = [("no_op",), ("try_consecutive", 2), ("try_lookback",)]
    if newest:
        deltas += [("try_consecutive", 1), ("try_conv1", 3)]
    for mode in modes:
        for delta in deltas:
            yield "steps", 290, 6, mode, delta, None
        yield "noise", 40, 6, mode, ("no_op",), None
    for order in range(1, 8) if newest else (3, 7):
        yield "smooth", 290, 6, None, ("try_consecutive", order), None
    if newest:
        for order in (1, 2, 6, 32):
            yield "smooth", 800, 6, None, ("try_conv1", order), None
        yield "repeat", 5000, 8, None, None, None
        yield "smooth", 1500, 12, None, None, None


def write(stem):
    release = installed("pcodec")
    newest = release == "1.1.0"
    compress, goldens = compressor(), Goldens(stem)
    for dtype in TYPES:
        for case in cases(dtype, newest):
            kind, n, level, mode, delta, page = case
            x = values(kind, dtype, n)
            try:
                stream = compress(x, level, mode, delta, page)
            except (TypeError, RuntimeError):
                continue  # a type, a mode for a type, or a delta encoding that the version refuses
            if stream is None:
                continue
            name = " ".join([release, dtype, kind, str(n), f"level {level}", spell(mode), spell(delta), f"page {page}"])
            goldens.add(name, x, bytes(stream))
    goldens.save()


def spell(spec):
    return "auto" if spec is None else ",".join(map(str, spec))


# Streams that no compressor writes, decoded by pcodec

class Bits:
    def __init__(self):
        self.value, self.count = 0, 0

    def put(self, value, bits):
        assert 0 <= value < 1 << bits or bits == 0 == value, (value, bits)
        self.value |= value << self.count
        self.count += bits

    def align(self):
        self.count = -(-self.count // 8) * 8

    def bytes(self):
        self.align()
        return self.value.to_bytes(self.count // 8, "little")


class Variable:
    """A latent variable with random bins, and then a random page of it."""

    def __init__(self, out, rng, width, stored, limits=None):
        self.width, self.stored = width, stored
        self.log = int(rng.choice([0, 1, 2, 5, 8, 14], p=[.25, .15, .2, .2, .18, .02]))
        size, cuts = 1 << self.log, set()
        while self.log and not cuts:
            cuts = {int(c) for c in rng.randint(1, size, rng.choice([1, 2, 6, 60]))}
        edges = [0] + sorted(cuts) + [size]
        out.put(self.log, 4)
        out.put(len(edges) - 1, 15)
        widest = int(rng.choice([0, 3, min(20, width), width]))
        weights, offsets = [b - a for a, b in zip(edges, edges[1:])], []
        for weight in weights:
            offset = int(rng.randint(0, widest + 1))
            lower = number(rng, width)
            if limits is not None:
                lowest, highest = limits
                while 1 << offset > highest - lowest + 1:
                    offset -= 1
                lower = lowest + lower % (highest - lowest + 2 - (1 << offset))
            out.put(weight - 1, self.log)
            out.put(lower, width)
            out.put(offset, width.bit_length())
            offsets.append(offset)
        self.states = self.table(size, weights, offsets)

    @staticmethod
    def table(size, weights, offsets):
        """(bits, next, offset bits) of each state."""
        owners, at = [0] * size, 0
        for i, weight in enumerate(weights):
            for _ in range(weight):
                owners[at] = i
                at = (at + (3 * size // 5 | 1)) % size
        states, numbers = [], list(weights)
        for owner in owners:
            bits = size.bit_length() - numbers[owner].bit_length()
            states.append((bits, (numbers[owner] << bits) - size, offsets[owner]))
            numbers[owner] += 1
        return states

    def begin(self, out, rng, count):
        self.left = max(0, count - self.stored)
        for _ in range(self.stored):
            out.put(number(rng, self.width), self.width)
        self.current = [int(rng.randint(1 << self.log)) for _ in range(4)]
        for state in self.current:
            out.put(state, self.log)

    def batch(self, out, rng):
        count = min(self.left, 256)
        self.left -= count
        offsets = 0
        for i in range(count):
            bits, base, offset = self.states[self.current[i % 4]]
            value = number(rng, bits)
            out.put(value, bits)
            self.current[i % 4] = base + value
            offsets += offset
        out.put(int.from_bytes(rng.bytes(offsets // 8 + 1), "little") % (1 << offsets), offsets)


def number(rng, bits):
    return int.from_bytes(rng.bytes(8), "little") % (1 << bits)


def synthetic(rng, dtype, n):
    """A stream of random contents."""
    out = Bits()
    for byte in b"pco!":
        out.put(byte, 8)
    standalone = int(rng.choice([0, 1, 2, 3], p=[.1, .1, .2, .6]))
    major = standalone if standalone < 2 else int(rng.randint(0, 5))
    if standalone >= 2:
        out.put(standalone, 8)
        if standalone >= 3:
            out.put(int(rng.choice([0, CODES[dtype]])), 8)
        out.put(9, 6)
        out.put(n % 1000, 10)
        out.align()
    out.put(major, 8)
    if major >= 4:
        out.put(int(rng.randint(0, 3)), 8)
    for _ in range(rng.randint(1, 3)):
        put_chunk(out, rng, np.dtype(dtype), n, major)
    out.put(0, 8)
    return out.bytes()


def put_chunk(out, rng, t, n, major):
    w = 8 * t.itemsize
    out.put(CODES[t.name], 8)
    out.put(n - 1, 24)
    mode, primary, first, second = put_mode(out, rng, t, w, major)
    kind, stored, window, secondary = put_delta(out, rng, mode, primary, major)
    variables = []
    if kind == 2:
        variables.append(Variable(out, rng, 32, 0, (1, window)))
    variables.append(Variable(out, rng, primary, stored, first))
    if mode in (1, 2, 3):
        variables.append(Variable(out, rng, w, stored if secondary else 0, second))
    out.align()
    for i, v in enumerate(variables):
        v.begin(out, rng, max(0, n - stored) if kind == 2 and i == 0 else n)
    out.align()
    for _ in range(0, n, 256):
        for v in variables:
            v.batch(out, rng)
    out.align()


def put_mode(out, rng, t, w, major):
    """Writes a mode; returns its code, the width of primary latents, and the limits
    within which primary and secondary latents stand for numbers."""
    mode = int(rng.choice([0, 2, 3, 4] if t.kind == "f" else [0, 1, 4] if major else [0, 4]))
    mantissa = {16: 10, 32: 23, 64: 52}.get(w)
    out.put(mode, 4)
    if mode == 1:
        out.put(number(rng, w - 1) + 1, w)
    elif mode == 2:
        base = np.array([0.1, -3.0, 1e-3, 7.7], dtype=t)[rng.randint(4)]
        bits = int(base.view(f"u{t.itemsize}"))
        out.put(bits ^ (1 << (w - 1)) if base > 0 else bits ^ ((1 << w) - 1), w)
        exact = 2 << mantissa
        most = exact + (1 << (w - 1)) - 1 - int(np.array(exact, t).view(f"u{t.itemsize}"))
        return mode, w, ((1 << (w - 1)) - 1 - most, (1 << (w - 1)) + most), None
    elif mode == 3:
        shift = int(rng.randint(1, mantissa + 1))
        out.put(shift, 8)
        return mode, w, (0, (1 << (w - shift)) - 1), (0, (1 << shift) - 1)
    elif mode == 4:
        entries = int(rng.randint(1, 50))
        out.put(entries, 25)
        out.align()
        for _ in range(entries):
            out.put(number(rng, w), w)
        return mode, 32, (0, entries - 1), None
    return mode, w, None, None


def put_delta(out, rng, mode, primary, major):
    """Writes a delta encoding; returns its code, the stored latents, the window, and
    whether the secondary latents are delta encoded. Limited latents are not, as
    they would leave their limits."""
    limited = mode >= 2
    if major < 3:
        stored = 0 if limited else int(rng.randint(0, 8))
        out.put(stored, 3)
        return 1, stored, 0, False
    kind = 0 if limited else int(rng.choice([0, 1, 2, 2, 3]))
    if kind == 3 and primary == 64:
        kind = 2
    out.put(kind, 4)
    secondary, stored, window = int(rng.randint(2)), 0, 0
    if kind == 1:
        stored = int(rng.randint(1, 8))
        out.put(stored, 3)
        out.put(secondary, 1)
    elif kind == 2:
        window = int(rng.randint(1, 13))
        log = int(rng.randint(0, min(window, 7) + 1))
        out.put(window - 1, 5)
        out.put(log, 4)
        out.put(secondary, 1)
        stored, window = 1 << log, 1 << window
    elif kind == 3:
        secondary, stored = 0, int(rng.choice([1, 2, 6, 17, 32]))
        out.put(int(rng.randint(0, primary)), 5)
        out.put((1 << 63) + int(rng.randint(-1000, 1000)), 64)
        out.put(stored - 1, 5)
        limit = max(1, (1 << (primary - 2)) // stored)
        for _ in range(stored):
            out.put((1 << 31) + int(rng.randint(-limit, limit)), 32)
    return kind, stored, window, secondary


def synthesize(stem, count, seed):
    import pcodec
    goldens, rng = Goldens(stem), np.random.RandomState(int(seed))
    for i in range(int(count)):
        dtype = TYPES[i % len(TYPES)]
        stream = synthetic(rng, dtype, int(rng.choice([1, 3, 250, 257, 300, 600], p=[.1, .1, .2, .3, .2, .1])))
        goldens.add(f"synthetic {i}", pcodec.standalone.simple_decompress(stream), stream)
    goldens.save()


def assets(folder, stem):
    import pcodec
    goldens = Goldens(stem)
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as f:
            stream = f.read()
        x = pcodec.standalone.simple_decompress(stream)
        goldens.add("assets " + name, np.zeros(0, "float32") if x is None else x, stream)
    goldens.save()


def pack(path, *stems):
    index, data, seen = [], bytearray(), set()
    for stem in stems:
        with open(stem + ".json") as f:
            entries = json.load(f)
        with open(stem + ".bin", "rb") as f:
            for entry in entries:
                stream = f.read(entry["size"])
                if stream not in seen:  # or another version wrote the same
                    seen.add(stream)
                    index.append(entry)
                    data += stream
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name, content in (("index.json", json.dumps(index, indent=0)), ("streams.bin", bytes(data))):
            z.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    print(path, len(index), "streams,", os.path.getsize(path), "bytes")


if __name__ == "__main__":
    dict(write=write, synthesize=synthesize, assets=assets, pack=pack)[sys.argv[1]](*sys.argv[2:])
