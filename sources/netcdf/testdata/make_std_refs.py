"""Writes a file with references of HDF5 1.12 and later, through the HDF5 of h5py.

    make_std_refs.py FILE

h5py has no functions for such references, so ctypes calls the library that h5py has loaded.
"""

import ctypes
import sys

import h5py
import numpy as np

path = next(line.split()[-1] for line in open("/proc/self/maps") if "/libhdf5-" in line)
lib = ctypes.CDLL(path)
i64, u64, text, pointer = ctypes.c_int64, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_void_p
SIZE = 64  # bytes of an H5R_ref_t

with h5py.File(sys.argv[1], "w", libver="latest") as f:
    f["group/data"] = np.arange(60, dtype=np.int16).reshape(6, 10)
    f["group/data"].attrs["größe"] = 1.5
    f["group"].attrs["name"] = "a"
    f["other"] = np.arange(3.0)


def check(status):
    if status < 0:
        raise SystemExit("HDF5 failed")
    return status


def function(name, result, *arguments):
    of = getattr(lib, name)
    of.restype, of.argtypes = result, arguments
    return of


file = check(function("H5Fopen", i64, text, ctypes.c_uint, i64)(sys.argv[1].encode(), 1, 0))
simple = function("H5Screate_simple", i64, ctypes.c_int, pointer, pointer)
hyperslab = function("H5Sselect_hyperslab", ctypes.c_int, i64, ctypes.c_int, pointer, pointer, pointer, pointer)
elements = function("H5Sselect_elements", ctypes.c_int, i64, ctypes.c_int, ctypes.c_size_t, pointer)
to_object = function("H5Rcreate_object", ctypes.c_int, i64, text, i64, pointer)
to_region = function("H5Rcreate_region", ctypes.c_int, i64, text, i64, i64, pointer)
to_attribute = function("H5Rcreate_attr", ctypes.c_int, i64, text, text, i64, pointer)
create = function("H5Dcreate2", i64, i64, text, i64, i64, i64, i64, i64)
write = function("H5Dwrite", ctypes.c_int, i64, i64, i64, i64, i64, pointer)
create_attribute = function("H5Acreate2", i64, i64, text, i64, i64, i64, i64)
write_attribute = function("H5Awrite", ctypes.c_int, i64, i64, pointer)


def numbers(*values):
    return (u64 * len(values))(*values)


space = simple(2, numbers(6, 10), None)
box = simple(2, numbers(6, 10), None)
check(hyperslab(box, 0, numbers(1, 2), None, numbers(1, 1), numbers(3, 4)))
steps = simple(2, numbers(6, 10), None)
check(hyperslab(steps, 0, numbers(0, 1), numbers(2, 3), numbers(3, 3), None))
points = simple(2, numbers(6, 10), None)
check(elements(points, 0, 3, numbers(0, 0, 5, 9, 2, 7)))

memory = (ctypes.c_char * (SIZE * 9))()
at = [ctypes.addressof(memory) + SIZE * i for i in range(9)]
check(to_object(file, b"/group/data", 0, at[0]))
check(to_object(file, b"/group", 0, at[1]))
check(to_region(file, b"/group/data", box, 0, at[2]))
check(to_region(file, b"/group/data", steps, 0, at[3]))
check(to_region(file, b"/group/data", points, 0, at[4]))
check(to_attribute(file, b"/group/data", "größe".encode(), 0, at[5]))
check(to_attribute(file, b"/group", b"name", 0, at[6]))
# at[7] is a reference to nothing
check(to_object(file, b"/", 0, at[8]))

kind = i64.in_dll(lib, "H5T_STD_REF_g").value
line = simple(1, numbers(9), None)
dataset = check(create(file, b"references", kind, line, 0, 0, 0))
check(write(dataset, kind, 0, 0, 0, memory))
one = simple(1, numbers(2), None)
attribute = check(create_attribute(dataset, b"two", kind, one, 0, 0))
check(write_attribute(attribute, kind, memory))
function("H5Aclose", ctypes.c_int, i64)(attribute)
function("H5Dclose", ctypes.c_int, i64)(dataset)
check(function("H5Fclose", ctypes.c_int, i64)(file))
