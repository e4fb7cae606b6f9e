"""Writes a series of days as one NetCDF file and as two, and lets other programs write
the first part as Zarr hierarchies.

    append_sources.py FOLDER

first.nc and rest.nc are the parts of whole.nc, along the record dimension time.
xarray.zarr and python.zarr have the content of first.nc. python.zarr has shards and
chunk keys of the encoding v2, and no consolidated metadata.
"""

import pathlib
import sys

import netCDF4
import numpy
import xarray
import zarr


def write_file(file, days):
    """Writes some days of the series."""
    with netCDF4.Dataset(file, "w") as d:
        for name, size in [("time", None), ("lat", 4), ("lon", 6)]:
            d.createDimension(name, size)
        time = d.createVariable("time", "i8", ("time",))
        time.units, time.calendar = "days since 2000-01-01", "standard"
        time[:] = days
        for name, values in [("lat", [-60, -20, 20, 60]), ("lon", range(0, 360, 60))]:
            d.createVariable(name, "f4", (name,))[:] = list(values)
        tas = d.createVariable("tas", "f8", ("time", "lat", "lon"), fill_value=-1e30)
        tas.units, tas.coordinates = "K", "height"
        values = numpy.arange(24).reshape(4, 6) + 1000.0 * numpy.asarray(days)[:, None, None]
        tas[:] = numpy.ma.masked_equal(values, 3003)
        d.createVariable("height", "f8", ())[...] = 2.0
        counts = d.createVariable("counts", "i2", ("lat", "time"))
        counts[:] = values[:, :, 0].T % 30000


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    first, rest = list(range(5)), list(range(5, 13))
    write_file(folder / "first.nc", first)
    write_file(folder / "rest.nc", rest)
    write_file(folder / "whole.nc", first + rest)
    with xarray.open_dataset(folder / "first.nc") as d:
        d.to_zarr(folder / "xarray.zarr", zarr_format=3, consolidated=True)
    with xarray.open_dataset(folder / "first.nc", mask_and_scale=False, decode_times=False, decode_coords=False) as d:
        group = zarr.create_group(folder / "python.zarr", zarr_format=3)
        for name, v in d.variables.items():
            attributes = {k: a.item() if hasattr(a, "item") else a for k, a in v.attrs.items()}
            fill = attributes.pop("_FillValue", None)
            if fill is not None:
                attributes["_FillValue"] = xarray.backends.zarr.FillValueCoder.encode(fill, v.dtype)
            a = group.create_array(
                name, data=v.to_numpy(), dimension_names=v.dims, attributes=attributes, fill_value=fill,
                chunks=tuple(min(2, n) for n in v.shape), shards=tuple(4 for n in v.shape) or None,
                chunk_key_encoding={"name": "v2", "separator": "."},
            )
            assert a.metadata.chunk_key_encoding.name == "v2"
    print(f"{len(first)} and {len(rest)} days")


if __name__ == "__main__":
    main(sys.argv[1])
