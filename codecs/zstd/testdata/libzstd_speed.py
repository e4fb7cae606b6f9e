"""Measures libzstd.

Reads, again and again, three numbers of four bytes, little-endian: a level, how often to
compress, and a size; and content of that size. Writes the size of the frame in four bytes, and
the shortest processor time in nanoseconds in eight bytes.

It calls the libzstd within the package zstandard directly, with one context and one buffer for all
frames. The package itself makes a buffer for each frame, which takes longer than a small frame.
"""

import struct
import sys
import time

from zstandard import _cffi

lib, ffi = _cffi.lib, _cffi.ffi
context = lib.ZSTD_createCCtx()
print("libzstd", lib.ZSTD_versionNumber(), file=sys.stderr)

while head := sys.stdin.buffer.read(12):
    level, repeat, size = struct.unpack("<iii", head)
    content = ffi.from_buffer(sys.stdin.buffer.read(size))
    room = lib.ZSTD_compressBound(size)
    frame = ffi.new("char[]", room)
    shortest = sys.maxsize
    for _ in range(repeat):
        begun = time.thread_time_ns()
        length = lib.ZSTD_compressCCtx(context, frame, room, content, size, level)
        shortest = min(shortest, time.thread_time_ns() - begun)
    if lib.ZSTD_isError(length):
        sys.exit("libzstd refuses")
    sys.stdout.buffer.write(struct.pack("<iq", length, shortest))
    sys.stdout.buffer.flush()
