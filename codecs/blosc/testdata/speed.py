"""Measures c-blosc, by way of numcodecs, on one core.

    speed.py CONTENT TYPESIZE CODEC,LEVEL,SHUFFLE…

Encodes and decodes the bytes of the file CONTENT again and again, and prints a
list with the least seconds that each way to encode took for it, and the size of
the buffer.
"""

import json
import pathlib
import sys
import time

from numcodecs import blosc

SECONDS = 0.3  # of each measurement


def least(run):
    best, end = float("inf"), time.perf_counter() + SECONDS
    while (began := time.perf_counter()) < end:
        run()
        best = min(best, time.perf_counter() - began)
    return best


def main(content, type_size, ways):
    blosc.set_nthreads(1)
    blosc.use_threads = False
    out, room = [], bytearray(len(content))
    for way in ways:
        codec, level, shuffle = way.split(",")

        def encode():
            return blosc.compress(content, codec.encode(), int(level), int(shuffle), 0, type_size)

        buffer = encode()
        out.append({"encode": least(encode), "decode": least(lambda: blosc.decompress(buffer, room)), "size": len(buffer)})
    print(json.dumps(out))


main(pathlib.Path(sys.argv[1]).read_bytes(), int(sys.argv[2]), sys.argv[3:])
