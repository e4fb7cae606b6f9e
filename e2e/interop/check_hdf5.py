"""Compares what zarr-python reads from migrated hierarchies with what h5py reads from
their sources. For files with other endings, netCDF4-python takes the place of h5py.

    check_hdf5.py EXCLUDED FILE TARGET [FILE TARGET…]

EXCLUDED is a list of patterns, separated by commas, of paths that no target has.
Prints how many arrays of each file are equal, and one line for each difference. Exits
with 1 if there is a difference.
"""

import fnmatch
import os
import pathlib
import sys
import warnings

os.environ["HDF5_EXTFILE_PREFIX"] = "${ORIGIN}"  # elements in other files are beside the file

import h5py
import hdf5plugin  # registers the filters
import netCDF4
import numpy as np
import zarr

from check import compare_attributes


def scalar(v):
    """A number or a text as JSON has it."""
    if isinstance(v, bytes):
        return v.decode()
    if isinstance(v, float) and not np.isfinite(v):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(v)]
    return v


def nested(v):
    return [nested(x) for x in v] if isinstance(v, list) else scalar(v)


def attribute(v, single):
    """The value of an attribute as JSON has it. If single is true, a single element is
    not a list."""
    if isinstance(v, h5py.Empty):
        return []
    a = np.asarray(v, object if isinstance(v, (str, list)) else None)
    if a.dtype.kind == "b":
        a = a.astype("i1")
    if a.ndim > 1:
        return nested(a.tolist())
    flat = [scalar(x) for x in a.tolist()] if a.ndim else [scalar(a.item())]
    return flat[0] if len(flat) == 1 and (single or a.ndim == 0) else flat


def with_h5py(file):
    """Yields the path, the values and the attributes of each dataset, and None for
    the names of its dimensions, because plain HDF5 has none."""
    found = []
    with h5py.File(file) as f:
        f.visititems_links(lambda path, _: found.append(path))
        for path in found:
            try:
                dataset = f[path]
            except (KeyError, OSError):
                continue  # a link that leads nowhere
            if not isinstance(dataset, h5py.Dataset):
                continue
            values = np.zeros(0, dataset.dtype) if dataset.shape is None else (lambda d=dataset: np.asarray(d[()]))
            yield path, values, None, {k: attribute(v, True) for k, v in dataset.attrs.items()}


def with_netcdf(file):
    """What with_h5py yields, by libnetcdf, with the names of dimensions."""

    def walk(group, path):
        for name, v in group.variables.items():
            v.set_auto_maskandscale(False)
            v.set_auto_chartostring(False)
            attributes = {k: attribute(v.getncattr(k), True) for k in v.ncattrs() if k != "_FillValue"}
            yield path + name, lambda v=v: np.asarray(v[...]), list(v.dimensions), attributes
        for name, child in group.groups.items():
            yield from walk(child, f"{path}{name}/")

    with netCDF4.Dataset(file) as f:
        yield from walk(f, "")


def elements(a):
    """Elements such that equal ones have the same bits, as a list or as bytes."""
    if a.dtype.names:
        return [elements(a[name]) for name in a.dtype.names]
    if a.dtype.kind in "OT":
        return [scalar(x) for x in a.ravel().tolist()]
    if a.dtype.kind == "S":
        return a.ravel().tolist()
    return np.ascontiguousarray(a, a.dtype.newbyteorder("<")).tobytes()


def compare(path, values, dimensions, attributes, target):
    """Yields the differences of an array."""
    array = zarr.open_array(target / path, mode="r", zarr_format=3)
    want, got = values() if callable(values) else values, np.asarray(array[...])
    if want.dtype.kind == "S" and got.dtype == np.uint8:
        want = want.view("u1").reshape(want.shape)  # characters
    if want.shape != got.shape:
        yield f"shape is {got.shape}, want {want.shape}"
    elif elements(want) != elements(got):
        yield f"the elements are {got!r}, want {want!r}"
    if dimensions is not None and list(array.metadata.dimension_names or []) != dimensions:
        yield f"dimension names are {array.metadata.dimension_names}, want {dimensions}"
    if "_FillValue" in attributes and array.fill_value != attributes["_FillValue"]:
        yield f"the fill value is {array.fill_value}, want {attributes['_FillValue']}"
    wanted, found = ({k: v for k, v in a.items() if k != "_FillValue"} for a in (attributes, array.attrs.asdict()))
    yield from compare_attributes(wanted, found)


def check(excluded, file, target):
    """Yields the differences of the copy of a file."""
    equal = 0
    read = with_h5py if file.suffix == ".h5" else with_netcdf
    for path, values, dimensions, attributes in read(file):
        if path in ("types/references", "types/sequences"):
            continue  # other arrays take their place, see check_hdf5_types.py
        if any(fnmatch.fnmatchcase(path, pattern) for pattern in excluded):
            if (target / path / "zarr.json").exists():
                yield f"{path}: is there and should not be"
            continue
        try:
            wrong = list(compare(path, values, dimensions, attributes, target))
        except Exception as error:  # whatever a reader raises, it could not read the array
            wrong = [f"zarr-python cannot read it: {type(error).__name__}: {error}"]
        equal += not wrong
        yield from (f"{path}: {d}" for d in wrong)
    print(f"{file.name}: {equal} arrays equal in zarr-python")
    if not equal:
        yield "no array at all is equal"


def main(excluded, *pairs):
    warnings.simplefilter("ignore")
    assert hdf5plugin.FILTERS
    differences = [
        f"{pathlib.Path(target).name}: {d}"
        for file, target in zip(pairs[::2], pairs[1::2], strict=True)
        for d in check(excluded.split(","), pathlib.Path(file), pathlib.Path(target))
    ]
    for d in differences:
        print("DIFFERENT", d.replace("\n", " "))
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
