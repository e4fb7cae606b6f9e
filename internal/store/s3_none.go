//go:build nos3

package store

import "context"

func newS3(context.Context, location) (*bucket, error) {
	return nil, builtWithout("S3 (build tag nos3)")
}
