"""Casts random elements with cast-value-rs.

    cast_cases.py SEED COUNT

Prints a list of COUNT cases over all pairs of types and all modes: the
configuration as in metadata, elements that were cast with their results, and
elements that were refused one by one. Elements are little-endian, in hex.
"""

import json
import random
import sys

import numpy as np
from cast_value_rs import cast_array

INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
FLOATS = ["float16", "float32", "float64"]
ROUNDINGS = ["nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away"]


def bounds(name):
    info = np.iinfo(name) if name in INTEGERS else np.finfo(name)
    return int(info.min), int(info.max)


def elements(rng, source, target):
    """Random bits, small numbers, and numbers about the bounds of both types."""
    size = np.dtype(source).itemsize
    yield np.frombuffer(rng.randbytes(12 * size), source)
    numbers = [rng.randrange(-8, 9) / 2 for _ in range(4)] + [rng.gauss(0, 100) for _ in range(6)]
    for name in (source, target):
        for bound in bounds(name):
            step = max(abs(bound) >> rng.randrange(8, 56), 1)
            numbers += [bound, bound - step, bound + step, bound + 0.5 if abs(bound) < 2**52 else bound, bound // 3]
    largest = bounds("float64")[1]
    numbers = [max(min(n, largest), -largest) for n in numbers]
    if source in INTEGERS:
        low, high = bounds(source)
        yield np.array([n for n in map(int, numbers) if low <= n <= high], source)
        return
    with np.errstate(over="ignore"):
        yield np.array([float(n) for n in numbers] + [-0.0, np.nan, np.inf, -np.inf], "float64").astype(source)


def in_json(value):
    value = value.item()
    if isinstance(value, int) or np.isfinite(value):
        return value
    return "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def case(rng):
    source, target = rng.choice(INTEGERS + FLOATS), rng.choice(INTEGERS + FLOATS)
    modes = [None, "clamp"] + (["wrap"] if target in INTEGERS else [])
    rounding, out_of_range = rng.choice(ROUNDINGS), rng.choice(modes)
    values, others = np.concatenate(list(elements(rng, source, target))), np.concatenate(list(elements(rng, target, source)))
    entries, pairs = {}, []
    for _ in range(rng.choice([0, 0, 1, 3, 20])):
        key, value = rng.choice(values), rng.choice(others)
        if key in entries or key != key and any(k != k for k in entries):
            continue  # in metadata the first of equal keys counts, here the last
        entries[key.item()] = value.item()
        pairs.append([in_json(key), in_json(value)])

    def cast(array):
        return cast_array(
            array, target_dtype=target, rounding_mode=rounding, out_of_range_mode=out_of_range, scalar_map_entries=entries or None
        )

    done, results, refused = [], [], []
    for i in range(len(values)):
        element = values[i : i + 1]
        try:
            results.append(cast(element))
            done.append(element)
        except ValueError:
            refused.append(element.tobytes().hex())
    whole = np.concatenate(done or [values[:0]])
    if done and cast(whole).tobytes() != np.concatenate(results).tobytes():
        raise SystemExit(f"cast-value-rs casts {source} to {target} in another way together")
    configuration = {"data_type": target, "rounding": rounding, "out_of_range": out_of_range, "scalar_map": {"encode": pairs}}
    return {
        "type": source,
        "configuration": {k: v for k, v in configuration.items() if v is not None},
        "in": whole.tobytes().hex(),
        "out": cast(whole).tobytes().hex(),
        "refused": refused,
    }


def main(seed, count):
    rng = random.Random(seed)
    np.seterr(all="ignore")
    print(json.dumps([case(rng) for _ in range(count)]))


main(sys.argv[1], int(sys.argv[2]))
