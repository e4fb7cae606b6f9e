"""Writes NetCDF classic files, and the values that a migrated copy must have.

    netcdf_sources.py DIR SEED [FILE…]

writes random files NAME.nc of all three classic formats into DIR. For each of them, and
for each FILE, it writes NAME.json for check.py, and NAME.values/ with the values that
libnetcdf reads (without masking and scaling). The records of whole.nc are also in twelve
files parts/, which join.json migrates to DIR/joined.zarr.
"""

import base64
import json
import pathlib
import sys

import netCDF4
import numpy as np

FORMATS = {
    "classic": ("NETCDF3_CLASSIC", ["i1", "S1", "i2", "i4", "f4", "f8"]),
    "offset64": ("NETCDF3_64BIT_OFFSET", ["i1", "S1", "i2", "i4", "f4", "f8"]),
    "data64": ("NETCDF3_64BIT_DATA", ["i1", "S1", "i2", "i4", "f4", "f8", "u1", "u2", "u4", "i8", "u8"]),
}

TEXT = ["", "K", "m s-1", "Grüße, 世界", 'a "quoted" \\ one\nand a line', "<&>"]


def values(random, t, shape):
    """Any bit patterns of a type, text for characters."""
    count = int(np.prod(shape))
    if t == "S1":
        return random.integers(32, 127, count, np.uint8).view("S1").reshape(shape)
    data = random.integers(0, 256, count * np.dtype(t).itemsize, np.uint8).view(t).reshape(shape)
    if data.dtype.kind == "f" and count:
        data.flat[random.integers(count)] = random.choice([np.inf, -np.inf, -0.0, np.nan])
    return data


def attribute(random, t):
    if t == "S1":
        return str(random.choice(TEXT))
    many = values(random, t, (int(random.integers(1, 4)),))
    return many[0] if len(many) == 1 else many


def write_random(file, random, format_name, types, records, record_variables):
    """A file with fixed variables of every type and shape, and record variables
    of as many types as record_variables says."""
    with netCDF4.Dataset(file, "w", format=format_name) as out:
        out.set_auto_maskandscale(False)
        out.createDimension("record", None)
        sizes = {name: int(random.integers(1, 8)) for name in ("x", "y", "z", "odd-name.é")}
        for name, size in sizes.items():
            out.createDimension(name, size)
        for i, t in enumerate(types):
            out.setncattr(f"global_{t}_{i}", attribute(random, t))

        def variable(name, t, dimensions):
            fill = None
            if random.random() < 0.5:
                fill = values(random, t, (1,))[0]
            v = out.createVariable(name, t, dimensions, fill_value=fill)
            v.set_auto_maskandscale(False)
            v.set_auto_chartostring(False)
            for k in range(int(random.integers(0, 4))):
                v.setncattr(f"attribute {k}", attribute(random, str(random.choice(types))))
            return v

        shapes = [(), ("x",), ("y", "x"), ("z", "y", "x"), ("odd-name.é", "z", "x", "y")]
        written = []
        for i, t in enumerate(types):
            written.append(variable(f"fixed_{t}", t, shapes[i % len(shapes)]))
        for i in range(record_variables):
            t = types[i % len(types)]
            written.append(variable(f"record_{t}_{i}", t, ("record", *shapes[(i + 1) % len(shapes)])))
        for v in written:
            shape = [records if d == "record" else sizes[d] for d in v.dimensions]
            if 0 not in shape:
                v[...] = values(random, v.dtype.str.lstrip("<>|="), shape)


def write_lone_record(file, random, format_name, t, records):
    """A file with a single record variable. Its slabs have no padding, whatever their size."""
    with netCDF4.Dataset(file, "w", format=format_name) as out:
        out.createDimension("record", None)
        out.createDimension("x", 3)
        v = out.createVariable("alone", t, ("record", "x"))
        v.set_auto_maskandscale(False)
        v.set_auto_chartostring(False)
        if records:
            v[...] = values(random, t, (records, 3))


def write_cf(file, random):
    """Variables with CF attributes: packed values, missing values, times,
    coordinates."""
    with netCDF4.Dataset(file, "w", format="NETCDF3_CLASSIC") as out:
        out.set_auto_maskandscale(False)
        out.Conventions = "CF-1.8"
        out.createDimension("time", None)
        out.createDimension("lat", 5)
        time = out.createVariable("time", "f8", ("time",))
        time.units, time.calendar = "hours since 1950-01-01 00:00:00", "standard"
        time[:] = np.arange(7) * 6.0
        lat = out.createVariable("lat", "f4", ("lat",))
        lat.units = "degrees_north"
        lat[:] = np.linspace(-60, 60, 5)
        packed = out.createVariable("packed", "i2", ("time", "lat"), fill_value=-32767)
        packed.scale_factor, packed.add_offset, packed.units = 0.01, 273.15, "K"
        packed[:] = random.integers(-3000, 3000, (7, 5))
        packed[2, 3] = -32767
        masked = out.createVariable("masked", "f4", ("time", "lat"), fill_value=np.float32(-1e34))
        masked.missing_value = np.float32(-1e34)
        masked.coordinates = "height"
        masked[:] = random.normal(size=(7, 5))
        masked[0, :] = -1e34
        masked[1, 1] = np.nan
        missing = out.createVariable("missing", "f8", ("time", "lat"))
        missing.missing_value = -999.9
        missing[:] = random.normal(size=(7, 5))
        missing[3, 3] = -999.9
        height = out.createVariable("height", "f8", ())
        height[...] = 2.0


