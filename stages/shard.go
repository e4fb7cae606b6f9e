package stages

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/zarr"
)

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

// deliver takes an encoded inner chunk over and writes those inner chunks that can be
// written now. It returns a receipt if that completes the shard.
func (s *shard) deliver(ctx context.Context, p *pipeline, u parcel) (receipt *sinks.Receipt, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	defer func() { s.failed = s.failed || err != nil }()
	s.waiting[u.unit] = u
	s.digest += u.digest
	select {
	case s.came <- struct{}{}:
	default:
	}
	if s.failed {
		return nil, nil // the call that failed has returned the error
	}
	if s.layout.AtStart() {
		if len(s.waiting) < s.innerChunks() {
			return nil, nil
		}
		if err := s.placeAll(ctx); err != nil {
			return nil, err
		}
	}
	for !s.busy && s.next < s.innerChunks() {
		u, ready := s.waiting[s.innerChunk(s.next)]
		if !ready {
			return nil, nil
		}
		delete(s.waiting, u.unit)
		s.next++
		if err := s.write(ctx, p, u); err != nil {
			return nil, err
		}
	}
	if s.busy || s.next < s.innerChunks() {
		return nil, nil
	}
	return s.finish(ctx)
}

// write appends an inner chunk to the object. The caller holds the mutex; write releases
// it meanwhile, so that other goroutines may deliver.
func (s *shard) write(ctx context.Context, p *pipeline, u parcel) error {
	defer p.drop(u)
	if u.empty {
		return nil
	}
	if err := s.open(ctx); err != nil {
		return err
	}
	s.busy = true
	s.mutex.Unlock()
	_, err := s.stream.Write(u.data)
	s.mutex.Lock()
	s.busy = false
	s.places[u.unit] = codecs.Place{Offset: s.length, Length: uint64(len(u.data))}
	s.length += uint64(len(u.data))
	return err
}

func (s *shard) open(ctx context.Context) error {
	if s.stream != nil {
		return nil
	}
	stream, err := s.task.Stream(ctx, s.index)
	if err == nil {
		s.stream = stream
	}
	return err
}

// placeAll writes the index at the start. All inner chunks have been delivered.
func (s *shard) placeAll(ctx context.Context) error {
	places, at, empty := make([]codecs.Place, len(s.places)), s.length, true
	copy(places, s.places)
	for k := range s.innerChunks() {
		number := s.innerChunk(k)
		if u := s.waiting[number]; !u.empty {
			places[number] = codecs.Place{Offset: at, Length: uint64(len(u.data))}
			at += uint64(len(u.data))
			empty = false
		}
	}
	if empty && !s.task.KeepEmpty {
		return nil
	}
	return s.writeIndex(ctx, places)
}

func (s *shard) writeIndex(ctx context.Context, places []codecs.Place) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	index, err := s.layout.AppendIndex(nil, places)
	if err != nil {
		return err
	}
	_, err = s.stream.Write(index)
	return err
}

// finish ends the object and returns its receipt. If all inner chunks hold only the fill
// value, no object is stored.
func (s *shard) finish(ctx context.Context) (*sinks.Receipt, error) {
	if s.stream == nil && !s.task.KeepEmpty {
		return &sinks.Receipt{Array: s.number, Unit: s.unit, Empty: true}, nil
	}
	if !s.layout.AtStart() {
		if err := s.writeIndex(ctx, s.places); err != nil {
			return nil, err
		}
	}
	r, err := s.stream.Close()
	if err != nil {
		return nil, err
	}
	s.stream = nil
	r.Array, r.Unit = s.number, s.unit
	if s.task.Digest {
		r.Digest = digest.Optional{Sum: s.digest, Known: true, Behind: uint8(s.task.Behind)}
	}
	return &r, nil
}

// abandon gives back the memory of a shard that will not be finished. No other goroutine
// uses the shard any more.
func (s *shard) abandon(p *pipeline) {
	for _, u := range s.waiting {
		p.drop(u)
	}
	if s.stream != nil {
		_ = s.stream.Abort() // the error that ended the run counts
	}
	p.budget.Release(s.held.Load())
}

// waitsForAll reports whether inner chunks of variable size wait for the last one of
// their shard. Then they keep their memory until the shard is written.
func (t *Task) waitsForAll() bool {
	s, ok := t.shardLayout()
	return ok && s.AtStart() && t.variable()
}

// arrived waits until all inner chunks that were sent are encoded.
func (s *shard) arrived(ctx context.Context) error {
	for {
		s.mutex.Lock()
		n := len(s.waiting)
		s.mutex.Unlock()
		if n >= s.sent {
			return nil
		}
		select {
		case <-s.came:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// waitingBytes returns the bytes of inner chunks that wait for the last one of their
// shard, if these bytes were not reserved with the shard. The shard may be nil.
func (p *pipeline) waitingBytes(s *shard) (n int) {
	if s == nil || !s.task.waitsForAll() {
		return 0
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, u := range s.waiting {
		n += u.reserved
	}
	return n
}
