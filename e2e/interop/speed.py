"""Measures whole migrations beside those of other programs.

usage: speed.py [--turns N] [--mib N] [--levels] ZMIGRATE READ S3SERVER ZARRS [SCENARIO…]
       speed.py peer NAME FOLDER TARGET
       speed.py make NAME FOLDER
       speed.py same NAME TARGET TARGET

ZMIGRATE is the program, READ the program of e2e/interop/readspeed, S3SERVER that of
e2e/s3server and ZARRS the folder with the programs of zarrs_tools; "" leaves them out.
Without names of scenarios it measures all. All programs of a scenario run in turns, and the
best times count. The peers in Python are measured without the start of Python. It prints a
table in Markdown: the seconds of zmigrate and of the fastest peer, their ratio and the goal,
the ratio of processor times, the peak memory of both in MiB, and how large the two targets
are beside each other.

With --levels no peer runs. zmigrate runs in turns with the kernels of each level of the processor,
and the table has the processor times, which hardly depend on what else the machine does.

All sources are one field of float32: smooth, with noise, in steps of 1/1024. They have the size of
--mib, and that of the migration to S3 four times as much.
"""

import argparse
import collections
import http.client
import itertools
import json
import math
import multiprocessing
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

AT_ONCE = 4  # regions that a peer has in work
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
ZSTD = {"name": "zstd", "configuration": {"level": 3, "checksum": False}}
SLICES, TILES, BLOCKS = (1, 1024, 1024), (64, 128, 128), (8, 256, 256)
ACCURACY = {"mode": "fixed_accuracy", "tolerance": 0.01}
SCALE, OFFSET = 512.0, 15.0


def v3(shape, chunks, codecs, data_type="float32"):
    return {
        "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": data_type, "fill_value": 0,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "codecs": codecs,
    }


def shards(inner, codecs):
    return [{"name": "sharding_indexed", "configuration": {"chunk_shape": inner, "codecs": codecs, "index_codecs": [LITTLE, {"name": "crc32c"}], "index_location": "end"}}]


def store(folder):
    return {"driver": "file", "path": str(folder) + "/"}


def bucket(path):
    return {"driver": "s3", "bucket": "bucket", "endpoint": f"http://{os.environ['SPEED_S3']}", "aws_region": "us-east-1", "aws_credentials": {"type": "environment"}, "path": path + "/"}


def opened(kvstore, metadata=None, write=False):
    import tensorstore

    spec = {"kvstore": kvstore if isinstance(kvstore, dict) else store(kvstore)}
    if metadata is not None:
        driver = "zarr3" if metadata["zarr_format"] == 3 else "zarr"
        return tensorstore.open(spec | {"driver": driver, "metadata": metadata}, create=True).result()
    for driver in ("zarr3", "zarr"):
        try:
            return tensorstore.open(spec | {"driver": driver}, read=True, write=write).result()
        except ValueError:
            continue
    raise SystemExit(f"{kvstore}: no array")


def layer(i, rows=1024, columns=1024):
    """One layer of the field."""
    random = np.random.default_rng(i)
    y, x = np.mgrid[:rows, :columns]
    values = 15 + 10 * np.sin(x / 97 + i / 31) + 3 * np.cos(y / 71) + random.random((rows, columns)) / 64
    return (np.round(1024 * values) / 1024).astype("f4")


def boxes(shape, step):
    for start in itertools.product(*(range(0, extent, s) for extent, s in zip(shape, step))):
        yield tuple(slice(a, min(a + s, extent)) for a, s, extent in zip(start, step, shape))


def copied(target, read):
    """Writes target region by region, several at a time. read returns a region, or its future."""
    waiting = collections.deque()
    for at in boxes(target.shape, target.chunk_layout.write_chunk.shape):
        waiting.append(target[at].write(read(at)))
        if len(waiting) == AT_ONCE:
            waiting.popleft().result()
    for write in waiting:
        write.result()


