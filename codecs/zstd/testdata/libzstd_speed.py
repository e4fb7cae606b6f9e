"""Measures libzstd.

Reads, again and again, three numbers of four bytes, little-endian: a level, how often to
compress, and a size; and content of that size. Writes the size of the frame in four bytes, and
the shortest processor time in nanoseconds in eight bytes.

It calls the libzstd within numcodecs directly, with one context for all frames. numcodecs itself
makes a context for each frame, which takes longer than a small frame.
"""

import ctypes
import struct
import sys
import time

import numcodecs.zstd

lib = ctypes.CDLL(numcodecs.zstd.__file__)
lib.ZSTD_createCCtx.restype = ctypes.c_void_p
lib.ZSTD_compressBound.restype = ctypes.c_size_t
lib.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
lib.ZSTD_compressCCtx.restype = ctypes.c_size_t
lib.ZSTD_compressCCtx.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
lib.ZSTD_isError.argtypes = [ctypes.c_size_t]
lib.ZSTD_versionString.restype = ctypes.c_char_p

context = lib.ZSTD_createCCtx()
print("libzstd", lib.ZSTD_versionString().decode(), file=sys.stderr)

while head := sys.stdin.buffer.read(12):
    level, repeat, size = struct.unpack("<iii", head)
    content = sys.stdin.buffer.read(size)
    frame = ctypes.create_string_buffer(lib.ZSTD_compressBound(size))
    shortest = sys.maxsize
    for _ in range(repeat):
        begun = time.thread_time_ns()
        length = lib.ZSTD_compressCCtx(context, frame, len(frame), content, size, level)
        shortest = min(shortest, time.thread_time_ns() - begun)
    if lib.ZSTD_isError(length):
        sys.exit("libzstd refuses")
    sys.stdout.buffer.write(struct.pack("<iq", length, shortest))
    sys.stdout.buffer.flush()
