//go:build !nogcs

package store

import (
	"context"
	"fmt"
	"math"
)

// mostCopied is no limit.
func (u *gcsUploader) mostCopied() int64 { return math.MaxInt64 }

// copyFrom implements [copier].
func (u *gcsUploader) copyFrom(ctx context.Context, bucket string, object Info, key string, when condition) (made Copied, known bool, err error) {
	from := u.google.Bucket(bucket).Object(object.Key)
	if number, ok := decimal(object.Version); ok {
		from = from.Generation(number)
	}
	attributes, err := withCondition(u.bucket.Object(key), when).CopierFrom(from).Run(ctx)
	if err != nil {
		return made, false, err
	}
	if attributes.Size != object.Size {
		return made, false, copySizeError(attributes.Size, object.Size)
	}
	return Copied{attributes.CRC32C, generation(attributes.Generation)}, true, nil
}

// copySizeError is the error of a copy that has another size than the object.
func copySizeError(got, want int64) error {
	return fmt.Errorf("the copy has %d bytes, the object %d: has somebody replaced it?", got, want)
}
