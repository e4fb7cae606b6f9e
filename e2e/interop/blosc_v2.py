"""Writes Zarr v2 arrays with Blosc, and compares them with copies in Zarr v3.

    blosc_v2.py write FOLDER
    blosc_v2.py check FOLDER

write makes FOLDER/v2.zarr, and FOLDER/migrated.zarr by the converter of zarr-python as far as
that takes the arrays. check reads FOLDER/v3.zarr, the copy that zmigrate made of v2.zarr, with
each reader that knows data type and filters. It compares the elements, the stored chunks, and
the configuration of Blosc with the headers of the chunks and with what the converter made.
Prints how many arrays are equal for each reader, and one line for each difference. Exits
with 1 if there is a difference.
"""

import collections
import json
import logging
import pathlib
import sys
import warnings

import numcodecs
import numpy as np
import rasterio
import tensorstore
import zarr
import zarrs  # noqa: F401
from zarr.metadata.migrate_v3 import migrate_v2_to_v3
from zarr.storage import LocalStore

NUMBERS = ["|i1", "|u1", "|b1", "<i2", ">i2", "<u4", "<i8", "<f2", "<f4", ">f8", "<c8", ">c16"]
# The reasons for which the converter takes no array.
REFUSED = ("Value must be between 0 and 2. Got -1.", "is not an ArrayArrayCodec", "Couldn't find corresponding zarr.codecs.numcodecs codec")


def arrays():
    """Yields names, elements, compressors and options of arrays."""
    random = np.random.default_rng(11)
    values = random.integers(0, 100, (40, 60))
    for kind in NUMBERS:
        for shuffle in (-1, 0, 1, 2):
            yield f"numbers/{kind[1:]}{kind[0] == '>':d}_{shuffle + 1}", values.astype(kind), numcodecs.Blosc("lz4", 5, shuffle), {}
    for name in numcodecs.blosc.list_compressors():
        yield f"compressors/{name}", values.astype("<f4"), numcodecs.Blosc(name, 9, 1), {}
    yield "numbers/blocks", values.astype("<f4"), numcodecs.Blosc("zstd", 1, 1, 512), {}
    yield "numbers/stored", values.astype("<f4"), numcodecs.Blosc("zstd", 0, 1), {}
    yield "numbers/F", values.astype("<f4"), numcodecs.Blosc("zstd", 1, 2), {"order": "F"}
    delta = numcodecs.Delta("<i4", "<i2")
    yield "filters/delta", values.astype("<i4"), numcodecs.Blosc("lz4", 5, 1), {"filters": [delta]}
    yield "filters/shuffle", values.astype("<f4"), numcodecs.Blosc("lz4", 5, -1), {"filters": [numcodecs.Shuffle(4)]}
    words = np.array([f"word {n} " * 8 for n in values[0]], object)
    for shuffle in (-1, 1):
        yield f"texts/any_{shuffle + 1}", words, numcodecs.Blosc("lz4", 5, shuffle), {}
        for kind in ("S255", "S300", "<U20", ">U100"):
            yield f"texts/{kind[-4:].strip('<>')}_{shuffle + 1}", words.astype(kind), numcodecs.Blosc("lz4", 5, shuffle), {}
        opaque = np.array([word.encode().ljust(300) for word in words], "V300")
        yield f"texts/V300_{shuffle + 1}", opaque, numcodecs.Blosc("lz4", 5, shuffle), {}


def write(folder):
    for name, values, compressor, options in arrays():
        kind = str if values.dtype.kind == "O" else values.dtype
        chunks = [-(-n // 2) for n in values.shape]
        array = zarr.create_array(folder / "v2.zarr" / name, shape=values.shape, chunks=chunks, dtype=kind, compressors=compressor, zarr_format=2, **options)
        array[...] = values
        try:
            migrate_v2_to_v3(input_store=LocalStore(folder / "v2.zarr" / name), output_store=LocalStore(folder / "migrated.zarr" / name))
        except (TypeError, ValueError) as error:
            if not any(text in str(error) for text in REFUSED):
                raise


def with_zarr(array):
    return zarr.open_array(array, mode="r", zarr_format=3)[...]


def with_zarrs(array):
    with zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True}):
        return with_zarr(array)


