// Package store is the one place that opens a URL. A [Store] is a folder of
// objects, each a key and its bytes, in a local directory, in memory, in a
// bucket of S3, Google Cloud Storage or Azure, on an HTTP server or in a zip
// archive. It checks keys, counts and paces requests and repeats those that
// failed for a passing reason; an unexported driver for each kind of place does
// the rest. An object goes to a store whole with [Store.Put], or in pieces with a
// [Writer], which never holds all of it.
//
// # URLs
//
//	data/coads.zarr                      a local directory, relative to the working directory
//	file:///data/coads.zarr              the same, as a URL (percent-encoded)
//	mem://name/prefix                    memory; shared between stores through [Options.Memory]
//	s3://bucket/prefix?region=eu-west-1  S3 and what speaks its protocol
//	gs://bucket/prefix                   Google Cloud Storage
//	azblob://container/prefix            Azure Blob Storage
//	https://server/path?signature        a plain HTTP server, also http; only read
//
// A local path that begins as one of these does but for its slashes ("s3:/x"), or, but
// on Windows, with a drive ("C:/x"), is an error; with "./" in front of it, it is a
// path. "file:/x" is "file:///x". Another scheme is an error that wraps
// [errors.ErrUnsupported], and so is that of a provider which a build tag has left
// out: nos3, nogcs, noazure.
//
// What the query of a URL may hold, and where credentials come from, which are
// never in a URL but for a signature of HTTP:
//
//	s3      region                        name of the bucket's region
//	        endpoint                      http(s) URL of another server than AWS's
//	        profile                       section of the shared AWS files
//	        use_path_style                true: the bucket is in the path, not in the host name
//	                                      (also s3ForcePathStyle)
//	        anonymous                     true: requests are not signed
//	        request_checksum_calculation  when_supported or when_required, as the
//	        response_checksum_validation  AWS variables of these names
//	gs      anonymous                     true: requests have no token
//	azblob  storage_account               name of the account
//	        domain                        host in place of blob.core.windows.net; where it is
//	                                      localhost or an address the account goes into the path
//	        localemu                      true: it goes there whatever the host
//	        protocol                      http or https
//	        anonymous                     true: requests are not signed
//	http(s) anything                      goes with every request as it is
//
// A value that its parameter cannot have is an error of whatever takes a URL. The
// query of HTTP may be a secret: only functions whose result is a URL to be opened
// return it. [Shown] is for people, and [Store.Query] for telling objects apart. As a
// signature is for one method, sizes are asked for by a GET of the first byte where
// there is a query.
//
// S3 has the ordinary AWS chain (environment, shared files, instance roles).
// Google Cloud Storage has the application default credentials, and none where
// STORAGE_EMULATOR_HOST names another server. Azure has AZURE_STORAGE_ACCOUNT
// with AZURE_STORAGE_KEY, or else with AZURE_STORAGE_SAS_TOKEN, or else
// AZURE_STORAGE_CONNECTION_STRING, or else what its libraries find
// (environment, workload and managed identities, az login); AZURE_STORAGE_DOMAIN
// and AZURE_STORAGE_PROTOCOL are as in the query. With a signature of the
// environment, and with a connection string, a URL cannot lead to another server.
//
// # Requests
//
// Clients repeat nothing by themselves: what is repeated, and when, is the same
// for all places, within the [Limits] that stores share. Bodies that are sent
// have a checksum that the server compares: CRC-32C for S3, unless checksums are
// for when_required, and for Google Cloud Storage, CRC-64 for Azure (MD5 for its
// emulators). Bodies that come are held against the length asked for, and those of
// whole objects against the checksum that the answer has: any that S3 has stored, or an
// ETag that is the MD5, the CRC-32C of Google Cloud Storage, the Content-MD5 of Azure,
// and those two of a plain HTTP server. Other bytes count as damaged on the way: the
// read is repeated. An answer that no repetition changes (access
// refused, no such bucket, another region) is an error with a way out. No text of
// an error has the URL of a request, a header or a body in it. A success without what
// the provider tells with it, such as the ETag of what was stored, is that of a proxy
// or of the login page of a network: it counts as no answer, and is repeated.
//
// Objects of one bucket of S3 or Google Cloud Storage can be copied into another
// by the server, see [Store.CopyFrom]: the one that was looked at, by its ETag or
// its generation, and no other that has come into its place.
//
// Reads of an object that was looked at can be held to that, see [Store.Pin]: answers
// tell the ETag, the generation or the time of what they are from.
//
// Changes can be held to the permission of a lock, see [Store.Guard]. Puts in a bucket
// are conditional then (If-None-Match and If-Match of S3 and Azure, the generation of
// Google Cloud Storage), copies by the server and uploads in parts included. A server
// that answers 501 to a condition is left without, with a warning. One that ignores
// conditions cannot be told from one that knows them. Deletes have no condition.
//
// Large objects go in parts: those of an upload to S3, pieces of a resumable
// session of Google Cloud Storage, blocks of Azure, none of which is listed or
// read before the last. But for those of Google they may be sent at the same time,
// see [Options]. What remains of an upload that was given up or whose
// process was killed: nothing in S3 after [Writer.Abort] or [Store.Clean]; the
// other two drop it themselves within a week, Google also after Abort.
//
// A plain HTTP server cannot be listed, which is an error that wraps
// [ErrNoList], and has to tell the size of what it sends. Where it knows no
// ranges, objects of up to 64 MiB are read whole, once, and the last 64 MiB of them
// kept; larger ones are refused. Redirects are followed, and proxies are those of the environment.
//
// # Zip archives
//
// The path of a file whose name ends in ".zip", in any of these places, is a
// folder with the members of that archive, and what follows such a name is a
// folder in it. It is only read. Its central directory, ZIP64 or not, is read
// once, up to 128 MiB of it, and kept in memory. Members that are stored are
// read by ranges; those that are deflated are decompressed from their beginning
// for each read. A member that is read whole is held against its checksum. Before
// a part of one is read for the first time, all of it is read and compared, unless
// the archive is behind a network: then parts come as they are, [Store.Check]
// compares a member, and Info.Sum tells the checksum to whoever reads it in pieces.
// Members whose names are no keys are left out, and of several with one name the
// last counts.
//
// # Keys
//
// A key is a relative, slash-separated path of UTF-8 text. Empty keys, empty
// parts, "." and "..", a leading or trailing slash, and control characters are
// refused, because not every store keeps them as they are; for Azure also the
// characters " # % ? and \, and parts that end with a dot.
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
