// Package store is the one place that opens a URL. A [Store] is a folder of
// objects, each a key and its bytes, in a local directory, in memory, in an S3
// bucket, on an HTTP server or in a zip archive. It checks keys, counts and paces requests and repeats those that
// failed for a passing reason; an unexported driver for each kind of place
// does the rest. An object goes to a store whole with [Store.Put], or in pieces
// with a [Writer], which never holds all of it.
//
// # URLs
//
//	data/coads.zarr                      a local directory, relative to the working directory
//	file:///data/coads.zarr              the same, as a URL (percent-encoded)
//	mem://name/prefix                    memory; shared between stores through [Options.Memory]
//	s3://bucket/prefix?region=eu-west-1  S3 and what speaks its protocol
//	https://server/path                  a plain HTTP server, also http; only read
//
// An s3 URL knows the parameters region, endpoint, profile, anonymous,
// use_path_style (or s3ForcePathStyle), request_checksum_calculation and
// response_checksum_validation; the last two take when_supported or
// when_required, as the AWS variables of these names do. Credentials come from
// the ordinary AWS chain (environment, shared files, instance roles), never
// from the URL. Another scheme is an error that wraps [errors.ErrUnsupported].
//
// A plain HTTP server cannot be listed, which is an error that wraps
// [ErrNoList], and has to tell the size of what it sends. Where it knows no
// ranges, objects are read whole, or from their beginning as far as 8 MiB are to
// be skipped. Redirects are followed, and proxies are those of the environment.
//
// # Zip archives
//
// The path of a file whose name ends in ".zip", in any of these places, is a
// folder with the members of that archive, and what follows such a name is a
// folder in it. It is only read. Its central directory, ZIP64 or not, is read
// once, up to 128 MiB of it, and kept in memory. Members that are stored are
// read by ranges; those that are deflated are decompressed from their beginning
// for each read. Objects that are read whole are held against their checksum.
// Members whose names are no keys are left out, and of several with one name the
// last counts.
//
// # Keys
//
// A key is a relative, slash-separated path of UTF-8 text. Empty keys, empty
// parts, "." and "..", a leading or trailing slash, and control characters are
// refused, because not every store keeps them as they are.
//
// # Durability
//
//	call          the object is visible      the object is durable
//	Put           at the latest after Sync   at the latest after Sync
//	Writer.Close  at the latest after Sync   at the latest after Sync
//	Create        on return                  on return
//	Delete        gone on return             gone for good at the latest after Sync
//
// "Durable" means acknowledged by a remote store, and flushed to disk together
// with its directory entry by a local one. An object is replaced as a whole: a
// reader sees the old bytes or the new ones. On a local store a Put, like the
// object of a Writer, waits in a staging folder until the next Sync, or until a
// batch of such files is full, so that many small objects share the cost of
// flushing; until then neither reads nor lists of the same Store see it. A
// failed Sync has lost objects, and every later Sync of that Store says so
// again.
//
// # Local directories
//
// Keys are paths below the directory and nothing else is kept in it. The
// staging folder lies beside the directory, unless that is another file
// system; then a folder ".zmigrate-staging" inside the directory serves for as
// long as the store is open, hidden from lists. Symbolic links to files are
// read and listed; those to directories are followed by reads, not by lists.
package store
