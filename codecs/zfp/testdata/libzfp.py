"""Compresses and decompresses arrays with libzfp (zfpy), to compare with.

Reads requests from standard input and answers each on standard output. A
request is a line of JSON, {"dtype", "shape", "header", "repeat", "bytes",
"stream"} and at most one of {"tolerance", "rate", "precision"} (none of them:
reversible), followed by the array's bytes and by a stream to decompress, as
many bytes as "bytes" and "stream" say. An answer is a line of JSON with the
sizes of what follows and with the best of "repeat" times in seconds of the
processor: the array's stream, and the array that the request's stream gives.
"""

import json
import sys
import time

import numpy
import zfpy


def best(repeat, work):
    seconds = []
    for _ in range(repeat):
        start = time.process_time()
        result = work()
        seconds.append(time.process_time() - start)
    return result, min(seconds)


def answer(request, raw, stream):
    dtype, shape = numpy.dtype(request["dtype"]), request["shape"]
    mode = {k: request[k] for k in ("tolerance", "rate", "precision") if k in request}
    array = numpy.frombuffer(raw, dtype).reshape(shape)
    header = request["header"]
    ours, encode = best(
        request["repeat"],
        lambda: zfpy.compress_numpy(array, write_header=header, **mode),
    )
    given = stream or ours

    def decompress():
        if header:
            return zfpy.decompress_numpy(given)
        return zfpy._decompress(given, zfpy.dtype_to_ztype(dtype), shape, **mode)

    values, decode = best(request["repeat"], decompress)
    values = numpy.ascontiguousarray(values).tobytes()
    sizes = {"stream": len(ours), "bytes": len(values), "encode": encode, "decode": decode}
    return sizes, ours, values


def main():
    for line in sys.stdin.buffer:
        request = json.loads(line)
        raw = sys.stdin.buffer.read(request["bytes"])
        stream = sys.stdin.buffer.read(request["stream"])
        sizes, ours, values = answer(request, raw, stream)
        sys.stdout.buffer.write(json.dumps(sizes).encode() + b"\n" + ours + values)
        sys.stdout.buffer.flush()


main()