def write_parts(whole, folder, random):
    """The same records in one file and, one to three each, in twelve files."""
    counts = random.integers(1, 4, 12)
    records = {
        "time": np.arange(counts.sum(), dtype="f8"),
        "level": values(random, "i2", (counts.sum(), 3)),
        "field": values(random, "f4", (counts.sum(), 3, 5)),
    }
    x = values(random, "f4", (5,))

    def write(file, first, last):
        with netCDF4.Dataset(file, "w", format="NETCDF3_64BIT_OFFSET") as out:
            for name, size in (("time", None), ("y", 3), ("x", 5)):
                out.createDimension(name, size)
            out.createVariable("x", "f4", ("x",))[:] = x
            for name, data in records.items():
                v = out.createVariable(name, data.dtype, ("time", "y", "x")[: data.ndim])
                v.units = "1"
                v.set_auto_maskandscale(False)
                v[:] = data[first:last]

    write(whole, 0, counts.sum())
    (folder / "parts").mkdir()
    ends = np.cumsum(counts)
    for i, (first, last) in enumerate(zip(ends - counts, ends)):
        write(folder / "parts" / f"part-{i}.nc", first, last)  # 10 comes after 9
    job = {
        "zmigrate": 1,
        "source": {"driver": "netcdf", "url": "parts/part-*.nc", "concat": "time"},
        "target": {"url": "joined.zarr"},
        "arrays": {"field": {"chunks": [4, 2, 5]}},
    }
    (folder / "join.json").write_text(json.dumps(job))


def json_number(value):
    """A number of an attribute as JSON. A float32 becomes the equal float64."""
    if value.dtype.kind != "f":
        return int(value)
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return float(value)


def json_attribute(value):
    if isinstance(value, str):
        return value
    if np.ndim(value) == 0:
        return json_number(np.asarray(value)[()])
    return [json_number(v) for v in value]


def json_fill(value, t):
    """The attribute _FillValue as xarray writes it to Zarr: base64 of the
    little-endian float64 for floats, else an integer."""
    if t.kind == "f":
        # A NaN loses its payload on the way to float64.
        wide = np.float64(value) if t.itemsize == 8 or not np.isnan(value) else np.float64("nan")
        return base64.standard_b64encode(np.array(wide, "<f8").tobytes()).decode()
    return int(value)


def describe(file, folder):
    """Writes NAME.json and NAME.values/ for a file."""
    name = pathlib.Path(file).stem
    folder_of_values = folder / f"{name}.values"
    folder_of_values.mkdir()
    arrays = {}
    with netCDF4.Dataset(file) as source:
        source.set_auto_mask(False)
        source.set_auto_scale(False)
        source.set_auto_chartostring(False)
        label = f"{source.data_model} {name}"
        for path, v in source.variables.items():
            data = np.asarray(v[...])
            attributes = {a: v.getncattr(a) for a in v.ncattrs()}
            fill = attributes.pop("_FillValue", None)
            if data.dtype.kind == "S":
                data = data.view(np.uint8)
                fill = None if fill is None else np.uint8(ord(fill))
            attributes = {a: json_attribute(value) for a, value in attributes.items()}
            t = data.dtype.newbyteorder("=")
            want = {
                "label": label, "type": t.name, "shape": list(v.shape), "dimensions": list(v.dimensions),
                "attributes": attributes, "bytes": f"{name}.values/{len(arrays)}",
                "fill": bytes(t.itemsize).hex(),
            }
            if fill is not None:
                attributes["_FillValue"] = json_fill(fill, t)
                want["fill"] = np.array(fill, t.newbyteorder("<")).tobytes().hex()
            (folder / want["bytes"]).write_bytes(np.ascontiguousarray(data).astype(t.newbyteorder("<"), copy=False).tobytes())
            arrays[path] = want
        expected = {"arrays": arrays, "attributes": {a: json_attribute(source.getncattr(a)) for a in source.ncattrs()}}
    (folder / f"{name}.json").write_text(json.dumps(expected, indent=1))


def main(folder, seed, *files):
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    random = np.random.default_rng(seed)
    made = []

    def new(name):
        made.append(folder / f"{name}.nc")
        return made[-1]

    for short, (format_name, types) in FORMATS.items():
        for records, record_variables in ((3, 2 * len(types)), (5, 2), (1, 1), (0, 3), (0, 0)):
            name = f"{short}_{records}records_{record_variables}variables"
            write_random(new(name), random, format_name, types, records, record_variables)
        for t in types:
            write_lone_record(new(f"{short}_lone_{t}"), random, format_name, t, 5)
    write_cf(new("cf"), random)
    write_parts(new("whole"), folder, random)
    for file in [*made, *files]:
        describe(file, folder)
    print(f"{len(made)} files made, {len(files)} given")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
