package stages

import (
	"context"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/sinks"
)

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
