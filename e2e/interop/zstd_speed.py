"""Measures the C library of Zstandard, by way of numcodecs, on one core.

    zstd_speed.py LEVEL CONTENT…

Encodes the bytes of each file CONTENT again and again, and decodes the frame in the file
CONTENT.zst, which must give the same bytes. Prints a list with the shortest times in
seconds, and the size of the library's own frame.
"""

import json
import pathlib
import sys

from numcodecs.zstd import Zstd
from timing import least


def main(level, names):
    codec, out = Zstd(level=level), []
    for name in names:
        content, frame = pathlib.Path(name).read_bytes(), pathlib.Path(name + ".zst").read_bytes()
        if codec.decode(frame) != content:
            raise SystemExit(f"{name}.zst decodes to other bytes")
        out.append(
            {
                "encode": least(lambda: codec.encode(content)),
                "decode": least(lambda: codec.decode(frame)),
                "size": len(codec.encode(content)),
            }
        )
    print(json.dumps(out))


main(int(sys.argv[1]), sys.argv[2:])
