// Package netcdf reads NetCDF files: the classic formats CDF-1, CDF-2 (64-bit offset)
// and CDF-5 (64-bit data), and NetCDF-4, together with all other HDF5 files. It follows
// "The NetCDF Classic Format Specification" of the NetCDF User's Guide, PnetCDF's
// description of CDF-5, and for NetCDF-4 the behaviour of libnetcdf. Package hdf5 below
// this one reads the file format. Opening a file reads only its headers, and reading a
// region reads only that region, whether the file is local or remote.
//
// # The classic formats
//
// All numbers of a file are big-endian. A file is:
//
//	| "CDF" version | number of records | dimensions | attributes | variables |   header
//	| fixed variable | fixed variable | …                                      |
//	| record 0: slab of variable a, slab of variable b, … | record 1: … | …     |
//
// Counts take 4 bytes, and 8 in CDF-5. The offset of a variable takes 4 bytes in CDF-1,
// and 8 in the other formats. Names, attribute values and slabs are padded to 4 bytes.
// The exception is a file with one record variable, whose slabs are not padded. The
// header states the sizes of variables, but in a field too small for large variables.
// They follow from the shapes, so the field is not used. A name ends at its first zero
// byte, as for programs in C.
//
// # NetCDF-4 and HDF5
//
// HDF5 groups and datasets become groups and arrays, in the order of their creation if
// the file tracks it. Dimensions are dimension scales. If a dimension has several
// scales, the last one counts, as in libnetcdf. An unlimited dimension is as long as
// its longest variable; shorter variables go on with their fill value. Datasets without
// scales get the names that libnetcdf makes up, phony_dim_0 and so on.
//
// Datasets that only stand for a dimension do not become arrays. Attributes that are
// bookkeeping (CLASS, NAME, DIMENSION_LIST, REFERENCE_LIST, _NCProperties and the like) are
// not shown. Links are followed, those to other files as far as Options.Follow allows. A dataset that cannot be read,
// because of an unknown filter or datatype, is listed as well, and opening it is an error.
// So is a link to nowhere, whose error wraps [sources.ErrNoArray].
//
// # What becomes of the values
//
// Numbers keep their types; see package hdf5type for the other types of HDF5.
// Characters are uint8, and their descriptions say which of them make up texts; see
// [sources.Texts] and [sources.Numbers].
// NetCDF-4 stores characters as texts of one byte; in other HDF5 files, such texts are
// treated like longer ones. Elements of variable length have to be UTF-8 if they are
// text.
//
// References become the paths of their objects. A dataset of sequences becomes a group with
// the arrays values and offsets, and the attribute sequence_shape: sequence i is
// values[offsets[i]:offsets[i+1]]. If its elements are sequences, values is such a group itself.
// With Options.Fields, a dataset of compounds becomes a group with an array for each member.
//
// Attributes become JSON. Text becomes a string; text that is not UTF-8 is read as
// Latin-1, with a finding, and NULs are dropped. One number becomes a number, and
// several become an array, with nested arrays for several dimensions. Numbers that JSON
// lacks are "NaN", "Infinity" and "-Infinity". Attributes of types that NetCDF lacks
// are left out with a finding, except that enumerations become integers, compounds
// objects, and sequences lists. The
// attribute _FillValue gives the fill value, and is rewritten as readers of Zarr expect
// it; see sources.FillAttribute. Without this attribute, the fill value of the HDF5
// dataset counts, if there is one.
//
// The HDF5 filters deflate, shuffle, fletcher32, blosc, bzip2 and zstd are codecs of
// Zarr. Chunks can be carried through if they have no other filters, and if their
// elements are stored as Zarr stores them; see Options.Kept and [sources.Stored].
//
// Options.CF says what becomes of values that are packed by the CF conventions; without
// it they are kept. See sources.Packed.
//
// # Many files
//
// Options.Combine joins files along a dimension or stacks them, see combine.Open. The
// header of each file is read once, when the source is opened. Parts that are equal in
// several headers are in memory once. Joined files have to agree in their packing,
// unless each file is unpacked by its own attributes.
//
// # Damaged files
//
// A header is at most 64 MiB, and no count in it makes the reader allocate more than
// the bytes that were read could describe. A variable that reaches beyond the end of
// its file cannot be opened; the others can. A last record that lacks only its padding
// is complete.
//
// # Files
//
// The files, bottom up. Each uses only files above it in this list:
//
//	classic_parser.go      the parts of a classic header
//	classic_header.go      the header of a classic file
//	attribute.go           attributes as Zarr has them, and what they mean
//	serializer.go          the codec that turns elements into bytes
//	classic_file.go        a classic file and its arrays
//	classic_details.go     a classic file for inspect
//	options.go             Options, and what the files of a source share
//	neighbours.go          files to which a file refers
//	tree_nodes.go          groups, variables and dimensions of an HDF5 file
//	tree_attributes.go     attributes of HDF5
//	tree_dimensions.go     dimension scales
//	tree_parts.go          datasets that become several arrays
//	tree.go                reading the groups of an HDF5 file
//	filter_codecs.go       filters of HDF5 as codecs
//	tree_array.go          an array of an HDF5 file
//	tree_stored_chunks.go  its chunks as they are stored
//	tree_open.go           opening a variable
//	tree_low_memory.go     arrays of very many files, opened when they are read
//	source.go              Open
//	driver.go              the driver
//	tree_details.go        an HDF5 file for inspect
package netcdf
