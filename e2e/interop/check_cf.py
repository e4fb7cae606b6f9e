"""Opens NetCDF files and their migrated copies with xarray, which decodes CF attributes,
and compares what a scientist sees.

    check_cf.py FILE TARGET [FILE TARGET…]

Values, missing values, coordinates, times, units and encodings of masks must be equal.
Prints a line for each file and one for each difference. Exits with 1 if there is a
difference.
"""

import pathlib
import sys

import xarray


def decodes_times(file):
    """Whether xarray understands the file's times: not those of a year 0."""
    try:
        xarray.open_dataset(file, engine="netcdf4").close()
    except ValueError:
        return False
    return True


def compare(file, target):
    """Yields what differs between the two datasets."""
    times = decodes_times(file)
    with (
        xarray.open_dataset(file, engine="netcdf4", decode_times=times) as want,
        xarray.open_zarr(target, chunks=None, decode_times=times) as got,
    ):
        for name in sorted(want.variables.keys() | got.variables.keys()):
            if name not in want.variables or name not in got.variables:
                yield f"{name}: only in the " + ("file" if name in want.variables else "target")
                continue
            a, b = want[name], got[name]
            if a.dtype.kind in "SO" and a.dtype != b.dtype:
                continue  # characters became uint8
            try:
                xarray.testing.assert_equal(a, b)
            except AssertionError as error:
                yield f"{name}: {error}"
            if a.dtype != b.dtype:
                yield f"{name}: data type {b.dtype}, want {a.dtype}"
            if a.attrs.get("units") != b.attrs.get("units"):
                yield f"{name}: units {b.attrs.get('units')!r}, want {a.attrs.get('units')!r}"
        if want.coords.keys() != got.coords.keys():
            yield f"coordinates {sorted(got.coords)}, want {sorted(want.coords)}"
        decoded = "" if times else " (but for times, which xarray cannot decode)"
        print(f"{pathlib.Path(file).name}: {len(want.variables)} variables with CF decoding{decoded}")


def main(arguments):
    differences = []
    for file, target in zip(arguments[::2], arguments[1::2], strict=True):
        differences += [f"{pathlib.Path(file).name}: {d}" for d in compare(file, target)]
    for difference in differences:
        print("DIFFERENT", difference)
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
