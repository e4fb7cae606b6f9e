// Package arrow reads columns of Arrow IPC files (Feather version 2 is the same
// format), Arrow IPC streams and Parquet files as arrays over the rows. The content of
// a file tells its format. Several files are one table with their rows one after the
// other, unless Options.Combine says otherwise. Folders called name=value in a
// partitioned table are columns: of int64 if all values are whole numbers, else of
// strings. If the files have a column of the same name, that column counts.
//
// # What becomes of columns
//
// A column is an array whose first dimension is the rows. Package arrowtype determines
// its data type. A list of fixed size adds a dimension. The extension type
// arrow.fixed_shape_tensor adds the dimensions of its shape, in the order of its
// permutation and with its dim_names. A struct is a group with a column for each of its
// fields. Dictionaries and runs are decoded. Decimals of up to 18 digits are integers,
// which Options.CF may have as codecs or floats; others are texts. The dimension of the rows
// is called "row"; other dimensions without a name are called after the column.
//
// A list of varying length, or a map, is a group with the arrays "values" and "offsets": the
// list of row i has the values from offset i up to, but not including, offset i+1. If the
// elements are structs or lists themselves, "values" is a group. List views are lists; their elements
// are in the order of the rows. A list that is null is an error, unless
// Options.Null returns a value for the offsets; then it is empty.
//
// The lists of several files follow each other. A column cannot be an array if Zarr has no such
// type, or if lists of varying length are within lists of fixed size or are to be stacked. Such a
// column is listed and cannot be opened; the others can.
//
// A null is replaced by the value that Options.Null returns, whether the element is
// null, or a list or struct around it. If there is no such value, a column with a null
// cannot be opened, and the error names the row of the first null. There is one
// exception: a null among the values of a dictionary is found only when it is read.
//
// Metadata of a field become attributes of the array. Metadata of the schema (of the
// first file) become attributes of the root. The time zone of timestamps becomes the
// attribute "timezone"; their values are instants in UTC.
//
// Parquet has no lists of fixed size, durations, time zones and tensors. They come from
// the schema that writers of Arrow store in the entry ARROW:schema of the file's
// metadata. Units of time are always those of the stored values.
//
// # What is read
//
// Opening a file reads its footer and, for IPC, the metadata of each record batch. A
// stream has no footer, so opening it goes from message to message. Batches and row
// groups are the natural chunks if all have the same number of rows. From buffers that
// are not compressed, only the wanted rows of a column are read. Compressed buffers of
// a batch are read whole. From Parquet, the pages with the wanted rows are read, and
// the headers of the pages before them.
//
// # Damaged files
//
// Sizes in metadata are compared with the size of the file and with each other before
// memory is taken. Footers are compared with the rows of their row groups. The error
// about a damaged file names the file and, as far as they are known, the column, the
// batch and the rows.
//
// # Files
//
// The files, bottom up. Each uses only files above it in this list:
//
//	column.go              a column of a table, and how its types become those of Zarr
//	value_errors.go        errors about single values
//	array.go               an array: one column
//	decimals.go            decimals as integers and as texts
//	packed_decimals.go     integers that stand for decimals
//	hierarchy.go           Options, and what the files of a source are
//	lists.go               the offsets of lists of varying length
//	folder_keys.go         columns whose values are in the names of folders
//	ipc_layout.go          the nodes and buffers of a column of Arrow IPC
//	ipc_records.go         a table of Arrow IPC: its records, dictionaries and rows
//	ipc_check.go           whether lengths and sizes can be true
//	ipc_buffers.go         the bytes of buffers
//	ipc_values.go          integers, texts and views
//	ipc_rows.go            rows of a column, also by dictionaries
//	ipc_parts.go           rows that do not follow each other
//	ipc_list_views.go      lists whose elements do not follow each other
//	ipc_lists.go           lists of varying length
//	metadata_window.go     footers and metadata of files
//	ipc_table.go           opening a file or a stream of Arrow IPC
//	parquet_int96.go       timestamps of 12 bytes
//	parquet_schema.go      the columns of a Parquet file
//	parquet_reader.go      a table of Parquet, and who reads its columns
//	parquet_flat.go        rows of columns without lists
//	parquet_rows.go        rows of a column
//	parquet_lists.go       lists of varying length
//	parquet_table.go       opening a Parquet file
//	open_table.go          the format of a file, by its beginning
//	expand.go              the files of a folder
//	pandas_index_names.go  names of indexes of pandas
//	source.go              Open
//	driver.go              the driver
//	details.go             a table for inspect
package arrow
