"""Writes arrays through random chains of scale_offset and cast_value with
zarr-python, and two jobs.

    pack_sources.py FOLDER SEED COUNT

writes into FOLDER:

theirs.zarr    COUNT arrays, written by zarr-python
src            the elements of these arrays
expected       the elements that zarr-python reads back
write.json     a job that makes ours.zarr from src through the same chains
read.json      a job that copies theirs.zarr to read.zarr, without the codecs
expected.json  the input of check_pack.py

If zarr-python refuses a chain or a value, another one is drawn.
"""

import collections
import json
import pathlib
import sys
import warnings

import numpy as np
import zarr

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
ROUNDINGS = ["nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away"]


class Case:
    """One array: its metadata and the elements to write."""

    def __init__(self, random):
        self.random = random
        self.data_type = str(random.choice(INTEGERS + FLOATS))
        rank = int(random.integers(0, 4))
        self.shape = [int(n) for n in random.integers(1, 40, rank)]
        self.chunk = [int(n) for n in random.integers(1, 24, rank)]
        self.idle = False  # whether a scale_offset in the chain does nothing
        self.codecs, last = self.chain()
        self.fill = self.values(1)[0] if random.random() < 0.6 else np.dtype(self.data_type).type(0)
        self.data = self.values(int(np.prod(self.shape))).reshape(self.shape)
        # Without NaN and compression, chunks have the same bytes as those of zarr-python.
        self.same_bytes = last in INTEGERS and not self.sharded and len(self.codecs) == self.arrays + 1

    def values(self, n):
        """Numbers that fit most steps."""
        random, t = self.random, np.dtype(self.data_type)
        if t.kind in "iu":
            return random.integers(40, 100, n).astype(t)
        values = random.normal(0, 30, n)
        values[random.random(n) < 0.3] = random.integers(-20, 20) + random.choice([0, 0.5])
        if random.random() < 0.3:
            values[random.random(n) < 0.2] = np.nan
        if random.random() < 0.2:
            values[random.random(n) < 0.1] = -0.0
        return values.astype(t)

    def chain(self):
        random, t = self.random, self.data_type
        codecs, shape = [], self.chunk
        for _ in range(random.integers(1, 5)):
            draw = random.random()
            if draw < 0.45:
                codecs.append(self.scale_offset(t))
            elif draw < 0.9:
                step, t = self.cast_value(t)
                codecs.append(step)
            elif len(shape) > 1:
                order = [int(i) for i in random.permutation(len(shape))]
                codecs.append({"name": "transpose", "configuration": {"order": order}})
                shape = [shape[i] for i in order]
        self.arrays = len(codecs)
        # zarr-python forgets the byte order of arrays without dimensions.
        endian = str(random.choice(["little", "big"])) if self.chunk else "little"
        codecs.append({"name": "bytes", "configuration": {"endian": endian}} if t not in ("int8", "uint8") else {"name": "bytes"})
        if random.random() < 0.3:
            codecs.append({"name": "zstd", "configuration": {"level": 1, "checksum": False}})
        self.sharded = random.random() < 0.25
        if self.sharded:
            inner, self.chunk = self.chunk, [n * int(random.integers(1, 4)) for n in self.chunk]
            codecs = [{"name": "sharding_indexed", "configuration": {
                "chunk_shape": inner, "codecs": codecs, "index_location": str(random.choice(["start", "end"])),
                "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
            }}]
        return codecs, t

    def scale_offset(self, t):
        random = self.random
        if t in INTEGERS:
            offset, scale = int(random.integers(0, 30)), int(random.choice([1, 1, 2, 3]))
            if t.startswith("i") and random.random() < 0.5:
                # Not -1: zarr-python lets 128 pass between two int8.
                offset, scale = -offset, -1 - scale
        else:
            offset, scale = float(random.choice([0, 0.5, random.normal(0, 20)])), float(random.choice([0.1, 10, 2, 0.5, -3.7, random.normal(1, 5)]))
        configuration = {k: v for k, v in (("offset", offset), ("scale", scale)) if random.random() < 0.8}
        self.idle |= configuration.get("offset", 0) == 0 and configuration.get("scale", 1) == 1
        return {"name": "scale_offset", "configuration": configuration} if configuration else {"name": "scale_offset"}

    def cast_value(self, t):
        random = self.random
        to = str(random.choice(INTEGERS + FLOATS))
        if (t, to) == ("float64", "float16"):  # cast-value-rs rounds twice, to float32 first
            to = "float32"
        configuration = {"data_type": to}
        if random.random() < 0.5:
            configuration["rounding"] = str(random.choice(ROUNDINGS))
        if random.random() < 0.5:
            configuration["out_of_range"] = str(random.choice(["clamp", "wrap"] if to in INTEGERS else ["clamp"]))
        sentinel = int(random.integers(100, 127))
        if t in FLOATS and to in INTEGERS and random.random() < 0.8:
            configuration["scalar_map"] = {"encode": [["NaN", sentinel]], "decode": [[sentinel, "NaN"]]}
        elif random.random() < 0.2:
            # No number twice: the specification takes the first one, and zarr-python the last.
            configuration["scalar_map"] = {"encode": [[50, sentinel], [51, 52]], "decode": [[sentinel, 50]]}
        return {"name": "cast_value", "configuration": configuration}, to

    def document(self):
        fill = self.fill.item()
        return {
            "zarr_format": 3, "node_type": "array", "shape": self.shape, "data_type": self.data_type,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": self.chunk}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": "NaN" if fill != fill else fill, "codecs": self.codecs, "attributes": {},
        }

    def write(self, folder):
        """Writes the array with zarr-python and returns what it reads back."""
        folder.mkdir(parents=True)
        document = self.document()
        (folder / "zarr.json").write_text(json.dumps(document, indent=1))
        array = zarr.open_array(folder, mode="r+")
        # The specification refuses a fill value that does not come back; zarr-python accepts some.
        array[...] = np.full(self.shape, self.fill, self.data_type)
        if array[...].tobytes() != np.full(self.shape, self.fill, self.data_type).tobytes():
            raise ValueError("the fill value does not come back")
        array[...] = self.data
        back = array[...]
        if self.data_type in FLOATS and np.isinf(back).any():
            raise OverflowError("numbers became infinite, which zarr-python allows")
        return back


