package codecs

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// numbered is a stored inner chunk with its number.
type numbered struct {
	Place
	number int
}

// numberedBytes is the size of a numbered in memory.
const numberedBytes = placeBytes + 8

// Verification implements [Verifier].
func (s *Shards) Verification() Verification {
	return Verification{
		Checksum: true, InPieces: !s.inner.Size().Unbounded || s.inner.VerifiesInPieces(),
		Memory: s.verifyMemory(true), MemoryReading: s.verifyMemory(false),
	}
}

// Verify implements [Verifier]. It verifies the index, and each inner chunk by the
// inner chain, in the order in which they are stored. Inner chunks that lie close to
// each other are read together.
func (s *Shards) Verify(ctx context.Context, in Input) error {
	o, err := s.open(ctx, in)
	if err != nil {
		return err
	}
	var parts []numbered
	for i, p := range o.places {
		if p != Absent {
			parts = append(parts, numbered{p, i})
		}
	}
	slices.SortFunc(parts, func(a, b numbered) int { return cmp.Compare(a.Offset, b.Offset) })
	for len(parts) > 0 {
		n := s.together(in, parts)
		if err := s.verifyParts(ctx, in, parts[:max(n, 1)], n > 0); err != nil {
			return err
		}
		parts = parts[max(n, 1):]
	}
	return nil
}

// together returns how many of the parts to read at once and verify in memory. If it is
// 0, the first part is read while it is verified.
func (s *Shards) together(in Input, parts []numbered) int {
	if _, ok := in.(InMemory); ok {
		return 0
	}
	most, gap := uint64(s.inner.Size().Max), uint64(GapBytes(in))
	all, some := s.inner.VerifiesAll(), s.inner.verify.last >= 0
	begin, end, n := parts[0].Offset, parts[0].Offset, 0
	for _, p := range parts {
		longer := max(end, p.Offset+p.Length)
		switch {
		case p.Length > most, !all && (!some || p.Length > gap):
			return n
		case longer-begin > MaxRun && (n > 0 || s.inner.VerifiesInPieces()):
			return n
		case n > 0 && p.Offset > end && p.Offset-end > gap:
			return n
		}
		n, end = n+1, longer
	}
	return n
}

// verifyParts verifies inner chunks. If once is true, it reads them all at once into
// memory.
func (s *Shards) verifyParts(ctx context.Context, in Input, parts []numbered, once bool) error {
	begin := uint64(0)
	if once {
		begin = parts[0].Offset
		end := begin
		for _, p := range parts {
			end = max(end, p.Offset+p.Length)
		}
		buffer := s.pool.Get(int(end - begin))
		defer buffer.Release()
		if err := in.ReadAt(ctx, buffer.Bytes, int64(begin)); err != nil {
			return err
		}
		in = InMemory(buffer.Bytes)
	}
	for _, p := range parts {
		part := Section(in, int64(p.Offset-begin), int64(p.Length))
		if err := s.inner.Verify(ctx, part); err != nil {
			return fmt.Errorf("inner chunk %v: %w", s.coordinates(p.number), err)
		}
	}
	return nil
}

// verifyMemory returns the memory that Verify takes for a shard that is in memory, or
// for a shard that is not.
func (s *Shards) verifyMemory(inMemory bool) int {
	inner := s.inner.VerifyMemory(inMemory)
	if !inMemory && (s.inner.verify.last >= 0 || s.inner.VerifiesAll()) {
		run := min(MaxRun, s.Size().Max)
		if !s.inner.VerifiesInPieces() {
			run = max(run, s.inner.Size().Max)
		}
		inner = max(inner, ndarray.Rounded(run)+s.inner.VerifyMemory(true))
	}
	return 3*s.IndexSize() + s.n*(placeBytes+numberedBytes) + inner
}
