"""Writes raw arrays for every codec chain of codec_chains.py, and the job that
migrates them.

    codec_sources.py DIR SEED

writes into DIR:

src/           one raw file for each array
expected/      the elements that must come back, as C-ordered little-endian bytes
job.json       a job for `zmigrate run` that writes DIR/target.zarr
expected.json  the input of check_codecs.py

Every chain is tried with every data type that it accepts, in two of the shapes each, so
that it is tried with all shapes. For a lossy chain, numcodecs or the specification says
what comes back.
"""

import json
import pathlib
import sys
import warnings

import numpy as np

import raw_sources
import type_sources
from check_types import name_of
from codec_chains import CASES, CORE, OTHERS, Array
from raw_sources import SHAPES

SHAPES = {**SHAPES, "blocks": ([70, 300], [40, 220])}


def all_fills():
    """Fill values of each data type as (Zarr v3 JSON, little-endian bytes)."""
    fills = {key(t): raw_sources.fills(t) for t in CORE}
    cases = [*type_sources.numbers(), *type_sources.times(), *type_sources.texts_and_bytes(), *type_sources.structs()]
    for t in [*OTHERS, *(t for case in CASES for t in case.types)]:
        fills.setdefault(key(t), next((case.fills for case in cases if case.data_type == t), None))
    return fills


def key(data_type):
    return json.dumps(data_type)


def content(random, a, whole, fill, number):
    """Fills an array of bytes, whose last dimension is an element: with any bits, with
    a few elements again and again, with runs, or mostly with the fill value."""
    count = int(np.prod(whole.shape[:-1]))
    if a.data_type in CORE:
        data = raw_sources.elements(random, a.data_type, a.t.itemsize, count).view(np.uint8).reshape(count, a.t.itemsize)
    else:
        data = type_sources.elements(random, a.t, count)
    match number % 4:
        case 1 if count:
            data = data[random.integers(0, min(count, 7), count)]
        case 2:
            data = data[np.sort(random.integers(0, max(count, 1), count))]
        case 3:
            data[random.random(count) > 0.02] = fill
    whole[...] = data.reshape(whole.shape)


def mild(random, a, whole):
    """Numbers that fit lossy codecs, with zeros of both signs among them."""
    part = np.dtype(f"<f{a.t.itemsize // 2}") if a.t.kind == "c" else a.t
    values = random.normal(scale=40, size=whole.size // part.itemsize)
    if part.kind == "u":
        values = np.abs(values)
    values[::7] = 0
    if part.kind not in "iumM":
        values[::14] = -0.0
    if part.kind in "mM":
        values = (values * 1e15).astype("<i8")
    else:
        values = np.clip(values, -100, 100)
    values = values.astype(part)
    whole[...] = values.view(np.uint8).reshape(whole.shape)


def after(case, a, whole, fill):
    """The array as it comes back from a lossy chain, chunk by chunk. Chunks that hold
    only the fill value are not stored."""
    result = whole.copy()
    shape = whole.shape[:-1]
    for index in np.ndindex(*(-(-n // k) for n, k in zip(shape, a.chunk))):
        place = tuple(slice(i * k, (i + 1) * k) for i, k in zip(index, a.chunk))
        chunk = np.empty([*a.chunk, a.t.itemsize], np.uint8)
        chunk[...] = fill
        part = result[place]
        inside = tuple(slice(0, n) for n in part.shape[:-1])
        chunk[inside] = part
        if (chunk == fill).all():
            continue
        if case.nearest:
            chunk = np.pad(part, [(0, k - n) for k, n in zip(chunk.shape, part.shape)], mode="edge")
        back = np.ascontiguousarray(case.loss(a, chunk.view(a.t)[..., 0])).astype(a.t, copy=False)
        part[...] = back.reshape([*back.shape, 1]).view(np.uint8).reshape(chunk.shape)[inside]
    return result


def pairs():
    """Each case with each of its data types and two shapes. A chain of few types tries
    them again, so that each chain is tried with all shapes."""
    for c, case in enumerate(CASES):
        possible = [s for s in SHAPES if len(SHAPES[s][0]) in case.ranks]
        for n in range(max(len(case.types), len(possible))):
            for s in (c + n, c + n + 3):
                yield c, case, case.types[n % len(case.types)], possible[s % len(possible)]


def main(folder, seed):
    # numcodecs divides by zero and overflows on purpose.
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    random = np.random.default_rng(seed)
    folder = pathlib.Path(folder)
    (folder / "src").mkdir(parents=True)
    (folder / "expected").mkdir()
    fills = all_fills()
    sources, options, expected = {}, {}, {}
    for number, (c, case, data_type, shape_name) in enumerate(pairs()):
        shape, chunk = SHAPES[shape_name]
        a = Array(data_type, [max(n, 1) for n in chunk], random)
        path = f"chain{c}/{number}-{name_of(data_type)}-{shape_name}"
        given, fill = (None, bytes(a.t.itemsize))
        if not case.loss and not case.label.startswith("n5"):  # N5 has no fill value but 0
            choice = fills[key(data_type)]
            given, fill = choice[number % len(choice)]
        elif a.t.kind in "mM":
            given = 0
        row = np.frombuffer(fill, np.uint8)
        whole = np.zeros([*shape, a.t.itemsize], np.uint8)
        if case.loss:
            mild(random, a, whole)
        else:
            content(random, a, whole, row, number)
        if shape_name != "large" and shape:  # The first chunk holds the fill value alone.
            whole[tuple(slice(0, n) for n in chunk)] = row
        file = f"{number}.bin"
        (folder / "src" / file).write_bytes(whole.tobytes())
        back = after(case, a, whole, row) if case.loss else whole
        (folder / "expected" / file).write_bytes(back.tobytes())

        sources[path] = {"url": "src/" + file, "data_type": data_type, "endian": "little", "shape": shape}
        stored = [n * case.shards for n in a.chunk]
        options[path] = {"chunks": a.chunk, "shards": stored} if case.option else {"chunks": stored}
        codecs = case.chain(a)
        if codecs is not None:
            options[path]["codecs"] = codecs
        if given is not None:
            options[path]["fill_value"] = given
        expected[path] = {
            "data_type": data_type, "shape": shape, "fill": fill.hex(), "bytes": "expected/" + file, "label": case.label,
            "codecs": names(codecs or ["bytes", "zstd"]), "sharded": case.option,
        }
    job = {
        "zmigrate": 1, "name": "codecs",
        "source": {"driver": "raw", "arrays": sources},
        "target": {"url": "target.zarr"},
        "arrays": options,
    }
    (folder / "job.json").write_text(json.dumps(job, indent=1, ensure_ascii=False))
    (folder / "expected.json").write_text(json.dumps({"arrays": expected}, indent=1))
    print(f"{len(expected)} raw arrays, {len(CASES)} codec chains, {len(fills)} data types, {len(SHAPES)} shapes")


def names(codecs):
    """The names of a job's codecs, each with those inside it."""
    made = []
    for codec in codecs:
        (name, configuration), = [(codec, {})] if isinstance(codec, str) else codec.items()
        made.append([name, names(configuration.get("codecs", []))])
    return made


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
