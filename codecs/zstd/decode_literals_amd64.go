//go:build !purego

package zstd

import "github.com/zmigrate/zmigrate/internal/cpu"

func literalKernel() bool { return cpu.Used() >= cpu.AVX2 }

// decodeKernel does n rounds of lookups in all streams, with BMI2. n is not zero.
//
//go:noescape
func decodeKernel(s *literalStreams, n int)