class Scenario:
    """A migration or a read.

    make writes the source into a folder. ours returns the arguments of zmigrate and the place of
    its target, None if no peer reads that target. peers are functions of (folder, target).
    """

    def __init__(self, name, goal, make, ours, peers, zarrs=None, same=None, ours_reports=False, in_bucket=False, times=1):
        self.name, self.goal, self.make, self.ours, self.peers = name, goal, make, ours, peers
        self.zarrs = zarrs  # the arguments of zarrs_reencode; None: zarrs does not do this
        self.same = same or equal  # compares two targets
        self.ours_reports = ours_reports  # ours prints its times itself
        self.in_bucket = in_bucket  # the targets are in the bucket, under the names that they have in the folder
        self.times = times  # how many times --mib the source has


def equal(one, other, tolerance=0.0):
    one, other = opened(one), opened(other)
    for at in boxes(one.shape, (16,) + tuple(one.shape[1:])):
        a, b = one[at].read().result(), other[at].read().result()
        if not (np.array_equal(a, b) if tolerance == 0 else np.allclose(a, b, rtol=0, atol=tolerance)):
            raise SystemExit(f"{one.spec()} and {other.spec()} differ at {at}")


def unchecked(one, other):
    """For targets that no peer reads."""


def layers(folder):
    return json.loads((folder / "layers.json").read_text())


def shape(folder):
    return [layers(folder), 1024, 1024]


# Sources.


def raw(folder):
    with open(folder / "source.bin", "wb") as f:
        for i in range(layers(folder)):
            f.write(layer(i).tobytes())


def memory_map(folder):
    return np.memmap(folder / "source.bin", dtype="<f4", mode="r", shape=tuple(shape(folder)))


def zarr_source(chunks, codecs, version=3):
    def make(folder):
        metadata = v3(shape(folder), chunks, codecs)
        if version == 2:
            metadata = {
                "zarr_format": 2, "shape": shape(folder), "chunks": chunks, "dtype": "<f4", "fill_value": 0, "order": "C", "filters": None,
                "compressor": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
            }
        array = opened(folder / "source.zarr", metadata)
        step = min(chunks[0], layers(folder))
        for i in range(0, layers(folder), step):
            array[i : i + step].write(np.stack([layer(j) for j in range(i, min(i + step, layers(folder)))])).result()

    return make


def hdf5(**options):
    def make(folder):
        import h5py
        import hdf5plugin

        with h5py.File(folder / "source.nc", "w") as f:
            for name, extent in zip("zyx", shape(folder)):
                f[name] = np.arange(extent, dtype="f4")
                f[name].make_scale(name)
            filters = dict(options)
            if filters.pop("zstd", False):
                filters |= hdf5plugin.Zstd(clevel=3)
            d = f.create_dataset("a", shape(folder), "<f4", chunks=BLOCKS, fillvalue=0, **filters)
            for i, name in enumerate("zyx"):
                d.dims[i].attach_scale(f[name])
            for i in range(0, layers(folder), BLOCKS[0]):
                d[i : i + BLOCKS[0]] = np.stack([layer(j) for j in range(i, i + BLOCKS[0])])

    return make


def classic(folder):
    import netCDF4

    with netCDF4.Dataset(folder / "source.nc", "w", format="NETCDF3_64BIT_OFFSET") as f:
        for name, extent in zip("zyx", shape(folder)):
            f.createDimension(name, extent)
        v = f.createVariable("a", "f4", ("z", "y", "x"))
        for i in range(layers(folder)):
            v[i] = layer(i)


# What zmigrate does.


def job(folder, source, chunks, codecs, more=""):
    text = f"zmigrate: 1\nsource: {source}\ntarget: {{url: 'target.zarr'}}\narrays:\n  a: {json.dumps({'chunks': chunks, 'codecs': codecs})}\n{more}"
    (folder / "job.yaml").write_text(text)
    return ["run", "--progress", "none", str(folder / "job.yaml")]


