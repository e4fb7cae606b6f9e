"""Makes blosc.zip: buffers that c-blosc wrote, by way of numcodecs.

    make.py blosc.zip

The archive holds index.json, a list of what was encoded how and to how many
bytes, and buffers.bin, the buffers in the same order without gaps. Contents are
not kept: content() makes them, and so does content() in golden_test.go.
blosc.zip was made with numcodecs 0.16.5 (c-blosc 1.21.6). Blocks lie in the
order in which the threads of c-blosc finished them, so another run gives other
buffers of the same contents.
"""

import functools
import json
import struct
import sys
import zipfile

from numcodecs import blosc

CODECS = ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]
SHUFFLES = [0, 1, 2]
TYPE_SIZES = [1, 2, 3, 4, 8, 16, 17, 255]


@functools.cache
def content(pattern, size):
    """The first size bytes of a pattern: "noise" does not shrink, "steps" are
    32-bit numbers that seldom grow."""
    state, value, out = 1, 0, bytearray()
    while len(out) < size:
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        if pattern == "noise":
            out.append(state >> 24)
            continue
        if state >> 23 == 0:
            value += state >> 12 & 0xFFF
        out += struct.pack("<I", value)
    return bytes(out[:size])


def matrix():
    """Codec, level, shuffle, type size, block size, pattern, size."""
    for codec in CODECS:
        for shuffle in SHUFFLES:
            for type_size in TYPE_SIZES:
                for level in (1, 5, 9):
                    yield codec, level, shuffle, type_size, 0, "steps", 4096 + 7
                for size in (0, 1, 15, 127, 128, 300):
                    yield codec, 5, shuffle, type_size, 0, "steps", size
                for block in (1, 500, 1 << 11, 1 << 20):
                    yield codec, 5, shuffle, type_size, block, "steps", 3 * 4096 + 5
            for type_size in (2, 4, 17):
                for level in (1, 5):
                    yield codec, level, shuffle, type_size, 0, "steps", 300_003
            for type_size in (1, 4):
                yield codec, 0, shuffle, type_size, 0, "steps", 4096 + 7
    for codec in CODECS:
        yield codec, 5, 1, 4, 0, "noise", 3_000
        # Large enough for blocks of the highest level.
        yield codec, 9, 1, 8, 0, "steps", 1_500_001


def main(archive):
    index, buffers = [], []
    for codec, level, shuffle, type_size, block_size, pattern, size in matrix():
        buffer = blosc.compress(content(pattern, size), codec.encode(), level, shuffle, block_size, type_size)
        index.append(
            {
                "codec": codec, "level": level, "shuffle": shuffle, "typesize": type_size,
                "blocksize": block_size, "pattern": pattern, "size": size, "encoded": len(buffer),
            }
        )
        buffers.append(buffer)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        lines = ",\n".join(json.dumps(entry) for entry in index)
        for name, data in ("index.json", f"[\n{lines}\n]\n"), ("buffers.bin", b"".join(buffers)):
            entry = zipfile.ZipInfo(name)  # without the time
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, data)
    print(len(index), "buffers")


main(sys.argv[1])
