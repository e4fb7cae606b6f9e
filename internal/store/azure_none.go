//go:build noazure

package store

import "context"

func newAzure(context.Context, location) (*bucket, error) {
	return nil, builtWithout("Azure (build tag noazure)")
}
