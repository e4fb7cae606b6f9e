//go:build !nogcs

package store

import (
	"context"
	"math"
)

// mostCopied is no bound here.
func (u *gcsUploader) mostCopied() int64 { return math.MaxInt64 }

// copyFrom is that of a copier.
func (u *gcsUploader) copyFrom(ctx context.Context, bucket string, object Info, key string) (sum uint32, known bool, err error) {
	from := u.google.Bucket(bucket).Object(object.Key)
	if generation, ok := decimal(object.Version); ok {
		from = from.Generation(generation)
	}
	made, err := u.bucket.Object(key).CopierFrom(from).Run(ctx)
	if err != nil {
		return 0, false, err
	}
	if made.Size != object.Size {
		return 0, false, otherSize(made.Size, object.Size)
	}
	return made.CRC32C, true, nil
}
