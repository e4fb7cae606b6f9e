//go:build !amd64 || purego

package zstd

func literalKernel() bool { return false }

func decodeKernel(*literalStreams, int) {}
