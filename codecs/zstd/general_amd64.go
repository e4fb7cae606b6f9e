//go:build !purego

package zstd

import (
	"unsafe"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// search tells generalKernel and quicklyKernel where to read and write.
type search struct {
	src            *byte
	long, short    *uint32 // tables
	literals       *byte
	sequences      *sequence
	end, limit     int // of src, and of the positions
	at, anchor     int
	offset, before int // of the last two sequences
	down, haste    uint
	base           uint
	multiplier     uint64
	near           int
	mostEntire     int
}

// generalKernel does the same as generalPlain. It needs BMI1, BMI2 and LZCNT.
//
//go:noescape
func generalKernel(s *search)

// quicklyKernel does the same as quicklyPlain. It needs BMI1, BMI2 and LZCNT.
//
//go:noescape
func quicklyKernel(s *search)

func (p *parser) general(src []byte, from int, h history) {
	if cpu.Used() < cpu.AVX2 {
		p.generalPlain(src, from, h)
		return
	}
	s := p.search(src, from, h)
	generalKernel(&s)
	p.found(src, &s)
}

func (p *parser) quickly(src []byte, from int, h history) {
	if cpu.Used() < cpu.AVX2 {
		p.quicklyPlain(src, from, h)
		return
	}
	s := p.search(src, from, h)
	quicklyKernel(&s)
	p.found(src, &s)
}

// search begins a search of src[from:].
func (p *parser) search(src []byte, from int, h history) search {
	t := &p.bytes
	p.begin(from)
	return search{
		src: unsafe.SliceData(src), long: unsafe.SliceData(t.long), short: unsafe.SliceData(t.short),
		literals: unsafe.SliceData(p.literals), sequences: unsafe.SliceData(p.sequences),
		end: len(src), limit: len(src) - margin, at: max(from, 1), anchor: from,
		offset: int(h[0]), before: int(h[1]), down: t.down, haste: p.haste, base: uint(t.base), multiplier: t.multiplier, near: t.near,
		mostEntire: p.mostEntire(),
	}
}

// found takes what a search has found.
func (p *parser) found(src []byte, s *search) {
	p.literals = p.literals[:uintptr(unsafe.Pointer(s.literals))-uintptr(unsafe.Pointer(unsafe.SliceData(p.literals)))]
	p.sequences = p.sequences[:(uintptr(unsafe.Pointer(s.sequences))-uintptr(unsafe.Pointer(unsafe.SliceData(p.sequences))))/unsafe.Sizeof(sequence{})]
	p.anchor = s.anchor
	p.end(src)
}
