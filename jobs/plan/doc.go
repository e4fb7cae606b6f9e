// Package plan decides everything about a job that can be decided before data move.
//
// [New] opens the sources of a job and makes a [Plan]: shapes, chunks, bound codec
// chains, fill values, and what becomes of the target. It writes nothing, and refuses
// everything that can be refused without data.
//
// If the job has target.existing: append, the plan also depends on the target. The arrays
// of the plan then begin with the first object of the target that gets a new row.
//
// A checkpoint keeps the manifest of a plan, see package manifest. The same job over the
// same sources has the same manifest, with the same hash. Another process can make the
// same plan from the manifest, by [Read].
//
// The files, bottom up. Each uses only files above it in this list:
//
//	planned_array.go        Array
//	plan.go                 Plan, and what it is made with: builder, plannedTarget
//	plan_manifest.go        the manifest of a plan
//	task.go                 an array of a plan as a task for the stages
//	findings.go             what a plan tells of arrays and groups that are left out or odd
//	renames.go              nodes and dimensions whose names Zarr does not have
//	builder.go              what the files below use of a builder
//	readers.go              what required readers refuse
//	fill_value.go           the fill value of an array
//	kept_codecs.go          the codecs and shards of the source
//	packing.go              packed arrays
//	dimensions.go           dimensions that the job renames, with what names them
//	carry.go                objects that become the target's as they are
//	attributes_size.go      attributes that take too much memory
//	chain.go                the codec chain of an array
//	build.go                one array, from the source's description to the plan's
//	characters.go           characters as numbers or as texts
//	earlier_choices.go      chunks and codecs that an earlier version chose
//	growth.go               a target that grows
//	rebase.go               times that are brought to another origin
//	append_dimension.go     the dimension that arrays grow along
//	append_together.go      arrays that share the dimension grow together
//	append_attributes.go    attributes of the existing array and of the incoming rows
//	append_reencoded.go     rows that are decoded and encoded again
//	append_overlap.go       rows that are left out, because the target has them
//	existing_array.go       an array whose rows come behind those of the target
//	incoming_rows.go        whether incoming rows are new, and belong behind the others
//	append.go               what lies at the target, for a plan that appends rows
//	new_target.go           a target that is made anew
//	images.go               what OME-NGFF metadata name
//	groups.go               groups of the target
//	name_collisions.go      nodes that would be in one place, or that some file systems take for one
//	sample.go               some chunks of arrays whose values may be refused
//	new.go                  New
//	document.go             a plan that another process has written down
//	bundles.go              the units of a plan, divided among processes
package plan
