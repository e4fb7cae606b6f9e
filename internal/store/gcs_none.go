//go:build nogcs

package store

import "context"

func newGCS(context.Context, location) (*bucket, error) {
	return nil, builtWithout("Google Cloud Storage (build tag nogcs)")
}
