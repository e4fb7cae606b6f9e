"""Measures NumPy packing float64 into int16 and back, on one core.

    pack_speed.py OFFSET SCALE CONTENT

Packs the float64 numbers of the file CONTENT again and again, as scale_offset and
cast_value with nearest-even and clamp do, and unpacks the result. Prints the shortest
time of each, in seconds. The packed numbers go to CONTENT.packed, and the unpacked ones
to CONTENT.unpacked.
"""

import json
import sys

import numpy as np
from timing import least


def main(offset, scale, name):
    content = np.fromfile(name, np.float64)
    bounds = np.iinfo(np.int16)

    def pack():
        return np.clip(np.rint((content - offset) * scale), bounds.min, bounds.max).astype(np.int16)

    packed = pack()

    def unpack():
        return packed.astype(np.float64) / scale + offset

    packed.tofile(name + ".packed")
    unpack().tofile(name + ".unpacked")
    print(json.dumps({"encode": least(pack), "decode": least(unpack)}))


main(float(sys.argv[1]), float(sys.argv[2]), sys.argv[3])
