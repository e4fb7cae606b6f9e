//go:build nogcs

package gcs

import (
	"context"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/location"
)

func New(context.Context, location.Location) (*bucket.Bucket, error) {
	return nil, bucket.BuiltWithout("Google Cloud Storage (build tag nogcs)")
}
