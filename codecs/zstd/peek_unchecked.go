//go:build !purego

package zstd

import (
	"encoding/binary"
	"unsafe"
)

// The encoder's search computes places that lie within its slices. So the functions of this file do not check
// places: checks would take a sixth of the time of the search at any position. The functions of
// peek_checked.go, for the tag purego, do check. Tests and fuzz targets with that tag find a wrong place.

// peek64 returns eight bytes of src.
func peek64(src []byte, at int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(src)), at))[:])
}

// peek32 returns four bytes of src.
func peek32(src []byte, at int) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(src)), at))[:])
}

// slot returns the place of an entry in a table.
func slot(table []uint32, i uint64) *uint32 {
	return (*uint32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(table)), 4*i))
}

// poke64 writes the eight bytes of v to a place in dst, whose capacity has room for them.
func poke64(dst []byte, at int, v uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), at))[:], v)
}
