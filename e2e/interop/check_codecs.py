"""Reads the arrays of codec_sources.py as zmigrate wrote them, with every reader
that knows their codecs, and compares them with what is expected.

    check_codecs.py EXPECTED TARGET CODEC[,CODEC…] [ARRAY…]

EXPECTED is the JSON file that codec_sources.py wrote. Files named in it lie beside it.
CODECs are all codecs that zmigrate has registered. Each must occur in the table below
and, if it has a reader, in TARGET. ARRAYs are the arrays to read; without any, all are
read. Prints one line for each chain and one for each difference. Exits with 1 if there
is a difference.
"""

import collections
import concurrent.futures
import itertools
import json
import multiprocessing
import pathlib
import shutil
import sys
import tempfile
import warnings

import numpy as np
import tensorstore
import zarr

from check_types import compare, name_of, scalar, tensorstore_reads, with_tensorstore, with_zarr_python, zarr_python_reads
from codec_chains import CORE
from codec_script import Chunk, decode, named
from type_sources import numpy_type

# Which reader knows which codec, in the versions of requirements.txt. It is a
# difference if a reader cannot read a codec of the table, and also if it can read a
# codec that the table does not have. The script is codec_script.py.
ALL = {"script", "zarr-python", "tensorstore"}
KNOWN = {
    "bytes": ALL,
    "transpose": ALL,
    "sharding_indexed": ALL,
    "blosc": ALL,
    "gzip": ALL,
    "zstd": ALL,
    "crc32c": ALL,
    "bitround": {"script"},
    "packbits": {"script"},
    "reshape": {"script"},
    "zarrs.squeeze": {"script"},
    "conditional": {"script"},
    "n5_default": {"script", "tensorstore n5"},
    "zfp": {"script"},
    "scale_offset": {"zarr-python"},
    "cast_value": {"zarr-python"},
    "numcodecs.astype": {"zarr-python"},
    "numcodecs.bitround": {"zarr-python"},
    "numcodecs.delta": {"zarr-python"},
    "numcodecs.fixedscaleoffset": {"zarr-python"},
    "numcodecs.packbits": {"zarr-python"},
    "numcodecs.quantize": {"zarr-python"},
    "numcodecs.pcodec": {"zarr-python"},
    "numcodecs.zfpy": {"zarr-python"},
    "numcodecs.blosc": {"script", "zarr-python"},
    "numcodecs.lz4": {"script", "zarr-python"},
    "numcodecs.zlib": {"script", "zarr-python"},
    "numcodecs.bz2": {"script", "zarr-python"},
    "numcodecs.lzma": {"script", "zarr-python"},
    "numcodecs.gzip": {"script", "zarr-python"},
    "numcodecs.zstd": {"script", "zarr-python"},
    "numcodecs.shuffle": {"script", "zarr-python"},
    "numcodecs.crc32": {"script", "zarr-python"},
    "numcodecs.crc32c": {"script", "zarr-python"},
    "numcodecs.adler32": {"script", "zarr-python"},
    "numcodecs.fletcher32": {"script", "zarr-python"},
    "numcodecs.jenkins_lookup3": {"script", "zarr-python"},
    "zarrs.gdeflate": set(),  # no peer in Python has it
    "vlen-utf8": set(),  # no source of raw bytes has elements of any length
    "vlen-bytes": set(),
}

N5_COMPRESSION = {
    "gzip": {"type": "gzip"}, "zstd": {"type": "zstd"}, "numcodecs.bz2": {"type": "bzip2"},
    "blosc": {"type": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1},
}


def nested(codecs):
    """The codecs by name, each with those inside it."""
    return [[name, nested(configuration.get("codecs", []))] for name, configuration in map(named, codecs)]


def flat(names):
    return {n for name, inside in names for n in {name} | flat(inside)}


def able(document, reader):
    """Whether a reader must be able to read an array."""
    t, codecs = document["data_type"], [named(codec) for codec in document["codecs"]]
    used = flat(nested(document["codecs"]))
    if reader == "tensorstore n5":  # decodes n5_default with its inner codecs itself
        return [name for name, _ in codecs] == ["n5_default"]
    if any(reader not in KNOWN[name] for name in used):
        return False
    if reader == "zarr-python":
        return (t in CORE or zarr_python_reads(document)) and all(zarr_python_takes(document, *codec) for codec in codecs)
    if reader == "tensorstore":  # nothing may follow its shards
        return (t in CORE or tensorstore_reads(document)) and "sharding_indexed" not in [name for name, _ in codecs[:-1]]
    return True


def zarr_python_takes(document, name, configuration):
    """What zarr-python cannot do with a codec that it knows."""
    t, chunk = document["data_type"], document["chunk_grid"]["configuration"]["chunk_shape"]
    match name:
        case "sharding_indexed":  # it divides the shape that the chunk has before the codecs in front change it
            return not any(n % k for n, k in zip(chunk, configuration["chunk_shape"]))
        case "numcodecs.quantize":  # it takes the stored type for the array's type
            return np.dtype(configuration.get("astype", t)).newbyteorder("<") == np.dtype(t).newbyteorder("<")
        case "numcodecs.lzma":
            return configuration["format"] == 3 or not configuration.get("filters")
        case "numcodecs.jenkins_lookup3":
            return not configuration.get("prefix")
    return True