def raw_job(chunks, codecs):
    def command(folder):
        return job(folder, f"{{driver: raw, arrays: {{a: {{url: source.bin, data_type: float32, shape: {shape(folder)}}}}}}}", chunks, codecs), folder / "target.zarr" / "a"

    return command


def netcdf_job(codecs):
    def command(folder):
        return job(folder, "{driver: netcdf, url: source.nc, include: [a]}", BLOCKS, codecs), folder / "target.zarr" / "a"

    return command


def copy(*options):
    def command(folder):
        return ["copy", "--progress", "none", *options, str(folder / "source.zarr"), str(folder / "target.zarr")], folder / "target.zarr"

    return command


def text(chunks):
    return ",".join(map(str, chunks))


# What the peers do.


def tensorstore_raw(chunks, codecs):
    def migrate(folder, target):
        a = memory_map(folder)
        copied(opened(target, v3(shape(folder), chunks, codecs)), lambda at: a[at])

    return migrate


def zarr_python(chunks):
    def migrate(folder, target):
        import zarr
        import zarrs  # noqa: F401

        zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})
        a = zarr.create_array(str(target), shape=shape(folder), chunks=chunks, dtype="f4", compressors=zarr.codecs.ZstdCodec(level=3), fill_value=0)
        a[:] = memory_map(folder)

    return migrate


def tensorstore_whole(metadata):
    def migrate(folder, target):
        opened(target, metadata(folder)).write(opened(folder / "source.zarr")).result()

    return migrate


def tensorstore_regions(metadata):
    def migrate(folder, target):
        source = opened(folder / "source.zarr")
        copied(opened(target, metadata(folder)), lambda at: source[at])

    return migrate


def pack(folder, target):
    a = memory_map(folder)
    copied(opened(target, v3(shape(folder), BLOCKS, [LITTLE, ZSTD], "int16")), lambda at: np.rint((a[at] - np.float32(OFFSET)) * np.float32(SCALE)).astype("i2"))


def packed(folder):
    raw(folder)
    pack(folder, folder / "packed.zarr")
    run_zmigrate(raw_job(BLOCKS, PACKED)(folder)[0])
    shutil.move(folder / "target.zarr" / "a", folder / "source.zarr")


def unpack(folder, target):
    source = opened(folder / "packed.zarr")
    copied(opened(target, v3(shape(folder), BLOCKS, [LITTLE])), lambda at: source[at].read().result().astype("f4") / np.float32(SCALE) + np.float32(OFFSET))


PACKED = [
    {"name": "scale_offset", "configuration": {"scale": SCALE, "offset": OFFSET}},
    {"name": "cast_value", "configuration": {"data_type": "int16", "rounding": "nearest-even"}},
    LITTLE, ZSTD,
]


def zfp(configuration):
    return {"name": "zfp", "configuration": configuration}


def in_threads(count, do, items):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(do, items))


