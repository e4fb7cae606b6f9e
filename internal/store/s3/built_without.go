//go:build nos3

package s3

import (
	"context"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/location"
)

func New(context.Context, location.Location) (*bucket.Bucket, error) {
	return nil, bucket.BuiltWithout("S3 (build tag nos3)")
}
