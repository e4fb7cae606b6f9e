# Writes float_golden.gz: what ml_dtypes, and NumPy for float16, make of small floats.
#
#   pip install ml_dtypes==0.6.0 numpy==2.4.6
#   python float_golden.py float_golden.gz
#
# The file is a gzip stream of one record for each layout, all numbers
# little-endian: the data type's name in 24 bytes, zero padded; uint32 n; the
# values of the n patterns 0, 1, … as float32, which holds all of them exactly;
# uint32 m; m float32; the patterns (uint16) that they are rounded to.
#
# The inputs are float32 because ml_dtypes rounds a float64 twice, first to
# float32. The numbers are results of running ml_dtypes (Apache-2.0) and NumPy
# (BSD-3-Clause); no text of theirs is in the file.
import gzip
import struct
import sys

import ml_dtypes
import numpy as np

assert ml_dtypes.__version__ == "0.6.0"

LAYOUTS = [  # name, bits
    ("float16", 16),
    ("bfloat16", 16),
    ("float8_e3m4", 8),
    ("float8_e4m3", 8),
    ("float8_e4m3b11fnuz", 8),
    ("float8_e4m3fnuz", 8),
    ("float8_e5m2", 8),
    ("float8_e5m2fnuz", 8),
    ("float8_e8m0fnu", 8),
    ("float6_e2m3fn", 6),
    ("float6_e3m2fn", 6),
    ("float4_e2m1fn", 4),
]


def inputs(name, values, bits):
    """The values, the middles between neighbours, the float32 next to both, and numbers of all sizes."""
    finite = np.unique(values[np.isfinite(values)])
    if bits == 16:
        finite = finite[::61]
    middles = (finite[:-1].astype(np.float64) + finite[1:]) / 2
    middles = middles[middles == middles.astype(np.float32)].astype(np.float32)
    exact = np.concatenate([finite, middles])
    up = np.nextafter(exact, np.float32(np.inf))
    down = np.nextafter(exact, np.float32(-np.inf))
    spread = np.random.default_rng(8).integers(0, 2**32, 2000, np.uint32).view(np.float32)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], np.float32)
    numbers = np.concatenate([exact, up, down, spread, special])
    # ml_dtypes rounds up whatever lies between the two smallest float8_e8m0fnu,
    # where float32 is subnormal, although the middle is at 1.5 * 2**-127.
    if name == "float8_e8m0fnu":
        numbers = numbers[~((numbers > 2.0**-127) & (numbers < 1.5 * 2.0**-127))]
    return numbers


np.seterr(all="ignore")
with open(sys.argv[1], "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as out:
    for name, bits in LAYOUTS:
        dtype = np.float16 if name == "float16" else getattr(ml_dtypes, name)
        pattern = np.uint16 if bits == 16 else np.uint8
        values = np.arange(2**bits, dtype=pattern).view(dtype).astype(np.float32)
        numbers = inputs(name, values, bits)
        rounded = numbers.astype(dtype).view(pattern).astype("<u2")
        out.write(struct.pack("<24sI", name.encode(), len(values)) + values.astype("<f4").tobytes())
        out.write(struct.pack("<I", len(numbers)) + numbers.astype("<f4").tobytes() + rounded.tobytes())