def zfpy_encode(configuration):
    options = {
        "fixed_accuracy": lambda c: {"tolerance": c["tolerance"]}, "fixed_rate": lambda c: {"rate": c["rate"]}, "reversible": lambda c: {},
    }[configuration["mode"]](configuration)

    def migrate(folder, target):
        import zfpy

        a = memory_map(folder)
        target.mkdir()

        def one(at):
            name = "c/" + "/".join(str(s.start // c) for s, c in zip(at, BLOCKS))
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(zfpy.compress_numpy(np.ascontiguousarray(a[at]), write_header=False, **options))

        in_threads(2, one, boxes(shape(folder), BLOCKS))

    return migrate


def zfp_source(folder):
    raw(folder)
    run_zmigrate(raw_job(BLOCKS, [zfp(ACCURACY)])(folder)[0])
    shutil.move(folder / "target.zarr" / "a", folder / "source.zarr")


def zfpy_decode(folder, target):
    import zfpy

    source = folder / "source.zarr"
    result = opened(target, v3(shape(folder), BLOCKS, [LITTLE]))

    def one(at):
        name = "c/" + "/".join(str(s.start // c) for s, c in zip(at, BLOCKS))
        block = zfpy._decompress((source / name).read_bytes(), zfpy.dtype_to_ztype(np.dtype("f4")), tuple(BLOCKS), tolerance=ACCURACY["tolerance"])
        result[at].write(block).result()

    in_threads(2, one, boxes(shape(folder), BLOCKS))


def h5py_part(folder, target, part, parts):
    import h5py
    import hdf5plugin  # noqa: F401

    result = opened(target, write=True)
    with h5py.File(folder / "source.nc") as f:
        for i, at in enumerate(boxes(shape(folder), BLOCKS)):
            if i % parts == part:
                result[at].write(f["a"][at]).result()


def h5py_tensorstore(folder, target):
    """Two processes, because the library reads with one thread."""
    opened(target, v3(shape(folder), BLOCKS, [LITTLE, ZSTD]))
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.starmap(h5py_part, [(folder, target, i, 2) for i in range(2)])


def netcdf4_tensorstore(folder, target):
    import netCDF4

    with netCDF4.Dataset(folder / "source.nc") as f:
        f.set_auto_mask(False)
        v = f["a"]
        copied(opened(target, v3(shape(folder), BLOCKS, [LITTLE, ZSTD])), lambda at: np.asarray(v[at]))


# Tables.

COLUMNS = [f"c{i}" for i in range(8)]


def parquet(**options):
    def make(folder):
        import pyarrow
        import pyarrow.parquet

        values = np.concatenate([layer(i).ravel() for i in range(layers(folder))])
        if options.get("use_dictionary"):
            values = np.round(values)
        rows = values.size // len(COLUMNS)
        table = pyarrow.table({c: values[i * rows : (i + 1) * rows] for i, c in enumerate(COLUMNS)})
        pyarrow.parquet.write_table(table, folder / "source.parquet", row_group_size=1 << 20, **options)

    return make


def parquet_job(folder):
    arrays = {c: {"chunks": [1 << 20], "codecs": [LITTLE, ZSTD]} for c in COLUMNS}
    (folder / "job.yaml").write_text(f"zmigrate: 1\nsource: {{driver: arrow, url: source.parquet}}\ntarget: {{url: target.zarr}}\narrays: {json.dumps(arrays)}\n")
    return ["run", "--progress", "none", str(folder / "job.yaml")], folder / "target.zarr"


def pyarrow_zarr(folder, target):
    import pyarrow.parquet
    import zarr

    group = zarr.create_group(str(target))
    f = pyarrow.parquet.ParquetFile(folder / "source.parquet")
    arrays = {c: group.create_array(c, shape=(f.metadata.num_rows,), chunks=(1 << 20,), dtype="f4", compressors=zarr.codecs.ZstdCodec(level=3), fill_value=0) for c in COLUMNS}
    at = 0
    for i in range(f.num_row_groups):
        group_of_rows = f.read_row_group(i)
        for c in COLUMNS:
            arrays[c][at : at + group_of_rows.num_rows] = group_of_rows[c].to_numpy()
        at += group_of_rows.num_rows


def same_columns(one, other):
    for c in COLUMNS:
        if not np.array_equal(opened(one / c).read().result(), opened(other / c).read().result()):
            raise SystemExit(f"column {c} differs")


def carried_source(folder):
    """Zarr v2 without compression: chunks that are carried through."""
    metadata = {"zarr_format": 2, "shape": shape(folder), "chunks": SLICES, "dtype": "<f4", "fill_value": 0, "order": "C", "filters": None, "compressor": None}
    array = opened(folder / "source.zarr", metadata)
    for i in range(layers(folder)):
        array[i].write(layer(i)).result()


def cp(folder, target):
    subprocess.run(["cp", "-r", folder / "source.zarr", target], check=True)
    subprocess.run(["sync", "-f", target], check=True)


# To a bucket.


def s3_job(folder):
    command, target = raw_job(BLOCKS, [LITTLE, ZSTD])(folder)
    path = folder / "job.yaml"
    url = f"s3://bucket/target.zarr?region=us-east-1&use_path_style=true&endpoint=http://{os.environ['SPEED_S3']}"
    path.write_text(path.read_text().replace("target.zarr", url))
    return command, target


def tensorstore_s3(folder, target):
    a = memory_map(folder)
    array = opened(bucket(target.name), v3(shape(folder), BLOCKS, [LITTLE, ZSTD]))
    waiting = collections.deque()
    for at in boxes(array.shape, BLOCKS):
        waiting.append(array[at].write(a[at]))
        if len(waiting) == 32:
            waiting.popleft().result()
    for write in waiting:
        write.result()


def obstore_s3(folder, target):
    import obstore
    import zarr
    from zarr.storage import ObjectStore

    place = obstore.store.S3Store(
        "bucket", prefix=target.name, endpoint=f"http://{os.environ['SPEED_S3']}", region="us-east-1",
        client_options={"allow_http": True}, virtual_hosted_style_request=False,
    )
    zarr.config.set({"async.concurrency": 32})
    a = zarr.create_array(ObjectStore(place), shape=shape(folder), chunks=BLOCKS, dtype="f4", compressors=zarr.codecs.ZstdCodec(level=3), fill_value=0)
    a[:] = memory_map(folder)


def same_in_bucket(one, other):
    equal(bucket(f"{one.parent.name}/{one.name}"), bucket(other.name))


def empty_bucket():
    """Has the server forget its objects."""
    server = http.client.HTTPConnection(os.environ["SPEED_S3"])
    server.request("FORGET", "/")
    if server.getresponse().status != 200:
        raise SystemExit("the S3 server has not emptied its bucket")
    server.close()


# Reading.

SHARDED = zarr_source((32, 1024, 1024), shards(BLOCKS, [LITTLE, ZSTD]))
BOX, BOXES = (4, 100, 100), 1000


def read_whole(folder):
    return ["whole", str(folder / "source.zarr")], None


def read_boxes(folder):
    return ["boxes", str(folder / "source.zarr"), text(BOX), str(BOXES)], None


def tensorstore_read(folder, target):
    opened(folder / "source.zarr").read().result()


def corners(folder):
    """The corners of the boxes; the program in Go makes the same ones."""
    state = 1
    for _ in range(BOXES):
        corner = []
        for extent, size in zip(shape(folder), BOX):
            state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
            corner.append((state >> 33) % (extent - size + 1))
        yield corner


def tensorstore_boxes(folder, target):
    array = opened(folder / "source.zarr")
    waiting = collections.deque()
    for corner in corners(folder):
        waiting.append(array[tuple(slice(c, c + s) for c, s in zip(corner, BOX))].read())
        if len(waiting) == 16:
            waiting.popleft().result()
    for read in waiting:
        read.result()


def zarrs_python_read(folder, target):
    import zarr
    import zarrs  # noqa: F401

    zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})
    zarr.open_array(str(folder / "source.zarr"), mode="r")[:]


def zarrs_python_boxes(folder, target):
    import zarr
    import zarrs  # noqa: F401

    zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})
    array = zarr.open_array(str(folder / "source.zarr"), mode="r")

    def one(corner):
        array[tuple(slice(c, c + s) for c, s in zip(corner, BOX))]

    in_threads(2, one, corners(folder))


