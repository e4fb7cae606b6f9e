package stages

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/zarr"
)

// block is a box of cells that are read together.
type block struct {
	task  int    // its index
	of    *Task  // the task
	first []int  // coordinates of its first cell
	count []int  // cells along each dimension
	units []int  // numbers of the units to do or, in a shard, of the inner chunks
	shard *shard // the shard of the cells, or nil
}

// blocks calls f for each block that has units to do, in C order. It calls begin before
// the first block of each shard. It ends as soon as f or begin returns false.
func (t *Task) blocks(task int, begin func(*shard) bool, f func(block) bool) {
	if layout, ok := t.shardLayout(); ok {
		more := true
		for unit := range t.Grid.Len() {
			if t.Done != nil && t.Done(unit) {
				continue
			}
			s := newShard(t, task, unit, layout)
			if more = begin(s); more {
				s.blocks(func(b block) bool {
					more = f(b)
					return more
				})
			}
			if !more {
				return
			}
		}
		return
	}
	counts := t.Grid.Count()
	if slices.Contains(counts, 0) {
		return
	}
	shape := t.blockShape()
	outer := zarr.Grid{Shape: counts, Chunk: shape}
	index, last := make([]int, len(counts)), make([]int, len(counts))
	for n := range outer.Len() {
		r := outer.Region(outer.Index(n))
		b := block{task: task, of: t, first: r.Start, count: r.Shape}
		// If nearly all units are done, looking for the others is all the work. So
		// nothing is allocated for a unit that is done.
		index, last := append(index[:0], r.Start...), append(last[:0], r.Start...)
		for i, n := range r.Shape {
			last[i] += n - 1
		}
		for at := index; at != nil; at = ndarray.Next(at, r.Start, last) {
			unit := 0
			for i, n := range counts {
				unit = unit*n + at[i]
			}
			if t.Done == nil || !t.Done(unit) {
				b.units = append(b.units, unit)
			}
		}
		if len(b.units) > 0 && !f(b) {
			return
		}
	}
}

// load is a block in flight. All of its cells share its buffer.
type load struct {
	block
	buffer    *ndarray.Buffer
	array     ndarray.Array // the block's elements, whole cells
	reserved  int           // bytes of the budget for the buffer
	allotment *allotment    // bytes of the budget to encode cells
	reading   int           // further bytes of the budget until the block is read
	users     atomic.Int64  // cells that still need the buffer

	// For elements of variable size: account is the memory that the block may take until
	// it is read. The allotment holds that memory meanwhile. If the planner waits for
	// the block, it receives from outcome.
	account *account
	outcome chan *outgrown
}

// cell returns the coordinates of the cell with a number.
func (l *load) cell(t *Task, unit int) []int {
	if l.shard != nil {
		return l.shard.cell(unit)
	}
	return t.Grid.Index(unit)
}

// parcel is one cell in flight: a unit, or an inner chunk of a unit that is a shard.
type parcel struct {
	load  *load
	unit  int   // number of the cell in the task's grid, or in its shard
	index []int // coordinates of the cell
	// data is the encoded cell: in buffer, or in the load's buffer if buffer is nil.
	// Neither is set for a cell that holds only the fill value.
	data     []byte
	buffer   *ndarray.Buffer
	reserved int // bytes of the budget for buffer
	empty    bool
	digest   digest.Sum // of the values, if the task takes digests

	// For an object that is carried through, sum is the checksum of the bytes read so far.
	// stored is the object if it does not fit into memory.
	sum    sinks.Checksum
	stored codecs.Input
}

// shard is an unfinished stored object whose inner chunks are read and encoded
// separately. They are written in C order, so that the bytes do not depend on which
// worker was faster. The shard is never in memory whole: an inner chunk waits only for
// earlier ones, which are in flight.
//
// If the index is at the start, all inner chunks wait until the last one is encoded. The
// most bytes that they can take are reserved before the first one is read. Otherwise
// they might wait for memory that they hold themselves. When an inner chunk turns out
// smaller, the rest is given back.
type shard struct {
	task   *Task
	number int // of the task
	unit   int
	index  []int // chunk coordinates of the unit
	layout *codecs.Shards
	places []codecs.Place
	inside []int         // inner chunks along each dimension that reach into the array
	sent   int           // inner chunks of variable size that were read; only the planner uses it
	came   chan struct{} // has a token when an inner chunk was delivered
	held   atomic.Int64  // bytes of the budget, without those that inner chunks have taken over

	mutex   sync.Mutex
	waiting map[int]parcel // encoded inner chunks that are not written yet
	next    int            // the next inner chunk to write, in the order of writing
	busy    bool           // a goroutine writes
	failed  bool           // the object cannot be finished
	stream  Stream         // nil until there is something to write
	length  uint64         // bytes written, with an index at the start
	digest  digest.Sum     // of the inner chunks that were delivered
}