def main(folder, seed, count):
    warnings.filterwarnings("ignore")
    zarr.config.set({"array.write_empty_chunks": True})
    random = np.random.default_rng(seed)
    folder = pathlib.Path(folder)
    for name in ("src", "expected", "theirs.zarr"):
        (folder / name).mkdir(parents=True)
    sources, options, expected, refused = {}, {}, {}, collections.Counter()
    while len(expected) < count:
        case, name = Case(random), f"a{len(expected)}"
        drawn = folder / "drawn" / str(len(expected) + refused.total())
        try:
            back = case.write(drawn)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever zarr-python raises, a panic of its Rust included, it refuses the case
            refused[type(error).__name__] += 1
            continue
        drawn.rename(folder / "theirs.zarr" / name)
        (folder / "src" / name).write_bytes(case.data.tobytes())
        (folder / "expected" / name).write_bytes(np.asarray(back).tobytes())
        sources[name] = {"url": f"src/{name}", "data_type": case.data_type, "shape": case.shape}
        options[name] = {"chunks": case.chunk, "codecs": case.codecs, "fill_value": case.document()["fill_value"], "allow_inexact": True}
        expected[name] = {"data_type": case.data_type, "shape": case.shape, "same_bytes": case.same_bytes, "idle": case.idle}
    (folder / "theirs.zarr" / "zarr.json").write_text('{"zarr_format":3,"node_type":"group","attributes":{}}')
    jobs = {
        "write.json": {"source": {"driver": "raw", "arrays": sources}, "target": {"url": "ours.zarr", "store_empty_chunks": True}, "arrays": options},
        "read.json": {"source": {"driver": "zarr", "url": "theirs.zarr"}, "target": {"url": "read.zarr"}, "defaults": {"codecs": ["bytes"], "chunks": "auto"}},
    }
    for name, job in jobs.items():
        (folder / name).write_text(json.dumps({"zmigrate": 1, **job}, indent=1))
    (folder / "expected.json").write_text(json.dumps(expected, indent=1))
    print(f"{count} arrays; refused by zarr-python and drawn again: {dict(refused)}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
