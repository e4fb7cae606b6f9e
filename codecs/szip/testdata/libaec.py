"""Encodes and decodes szip streams with libaec, to compare with.

Reads requests from standard input and answers each on standard output. A request is a line
of JSON, {"Options", "Block", "Bits", "Scanline", "bytes", "repeat"}, followed by so many
bytes of content. An answer is a line of JSON, {"stream", "seconds"}, followed by the stream,
of so many bytes. seconds is the best of "repeat" times of the processor for decoding.
"""

import ctypes
import glob
import json
import os
import sys
import time

import h5py  # its wheel has libaec

folder = os.path.join(os.path.dirname(h5py.__file__), "..", "h5py.libs")
ctypes.CDLL(glob.glob(os.path.join(folder, "libaec-*"))[0], ctypes.RTLD_GLOBAL)
szlib = ctypes.CDLL(glob.glob(os.path.join(folder, "libsz-*"))[0])


class Parameters(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("options", "bits", "block", "scanline")]


def main():
    for line in sys.stdin.buffer:
        r = json.loads(line)
        content = sys.stdin.buffer.read(r["bytes"])
        p = Parameters(r["Options"], r["Bits"], r["Block"], r["Scanline"])
        room = 8 * len(content) + 40000
        target = ctypes.create_string_buffer(room)
        size = ctypes.c_size_t(room)
        status = szlib.SZ_BufftoBuffCompress(target, ctypes.byref(size), content, ctypes.c_size_t(len(content)), ctypes.byref(p))
        assert status == 0, (status, r)
        stream = target.raw[: size.value]
        decoded = ctypes.create_string_buffer(len(content))
        best = 1e9
        for _ in range(r["repeat"]):
            size = ctypes.c_size_t(len(content))
            start = time.process_time()
            status = szlib.SZ_BufftoBuffDecompress(decoded, ctypes.byref(size), stream, ctypes.c_size_t(len(stream)), ctypes.byref(p))
            best = min(best, time.process_time() - start)
            assert status == 0 and size.value == len(content), (status, r)
        assert decoded.raw == content, r
        sys.stdout.buffer.write(json.dumps({"stream": len(stream), "seconds": best}).encode() + b"\n" + stream)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
