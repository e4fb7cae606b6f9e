//go:build !purego

package zstd

import (
	"unsafe"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// cursor tells a kernel where to read and write.
type cursor struct {
	src       *byte
	table     *uint32
	literals  *byte
	sequences *sequence
	end       int // of src
	anchor    int
	long      int
	scratch   *hit // memory to work with, of runMost hits
}

// takeDense4Kernel512 does the same as takeDensePlain for steps of four bytes. It needs AVX-512.
//
//go:noescape
func takeDense4Kernel512(r *run, c *cursor)

// takeDense2Kernel512 does the same for steps of two bytes. It needs AVX-512.
//
//go:noescape
func takeDense2Kernel512(r *run, c *cursor)

// takeDense4Kernel256 does the same for steps of four bytes. It needs AVX2.
//
//go:noescape
func takeDense4Kernel256(r *run, c *cursor)

// takeDense2Kernel256 does the same for steps of two bytes. It needs AVX2.
//
//go:noescape
func takeDense2Kernel256(r *run, c *cursor)

func (p *parser) takeDense(table []uint32, src []byte, r *run) (long int) {
	used := cpu.Used()
	if used < cpu.AVX2 {
		return p.takeDensePlain(table, src, r)
	}
	literals, sequences := p.literals[:cap(p.literals)], p.sequences[:cap(p.sequences)]
	c := cursor{
		src: &src[0], table: &table[0], literals: &literals[len(p.literals)], sequences: &sequences[len(p.sequences)],
		end: len(src), anchor: p.anchor, scratch: &p.hits[0],
	}
	switch {
	case used < cpu.AVX512 && r.step == 4:
		takeDense4Kernel256(r, &c)
	case used < cpu.AVX512:
		takeDense2Kernel256(r, &c)
	case r.step == 4:
		takeDense4Kernel512(r, &c)
	default:
		takeDense2Kernel512(r, &c)
	}
	p.literals = literals[:uintptr(unsafe.Pointer(c.literals))-uintptr(unsafe.Pointer(&literals[0]))]
	p.sequences = sequences[:(uintptr(unsafe.Pointer(c.sequences))-uintptr(unsafe.Pointer(&sequences[0])))/unsafe.Sizeof(sequence{})]
	p.anchor = c.anchor
	return c.long
}
