package ndarray

import (
	"math/bits"
	"sync"
)

// Buffer is a piece of memory with one owner. Handing it to somebody else,
// for example through a channel, hands over the ownership; the last owner
// calls Release and then touches neither the buffer nor its bytes.
type Buffer struct {
	Bytes    []byte // the length that was asked for; starts at a multiple of 8
	memory   []byte
	pool     *Pool
	released bool // guarded by pool.mu
}

// Pool lends buffers and keeps returned memory for reuse. Lengths are rounded
// up to classes, an eighth apart, so that returned memory fits more than one
// request. A Pool bounds what it keeps idle, not what it lends: that is the
// business of whoever holds the budget, with [Rounded] as the price. Safe for
// concurrent use; the zero value keeps nothing.
type Pool struct {
	// Keep bounds the bytes of idle memory.
	Keep int

	mu   sync.Mutex
	idle map[int][][]byte
	held int // bytes of idle memory
	lent int // buffers lent and not returned
}

// Rounded is the number of bytes of memory that a buffer of n bytes takes: at
// least 4 KiB, and at most an eighth more than n above that.
func Rounded(n int) int {
	const least = 4096
	if n <= least {
		return least
	}
	step := 1 << (bits.Len(uint(n-1)) - 4)
	return (n + step - 1) &^ (step - 1)
}

// Get lends a buffer of n bytes with undefined content.
func (p *Pool) Get(n int) *Buffer {
	memory := p.take(Rounded(n))
	if memory == nil {
		memory = make([]byte, Rounded(n))
	}
	// The handle is new each time, so that an old one cannot release memory
	// that was lent again.
	return &Buffer{Bytes: memory[:n], memory: memory, pool: p}
}

// take counts a buffer as lent and returns idle memory of its class, nil when
// there is none.
func (p *Pool) take(class int) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lent++
	list := p.idle[class]
	if len(list) == 0 {
		return nil
	}
	last := len(list) - 1
	memory := list[last]
	list[last] = nil // the list does not hold on to what it gave away
	p.idle[class] = list[:last]
	p.held -= class
	return memory
}

// Lent returns the number of buffers that are lent and not yet released; it
// is zero when nothing leaks.
func (p *Pool) Lent() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lent
}

// Release returns the buffer to its pool. Releasing twice is a bug: it
// panics.
func (b *Buffer) Release() {
	p := b.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if b.released {
		panic("ndarray: a buffer was released twice")
	}
	if invariants {
		b.memory[0] = 0xdb
		for n := 1; n < len(b.memory); n *= 2 {
			copy(b.memory[n:], b.memory[:n])
		}
	}
	p.lent--
	p.keep(b.memory)
	b.released, b.Bytes, b.memory = true, nil, nil
}

// keep adds memory to what is idle. What was used last counts most: when the
// pool is full, other classes are dropped for it.
func (p *Pool) keep(memory []byte) {
	class := len(memory)
	if class > p.Keep {
		return
	}
	for size, list := range p.idle {
		if p.held+class <= p.Keep {
			break
		}
		if size != class {
			p.held -= size * len(list)
			delete(p.idle, size)
		}
	}
	if p.held+class > p.Keep {
		return
	}
	if p.idle == nil {
		p.idle = map[int][][]byte{}
	}
	p.idle[class] = append(p.idle[class], memory)
	p.held += class
}
