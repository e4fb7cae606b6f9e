//go:build !amd64 || purego

package zstd

func (d *sequenceDecoder) decodeFast() { d.decodeFastPlain() }
