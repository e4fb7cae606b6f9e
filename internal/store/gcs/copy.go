//go:build !nogcs

package gcs

import (
	"context"
	"fmt"
	"math"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// MostCopied implements [bucket.Copier]. There is no limit.
func (u *uploader) MostCopied() int64 { return math.MaxInt64 }

// CopyFrom implements [bucket.Copier].
func (u *uploader) CopyFrom(ctx context.Context, bucket string, object driver.Info, key string, when driver.Condition) (made driver.Copied, known bool, err error) {
	from := u.google.Bucket(bucket).Object(object.Key)
	if number, ok := remote.Decimal(object.Version); ok {
		from = from.Generation(number)
	}
	attributes, err := withCondition(u.bucket.Object(key), when).CopierFrom(from).Run(ctx)
	if err != nil {
		return made, false, err
	}
	if attributes.Size != object.Size {
		return made, false, copySizeError(attributes.Size, object.Size)
	}
	return driver.Copied{Sum: attributes.CRC32C, Version: generation(attributes.Generation)}, true, nil
}

// copySizeError is the error of a copy that has another size than the object.
func copySizeError(got, want int64) error {
	return fmt.Errorf("the copy has %d bytes, the object %d: has somebody replaced it?", got, want)
}
