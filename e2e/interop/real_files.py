"""Migrates files of other projects, and compares what zarr-python reads from the targets with
what h5py, netCDF4-python, pyarrow, zarr-python or tensorstore read from the sources, bit for bit.

    real_files.py ZMIGRATE FILE_OR_FOLDER…

A FILE is HDF5, NetCDF, Parquet, Feather or Arrow IPC, and a FOLDER a hierarchy of Zarr or N5.
@LIST stands for the files that a text file lists, one a line. Prints a line for each:

    equal     how many arrays are equal
    part      the same, and how many the target or the peer does not have
    refused   with what zmigrate says, and whether the peer opens the file
    unread    the peer cannot open it, but zmigrate can
    DIFFERENT the first differences
    PANIC     zmigrate ended in another way than with an error

At the end it prints how many files there were of each kind, and how often each reason was given
for what was left out or refused. Exits with 1 if there is a DIFFERENT or a PANIC. The files are
not part of the project: their place is wherever somebody has them. Those of HDF5, netcdf-c, jhdf,
n5 and parquet-testing are a good beginning.
"""

import collections
import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

os.environ["HDF5_EXTFILE_PREFIX"] = "${ORIGIN}"  # elements in other files are beside the file

import h5py
import hdf5plugin  # registers the filters
import netCDF4
import numpy as np
import tensorstore
import zarr

import real_tables
from check_hdf5 import elements, with_netcdf

LARGEST = 20_000_000  # elements of an array that is compared
LONGEST = 300  # seconds for a source


def packed(t):
    """The type without padding, little-endian."""
    if t.subdtype:
        return np.dtype((packed(t.subdtype[0]), t.subdtype[1]))
    if t.names:
        return np.dtype([(n, packed(t[n])) for n in t.names])
    return t.newbyteorder("<")


def bits(a):
    """Elements such that equal ones have the same bits. Array members of compounds, and
    compounds of one member each in place of them, have equal bits."""
    if a.dtype.names and not a.dtype.hasobject:
        return np.ascontiguousarray(a.astype(packed(a.dtype))).tobytes()
    if a.dtype.kind in "SU" and a.ndim == 0:
        return elements(a.astype(object).reshape(1))
    return elements(a)


def with_h5py(file):
    """Yields the path of each dataset and a function that reads it."""

    def walk(group, above):
        here = h5py.h5o.get_info(group.id).addr
        for name in [] if here in above else list(group):
            try:
                node = group[name]
            except (KeyError, OSError):
                continue  # a link that leads nowhere
            if isinstance(node, h5py.Dataset):
                empty = node.shape is None
                yield name, lambda d=node, e=empty: np.zeros(0, d.dtype) if e else np.asarray(d[()])
            elif isinstance(node, h5py.Group):
                for path, read in walk(node, above | {here}):
                    yield f"{name}/{path}", read

    with h5py.File(file) as f:
        yield from walk(f, frozenset())


def in_folder(root):
    """Yields the path of each array of a hierarchy and a function that reads it."""
    for at, _, files in os.walk(root):
        path, read = pathlib.Path(at), None
        if ".zarray" in files:
            read = lambda p=path: np.asarray(zarr.open_array(p, mode="r", zarr_format=2)[...])
        elif "zarr.json" in files and json.loads((path / "zarr.json").read_text())["node_type"] == "array":
            read = lambda p=path: np.asarray(zarr.open_array(p, mode="r", zarr_format=3)[...])
        elif "attributes.json" in files and "dimensions" in json.loads((path / "attributes.json").read_text()):
            store = {"driver": "n5", "kvstore": {"driver": "file", "path": f"{path}/"}}
            # N5 lists the fastest dimension first.
            read = lambda s=store: tensorstore.open(s, read=True).result().read().result().T
        if read:
            yield str(path.relative_to(root)), read


def arrays(source):
    """What the peer for a source yields."""
    if source.is_dir():
        yield from in_folder(source)
    elif source.read_bytes()[:3] == b"CDF":
        for path, read, _, _ in with_netcdf(source):
            yield path, read
    else:
        yield from with_h5py(source)


def as_netcdf(source, path):
    """The elements of a variable as libnetcdf reads them, None if it does not: along an unlimited
    dimension, it fills up what is stored, and so does zmigrate."""
    try:
        with netCDF4.Dataset(source) as f:
            v = f[path]
            v.set_auto_maskandscale(False)
            v.set_auto_chartostring(False)
            return np.asarray(v[...])
    except Exception:  # whatever libnetcdf raises
        return None


def same(got, want):
    if want is not None and want.dtype.kind == "S" and got.dtype == np.uint8:
        want = want.view("u1").reshape(want.shape)  # characters
    if want is not None and want.dtype.kind == "S" and got.dtype == np.dtype(f"V{want.dtype.itemsize}"):
        got = got.view(want.dtype)  # h5py takes opaque elements of some tags for texts
    return want is not None and got.shape == want.shape and bits(got) == bits(want)


