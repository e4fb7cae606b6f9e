//go:build !nogcs

package store

import (
	"context"
	"math"
)

// mostCopied is no bound here.
func (u *gcsUploader) mostCopied() int64 { return math.MaxInt64 }

// copyFrom is that of a copier.
func (u *gcsUploader) copyFrom(ctx context.Context, bucket, from, key string, size int64) (sum uint32, known bool, err error) {
	made, err := u.bucket.Object(key).CopierFrom(u.google.Bucket(bucket).Object(from)).Run(ctx)
	if err != nil {
		return 0, false, err
	}
	if made.Size != size {
		return 0, false, otherSize(made.Size, size)
	}
	return made.CRC32C, true, nil
}
