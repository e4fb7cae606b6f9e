//go:build purego

package zstd

import "encoding/binary"

func peek64(src []byte, at int) uint64 { return load64(src, at) }

func peek32(src []byte, at int) uint32 { return load32(src, at) }

func slot(table []uint32, i uint64) *uint32 { return &table[i] }

func poke64(dst []byte, at int, v uint64) { binary.LittleEndian.PutUint64(dst[at:cap(dst)], v) }
