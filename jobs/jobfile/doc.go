// Package jobfile reads and checks job files.
//
//	YAML ──yaml──▶ node tree ──override──▶ node tree ──parse──▶ Job ──check──▶ Problems
//
// [Load] reads a file and reports everything that is wrong with it. Each [Problem]
// has line, column and field. [Job.Check] adds what can be told without opening a
// source: codec chains, data types, fill values, shapes and names.
//
// A [Job] describes; it opens nothing. [Job.Options] and [Job.Selected] say what
// the file says of one array, and [Job.Normalised] is the text by which a
// checkpoint recognises the job.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	messages.go       text for messages: clipped values, quotes, "did you mean"
//	problems.go       Problem and Problems, those that are alike in one, and the collector with its bound
//	field_path.go     paths of fields, such as arrays["a.b"].codecs[1]
//	scalar.go         what a YAML scalar without quotes is
//	dates.go          ${date:FORMAT}
//	variables.go      ${NAME} and ${NAME:-default}
//	node.go           the tree of values, each with its position
//	secrets.go        values of variables, which messages do not tell
//	locate.go         from a field to its position in the file
//	extents.go        extents by the names of dimensions
//	rule_index.go     the rules of arrays by their names
//	job.go            Job and the types of its sections
//	titles.go         what messages call the jobs of one command
//	workers.go        numbers of workers that the file does not name
//	match.go          which arrays and groups a pattern means
//	yaml.go           YAML text to nodes: aliases, merge keys, tags, syntax errors
//	include.go        fields from other files
//	override.go       --set path=value
//	schema_text.go    what the schema says of each field
//	probe.go          what a field takes, asked of the function that reads it
//	edit.go           a field of an array set in the text of a file
//	parse_fields.go   single values: strings, numbers, sizes, times, lists, URLs
//	parse_names.go    mappings from names, globs and names of nodes
//	readers.go        programs that must be able to read the result
//	joining.go        how the files of a source become one
//	parse_codecs.go   codec chains in their short and long forms
//	parse_extents.go  chunks and shards
//	selection.go      parts of dimensions
//	referring.go      what a table of references cannot have
//	parse_source.go   the section source
//	parse_run.go      the section run
//	parse.go          the whole file, and its other sections
//	load.go           Load and Parse
//	schema.go         the JSON Schema of job files
//	normalise.go      the job as canonical JSON
//	differences.go    the fields in which two normalised jobs differ
//	conversion.go     the conversion that data_type asks for
//	hazards.go        what may happen to values in a codec chain
//	codec_problems.go errors of a codec chain, at the codec and field at fault
//	fitted_codecs.go  a codec chain as one array gets it
//	dimensions.go     names of dimensions
//	check_section.go  the defaults and each rule by themselves
//	check_arrays.go   the arrays of the raw driver, and names in the target
//	check.go          Check
package jobfile
