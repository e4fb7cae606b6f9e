"""Makes former.zip: sources, and the targets and checkpoints that an earlier version of
zmigrate made of them.

    make.py ZMIGRATE

ZMIGRATE is a program that gives Blosc of Zarr v2 the name numcodecs.blosc.
It needs zarr-python; the one of `make interop` has it.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import warnings
import zipfile

import numcodecs
import numpy as np
import zarr

HERE = pathlib.Path(__file__).resolve().parent
TIME = 1767323045  # 2026-01-02T03:04:05Z, of all source files

JOBS = {
    "kept": ("in.zarr", ""),
    "cut": ("in.zarr", "arrays: {a: {chunks: [2, 20], shards: [4, 60]}, wide: {chunks: [4]}}"),
    "blosc": ("in.zarr, include: [a]", "defaults: {codecs: [bytes, {blosc: {cname: lz4, clevel: 5, shuffle: shuffle}}]}"),
    "numcodecs": ("in.zarr, include: [a]", "defaults: {codecs: [bytes, {numcodecs.blosc: {cname: lz4}}]}"),
    "grown": ("in.zarr", ""),
    "begun": ("in.zarr", "run: {workers: {read: 1, encode: 1, write: 1}}"),
}


def source(folder, first):
    group = zarr.open_group(folder, mode="w", zarr_format=2)

    def add(name, values, chunks, dimensions, shuffle, **options):
        compressor = numcodecs.Blosc(cname="lz4", clevel=5, shuffle=shuffle)
        kind = {"dtype": str} if values.dtype.kind in "OT" else {"dtype": values.dtype}
        array = group.create_array(name, shape=values.shape, chunks=chunks, compressors=compressor, **kind, **options)
        array[...] = values
        array.attrs["_ARRAY_DIMENSIONS"] = dimensions

    rows = np.arange(first, first + 4)
    add("a", (rows[:, None] * 10 + np.arange(60)).astype("<f4"), (2, 30), ["t", "x"], 1)
    add("filtered", rows.astype("<i2"), (2,), ["t"], 1, filters=[numcodecs.Shuffle(2)])
    add("flags", rows % 3 == 0, (2,), ["t"], -1)
    add("t", rows.astype("<f8"), (2,), ["t"], 2)
    add("text", np.array([f"row {n}" for n in rows], object), (2,), ["t"], 1)
    add("wide", np.array([f"row {n}" for n in rows], "S300"), (2,), ["t"], -1)
    for file in folder.rglob("*"):
        if file.is_file():
            os.utime(file, (TIME, TIME))


def main(program):
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        source(folder / "in.zarr", 0)
        source(folder / "more.zarr", 4)
        for name, (url, options) in JOBS.items():
            append = ", existing: append, append: t" if name == "grown" else ""
            text = f"zmigrate: 1\nsource: {{driver: zarr, url: {url}}}\ntarget: {{url: {name}.zarr{append}}}\n{options}\n"
            (folder / f"{name}.yaml").write_text(text)
            chunk = folder / "in.zarr" / "wide" / "1"
            whole = chunk.read_bytes()
            if name == "begun":  # a damaged chunk of the last array ends the run
                chunk.write_bytes(bytes(len(whole)))
                os.utime(chunk, (TIME, TIME))
            run = subprocess.run([program, "run", "--progress", "none", f"{name}.yaml"], cwd=folder, capture_output=True, text=True)
            if (run.returncode == 0) != (name != "begun"):
                sys.exit(run.stderr)
            chunk.write_bytes(whole)
            os.utime(chunk, (TIME, TIME))
        with zipfile.ZipFile(HERE / "former.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(folder.rglob("*")):
                # Locks and reports tell of the machine, and are not needed.
                if file.is_file() and file.name != "report.json" and file.parent.name != "lock":
                    archive.writestr(zipfile.ZipInfo(str(file.relative_to(folder))), file.read_bytes(), zipfile.ZIP_DEFLATED)


main(*sys.argv[1:])
