// Package codes explains the codes of findings. A finding is a warning of validate, plan or run,
// and ends with its code in brackets. A test compares the table with the codes in the source.
package codes

// Code is the code of a finding: what it says, why that matters, and what to do.
type Code struct {
	Name    string `json:"code"`
	Means   string `json:"means"`
	Matters string `json:"matters"`
	Do      string `json:"do"`
}

// All returns the codes in alphabetical order.
func All() []Code { return table }

var table = []Code{
	{
		"append-changed-file", "A file has changed since its rows were appended to the target.",
		"With overlap: skip, rows are recognised by their coordinate, and their values are not read. The target keeps the values that the file had before.",
		"Set target.append: {overlap: same}, which compares the values. If the new values are the right ones, migrate the files anew with existing: overwrite.",
	},
	{
		"append-gap", "The coordinate of the incoming rows does not continue the coordinate of the target: steps are missing between the two, or among the incoming rows.",
		"Rows are appended only after the last row of the target, never between rows. If later rows are appended now, the hole stays.",
		"Append the missing files first. If no rows are missing, set target.append: {gaps: allow}. With gaps: error, such a run is refused.",
	},
	{
		"append-order", "The coordinate of the target repeats values or changes its direction.",
		"Such a coordinate does not show whether incoming rows are new, and whether they belong after the rows of the target.",
		"Look at the coordinate in the target. If it is wrong, migrate all files anew.",
	},
	{
		"append-partial-chunk", "The last chunk will not be full, and its codec may change values each time they are stored.",
		"Appended rows would go into that chunk, and its values would be stored a second time. So the next append is refused.",
		"Choose chunks that divide the number of rows, as the message proposes, or a codec without loss.",
	},
	{
		"append-waits", "An earlier run was interrupted while it appended, and the source has more files now.",
		"The run first completes the work of the interrupted run, with the files of that run. Then it appends the files that came later.",
		"Nothing: the run does both.",
	},
	{
		"cf-ignored-attribute", "An attribute that says what packed values mean cannot be used, for instance because it is no number.",
		"Values are read as if the attribute were not there.",
		"Give the attribute a right value under arrays, or remove it with null.",
	},
	{
		"cf-inexact", "Packed integers do not become physical values exactly: they are too large for the floats, or become infinite.",
		"Other integers may have the same physical value.",
		"cf: keep copies the integers with their attributes.",
	},
	{
		"cf-merged-sentinels", "Several values stand for missing data, and all of them are read as NaN.",
		"Readers can no longer distinguish them.",
		"cf: keep copies these values as they are.",
	},
	{
		"cf-no-return", "A value that is read and written again may become another stored value.",
		"This concerns programs that write to the array later. The migration itself changes no stored value.",
		"Nothing, if nobody writes to the array. Otherwise choose cf: keep.",
	},
	{
		"cf-outside-range", "Some values are outside of valid_range, valid_min or valid_max.",
		"Readers that know CF take such values for missing data. Other readers see the values.",
		"Find out whether the range or the values are wrong. cf: keep leaves the range and the values to the reader.",
	},
	{
		"cf-valid-sentinel", "A value that stands for missing data lies within the valid range.",
		"If a measured value is equal to it, the measured value is read as missing.",
		"Nothing, if the source is right. Otherwise correct valid_range in the attributes of the array.",
	},
	{
		"checkpoint-in-hierarchy", "The checkpoint lies in the hierarchy around the target.",
		"Programs that list the hierarchy find files that are no part of it.",
		"Name another place in run.checkpoint.url.",
	},
	{
		"faulty-file", "A file says something that is wrong, but was not needed or could be replaced.",
		"The values are read as other programs read them.",
		"To be rid of the warning, write the file again with another program.",
	},
	{
		"fill-value-changes", "The fill value does not come back from the codec chain as it was.",
		"Elements that were never written then have two values: one in chunks that are stored, and another where no chunk is stored.",
		"Choose another fill_value, or map it in the scalar_map of cast_value.",
	},
	{
		"fill-value-lost", "A codec cannot decode its encoding of the fill value.",
		"Zarr demands that fill values pass through each codec, and some readers refuse such an array. So this finding is an error.",
		"Map the fill value in scalar_map.encode and scalar_map.decode, or choose another one.",
	},
	{
		"fill-value-meaning", "Readers of the source take its fill value for missing data, and readers of the target do not.",
		"So missing values look like measured values.",
		"Set the attribute _FillValue of the array: xarray takes this value for missing data.",
	},
	{
		"fixedscaleoffset-rounding", "scale_offset computes in the type of the array, and numcodecs.fixedscaleoffset in float64.",
		"The values that readers get may differ from the source in their last digits.",
		"cf: keep keeps the codec numcodecs.fixedscaleoffset.",
	},
	{
		"inexact-cast", "Integers pass through a float type that does not have all of them.",
		"Large integers are rounded. Without allow_inexact: true, this finding is an error.",
		"Choose a wider type, or accept the rounding with allow_inexact: true.",
	},
	{
		"join-disordered", "The joined coordinate neither rises nor falls throughout the files.",
		"Readers that select by the coordinate may find nothing, or the wrong rows.",
		"Let source.order name the coordinate, or remove files that come twice. If the order is right, set order: allow.",
	},
	{
		"join-uncompared", "A variable that is not joined was too large to be compared in all files.",
		"The target has the values of the first file. In another file the values may differ.",
		"Join fewer files at a time, or compare the variable with another program.",
	},
	{
		"kept-attribute", "The job gives a group an attribute that has another value in the target, and the job only appends rows.",
		"The target keeps the value that it has.",
		"Change the attribute in the target with another program.",
	},
	{
		"large-objects", "One stored object holds more than 512 MiB of elements.",
		"To get one element, a reader reads and decodes the whole object.",
		"Choose smaller chunks, with shards if there would be too many objects. The message proposes both.",
	},
	{
		"left-out", "An attribute, a link or an array of the source is not in the target, because Zarr has no type for it.",
		"The target lacks it.",
		"Nothing, if nobody needs it. Otherwise convert it beforehand, or give it as an attribute in the job.",
	},
	{
		"lossy-again", "An array keeps the lossy codec of its source, and its chunks are decoded and encoded again.",
		"The values lose something a second time, and may be up to twice as far from the original ones as the codec allows.",
		"Give the array lossless codecs, such as [bytes, zstd]. Or leave out what keeps stored chunks from being copied; the message names it.",
	},
	{
		"lossy-undecodable", "A lossy codec stands behind cast_value, which decodes only the values of the array's integers.",
		"If the lossy codec makes an element larger or smaller than these integers are, no reader can read the chunk of the element. The run does not notice it; verify does. Without allow_inexact: true, this finding is an error.",
		"Set out_of_range: clamp in the configuration of cast_value. If you know that no element leaves the range, set allow_inexact: true, and verify the target.",
	},
	{
		"missing-group", "A group of the source without arrays is not in the target, and the job only appends rows.",
		"The target lacks the group.",
		"Make the group with another program, or leave it out with source.exclude.",
	},
	{
		"missing-sources", "Sources of a virtual dataset of HDF5 are missing.",
		"Their elements have the fill value, as in HDF5.",
		"Put the files that the message names beside the file, or name their folder in source.follow.",
	},
	{
		"names-collide", "Two names differ only in case, or in how a letter is composed.",
		"File systems that do not distinguish the two names, such as those of macOS and Windows, cannot hold both.",
		"Nothing for an object store. Otherwise rename one of them.",
	},
	{
		"ngff-axes", "An array of an image does not agree with the axes that the OME-NGFF metadata of its group state, or is a part of the image.",
		"OME-NGFF 0.5 demands that the dimensions of the array have the names of the axes. The transformations place each element of the whole image.",
		"Give the array the dimension_names, or the group the metadata, that the message names.",
	},
	{
		"ngff-converted", "OME-NGFF metadata of version 0.4, which is for Zarr v2, become those of version 0.5, which is for Zarr v3.",
		"The new metadata are in the attribute ome of the group, and state their version once. Axes, transformations and everything else stay the same. The dimensions of the arrays get the names of the axes.",
		"Nothing. source.ngff: keep leaves metadata and names as they are.",
	},
	{
		"ngff-kept", "OME-NGFF metadata of a group cannot become metadata of version 0.5 without guessing, because they are of a version before 0.4 or are incomplete.",
		"The metadata are copied as they are. Programs that read version 0.5 do not find the image.",
		"Give the group the attribute ome in the section groups of the job, and null for the attributes that it replaces.",
	},
	{
		"ngff-paths", "OME-NGFF metadata name nodes that have other paths in the target, or that the target lacks.",
		"The metadata of the target have the new paths, and no longer name nodes that the target lacks. Paths that lead nowhere in the source stay as they are.",
		"Nothing, if the nodes are left out or renamed on purpose. Otherwise include them.",
	},
	{
		"no-space", "A run may write more bytes, or more files, than the file system of the target has room for.",
		"The run may stop with a full disk. It goes on when there is room.",
		"The figures are bounds: chunks that compress well take less, and chunks with only the fill value are not stored. plan --sample N estimates the bytes. Make room, choose shards to have fewer files, or choose another target.",
	},
	{
		"not-json", "An attribute has numbers that JSON does not have, such as NaN.",
		"The numbers are written as texts, which some readers do not take for numbers.",
		"Nothing, if your readers know such texts. Otherwise give the attribute another value in the job.",
	},
	{
		"not-utf8", "A text is not UTF-8, and its encoding was guessed.",
		"Some letters may be wrong.",
		"Give the attribute the right text in the job.",
	},
	{
		"rebase-unchecked", "There are too many times to convert them before the run begins.",
		"If a time cannot be converted exactly, the run stops in its middle.",
		"source.time: keep leaves the times as they are. source.time: {units: …} names finer units.",
	},
	{
		"renamed", "Zarr does not allow a name of the source, so the name was changed.",
		"Readers find the array, group or dimension by its new name.",
		"To choose another name, use rename for an array, or dimensions for a dimension.",
	},
	{
		"renamed-coordinate", "The job renames a coordinate, and other arrays still have its old name.",
		"Readers do not find the coordinate of these arrays.",
		"dimensions: {OLD: NEW} renames the dimension with its coordinate and everything that names it.",
	},
	{
		"scaled-twice", "The job gives an array a scale_factor or add_offset, although its values are physical already.",
		"Readers that know CF scale the values a second time.",
		"Leave the attribute out, or choose cf: keep.",
	},
	{
		"sharded-zero", "Codecs within shards cannot encode 0.",
		"zarr-python tries them with 0, whatever the fill value is, and may refuse to open the array.",
		"Choose codecs that can encode 0, or a range that contains 0, or leave out shards.",
	},
	{
		"small-objects", "There will be more than 1,000 objects of less than 256 KiB on average.",
		"Each object takes a request to write, and another one to read. Over a network, this is slow and costs money.",
		"Choose larger chunks, or put the chunks into shards. The message proposes a shape.",
	},
	{
		"uneven-shuffle", "numcodecs.shuffle takes whole elements, and the codec before it makes chunks of any number of bytes.",
		"A chunk whose bytes are no multiple of elementsize stops the run.",
		"Put numcodecs.shuffle directly behind bytes, before the codec that compresses.",
	},
	{
		"unknown-meaning", "The job removes an attribute that gives values their meaning. So the target does not show which value the attribute had for its rows.",
		"The appended rows may have other units, or another packing.",
		"Compare the attribute with the same attribute in the files of earlier runs.",
	},
	{
		"unlisted-target", "The target lies in a larger hierarchy, whose consolidated metadata do not list it.",
		"Readers that go by these metadata do not see the target.",
		"Consolidate the metadata of the larger hierarchy anew after the run, for instance by zarr.consolidate_metadata of zarr-python.",
	},
	{
		"unmatched-pattern", "A glob under arrays, or in include or exclude, matches no array of the source.",
		"The entry has no effect.",
		"Look for a mistake in the glob. zmigrate inspect lists the paths of a source.",
	},
	{
		"unused-field", "A field of the job has no effect, because another field is given or missing.",
		"The field is ignored.",
		"Leave the field out, or do what the message says.",
	},
	{
		"zfp-nonfinite", "The fill value is NaN or infinite, and lossy modes of zfp take finite numbers.",
		"A chunk with such a value stops the run.",
		"Use mode: reversible, or numcodecs.bitround or numcodecs.quantize, which keep NaN.",
	},
	{
		"zfp-range", "The fill value is an integer that lossy zfp refuses, or so large a float that the values beside it lose their digits.",
		"Values in the same block as a missing value come back with large errors.",
		"Choose another fill_value, or use mode: reversible, numcodecs.bitround or numcodecs.quantize.",
	},
	{
		"zfp-tolerance", "zfp cannot keep the tolerance for this type or these values.",
		"The error of some values may be larger.",
		"Use another mode or type. verify_bound: true decodes each chunk and stops where an error is larger.",
	},
	{
		"zfp-unsigned", "zfp stores signed integers.",
		"Values above the largest signed integer stop the run.",
		"Choose another codec, or another data_type.",
	},
}
