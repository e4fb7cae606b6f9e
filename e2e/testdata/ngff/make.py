"""Writes image.zarr.zip, plate.zarr.zip and series.zarr.zip: OME-NGFF 0.4 in Zarr v2, by ome-zarr-py."""

import shutil
import sys
import zipfile
from pathlib import Path

import numpy as np
import zarr
from ome_zarr.format import FormatV04
from ome_zarr.writer import write_multiscale, write_multiscale_labels, write_plate_metadata, write_well_metadata

FORMAT = FormatV04()
UNITS = {"t": "second", "z": "micrometer", "y": "micrometer", "x": "micrometer"}
TYPES = {"t": "time", "c": "channel"}
CHANNEL = {"active": True, "color": "0000FF", "label": "first", "window": {"start": 0, "end": 7, "min": 0, "max": 255}}


def scales(axes, levels):
    return [[{"type": "scale", "scale": [0.5 * 2**k if a in "yx" else 1.0 for a in axes]}] for k in range(levels)]


def pyramid(shape, dtype, levels):
    whole = (np.arange(np.prod(shape)) % 7).astype(dtype).reshape(shape)
    return [whole[..., :: 2**k, :: 2**k] for k in range(levels)]


def named(axes):
    return [{"name": a, "type": TYPES.get(a, "space")} | ({"unit": UNITS[a]} if a in UNITS else {}) for a in axes]


def image(group, axes, shape, labels):
    metadata = {"omero": {"channels": [CHANNEL] * shape[axes.index("c")]}} if "c" in axes else {}
    write_multiscale(pyramid(shape, "uint16", 2), group, fmt=FORMAT, axes=named(axes), coordinate_transformations=scales(axes, 2), metadata=metadata)
    if labels:
        flat = "".join(a for a in axes if a != "c")
        size = tuple(n for n, a in zip(shape, axes) if a != "c")
        colors = {"colors": [{"label-value": 1, "rgba": [255, 0, 0, 255]}], "properties": [{"label-value": 1, "class": "nucleus"}]}
        write_multiscale_labels(pyramid(size, "uint8", 2), group, name="cells", fmt=FORMAT, axes=named(flat), coordinate_transformations=scales(flat, 2), label_metadata=colors)


def pack(folder):
    with zipfile.ZipFile(f"{folder}.zip", "w", zipfile.ZIP_STORED) as z:
        for file in sorted(p for p in folder.rglob("*") if p.is_file()):
            z.writestr(zipfile.ZipInfo(str(file.relative_to(folder))), file.read_bytes())
    shutil.rmtree(folder)


out = Path(sys.argv[1])
root = zarr.open_group(out / "image.zarr", mode="w", zarr_format=2)
root.attrs["acquired"] = {"by": "nobody"}
image(root, "tczyx", (1, 2, 2, 8, 6), labels=True)
pack(out / "image.zarr")

plate = zarr.open_group(out / "plate.zarr", mode="w", zarr_format=2)
write_plate_metadata(plate, ["A"], ["1", "2"], ["A/1", "A/2"], fmt=FORMAT, name="two wells", acquisitions=[{"id": 1, "name": "first", "maximumfieldcount": 1}])
for well in ("A/1", "A/2"):
    group = plate.require_group(well)
    write_well_metadata(group, [{"path": "0", "acquisition": 1}], fmt=FORMAT)
    image(group.require_group("0"), "yx", (8, 6), labels=False)
pack(out / "plate.zarr")

# ome-zarr-py does not write the layout of bioformats2raw: its attributes are made by hand.
series = zarr.open_group(out / "series.zarr", mode="w", zarr_format=2)
series.attrs["bioformats2raw.layout"] = 3
series.require_group("OME").attrs["series"] = ["0", "1"]
for name in ("0", "1"):
    image(series.require_group(name), "yx", (8, 6), labels=False)
pack(out / "series.zarr")
