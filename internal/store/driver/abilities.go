package driver

import "context"

// Files is an ability of a driver whose objects are files of this machine. Its uploads take
// parts of any size.
type Files interface {
	// Sync returns when every put and delete that returned before is visible and durable.
	Sync(ctx context.Context) error
	// Head returns a digest of the beginning of a file.
	Head(key string) (digest string, err error)
	// SameName tells whether two names in one folder name the same file.
	SameName(a, b string) (bool, error)
}

// ObjectServer is an ability of a driver whose place is a bucket.
type ObjectServer interface {
	// Conditional tells whether puts obey conditions, as far as is known.
	Conditional() bool
	// DropConditions says that the server has refused a put for its condition.
	DropConditions()
	// MostCopied returns the size of the largest object that the server copies, -1 if it
	// copies none.
	MostCopied() int64
	// CopyFrom makes the server copy an object to the key, from a bucket that the same
	// credentials reach at the same server. The object's Key is the full key in its
	// bucket. known is false if the server does not tell the CRC-32C of the copy. If the
	// object no longer has its Version, the answer is 404 or 412. If the condition for the
	// key does not hold, the answer is 412.
	CopyFrom(ctx context.Context, bucket string, object Info, key string, when Condition) (made Copied, known bool, err error)
}

// Copied is what a server tells of a copy that it has made.
type Copied struct {
	Sum     uint32 // CRC-32C
	Version string // as PutVersion returns it
}

// Checker is an ability of a driver whose place has a checksum of every object, and which
// does not compare the bytes of parts.
type Checker interface {
	// Check reads all of an object and compares its checksum, unless that was done before.
	Check(ctx context.Context, key string) error
}
