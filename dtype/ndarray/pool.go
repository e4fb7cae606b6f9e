package ndarray

import (
	"fmt"
	"math/bits"
	"sync"

	"github.com/zmigrate/zmigrate/dtype"
)

// Buffer is a piece of memory with one owner. Handing it over, for example through a
// channel, hands over the ownership. The last owner calls Release and uses neither the
// buffer nor its bytes afterwards.
type Buffer struct {
	Bytes    []byte // has the requested length; starts at a multiple of 8
	memory   []byte
	pool     *Pool
	released bool // guarded by pool.mu
}

// Pool lends buffers and keeps returned memory for reuse. It rounds lengths up to
// classes, an eighth apart, so that returned memory fits more than one request. The
// holder of the budget bounds the memory that is lent, with [Rounded] as the price of a
// buffer. The Pool makes sure that idle memory does not exceed the same bound. A Pool
// is safe for concurrent use; the zero value keeps nothing.
type Pool struct {
	// Keep bounds the bytes of memory, lent and idle together. Returned memory is kept
	// only within this bound.
	Keep int

	mu   sync.Mutex
	idle map[int][][]byte
	held int // bytes of idle memory
	lent int // buffers lent and not returned
	out  int // bytes of these buffers' memory, and of memory that is counted
}

// Rounded returns the bytes of memory that a buffer of n bytes takes: at least 4 KiB,
// and above that at most an eighth more than n.
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
		preferHuge(memory)
	}
	// Each loan has a new handle, so that an old handle cannot release memory that was
	// lent again.
	return &Buffer{Bytes: memory[:n], memory: memory, pool: p}
}

// Array lends an array in C order with undefined elements, and its buffer, which the caller
// releases. Elements of variable size get a new heap. Clear the buffer before such elements are
// read. Array returns an error, and lends nothing, if [Bytes] does not accept the shape.
func (p *Pool) Array(t dtype.Type, shape []int) (Array, *Buffer, error) {
	n, ok := Bytes(t, shape)
	if !ok {
		return Array{}, nil, fmt.Errorf("an array of %v %s elements is too large", shape, t.Name())
	}
	b := p.Get(n)
	a, err := View(t, shape, b.Bytes)
	if err != nil {
		b.Release()
		return Array{}, nil, err
	}
	return a, b, nil
}

// take counts a buffer as lent and returns idle memory of its class, or nil if there is
// none.
func (p *Pool) take(class int) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lent++
	p.out += class
	list := p.idle[class]
	if len(list) == 0 {
		if class <= p.Keep {
			p.makeRoom(0, class)
		}
		return nil
	}
	last := len(list) - 1
	memory := list[last]
	list[last] = nil // so that the list does not keep the memory alive
	p.idle[class] = list[:last]
	p.held -= class
	return memory
}

// Count counts n bytes of memory that somebody else has allocated, so that less idle
// memory is kept. A negative n takes back an earlier count.
func (p *Pool) Count(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out += n; n > 0 {
		p.makeRoom(0, 0)
	}
}

// Lent returns the number of buffers that are lent and not yet released. It is zero
// when nothing leaks.
func (p *Pool) Lent() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lent
}

// Out returns the bytes of the memory that is lent, and of what is counted; it is zero
// when nothing leaks.
func (p *Pool) Out() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out
}

// Release returns the buffer to its pool. A second release is a bug: it panics.
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
	p.out -= len(b.memory)
	p.keep(b.memory)
	b.released, b.Bytes, b.memory = true, nil, nil
}

// keep adds memory to the idle memory, if there is room for it.
func (p *Pool) keep(memory []byte) {
	class := len(memory)
	if class > p.Keep {
		return
	}
	p.makeRoom(class, class)
	if p.held+p.out+class > p.Keep {
		return
	}
	if p.idle == nil {
		p.idle = map[int][][]byte{}
	}
	p.idle[class] = append(p.idle[class], memory)
	p.held += class
}

// makeRoom drops idle memory until n more bytes fit beside the idle and the lent
// memory. It drops none of the given class, which was used last.
func (p *Pool) makeRoom(n, class int) {
	for size, list := range p.idle {
		if p.held+p.out+n <= p.Keep {
			return
		}
		if size != class {
			p.held -= size * len(list)
			delete(p.idle, size)
		}
	}
}
