"""Measures cast-value-rs on one core.

    cast_speed.py CASES

CASES is a JSON list of objects: the file of the elements, their type, the target's
type, out_of_range, and the entries of a scalar map. Prints a list with the shortest
time of each case, in seconds.
"""

import json
import sys

import numpy as np
from cast_value_rs import cast_array_into
from timing import least


def measure(case):
    source, entries = np.fromfile(case["file"], case["source"]), {float(k): v for k, v in case["entries"]}
    out = np.empty(source.shape, case["target"])
    return least(
        lambda: cast_array_into(
            source, out, rounding_mode="nearest-even", out_of_range_mode=case["out_of_range"], scalar_map_entries=entries or None
        )
    )


print(json.dumps([measure(case) for case in json.loads(sys.argv[1])]))
