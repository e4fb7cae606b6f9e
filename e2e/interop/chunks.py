"""Reads maps and time series from one field in chunks of several shapes.

usage: chunks.py ZMIGRATE

Prints the table of docs/chunks.md. The field is the sea surface temperature of COADS, twelve
months on a grid of 90 x 180, repeated for 160 years with noise of 0.1 degrees.
"""

import math
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import netCDF4
import numpy as np
import xarray as xr
import zarr
from zarr.storage import LocalStore, WrapperStore

YEARS = 160
SECONDS = 0.5  # of each measurement


class Counted(WrapperStore):
    """Counts what is read of chunks: requests and bytes."""

    requests = read = 0

    async def get_ranges(self, key, byte_ranges, *, prototype, **options):
        async for group in super().get_ranges(key, byte_ranges, prototype=prototype, **options):
            self.requests += 1  # neighbouring ranges come by one request
            self.read += sum(len(value) for _, value in group)
            yield group

    async def get(self, key, prototype, byte_range=None):
        value = await super().get(key, prototype, byte_range)
        if value is not None and not key.endswith("zarr.json"):
            self.requests += 1
            self.read += len(value)
        return value


def least(run):
    """Returns the least processor time of run, in milliseconds."""
    best, end = math.inf, time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        began = time.process_time()
        run()
        best = min(best, time.process_time() - began)
    return 1000 * best


def make(path, coads):
    with netCDF4.Dataset(coads) as source, netCDF4.Dataset(path, "w") as d:
        sst = np.tile(source["SST"][:].filled(np.nan), (YEARS, 1, 1))
        sst += np.random.default_rng(1).normal(0, 0.1, sst.shape).astype("f4")
        d.createDimension("time", None)
        d.createDimension("lat", 90)
        d.createDimension("lon", 180)
        t = d.createVariable("time", "f8", ("time",))
        t.units = "days since 1850-01-01"
        t[:] = np.arange(len(sst)) * 30.4375
        d.createVariable("sst", "f4", ("time", "lat", "lon"), chunksizes=(1, 90, 180), zlib=True)[:] = sst


def row(name, path):
    store = Counted(LocalStore(path, read_only=True))
    sst = xr.open_zarr(store, chunks=None)["sst"]
    cells = [name, " × ".join(map(str, zarr.open_group(path, mode="r")["sst"].chunks))]
    stored = [f for f in (pathlib.Path(path) / "sst").rglob("*") if f.is_file() and f.name != "zarr.json"]
    cells += [f"{len(stored):,}", f"{sum(f.stat().st_size for f in stored) / len(stored) / 1024:,.0f} KiB"]
    for part in ({"time": 900}, {"lat": 40, "lon": 90}):
        def read(part=part):
            return sst.isel(part).values

        store.requests = store.read = 0
        read()
        cells += [f"{store.requests:,}", f"{store.read / 2**20:.2f} MiB", f"{least(read):.1f} ms"]
    print("| " + " | ".join(cells) + " |", flush=True)


def main(zmigrate):
    warnings.simplefilter("ignore")
    print("| chunks by | chunk | objects | average | map: requests | bytes | processor | series: requests | bytes | processor |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    coads = pathlib.Path(__file__).parents[2] / "examples/data/coads_climatology.cdf"
    with tempfile.TemporaryDirectory() as folder:
        source = f"{folder}/sst.nc"
        make(source, coads)
        for number, (name, flags) in enumerate({
            "`chunks: keep`; GDAL's default": ["--chunks", "keep"],
            "dask's `auto`": ["--chunks", "1920,90,180"],
            "`auto` (default)": [],
            "`access: map`": ["--access", "map"],
            "`access: both`": ["--access", "both"],
            "`access: time-series`": ["--access", "time-series"],
            "the same, `shards: {time: 1920, lat: 90, lon: 180}`": ["--access", "time-series", "--shards", "time=1920,lat=90,lon=180"],
        }.items()):
            target = f"{folder}/{number}.zarr"
            subprocess.run([zmigrate, "copy", "--progress", "none", "--log-level", "error", *flags, source, target], check=True, stdout=subprocess.DEVNULL)
            row(name, target)
        data = xr.open_dataset(source, chunks=None)
        data.to_zarr(f"{folder}/xarray.zarr", zarr_format=3)
        row("xarray's `to_zarr`", f"{folder}/xarray.zarr")


main(sys.argv[1])