def with_tensorstore(array):
    return tensorstore.open({"driver": "zarr3", "kvstore": f"file://{array.resolve()}/"}, read=True).result().read().result()


def with_gdal(array):
    with rasterio.open(f'ZARR:"{array}"') as data:
        return data.read(1)


def opens_with_tensorstore(array):
    """Opens an array of opaque elements, whose bytes Python does not see."""
    tensorstore.open({"driver": "zarr3", "kvstore": f"file://{array.resolve()}/"}, read=True).result()


def blosc(array):
    """The configuration of Blosc, which must be the last codec."""
    codec = json.loads((array / "zarr.json").read_text())["codecs"][-1]
    return codec["configuration"] if codec["name"] == "blosc" else codec


def stored(array, prefix):
    files = [file for file in array.rglob("*") if file.is_file() and not file.name.startswith((".z", "zarr.json"))]
    return {str(file.relative_to(array)).removeprefix(prefix).replace("/", "."): file.read_bytes() for file in files}


def compare(folder, name, kind, equal):
    """Yields the differences of an array, and counts for each reader whether it is equal."""
    source, array = folder / "v2.zarr" / name, folder / "v3.zarr" / name
    want = zarr.open_array(source, mode="r")[...]
    readers = {"zarr-python": with_zarr}
    if not name.startswith("texts/") and name != "filters/delta":
        readers["zarrs"] = with_zarrs
        if not name.startswith("filters/"):
            readers |= {"tensorstore": with_tensorstore, "gdal": with_gdal}
    for reader, read in readers.items():
        try:
            got = read(array)
        except Exception as error:  # whatever a reader raises, it could not read the array
            yield f"{reader} cannot read it: {type(error).__name__}: {error}"
            continue
        if np.array_equal(np.asarray(got).astype(want.dtype), want):
            equal[reader] += 1
        else:
            yield f"{reader} reads other elements"
    if kind == "V":
        opens_with_tensorstore(array)
        equal["tensorstore opens"] += 1
    chunks, ours = stored(array, "c/"), blosc(array)
    if stored(source, "") != chunks:
        yield "the stored chunks have changed"
    if ours.keys() != {"cname", "clevel", "shuffle", "typesize", "blocksize"}:
        yield f"Blosc is {ours}"
        return
    for key, data in chunks.items():
        shuffle = {0: "noshuffle", 1: "shuffle", 4: "bitshuffle"}[data[2] & 5]
        # zmigrate takes what the filter shuffle makes for elements of the size that it shuffled.
        if name != "filters/shuffle" and (ours["typesize"], ours["shuffle"]) != (data[3], shuffle):
            yield f"Blosc is {ours}, in the header of {key} typesize is {data[3]} and shuffle {shuffle}"
    migrated = folder / "migrated.zarr" / name
    if (migrated / "zarr.json").exists() and not name.startswith("filters/"):  # for the converter, filters change no type
        theirs = blosc(migrated)
        if theirs["typesize"] > 255:  # c-blosc takes it for 1
            theirs["typesize"] = 1
        if theirs != ours:
            yield f"Blosc is {ours}, by the converter of zarr-python {theirs}"
        equal["converter"] += 1


def check(folder):
    equal, different = collections.Counter(), 0
    for name, values, _, _ in arrays():
        for text in compare(folder, name, values.dtype.kind, equal):
            different += 1
            print(f"DIFFERENT {name}: {text}")
    for reader, count in equal.items():
        print(f"{reader}: {count} arrays are equal")
    sys.exit(different > 0)


warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
{"write": write, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