def to_zstd(name, goal, chunks):
    peers = {"tensorstore": tensorstore_raw(chunks, [LITTLE, ZSTD]), "zarr-python + zarrs": zarr_python(chunks)}
    return Scenario(name, goal, raw, raw_job(chunks, [LITTLE, ZSTD]), peers)


def rechunk(name, goal, source, target):
    def metadata(folder):
        return v3(shape(folder), target, [LITTLE])

    return Scenario(
        name, goal, zarr_source(source, [LITTLE]), copy("--chunks", text(target), "--memory", "320MiB"),
        {"tensorstore": tensorstore_regions(metadata), "tensorstore, whole": tensorstore_whole(metadata)},
        zarrs=["--chunk-shape", text(target), "--cache-size", "256000000"],
    )


def v2_to_shards(name, goal, inner):
    def metadata(folder):
        return v3(shape(folder), (32, 1024, 1024), shards(inner, [LITTLE, ZSTD]))

    return Scenario(
        name, goal, zarr_source(BLOCKS, None, version=2),
        copy("--chunks", text(inner), "--shards", "32,1024,1024", "--codec", "zstd:level=3", "--memory", "512MiB"),
        {"tensorstore": tensorstore_regions(metadata), "tensorstore, whole": tensorstore_whole(metadata)},
        zarrs=["--chunk-shape", text(inner), "--shard-shape", "32,1024,1024", "--array-to-bytes-codec", json.dumps(LITTLE), "--bytes-to-bytes-codecs", json.dumps([ZSTD])],
    )


