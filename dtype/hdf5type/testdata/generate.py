"""Writes cases.json: HDF5 datatype messages of libhdf5 and what h5py makes of them.

    pip install h5py==3.16.0 netCDF4==1.7.5.1.post1 numpy==2.4.6
    python generate.py [FILE.h5 ...]

Each case has a name, the message in hex, and where h5py reads the type:
  dtype   the NumPy type, as in Zarr v2 metadata
  shape   the shape of an array type
  raw     some elements as they lie in the file, in hex
  packed  the same elements as h5py reads them, little-endian and without padding
The files named on the command line give the messages of their datasets and attributes.
"""
import ctypes
import json
import pathlib
import sys
import zlib

import h5py
import numpy as np
from h5py import h5s, h5t

HERE = pathlib.Path(__file__).parent
LIB = ctypes.CDLL(str(next((pathlib.Path(h5py.__file__).parent.parent / "h5py.libs").glob("libhdf5-*"))))


def library(name):
    """A predefined type that h5py has no name for, as its message."""
    value = ctypes.c_int64.in_dll(LIB, name).value
    LIB.H5Tencode.argtypes = [ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p]
    size = ctypes.c_size_t(0)
    LIB.H5Tencode(value, None, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    LIB.H5Tencode(value, buffer, ctypes.byref(size))
    return h5t.decode(buffer.raw)


def numpy_type(t, **kw):
    return h5t.py_create(np.dtype(t), logical=True, **kw)


def fixed(base, precision, offset=0):
    t = base.copy()
    t.set_precision(precision)
    t.set_offset(offset)
    return t


def sized(base, size):
    t = base.copy()
    t.set_precision(8 * size)
    t.set_size(size)
    return t


def string(size, pad, cset=h5t.CSET_ASCII):
    t = h5t.TypeID.copy(h5t.C_S1)
    t.set_size(size)
    t.set_strpad(pad)
    t.set_cset(cset)
    return t


def opaque(size, tag):
    t = h5t.create(h5t.OPAQUE, size)
    t.set_tag(tag)
    return t


def compound(size, *members):
    t = h5t.create(h5t.COMPOUND, size)
    for name, offset, member in members:
        t.insert(name, offset, member)
    return t


def enum(base, **names):
    t = h5t.enum_create(base)
    for name, value in names.items():
        t.enum_insert(name.encode(), value)
    return t


def types():
    for order, mark in (("LE", "little"), ("BE", "big")):
        for bits in (8, 16, 32, 64):
            yield f"int{bits}/{mark}", getattr(h5t, f"STD_I{bits}{order}")
            yield f"uint{bits}/{mark}", getattr(h5t, f"STD_U{bits}{order}")
            yield f"bitfield{bits}/{mark}", getattr(h5t, f"STD_B{bits}{order}")
        for bits in (16, 32, 64, 128):
            yield f"float{bits}/{mark}", getattr(h5t, f"IEEE_F{bits}{order}")
        for bits in (16, 32, 64):
            yield f"native complex{2 * bits}/{mark}", getattr(h5t, f"COMPLEX_IEEE_F{bits}{order}")
        yield f"bfloat16/{mark}", library(f"H5T_FLOAT_BFLOAT16{order}_g")
        yield f"time/{mark}", getattr(h5t, f"UNIX_D32{order}")
        yield f"int of 12 bits from bit 2/{mark}", fixed(getattr(h5t, f"STD_I16{order}"), 12, 2)
        yield f"uint of 20 bits/{mark}", fixed(getattr(h5t, f"STD_U32{order}"), 20)
        yield f"int of 33 bits from bit 31/{mark}", fixed(getattr(h5t, f"STD_I64{order}"), 33, 31)
        yield f"complex64/{mark}", numpy_type("<c8" if order == "LE" else ">c8")
        yield f"complex128/{mark}", numpy_type("<c16" if order == "LE" else ">c16")
    yield "int of 4 bits", fixed(h5t.STD_I8LE, 4)
    yield "int of 3 bytes", sized(h5t.STD_I32LE, 3)
    yield "long double", h5t.LDOUBLE_LE
    yield "float8_e4m3", library("H5T_FLOAT_F8E4M3_g")
    yield "float8_e5m2", library("H5T_FLOAT_F8E5M2_g")
    yield "vax32", library("H5T_VAX_F32_g")
    yield "vax64", library("H5T_VAX_F64_g")
    yield "bool", numpy_type("?")
    yield "enum", enum(h5t.STD_I16BE, RED=-1, GREEN=0, BLUE=300)
    yield "enum of uint8", enum(h5t.STD_U8LE, dry=0, wet=1, exactly_=7)
    for name, pad in (("null-terminated", h5t.STR_NULLTERM), ("null-padded", h5t.STR_NULLPAD), ("space-padded", h5t.STR_SPACEPAD)):
        yield f"string/{name}", string(7, pad)
        yield f"utf-8/{name}", string(7, pad, h5t.CSET_UTF8)
    yield "char", string(1, h5t.STR_NULLTERM)
    yield "opaque", opaque(3, b"")
    yield "opaque, tagged", opaque(5, b"a tag of 21 bytes....")
    yield "opaque, tag of 8", opaque(2, b"8 bytes.")
    yield "datetime64", numpy_type(h5py.opaque_dtype("<M8[us]"))
    yield "timedelta64", numpy_type(h5py.opaque_dtype(">m8[10s]"))
    yield "vlen string", numpy_type(h5py.string_dtype())
    yield "vlen string, ascii", numpy_type(h5py.string_dtype("ascii"))
    yield "vlen of int32", h5t.vlen_create(h5t.STD_I32LE)
    yield "vlen of uint8", h5t.vlen_create(h5t.STD_U8LE)
    yield "vlen of vlen", h5t.vlen_create(h5t.vlen_create(h5t.IEEE_F32LE))
    yield "object reference", h5t.STD_REF_OBJ
    yield "region reference", h5t.STD_REF_DSETREG
    yield "new reference", library("H5T_STD_REF_g")
    yield "array", numpy_type(np.dtype((">i2", (2, 3))))
    yield "array of arrays", h5t.array_create(h5t.array_create(h5t.IEEE_F32LE, (2,)), (3, 1))
    yield "array of vlen strings", h5t.array_create(numpy_type(h5py.string_dtype()), (4,))
    yield from compounds()


def compounds():
    yield "compound", numpy_type([("a", "<i2"), ("b", "<f8"), ("name", "S3"), ("ok", "?")])
    yield "compound of orders", numpy_type([("a", ">i2"), ("b", "<f8"), ("c", "u1"), ("d", ">c8")])
    yield "compound, padded", numpy_type(np.dtype([("a", "i1"), ("b", "<i4"), ("c", "<i2")], align=True))
    yield "compound, members out of order", compound(
        20, (b"last", 16, h5t.STD_I32LE), (b"first", 0, h5t.STD_I16BE), (b"middle", 8, h5t.IEEE_F64BE))
    yield "compound, nested", numpy_type([("p", [("x", "<f4"), ("y", ">f4")]), ("n", "<u2")])
    yield "compound, n-bit and text", compound(
        16, (b"n", 1, fixed(h5t.STD_I16BE, 10, 3)), (b"s", 4, string(5, h5t.STR_NULLTERM)), (b"t", 9, string(5, h5t.STR_SPACEPAD)))
    yield "compound, eight", numpy_type([("eight___", "<i4"), ("seven__", "<i4"), ("nine_____", "<i4")])
    yield "compound, large", compound(70000, (b"a", 69992, h5t.IEEE_F64LE), (b"b", 3, h5t.STD_U8LE))
    yield "compound of 300 bytes", compound(300, (b"a", 290, h5t.IEEE_F64LE), (b"b", 3, h5t.STD_U8LE))
    yield "compound with array", numpy_type([("a", "<i4"), ("b", "<f4", (2, 2))])
    yield "compound with vlen", numpy_type([("a", "<i4"), ("b", h5py.string_dtype())])
    yield "compound {r, i} of integers", numpy_type([("r", "<i4"), ("i", "<i4")])
    yield "compound {real, imag}", numpy_type([("real", "<f8"), ("imag", "<f8")])
    yield "array of compounds", h5t.array_create(numpy_type([("a", ">i2"), ("b", "u1")]), (2,))
    yield "array of complex", h5t.array_create(numpy_type(">c8"), (2,))


def raw_bytes(t, name):
    """Three elements of bytes that every type takes: floats stay off NaN, strings have ends and spaces."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    b = rng.integers(1, 120, 3 * t.get_size(), dtype=np.uint8)
    if "string" in name or "utf-8" in name or "text" in name:
        b = rng.choice(np.frombuffer(b"ab \0", np.uint8), 3 * t.get_size()).copy()
    if "bits" in name or "n-bit" in name:
        b ^= rng.integers(0, 256, b.size, dtype=np.uint8)
    if name == "bool":
        b = np.array([1, 0, 1], np.uint8)
    return b


def packed(dt):
    """The type without padding, little-endian."""
    if dt.subdtype:
        return np.dtype((packed(dt.subdtype[0]), dt.subdtype[1]))
    if dt.names:
        return np.dtype([(n, packed(dt[n])) for n in dt.names])
    return dt.newbyteorder("<")


def v2_name(dt):
    if dt.names:
        return [[n, v2_name(dt[n])] for n in dt.names]
    return dt.str


def facts(t, name):
    """What h5py reads, or nothing where it reads objects or converts to another type."""
    try:
        dt = t.dtype
    except (KeyError, TypeError, ValueError) as e:
        return {"h5py": str(e)}
    base, shape = dt, ()
    while base.subdtype:
        base, shape = base.subdtype[0], shape + base.subdtype[1]
    if t.get_class() == h5t.FLOAT and dt.itemsize != t.get_size():
        return {"h5py": f"converts to {dt}"}
    out = {"shape": list(shape)} if shape else {}
    if base.hasobject:
        return out | {"h5py": "object"}
    out["dtype"] = v2_name(base)
    if dt.metadata and "h5py_opaque" in dt.metadata:
        return out
    raw = raw_bytes(t, name)
    with h5py.File("memory", "w", driver="core", backing_store=False) as f:
        space = h5s.create_simple((3,))
        d = h5py.h5d.create(f.id, b"d", t, space)
        d.write(h5s.ALL, h5s.ALL, raw, mtype=t)
        try:
            values = f["d"][...]
        except OSError as e:
            return out | {"h5py": str(e)}
    values = values.astype(packed(values.dtype))
    if raw.size < 1000:
        out |= {"raw": raw.tobytes().hex(), "packed": values.tobytes().hex()}
    return out


def message(t):
    encoded = t.encode()
    assert encoded[:2] == b"\x03\x00", encoded  # message type, version of the encoding
    return encoded[2:].hex()


def latest(t):
    """The message as the latest file format has it."""
    with h5py.File("memory", "w", driver="core", backing_store=False, libver="latest") as f:
        t = t.copy()
        t.commit(f.id, b"t")
        return message(h5t.open(f.id, b"t"))


def cases(files):
    for name, t in types():
        case = {"name": name, "message": message(t), "size": t.get_size()} | facts(t, name)
        yield case
        text = latest(t)
        if text != case["message"]:
            yield case | {"name": name + ", latest", "message": text}
    seen = set()
    for file in files:
        with h5py.File(file) as f:
            found = []

            def visit(name, obj, path=pathlib.Path(file).name, found=found):
                if isinstance(obj, h5py.Dataset):
                    found.append((f"{path}:{name}", obj.id.get_type()))
                for a in obj.attrs:
                    found.append((f"{path}:{name}@{a}", obj.attrs.get_id(a).get_type()))

            f.visititems(visit)
            for name, t in found:
                text = message(t)
                if text not in seen:
                    seen.add(text)
                    facts_ = {k: v for k, v in facts(t, name).items() if k not in ("raw", "packed")}
                    yield {"name": name, "message": text, "size": t.get_size()} | facts_


lines = [json.dumps(c, sort_keys=True) for c in cases(sys.argv[1:])]
(HERE / "cases.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
