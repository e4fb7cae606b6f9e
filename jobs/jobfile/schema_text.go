package jobfile

import "strings"

// describedField returns what the schema, and the reference of the job file, say of a field. The
// fields of defaults are described as those of an array.
func describedField(path string) string {
	for _, prefix := range []string{"defaults.", "arrays.*."} {
		if name, ok := strings.CutPrefix(path, prefix); ok {
			return fieldTexts["array."+name]
		}
	}
	return fieldTexts[path]
}

var fieldTexts = map[string]string{
	"zmigrate":   "Version of this schema: 1.",
	"include":    "A file with fields of a job, or a list of files. What the job says wins. Paths of these files are relative to the file that includes them; all other paths are relative to the job file.",
	"name":       "Name of the job, in messages and reports. Default: the name of the file.",
	"source":     "What is read.",
	"target":     "Where the result is written.",
	"attributes": "Attributes of the root group. null removes one of the source.",
	"groups":     "Attributes of groups below the root, by their paths.",
	"dimensions": "New names of dimensions, by their old names. Coordinates, bounds and attributes follow.",
	"defaults":   "Options of every array that does not say otherwise.",
	"arrays":     "Options of arrays, by their paths in the source. A name may be a glob, such as \"*WND\".",
	"run":        "How to run. Flags of the command line override it.",

	"groups.*.attributes": "Attributes of the group. null removes one of the source.",

	"source.driver":         "Format of the source.",
	"source.url":            "Path or URL of a file or hierarchy, a glob, or a list of them; relative to the job file.",
	"source.concat":         "Several files: the dimension to join them along.",
	"source.stack":          "Several files: the name of a new first dimension, with one index for each file.",
	"source.join":           "Several files: exact refuses differences between their metadata; override takes those of the first file. Default: exact.",
	"source.order":          "Several files: name (in natural order of their names), the coordinate to sort them by, or allow (the coordinate may repeat values). Default: name, or the joined coordinate where it disagrees.",
	"source.overlap":        "Several files: what becomes of values that two files have. Default: error.",
	"source.time":           "Several files, or rows that are appended: rebase brings CF times to one origin, keep leaves them as they are. Default: rebase.",
	"source.time.units":     "Units that all times get, such as days since 2000-01-01.",
	"source.cf":             "Packed values: keep copies them with their attributes, codecs describes the packing with codecs, unpack stores physical values. Default: keep.",
	"source.missing_chunks": "Chunks of a Zarr source that are not there: fill takes the fill value. Default: fill.",
	"source.ngff":           "OME-NGFF metadata of version 0.4 in a Zarr source: convert makes them those of 0.5, which is for Zarr v3, and names the dimensions by the axes; keep leaves them as they are. Default: convert.",
	"source.unsupported":    "Arrays that Zarr or this program does not know: skip leaves them out, with a finding for each. Default: error.",
	"source.follow":         "HDF5, and references of Zarr: files that may be read because files of the source refer to them. folder: those in the folder of the file, and below it. none, or a list of further folders. Default: folder.",
	"source.compound":       "HDF5: what compounds become. struct: one array of structs. fields: a group with an array for each member. Default: struct.",
	"source.references":     "HDF5: what references become. path: the paths of their objects, as texts. skip: they are left out. Default: path.",
	"source.include":        "Globs of array paths. Default: all arrays. Coordinates of what is included come along.",
	"source.exclude":        "Globs of array paths that are left out.",
	"source.coordinates":    "false leaves out coordinates that include and exclude do not select. Default: true.",
	"source.select":         "Parts of dimensions: indices as \"0:100:2\", values as [30, 60], or dates as 2020-01-01/2020-12-31.",
	"source.arrays":         "Driver raw: the arrays that the files hold, by their paths.",

	"source.arrays.*.url":             "File of the array; with stack or concat, a glob or a list of files.",
	"source.arrays.*.stack":           "Several files: the name of a new first dimension.",
	"source.arrays.*.concat":          "Several files: the dimension to join them along.",
	"source.arrays.*.data_type":       "Zarr v3 name of the data type, or a NumPy string such as \">f4\".",
	"source.arrays.*.endian":          "Byte order of the file. Default: little, or what the data type says.",
	"source.arrays.*.shape":           "Shape of the array; with stack, of one file.",
	"source.arrays.*.order":           "C: the last dimension varies fastest; F: the first one. Default: C.",
	"source.arrays.*.offset":          "Bytes of the file before the first element. Default: 0.",
	"source.arrays.*.dimension_names": "Names of the dimensions; null for one without a name.",
	"source.arrays.*.attributes":      "Attributes of the array.",

	"target.url":                "Path or URL of the Zarr v3 hierarchy, relative to the job file: a folder, s3, gs, azblob or mem.",
	"target.references":         "Write a table of references to the chunks of the source in the place of a hierarchy, as kerchunk does: json is one file, parquet a folder, for many chunks. Default: a hierarchy is written.",
	"target.consolidated":       "Write consolidated metadata into the root. Default: true.",
	"target.existing":           "What to do with a target that exists. resume goes on with a run of this job, and touches nothing else. Default: resume.",
	"target.append":             "Dimension to append rows along, with existing: append; or a mapping.",
	"target.append.dimension":   "Dimension to append rows along. Default: the unlimited one of the source.",
	"target.append.gaps":        "Coordinates that break the step so far. Default: warn.",
	"target.append.overlap":     "Rows that the target has already: skip leaves them out, same also compares their values. Default: error.",
	"target.readers":            "Programs that must open the result, such as \"zarr-python>=3.1\" or xarray. What one of them cannot open is an error.",
	"target.store_empty_chunks": "Also store chunks that hold only the fill value. Default: false.",
	"target.digest_attribute":   "Write the digest of the values of each array as its attribute values_digest. Default: false.",

	"array.rename":          "New name: the last part of the path in the target.",
	"array.chunks":          "Shape of chunks, or of inner chunks of shards: a list, extents by the names of dimensions, auto (1 to 8 MiB), or keep (those of the source). Default: keep for Zarr sources, auto for others.",
	"array.access":          "Use that auto chooses chunks for.",
	"array.shards":          "Shape of stored objects that hold many chunks: a list, or extents by the names of dimensions. Default: none.",
	"array.fill_value":      "Fill value in Zarr's JSON, such as 0 or \"NaN\". Default: that of the source.",
	"array.dimension_names": "Names of the dimensions; null for one without a name. Default: those of the source.",
	"array.attributes":      "Attributes, merged over those of the source. null removes one.",
	"array.data_type":       "Data type in the target. Values are converted by the rules of cast. Default: that of the source.",
	"array.cast":            "How values are converted to data_type.",
	"array.allow_inexact":   "Accept conversions between integers and floats that cannot hold every value, and those that a lossy codec behind them may make undecodable. Default: false.",
	"array.codecs":          "Codec chain: array to array, array to bytes, bytes to bytes; or keep (that of the source). Default: keep for Zarr sources, otherwise [bytes, {zstd: {level: 3}}].",
	"array.cf":              "What becomes of packed values: see source.cf.",

	"array.cast.rounding":     "To which neighbour a number between two is rounded. Default: nearest-even.",
	"array.cast.out_of_range": "What becomes of values out of range. Default: they are an error.",
	"array.cast.scalar_map":   "Values that become others, before all rules: {encode: [[from, to], …]}.",

	"run.memory":              "Bound on chunk data in memory, such as 512MiB. Default: 1GiB.",
	"run.workers":             "Numbers of workers of each stage.",
	"run.workers.read":        "Workers that read. Default: 8, or 64 for a source behind a network.",
	"run.workers.encode":      "Workers that encode; 0: one for each processor. Default: 0.",
	"run.workers.write":       "Workers that write. Default: 16, or 64 for a target behind a network.",
	"run.requests":            "Requests to stores.",
	"run.requests.per_second": "Most requests a second to each side. Default: 500.",
	"run.requests.retries":    "How often a request that failed for a while is made again. Default: 10.",
	"run.checkpoint":          "Where the progress is recorded.",
	"run.checkpoint.url":      "Path or URL of the checkpoint. Default: the target's with .zmigrate/ behind it.",
	"run.checkpoint.every":    "Most work that a killed run loses. Default: 5s.",
	"run.lock_ttl":            "How long the lock of a run that no longer answers is honoured. Default: 2m.",
	"run.path":                "decode never copies stored chunks as they are. Default: auto.",
	"run.digest":              "Digests of values: auto takes those that cost little, all also those of chunks that are copied as they are. Default: auto.",
	"run.verify":              "Verification at the end of a run. Default: none.",
	"run.notify":              "Command that is called at the end, as a list of words; or a mapping.",
	"run.notify.command":      "The command and its arguments. No shell reads it.",
	"run.notify.timeout":      "Time that the command has. Default: 1m.",
}
