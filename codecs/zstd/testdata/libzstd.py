"""Makes frames with libzstd.

Reads, again and again, three numbers of four bytes, little-endian: a level, whether
there is a checksum, and a size; and content of that size. Writes the size of its
frame and the frame, likewise.
"""

import struct
import sys

import numcodecs.zstd

while head := sys.stdin.buffer.read(12):
    level, checksum, size = struct.unpack("<iii", head)
    frame = numcodecs.zstd.compress(sys.stdin.buffer.read(size), level, bool(checksum))
    sys.stdout.buffer.write(struct.pack("<i", len(frame)) + frame)
    sys.stdout.buffer.flush()
