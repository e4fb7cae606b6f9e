package store

import "context"

// files is an ability of a driver whose objects are files of this machine.
type files interface {
	// sync returns when every put and delete that returned before is visible and durable.
	sync(ctx context.Context) error
	// head returns a digest of the beginning of a file.
	head(key string) (digest string, err error)
	// sameName tells whether two names in one folder name the same file.
	sameName(a, b string) (bool, error)
}

// objectServer is an ability of a driver whose place is a bucket.
type objectServer interface {
	// conditional tells whether puts obey conditions, as far as is known.
	conditional() bool
	// dropConditions says that the server has refused a put for its condition.
	dropConditions()
	// mostCopied returns the size of the largest object that the server copies, -1 if it
	// copies none.
	mostCopied() int64
	// copyFrom makes the server copy an object to the key, from a bucket that the same
	// credentials reach at the same server. The object's Key is the full key in its
	// bucket. known is false if the server does not tell the CRC-32C of the copy. If the
	// object no longer has its Version, the answer is 404 or 412. If the condition for the
	// key does not hold, the answer is 412.
	copyFrom(ctx context.Context, bucket string, object Info, key string, when condition) (made Copied, known bool, err error)
}

// Copied is what a server tells of a copy that it has made.
type Copied struct {
	Sum     uint32 // CRC-32C
	Version string // as PutVersion returns it
}

// checker is an ability of a driver whose place has a checksum of every object, and which
// does not compare the bytes of parts.
type checker interface {
	// check reads all of an object and compares its checksum, unless that was done before.
	check(ctx context.Context, key string) error
}
