// Package store is the one place that opens a URL. A [Store] is a folder of
// objects, each a key and its bytes, in a local directory, in memory, in a
// bucket of S3, Google Cloud Storage or Azure, on an HTTP server or in a zip
// archive. The Store checks keys, counts and paces requests, and retries requests
// that failed with a transient error. A driver for each kind of place, in a package of its
// own, does the rest. [Store.Put] stores an object whole. A [Writer] stores it in pieces,
// and never holds all of it in memory.
//
// # URLs
//
//	data/coads.zarr                      a local directory, relative to the working directory
//	file:///data/coads.zarr              the same, as a URL (percent-encoded)
//	mem://name/prefix                    memory; shared between stores through [Options.Memory]
//	s3://bucket/prefix?region=eu-west-1  S3, and servers that speak its protocol
//	gs://bucket/prefix                   Google Cloud Storage
//	azblob://container/prefix            Azure Blob Storage
//	https://server/path?signature        a plain HTTP server, also http; read-only
//
// A local path that looks like a URL without its two slashes ("s3:/x") is an error. So
// is a path with a drive ("C:/x"), except on Windows. With "./" in front, both are
// paths. "file:/x" is "file:///x". Another scheme is an error that wraps
// [errors.ErrUnsupported]. The build tags nos3, nogcs and noazure leave a provider out;
// its scheme is then the same error.
//
// Credentials are never in a URL, except for the signature of an HTTP URL. The query of
// a URL may hold:
//
//	s3      region                        name of the bucket's region
//	        endpoint                      http(s) URL of a server that is not AWS's
//	        profile                       section of the shared AWS files
//	        use_path_style                true: the bucket is in the path, not in the host name
//	                                      (also s3ForcePathStyle)
//	        anonymous                     true: requests are not signed
//	        request_checksum_calculation  when_supported or when_required, as in the
//	        response_checksum_validation  AWS variables of these names
//	gs      anonymous                     true: requests have no token
//	azblob  storage_account               name of the account
//	        domain                        host in place of blob.core.windows.net; if the host is
//	                                      localhost or an address, the account is in the path
//	        localemu                      true: the account is in the path, whatever the host
//	        protocol                      http or https
//	        anonymous                     true: requests are not signed
//	http(s) anything                      sent with every request, unchanged
//
// Every function that takes a URL returns an error for a value that its parameter
// cannot have. The query of an HTTP URL may be a secret. Only functions whose result is
// a URL to be opened return it; [Shown] leaves it out, for people, and [Store.Query]
// returns a digest, which tells objects apart. A signature is for one method. So if an
// HTTP URL has a query, a size is asked for by a GET of the first byte.
//
// S3 uses the ordinary AWS chain of credentials (environment, shared files, instance
// roles). Google Cloud Storage uses the application default credentials, and none if
// STORAGE_EMULATOR_HOST names another server. Azure uses AZURE_STORAGE_ACCOUNT
// with AZURE_STORAGE_KEY, or else with AZURE_STORAGE_SAS_TOKEN, or else
// AZURE_STORAGE_CONNECTION_STRING, or else what its libraries find
// (environment, workload and managed identities, az login). AZURE_STORAGE_DOMAIN
// and AZURE_STORAGE_PROTOCOL mean the same as in the query. If the environment has a
// signature or a connection string, a URL cannot lead to another server.
//
// # Requests
//
// Clients retry nothing by themselves. Which requests are retried, and when, is the
// same for all places, within the request budget ([limits.Limits]) that stores share.
//
// Each body that is sent has a checksum, which the server compares: CRC-32C for S3 and
// Google Cloud Storage, CRC-64 for Azure (MD5 for its emulators). S3 gets none if
// request_checksum_calculation is when_required. The length of each body that arrives is
// compared with the length asked for. The bytes of a whole object are compared with the
// checksum in the answer: of S3, any checksum that it has stored, or an ETag that is the
// MD5; of Google Cloud Storage, the CRC-32C; of Azure, the Content-MD5; of a plain HTTP
// server, either of the last two. Bytes that differ were damaged on the way, and the
// read is retried.
//
// An answer that no retry changes (access refused, no such bucket, another region) is
// an error with a way out. The text of an error holds no URL of a request, no header
// and no body. A provider sends certain headers with every success, such as the ETag of
// a stored object. A success without them comes from a proxy, or from the login page of
// a network. It is a transient error.
//
// S3 and Google Cloud Storage can copy objects between buckets, see [Store.CopyFrom].
// The ETag or the generation makes sure that the copy is of the object that was looked
// at, and not of one that has replaced it. In the same way a read can insist on the
// version of an object that was looked at, see [Store.Pin].
//
// Changes can depend on the permission of a lock, see [Store.Guard]. Then all puts in
// a bucket are conditional (If-None-Match and If-Match of S3 and Azure, the generation
// of Google Cloud Storage), also copies by the server and uploads in parts. A server
// that answers 501 to a condition gets no more conditions, and a warning is logged. A
// server that ignores conditions cannot be told from one that obeys them. Deletes have
// no condition.
//
// Large objects are sent in parts: the parts of an upload to S3, the pieces of a
// resumable session of Google Cloud Storage, the blocks of Azure. No part is listed or
// read before the last one is stored. S3 and Azure take several parts at the same time,
// see [Options]. An upload may be given up, or its process killed. Then nothing of it
// stays in S3 after [Writer.Abort] or [Store.Clean]. There is one exception: if a part is in
// flight when Abort drops the upload, S3 may store that part afterwards. The next Clean
// removes the part. Google drops the upload after Abort, and otherwise within a week, as
// Azure does.
//
// A plain HTTP server cannot be listed: a list is an error that wraps [ErrNoList]. The
// server has to tell the size of what it sends. If it knows no ranges, objects of up to
// 64 MiB are read whole, once, and the 64 MiB used last are kept; larger objects are
// refused. Redirects are followed. Proxies are those of the environment.
//
// # Zip archives
//
// In all of these places, the path of a file whose name ends in ".zip" is a folder that
// holds the members of the archive. What follows the name is a folder in the archive.
// An archive is read-only. Its central directory, ZIP64 or not, is read once, up to
// 128 MiB, and kept in memory. Stored members are read by ranges. A deflated member is
// decompressed from its beginning for each read. If a member is read whole, its
// checksum is compared. Before a part of a member is read for the first time, the whole
// member is read and compared. Behind a network that would cost too much: parts come
// unchecked, [Store.Check] compares a member, and Info.Sum is the checksum for callers
// that read a member in pieces. Members whose names are no keys are left out. Of several
// members with one name the last counts.
//
// # References
//
// The objects of a store can be parts of other files, which a table of references names, see
// [OpenReferences]. Who opens such a store hands in the table and what reads the files, because
// tables have several formats.
//
// # Keys
//
// A key is a relative, slash-separated path of UTF-8 text. Empty keys, empty
// parts, "." and "..", a leading or trailing slash, and control characters are
// refused, because not every store keeps them unchanged. Azure also refuses the
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
// In a remote store "durable" means that the server has acknowledged the object. In a
// local store it means that the object and its directory entry are flushed to disk. An
// object is replaced as a whole: a reader sees the old bytes or the new ones.
//
// In a local store the object of a Put or of a Writer waits in a staging folder until
// the next Sync, or until a batch of such files is full. So many small objects share the
// cost of flushing. While the object waits, reads and lists of the same Store do not see
// it. A Sync that fails has lost objects. Every later Sync of that Store returns the
// error again.
//
// # Local directories
//
// Keys are paths below the directory, and nothing else is kept in it. The
// staging folder lies beside the directory. If that place is on another file
// system, a folder ".zmigrate-staging" inside the directory takes its place for as
// long as the store is open; lists do not show it. Symbolic links to files are
// read and listed. Reads follow links to directories, lists do not.
//
// # Files
//
// The files, bottom up. Each uses only files above it in this list:
//
//	store.go             Store, and its requests that are not about an object's content
//	pin.go               objects whose versions are known
//	read.go              reading objects and ranges of them
//	conditional_puts.go  puts that depend on the permission of a lock
//	put.go               whole objects, stored and made durable
//	upload_parts.go      large objects in parts
//	writer.go            Writer
//	copy.go              objects copied by the server
//	folders.go           the folders of a store
//	clean.go             what a killed process has left
//	clients.go           clients that stores share
//	open.go              Open
//	references.go        stores whose objects lie in other files
//	urls.go              URLs as texts: shown, beside each other
//	unwritable.go        errors that say that a place cannot be written to, or not be read
//	places.go            whether two URLs lead to the same place
//	glob.go              files that match a pattern
//	glob_folders.go      folders that match a pattern
//	urls_below.go        the URLs of what lies below a folder
package store
