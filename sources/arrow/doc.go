// Package arrow reads columns of Arrow IPC files (Feather version 2 is the
// same), Arrow IPC streams and Parquet files as arrays over the rows. Which of
// them a file is, its content tells. Several files are one table, their rows one
// after the other, unless Options.Combine says otherwise. Folders called name=value
// in a partitioned table are columns, of int64 where all values are whole numbers
// and else of strings; a column that the files have under such a name comes first.
//
// # What becomes of columns
//
// A column is an array whose first dimension are the rows, of the data type that
// package arrowtype states. Lists of fixed size add dimensions, and the extension
// type arrow.fixed_shape_tensor those of its shape, in the order of its
// permutation and with its dim_names. A struct is a group with a column for each
// of its fields. Dictionaries and runs are decoded. The rows are the dimension
// "row"; dimensions without a name are called after the column.
//
// A column that cannot be an array, because Zarr has no such type or nobody knows
// how long its lists are, is listed and cannot be opened; the others can.
//
// A null, of the element, of a list or of a struct around it, takes the value that
// Options.Null gives. Where there is none, a column with a null cannot be opened,
// and the error says in which row the first one is. Only the nulls among the
// values of a dictionary are found no earlier than they are read.
//
// Metadata of a field become attributes of the array, those of the schema (of the
// first file) attributes of the root; the time zone of timestamps becomes the
// attribute "timezone", and their values are instants in UTC.
//
// What Parquet does not know (lists of fixed size, durations, time zones, tensors)
// comes from the schema that writers of Arrow leave in the entry ARROW:schema of
// the file's metadata. The units are those in which the file has the values.
//
// # What is read
//
// Opening a file reads its footer and for IPC the metadata of each record batch;
// a stream has no footer and is gone through from message to message. Batches
// and row groups are the natural chunks, where all have the same number of rows.
// Of a column only the rows that are asked for are read where the buffers are not
// compressed, else the whole buffers of a batch; of Parquet the pages in which the
// rows are, and the headers of the pages before them.
//
// # What lying files get
//
// Sizes in metadata are held against the size of the file and against each other
// before memory is taken, footers against the rows of their row groups; damaged
// files are errors that name the file, and where it is known the column, the batch
// and the rows.
package arrow