def compare(source, target):
    """Compares all arrays: the number of equal ones, of those that one side does not have, and
    the differences."""
    equal, left, wrong = 0, 0, []
    for path, read in arrays(source):
        try:
            array = zarr.open_array(target / path, mode="r", zarr_format=3)
            want = read() if array.size <= LARGEST else None
        except Exception:  # the target has several arrays in its place, or the peer cannot read it
            want = None
        if want is None or want.dtype.kind == "O" and any(isinstance(v, (h5py.Reference, h5py.RegionReference, np.ndarray)) for v in want.flat):
            left += 1
            continue
        got = np.asarray(array[...])
        if same(got, want) or source.is_file() and same(got, as_netcdf(source, path)):
            equal += 1
        else:
            wrong.append(f"{path}: {got.dtype} {got.shape} {got.ravel()[:3]!r}, want {want.dtype} {want.shape} {want.ravel()[:3]!r}")
    return equal, left, wrong


def opens(source):
    """Whether the peer finds an array in a source."""
    try:
        return next(arrays(source), None) is not None
    except Exception:
        return False


def migrate(program, *arguments):
    """Runs zmigrate copy or run: how it ended, and what it said. None: without an error."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, errors="replace")
    said = (done.stdout + done.stderr).strip()
    if done.returncode not in (0, 1, 2) or "internal error" in said:
        return "PANIC", said[-2000:]
    return "refused" if done.returncode else None, said


def try_arrays(program, source, folder):
    """Migrates and compares a file or hierarchy of arrays: the word for the line, what follows
    it, and the reasons."""
    target = folder / "out.zarr"
    word, said = migrate(program, "copy", "--progress=none", "--unsupported=skip", source, target)
    if word:
        return word, f"with{'' if opens(source) else 'out'} arrays: {said.splitlines()[-1]}", said.splitlines()[-1:]
    try:
        equal, left, wrong = compare(source, target)
    except Exception as error:  # whatever the peer raises, it cannot open the file
        return "unread", f"the peer says: {error}", []
    return verdict(equal, left, wrong), f"{equal} and {left} left {wrong[:3] or ''}", []


def try_table(program, source, folder):
    """The same for a table."""
    target, unread, want = folder / "out.zarr", None, {}
    (folder / "source").symlink_to(source.resolve())
    try:
        want = real_tables.expected(source)
    except Exception as error:  # whatever pyarrow raises, it cannot open the file
        unread = f"the peer says: {type(error).__name__}: {error}"
    for unsure in (False, True):
        job, problems = real_tables.job(program, folder / "source", target, want, unsure)
        (folder / "job.yaml").write_text(json.dumps(job))
        word, said = migrate(program, "run", "--progress=none", folder / "job.yaml")
        if " null: give the array" not in said:
            break
    if word:
        peer = unread or f"pyarrow reads {sum(c.kind is not None for c in want.values())} of {len(want)} arrays"
        errors = [line for line in said.splitlines() if " warning: " not in line] or [said]
        return word, f"{errors[0]} ({peer})", [f"{'both' if unread else 'zmigrate'}: {line}" for line in errors]
    if unread:
        return "unread", unread, [unread]
    equal, left, wrong = real_tables.compare(want, problems, target)
    return verdict(equal, len(left), wrong), f"{equal} and {len(left)} left {wrong[:3] or ''}", left


def verdict(equal, left, wrong):
    return "DIFFERENT" if wrong else "part" if left else "equal"


def one(program, source, pipe):
    """Tries a source, in a process of its own: damaged files can end the peer."""
    with tempfile.TemporaryDirectory() as folder:
        table = source.is_file() and real_tables.is_table(source)
        pipe.send((try_table if table else try_arrays)(program, source, pathlib.Path(folder)))


def tried(program, source):
    """What one has to say, or that the peer has crashed or hung."""
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)
    process = fork.Process(target=one, args=(program, source, theirs))
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(LONGEST) else ("unread", f"not done after {LONGEST} s", [])
    except EOFError:
        return "unread", "the peer ended, or this script did", []
    finally:
        process.kill()
        process.join()


def general(reason, source):
    """A reason without what is peculiar to a file, such that the same reasons are equal."""
    reason = re.sub(r"(zmigrate: |array .*?: )?(\S*/source|\S+/job.yaml:\S+)(?=\W) ?", "", reason.replace(str(source), "/source"))
    return re.sub(r"-?\d+", "N", re.sub(r'"[^"]*"', '"…"', reason))[:200]


def main(program, *sources):
    warnings.simplefilter("ignore")
    assert hdf5plugin.FILTERS and netCDF4
    words, reasons = collections.Counter(), collections.defaultdict(collections.Counter)
    listed = [line for s in sources for line in (pathlib.Path(s[1:]).read_text().splitlines() if s.startswith("@") else [s])]
    for source in map(pathlib.Path, listed):
        word, text, why = tried(program, source)
        print(word, source, text, flush=True)
        words[word] += 1
        reasons[word].update({general(reason, source) for reason in why})
    print(f"\n{len(listed)} files: " + ", ".join(f"{n} {word}" for word, n in words.most_common()))
    for word, of_word in reasons.items():
        for reason, n in of_word.most_common():
            print(f"{n:6} {word}: {reason}")
    return bool(words["DIFFERENT"] + words["PANIC"])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