func newShard(t *Task, number, unit int, layout *codecs.Shards) *shard {
	s := &shard{task: t, number: number, unit: unit, index: t.Grid.Index(unit), layout: layout, waiting: map[int]parcel{}, came: make(chan struct{}, 1)}
	n := 1
	for i, count := range layout.Count() {
		n *= count
		s.inside = append(s.inside, min(count, t.cells().Count()[i]-s.index[i]*count))
	}
	s.places = make([]codecs.Place, n)
	for i := range s.places {
		s.places[i] = codecs.Absent
	}
	if layout.AtStart() {
		s.length = uint64(layout.IndexSize())
	}
	return s
}

// blocks calls f for each block of inner chunks of the shard that reach into
// the array, in C order, until f returns false.
func (s *shard) blocks(f func(block) bool) {
	counts := s.layout.Count()
	outer := zarr.Grid{Shape: s.inside, Chunk: s.task.blockShape()}
	for n := range outer.Len() {
		r := outer.Region(outer.Index(n))
		b := block{task: s.number, of: s.task, first: r.Start, count: r.Shape, shard: s}
		inner := zarr.Grid{Shape: r.Shape, Chunk: ones(len(r.Shape))}
		for k := range inner.Len() {
			number := 0
			for i, at := range inner.Index(k) {
				number = number*counts[i] + r.Start[i] + at
			}
			b.units = append(b.units, number)
		}
		for i := range b.first {
			b.first[i] += s.index[i] * counts[i]
		}
		if !f(b) {
			return
		}
	}
}

// reserved returns the bytes that the shard reserves before its first block is read.
func (s *shard) reserved() int { return s.task.own() + s.innerChunks()*s.task.waiting() }

// innerChunks returns the number of inner chunks that reach into the array.
func (s *shard) innerChunks() int {
	n, _ := ndarray.Elements(s.inside)
	return n
}

// innerChunk returns the number, in the shard, of the k-th inner chunk to write.
func (s *shard) innerChunk(k int) int {
	number, step := 0, 1
	for i, n := range slices.Backward(s.inside) {
		number += k % n * step
		k /= n
		step *= s.layout.Count()[i]
	}
	return number
}

// cell returns the cell coordinates of an inner chunk.
func (s *shard) cell(number int) []int {
	counts := s.layout.Count()
	at := make([]int, len(counts))
	for i := len(at) - 1; i >= 0; i-- {
		at[i] = s.index[i]*counts[i] + number%counts[i]
		number /= counts[i]
	}
	return at
}

// errOutgrown is the error of an account that has no more memory.
var errOutgrown = errors.New("the block is larger than what it may take")

// account is the memory that a block of elements of variable size may take. It
// implements [ndarray.Account], and serves one goroutine.
type account struct {
	pool    *ndarray.Pool
	limit   int
	held    int
	most    int // the most that was held
	lent    []*ndarray.Buffer
	refused int // bytes that would have been held with the request that was refused; 0: none was
}

// Lend implements [ndarray.Account].
func (a *account) Lend(n int) ([]byte, error) {
	class := ndarray.Rounded(n)
	if err := a.hold(class); err != nil {
		return nil, err
	}
	b := a.pool.Get(class)
	a.lent = append(a.lent, b)
	return b.Bytes, nil
}

// Take implements [ndarray.Account].
func (a *account) Take(n int) error {
	err := a.hold(n)
	if err == nil {
		a.pool.Count(n)
	}
	return err
}

func (a *account) hold(n int) error {
	if n > a.limit-a.held {
		a.refused = max(a.refused, a.held+n)
		return errOutgrown
	}
	a.held += n
	a.most = max(a.most, a.held)
	return nil
}

// Give implements [ndarray.Account].
func (a *account) Give(n int) {
	a.held -= n
	a.pool.Count(-n)
}

// Room implements [ndarray.Account].
func (a *account) Room() int { return a.limit - a.held }

// release returns all buffers that were lent. Bytes that were counted with Take have been
// given back by then.
func (a *account) release() {
	for _, b := range a.lent {
		b.Release()
	}
	a.lent = nil
}

// outgrown is the error of a block that has outgrown its account.
type outgrown struct {
	need int // least bytes that the block takes
	held int // bytes that the block held when it was refused more
	read int // elements read by then, with the one for which there was no room
	// measured says that all elements were read. Then need is what the block takes.
	measured bool
}

func (o *outgrown) Error() string { return errOutgrown.Error() }
