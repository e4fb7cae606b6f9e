//go:build noazure

package azure

import (
	"context"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/location"
)

func New(context.Context, location.Location) (*bucket.Bucket, error) {
	return nil, bucket.BuiltWithout("Azure (build tag noazure)")
}
