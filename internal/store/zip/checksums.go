package zip

import (
	"context"
	"hash/crc32"
	"io"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/flate"
)

// compare fails if the contents of a member have another checksum than the archive says.
func (m *member) compare(sum uint32) error {
	if sum == m.sum {
		return nil
	}
	return damaged("the contents of %.60q have the CRC-32 %08x, the archive says %08x: get the file again, or repair it where it was made", m.key, sum, m.sum)
}

// checkedMembers remembers, in one bit each, the members of an archive whose checksums
// have been compared. It is safe for concurrent use.
type checkedMembers struct {
	bits  []atomic.Uint64
	turns [64]sync.Mutex // turns[i%64] is held while member i is compared
}

func newCheckedMembers(n int) *checkedMembers {
	return &checkedMembers{bits: make([]atomic.Uint64, (n+63)/64)}
}

func (s *checkedMembers) has(i int) bool { return s.bits[i/64].Load()>>(i%64)&1 == 1 }
func (s *checkedMembers) add(i int)      { s.bits[i/64].Or(1 << (i % 64)) }

// compared reads all of a member and compares its checksum, unless that was done before.
func (z *Driver) compared(ctx context.Context, m *member) error {
	i, _ := z.members.search(m.key)
	if z.checked.has(i) {
		return nil
	}
	turn := &z.checked.turns[i%len(z.checked.turns)]
	turn.Lock()
	defer turn.Unlock()
	if z.checked.has(i) {
		return nil
	}
	packed, err := z.packed(ctx, m)
	if err != nil {
		return err
	}
	var contents io.Reader = packed
	if m.method == deflated {
		contents = flate.NewReader(packed)
	}
	sum := crc32.NewIEEE()
	n, err := io.Copy(sum, io.LimitReader(contents, m.size+1))
	switch {
	case packed.failed != nil:
		return packed.failed
	case err != nil:
		return damaged("a deflated member: %v", err)
	case n != m.size:
		return damaged("a member of %d bytes, by the directory, decompresses to another number of bytes", m.size)
	}
	err = m.compare(sum.Sum32())
	if err == nil {
		z.checked.add(i)
	}
	return err
}

// Check implements [driver.Checker].
func (z *Driver) Check(ctx context.Context, key string) error {
	m, err := z.member(key)
	if err != nil {
		return err
	}
	return z.compared(ctx, m)
}