def zfp_encode(name, goal, configuration):
    return Scenario(name, goal, raw, raw_job(BLOCKS, [zfp(configuration)]), {"zfpy": zfpy_encode(configuration)}, same=unchecked)


SCENARIOS = [
    to_zstd("raw to zstd, 4 MiB chunks", 2, (16, 256, 256)),
    to_zstd("raw to zstd, 64 KiB chunks", 1.3, (4, 64, 64)),
    to_zstd("raw to zstd, 16 MiB chunks", 2, (64, 256, 256)),
    v2_to_shards("v2 blosc to shards in zstd", 1.8, BLOCKS),
    v2_to_shards("v2 blosc to shards, inner chunks of 16 KiB", 1.5, (4, 32, 32)),
    rechunk("slices to tiles", 1.5, SLICES, TILES),
    rechunk("tiles to slices", 1.5, TILES, SLICES),
    Scenario("pack to int16 in zstd", 2.5, raw, raw_job(BLOCKS, PACKED), {"numpy + tensorstore": pack}, same=unchecked),
    Scenario("unpack", 2, packed, copy("--codec", "bytes"), {"numpy + tensorstore": unpack}, same=lambda a, b: equal(a, b, 1e-6)),
    zfp_encode("zfp, accuracy", 3, ACCURACY),
    zfp_encode("zfp, rate", 3, {"mode": "fixed_rate", "rate": 12.0}),
    zfp_encode("zfp, reversible", 3, {"mode": "reversible"}),
    Scenario("zfp, decode", 2.5, zfp_source, copy("--codec", "bytes"), {"zfpy": zfpy_decode}),
    Scenario("NetCDF-4 with deflate to zstd", 3, hdf5(compression="gzip", compression_opts=4, shuffle=True), netcdf_job([LITTLE, ZSTD]), {"h5py + tensorstore": h5py_tensorstore}),
    Scenario("HDF5 with shuffle and zstd to zstd", 2, hdf5(shuffle=True, zstd=True), netcdf_job([LITTLE, ZSTD]), {"h5py + tensorstore": h5py_tensorstore}),
    Scenario("classic NetCDF to zstd", 2, classic, netcdf_job([LITTLE, ZSTD]), {"netCDF4 + tensorstore": netcdf4_tensorstore}),
    Scenario("Parquet, plain", 3, parquet(use_dictionary=False, compression="none"), parquet_job, {"pyarrow + zarr-python": pyarrow_zarr}, same=same_columns),
    Scenario("Parquet, dictionary", 3, parquet(use_dictionary=True, compression="none"), parquet_job, {"pyarrow + zarr-python": pyarrow_zarr}, same=same_columns),
    Scenario("Parquet, zstd", 3, parquet(use_dictionary=False, compression="zstd"), parquet_job, {"pyarrow + zarr-python": pyarrow_zarr}, same=same_columns),
    Scenario("v2 carried into v3", 1, carried_source, copy(), {"cp -r, sync": cp}),
    Scenario("to S3, 20 ms each", 1.5, raw, s3_job, {"tensorstore": tensorstore_s3, "zarr-python + obstore": obstore_s3}, same=same_in_bucket, in_bucket=True, times=4),
    Scenario("read a sharded array", 1.2, SHARDED, read_whole, {"tensorstore": tensorstore_read, "zarr-python + zarrs": zarrs_python_read}, same=unchecked, ours_reports=True),
    Scenario("read 1,000 boxes of it", 1.2, SHARDED, read_boxes, {"tensorstore": tensorstore_boxes, "zarr-python + zarrs": zarrs_python_boxes}, same=unchecked, ours_reports=True),
]