def with_script(document, folder):
    t, shape = numpy_type(document["data_type"]), document["shape"]
    fill = scalar(document["data_type"], document["fill_value"])
    chunk = document["chunk_grid"]["configuration"]["chunk_shape"]
    whole = Chunk(shape, t, fill).filled()
    for index in itertools.product(*(range(-(-n // k)) for n, k in zip(shape, chunk))):
        file = folder / "/".join(["c", *map(str, index)])
        if file.exists():
            part = whole[tuple(slice(i * k, (i + 1) * k) for i, k in zip(index, chunk))]
            data = decode(file.read_bytes(), document["codecs"], Chunk(chunk, t, fill))
            part[...] = data[tuple(slice(0, n) for n in part.shape)]
    return {"fill": fill, "bytes": whole.tobytes()}


def with_n5(document, folder):
    """Reads the chunks as blocks of an N5 dataset."""
    (_, configuration), = map(named, document["codecs"])
    behind = [named(codec)[0] for codec in configuration["codecs"][2:]]
    attributes = {
        "dimensions": document["shape"], "blockSize": document["chunk_grid"]["configuration"]["chunk_shape"],
        "dataType": document["data_type"], "compression": N5_COMPRESSION[behind[0]] if behind else {"type": "raw"},
    }
    with tempfile.TemporaryDirectory() as made:
        if (folder / "c").exists():
            shutil.copytree(folder / "c", made, dirs_exist_ok=True)
        pathlib.Path(made, "attributes.json").write_text(json.dumps(attributes))
        array = tensorstore.open({"driver": "n5", "kvstore": f"file://{made}/"}, read=True).result()
        return {"bytes": np.ascontiguousarray(array.read().result()).tobytes()}


READERS = {"script": with_script, "zarr-python": with_zarr_python, "tensorstore": with_tensorstore, "tensorstore n5": with_n5}
PEERS = {"zarr-python", "tensorstore"}  # tried with everything that is stored


def check(want, folder):
    """Reads one array with all readers. Returns the names of its codecs, the names of
    the readers that must read it, and the differences."""
    document = json.loads((folder / "zarr.json").read_text())
    names, readers, wrong = nested(document["codecs"]), [], []
    expected = [["sharding_indexed", want["codecs"]]] if want["sharded"] else want["codecs"]
    if names != expected:
        wrong.append(f"codecs are {names}, want {expected}")
    stored = (folder / "c").exists()
    for reader, read in READERS.items():
        has_to = able(document, reader)
        if not has_to and (reader not in PEERS or not stored):
            continue
        try:
            difference = compare(want, read(document, folder))
        except Exception as error:  # whatever a reader raises, it could not read the array
            difference = f"cannot read it: {type(error).__name__}: {str(error)[:500]}"
        if has_to:
            readers.append(reader)
        elif difference:
            continue
        else:
            difference = "reads it, which check_codecs.py does not know"
        if difference:
            wrong.append(f"{reader}: {difference}")
    return flat(names), readers, wrong


def quiet():
    # zarr-python warns of names that have no final specification; the last
    # digits of what overflows are compared, too.
    warnings.filterwarnings("ignore", category=zarr.errors.UnstableSpecificationWarning)
    warnings.filterwarnings("ignore", category=zarr.errors.ZarrUserWarning)
    warnings.filterwarnings("ignore", category=RuntimeWarning)


def check_stored(want, folder, array):
    """Is check for an array whose expected bytes lie in a file of a folder."""
    return check(want | {"bytes": (folder / want["bytes"]).read_bytes(), "fill": bytes.fromhex(want["fill"])}, array)


def main(expectation, target, registered, *paths):
    folder, target = pathlib.Path(expectation).parent, pathlib.Path(target).resolve()
    expected = json.loads(pathlib.Path(expectation).read_text())
    chosen = [(path, expected["arrays"][path]) for path in paths or expected["arrays"]]
    arguments = [[want for _, want in chosen], itertools.repeat(folder), [target / path for path, _ in chosen]]
    if paths:
        quiet()
        results = list(map(check_stored, *arguments))
    else:
        with concurrent.futures.ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn"), initializer=quiet) as workers:
            results = list(workers.map(check_stored, *arguments, chunksize=50))
    labels, differences, met = {}, [], set()
    for (path, want), (names, readers, wrong) in zip(chosen, results):
        met |= names
        counts = labels.setdefault(want["label"], collections.Counter())
        counts.update(arrays=1, equal=int(bool(readers) and not wrong), **{reader: 1 for reader in readers})
        differences += [f"{path} ({want['label']}): {d}" for d in wrong]
    for label, counts in labels.items():
        readers = ", ".join(f"{reader} {counts[reader]}" for reader in READERS if counts[reader])
        print(f"{label}: {counts['equal']} of {counts['arrays']} arrays equal in {readers or 'no reader'}")
    for name in sorted(KNOWN.keys() ^ set(registered.split(","))):
        differences.append(f"{name}: " + ("is not registered" if name in KNOWN else "has no entry in check_codecs.py"))
    if not paths:
        differences += [f"{name}: no array has it" for name in KNOWN if KNOWN[name] and name not in met]
    for difference in differences:
        print("DIFFERENT", difference)
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
