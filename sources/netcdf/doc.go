// Package netcdf reads NetCDF files: the classic formats CDF-1, CDF-2 (64-bit
// offset) and CDF-5 (64-bit data), and NetCDF-4 with any other HDF5 file. It
// follows "The NetCDF Classic Format Specification" of the NetCDF User's Guide,
// PnetCDF's description of CDF-5, and for NetCDF-4 what libnetcdf does; package
// hdf5 below this one reads the file format. Only headers are read when a file is
// opened, and only the regions asked for after that, be the file local or remote.
//
// # The classic formats
//
// All numbers of a file are big-endian. A file is:
//
//	| "CDF" version | number of records | dimensions | attributes | variables |   header
//	| fixed variable | fixed variable | …                                      |
//	| record 0: slab of variable a, slab of variable b, … | record 1: … | …     |
//
// Counts take 4 bytes, in CDF-5 8; the offset of a variable takes 4 bytes in
// CDF-1, else 8. Names, attribute values and slabs are padded to 4 bytes,
// except for the slabs of a variable that is alone in its records. The sizes
// of variables that the header states are redundant, and too small a field for
// large variables; they are not looked at. A name ends at the first zero byte, if it
// has any, as for programs in C.
//
// # NetCDF-4 and HDF5
//
// Groups and datasets are groups and arrays, in the order of their creation where
// the file tracks that. Dimensions are dimension scales, of several at one dimension
// the last, as in libnetcdf; an unlimited one is as
// long as the longest variable that has it, and the others go on with their fill
// value. Datasets without scales get the names that libnetcdf makes up,
// phony_dim_0 and so on. Datasets that only stand for a dimension are no arrays,
// and attributes that only keep the books (CLASS, NAME, DIMENSION_LIST,
// REFERENCE_LIST, _NCProperties and their like) are not shown. Soft links are
// followed within the file. What cannot be read (a filter or a datatype that is not
// known) is listed all the same, and an error of its own when it is opened; that of
// links to nowhere or to other files wraps [sources.ErrNoArray].
//
// # What becomes of the values
//
// Numbers keep their types; see package hdf5type for the other types of HDF5.
// Characters, which NetCDF-4 stores as texts of one byte, become uint8, because
// Zarr has no character type in its core, and lose their attribute _Encoding, with
// which xarray takes numbers for texts; such texts in other HDF5 files are texts like
// longer ones. Texts of any length have to be UTF-8. Attributes become JSON:
// text a string (Latin-1 where it is not UTF-8, with a finding; NULs dropped), one
// number a number, any other count an array, those of several dimensions arrays in
// arrays; numbers that JSON lacks are "NaN", "Infinity" and "-Infinity". Those of
// types that NetCDF does not have are left out with a finding, but for enumerations,
// which become integers. The attribute _FillValue gives the
// fill value and is rewritten as readers of Zarr expect it, see
// sources.FillAttribute; without it, the fill value is that of the HDF5 dataset
// if it has one.
//
// Of the filters of HDF5 deflate, shuffle, fletcher32, blosc, bzip2 and zstd are
// codecs of Zarr: chunks that went through these alone, and whose elements are
// stored as Zarr stores them, can be had as they are, where Options.Kept asks for
// them; see [sources.Stored].
//
// Values that are packed by the CF conventions are kept, or become what
// Options.CF says, see sources.Packed.
//
// # Many files
//
// Options.Combine joins files along a dimension or stacks them, see
// combine.Open. The header of each is read once, when the source is opened, and
// what is equal in several headers is in memory once. Files that are joined have to
// agree on their packing unless they are unpacked, each by its own.
//
// # What lying files get
//
// A header is at most 64 MiB, and no count in it makes the reader allocate
// more than the bytes that were read could describe. A variable that reaches
// beyond the end of its file cannot be opened, the others can. A last record
// without its padding is whole.
package netcdf
