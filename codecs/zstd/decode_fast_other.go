//go:build !amd64 || purego

package zstd

func (d *sequenceDecoder) decodeFast() { d.decodeFastPlain() }

// Kernels names the extensions of the processor that the kernels of this package use. It
// returns "" if functions in Go do all the work.
func Kernels() string { return "" }
