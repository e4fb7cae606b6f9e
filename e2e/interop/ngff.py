"""Images of OME-NGFF 0.4 in Zarr v2, and what zmigrate makes of them.

    ngff.py check SOURCE.zip TARGET

check validates the metadata of each group of TARGET with the official JSON schemas of
version 0.5, which the package ngff-zarr has, and opens each group with ome-zarr-models.
It compares dimension names with axes, and elements with those of SOURCE. If ome-zarr-py is
installed, it reads TARGET, too. check prints a line for each difference, and exits with 1
if there is one.
"""

import importlib.util
import json
import sys
import warnings
from pathlib import Path

import jsonschema
import numpy as np
import ome_zarr_models
import referencing
import zarr
from ome_zarr_models.v05.bioformats2raw import BioFormats2Raw

SCHEMAS = Path(sys.prefix, "ngff", "ngff_zarr", "spec", "0.5", "schemas")
SCHEMA_OF = {"multiscales": "image", "image-label": "label", "plate": "plate", "well": "well", "bioformats2raw.layout": "bf2raw", "series": "ome"}


def validators():
    schemas = {p.stem: json.loads(p.read_text()) for p in SCHEMAS.glob("*.schema")}
    resources = [(s["$id"], referencing.Resource.from_contents(s, default_specification=referencing.jsonschema.DRAFT202012)) for s in schemas.values()]
    registry = referencing.Registry().with_resources(resources)
    return {name: jsonschema.Draft202012Validator(schema, registry=registry) for name, schema in schemas.items()}


def groups(path, group):
    yield path, group
    for name, inner in sorted(group.groups()):
        yield from groups(f"{path}/{name}".strip("/"), inner)


def check(source, target):
    wrong, schemas = [], validators()
    validated = opened = compared = 0
    was = zarr.open_group(zarr.storage.ZipStore(source, mode="r"), mode="r", zarr_format=2)
    for path, group in groups("", zarr.open_group(target, mode="r", zarr_format=3)):
        attributes = group.attrs.asdict()
        old = was[path].attrs.asdict() if path else was.attrs.asdict()
        ome = attributes.get("ome")
        if not ome:
            if attributes != old:
                wrong.append(f"{path}: attributes {attributes}, want {old}")
            continue
        for member, schema in SCHEMA_OF.items():
            if member in ome:
                validated += 1
                wrong += [f"{path}: {schema}.schema: {e.json_path}: {e.message}" for e in schemas[schema].iter_errors(attributes)]
        try:
            if "bioformats2raw.layout" in ome:
                BioFormats2Raw.from_zarr(group)
            elif "series" not in ome:  # the models have none for a list of images
                ome_zarr_models.open_ome_zarr(group, version="0.5")
            opened += 1
        except Exception as e:  # whatever it cannot read
            wrong.append(f"{path}: ome-zarr-models: {e!r:.500}")
        for image in ome.get("multiscales", []):
            axes = [a["name"] for a in image.get("axes", [])]
            for dataset in image.get("datasets", []):
                array, before = group[dataset["path"]], was[f"{path}/{dataset['path']}".strip("/")]
                compared += 1
                if list(array.metadata.dimension_names or []) != axes:
                    wrong.append(f"{path}/{dataset['path']}: dimensions {array.metadata.dimension_names}, axes {axes}")
                if array.dtype != before.dtype or not np.array_equal(array[...], before[...]):
                    wrong.append(f"{path}/{dataset['path']}: other elements")
    if importlib.util.find_spec("ome_zarr"):  # the reader is not among the pinned peers
        wrong += read(target)
    print(f"{target}: {validated} documents validated, {opened} groups opened, {compared} arrays compared")
    if not (validated and opened and compared):
        wrong.append("nothing was compared")
    for line in wrong:
        print("DIFFERENT", line.replace("\n", " "))
    return 1 if wrong else 0


def read(target):
    """Reads a target, or the first of its series, with ome-zarr-py."""
    from ome_zarr.io import parse_url
    from ome_zarr.reader import Reader

    if Path(target, "OME").exists():
        target += "/0"
    try:
        nodes = list(Reader(parse_url(target, mode="r"))())
    except Exception as e:  # whatever it cannot read
        return [f"ome-zarr-py: {e!r:.500}"]
    return [] if any(len(n.data) > 0 and n.data[0].compute().size > 0 for n in nodes) else [f"ome-zarr-py reads no image of {target}"]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit({"check": check}[sys.argv[1]](*sys.argv[2:]))