# The harness.

Spent = collections.namedtuple("Spent", "wall processors peak")


def spend(command, cwd=None):
    """Runs a program and returns its cost and its output."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        p = subprocess.Popen([str(c) for c in command], stdout=out, stderr=subprocess.STDOUT, cwd=cwd)
        _, status, usage = os.wait4(p.pid, 0)
        wall = time.perf_counter() - began
        p.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        printed = out.read().decode(errors="replace")
    if p.returncode != 0:
        raise SystemExit(f"{command}: status {p.returncode}\n{printed}")
    return Spent(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024), printed


def run_zmigrate(arguments):
    spend([os.environ["SPEED_ZMIGRATE"], *arguments])


def reported(command):
    """Runs a program that prints its seconds as its last line, and its processor seconds if its start does not count."""
    spent, printed = spend(command)
    wall, *processors = json.loads(printed.strip().splitlines()[-1])
    return Spent(wall, *(processors or [spent.processors]), spent.peak)


def peer(name, function, folder, target):
    """What a peer in a process of its own does."""
    scenario = next(s for s in SCENARIOS if s.name == name)
    for module in ("tensorstore", "zarr", "h5py", "hdf5plugin", "netCDF4", "zfpy", "zarrs", "pyarrow.parquet", "obstore"):
        __import__(module)
    used = sum(resource.getrusage(who).ru_utime + resource.getrusage(who).ru_stime for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    began = time.perf_counter()
    scenario.peers[function](folder, target)
    wall = time.perf_counter() - began
    now = sum(resource.getrusage(who).ru_utime + resource.getrusage(who).ru_stime for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(json.dumps([wall, now - used]))


def remove(*paths):
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()


def size(folder):
    return sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())


def prepare(scenario, arguments, folder):
    """Writes the source and returns a function that runs zmigrate once and returns its cost."""
    (folder / "layers.json").write_text(json.dumps(scenario.times * arguments.mib // 4))
    # In a process of its own: the peak of a process begins with that of the one that starts it.
    subprocess.run([sys.executable, __file__, "make", scenario.name, folder], check=True)

    def ours():
        remove(folder / "target.zarr", folder / "target.zarr.zmigrate")
        if scenario.in_bucket:
            empty_bucket()
        command, _ = scenario.ours(folder)
        if scenario.ours_reports:
            return reported([arguments.read, *command])
        spent, _ = spend([arguments.zmigrate, *command])
        return spent

    return ours


LEVELS = ("avx512", "pext", "avx2", "plain")


def measure_levels(scenario, arguments, folder):
    ours = prepare(scenario, arguments, folder)
    times = {level: math.inf for level in LEVELS}
    for i in range(arguments.turns):
        first = i % len(LEVELS)  # a run takes less time if the one before has left it memory
        for level in LEVELS[first:] + LEVELS[:first]:
            os.environ["ZMIGRATE_CPU"] = level
            times[level] = min(times[level], ours().processors)
    del os.environ["ZMIGRATE_CPU"]
    best = times[LEVELS[0]]
    print(f"| {scenario.name} | " + " | ".join(f"{times[level]:.2f}" for level in LEVELS) + " | " + " | ".join(f"**{times[level] / best:.2f}**" for level in LEVELS[1:]) + " |", flush=True)


def measure(scenario, arguments, folder):
    ours = prepare(scenario, arguments, folder)
    ways = {"zmigrate": ours}
    for name in scenario.peers:
        def run(name=name):
            remove(folder / f"{name}.zarr")
            return reported([sys.executable, __file__, "peer", scenario.name, name, folder, folder / f"{name}.zarr"])

        ways[name] = run
    if scenario.zarrs and arguments.zarrs:
        def zarrs():
            remove(folder / "zarrs.zarr")
            return spend([pathlib.Path(arguments.zarrs) / "zarrs_reencode", *scenario.zarrs, folder / "source.zarr", folder / "zarrs.zarr"])[0]

        ways["zarrs"] = zarrs
    best = {}
    for _ in range(arguments.turns):
        for name, run in ways.items():
            now = run()
            was = best.get(name, Spent(math.inf, math.inf, 0))
            best[name] = Spent(min(now.wall, was.wall), min(now.processors, was.processors), max(now.peak, was.peak))
    _, target = scenario.ours(folder)
    if target is not None:
        for name in ways:
            if name != "zmigrate" and (scenario.in_bucket or (folder / f"{name}.zarr").exists()):
                subprocess.run([sys.executable, __file__, "same", scenario.name, target, folder / f"{name}.zarr"], check=True)
    own = best.pop("zmigrate")
    fastest = min(best, key=lambda name: best[name].wall)
    other = best[fastest]
    bytes_ratio = f"{size(target) / size(folder / (fastest + '.zarr')):.3f}" if target is not None and target.exists() and (folder / f"{fastest}.zarr").exists() else ""
    print(
        f"| {scenario.name} | {own.wall:.2f} | {fastest} | {other.wall:.2f} | **{other.wall / own.wall:.2f}** | {scenario.goal} "
        f"| {other.processors / own.processors:.2f} | {own.peak:.0f} | {other.peak:.0f} | {bytes_ratio} |", flush=True,
    )
    for name in best:
        if name != fastest:
            print(f"  {scenario.name}: {name} {best[name].wall:.2f} s, ratio {best[name].wall / own.wall:.2f}", file=sys.stderr, flush=True)


def main():
    if sys.argv[1:2] == ["peer"]:
        name, function, folder, target = sys.argv[2:]
        peer(name, function, pathlib.Path(folder), pathlib.Path(target))
        return
    if sys.argv[1:2] == ["make"]:
        next(s for s in SCENARIOS if s.name == sys.argv[2]).make(pathlib.Path(sys.argv[3]))
        return
    if sys.argv[1:2] == ["same"]:
        next(s for s in SCENARIOS if s.name == sys.argv[2]).same(pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4]))
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--levels", action="store_true")
    parser.add_argument("zmigrate")
    parser.add_argument("read")
    parser.add_argument("s3server")
    parser.add_argument("zarrs")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    os.environ["SPEED_ZMIGRATE"] = arguments.zmigrate
    os.environ |= {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
    server = subprocess.Popen([arguments.s3server, "-latency", "20ms", "-unhashed"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    os.environ["SPEED_S3"] = server.stdout.readline().strip()
    if arguments.levels:
        columns = ["migration", *LEVELS, *(f"{level} / {LEVELS[0]}" for level in LEVELS[1:])]
        print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|", flush=True)
    else:
        print("| migration | s | fastest peer | s | ratio | goal | ratio of processor time | peak MiB | peer's | bytes |\n|---|---|---|---|---|---|---|---|---|---|", flush=True)
    place = "/dev/shm" if os.path.isdir("/dev/shm") else None
    for scenario in SCENARIOS:
        if arguments.names and not any(name in scenario.name for name in arguments.names):
            continue
        with tempfile.TemporaryDirectory(dir=place) as folder:
            (measure_levels if arguments.levels else measure)(scenario, arguments, pathlib.Path(folder))
    server.stdin.close()
    server.wait()


if __name__ == "__main__":
    main()
