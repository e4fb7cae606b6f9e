package verify

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io/fs"
	"runtime"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/sources"
)

const (
	// wholeBytes is the size up to which an object is read at once, and only once.
	wholeBytes = 64 << 20
	// pieceBytes is how much of a larger object is read at once.
	pieceBytes = 8 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// objects reads the objects on record that are in the target, several at the same time,
// within the memory of the job.
func (v *verification) objects(ctx context.Context) error {
	if v.opt.Begin != nil {
		v.opt.Begin(v.todo())
	}
	return inParallel(ctx, v.workers(), func(send func(journal.Object) error) error { return v.feed(ctx, send) }, v.object)
}

func (v *verification) workers() int {
	return cmp.Or(v.job.Run.Workers.Read, max(runtime.GOMAXPROCS(0), sources.MostAtOnce))
}

// inParallel calls work for each value that feed sends, in several goroutines.
func inParallel[T any](ctx context.Context, workers int, feed func(send func(T) error) error, work func(context.Context, T) error) error {
	values := make(chan T)
	return sources.InParallelUpTo(ctx, workers+1, workers+1, func(ctx context.Context, i int) error {
		if i == 0 {
			defer close(values)
			return feed(func(value T) error {
				select {
				case values <- value:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
		}
		for {
			select {
			case value, more := <-values:
				if !more {
					return nil
				}
				if err := work(ctx, value); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
}

// todo returns the number and the size of the objects that are to be read.
func (v *verification) todo() (objects int, bytes int64) {
	for _, e := range v.ledger {
		if e.Seen && e.Bytes != journal.Nothing {
			objects++
			bytes += e.Bytes
		}
	}
	return int(float64(objects) * v.result.Sample), int64(float64(bytes) * v.result.Sample)
}

// feed sends the objects that are to be read.
func (v *verification) feed(ctx context.Context, send func(journal.Object) error) error {
	for o, err := range v.record.journal.Objects(ctx) {
		if err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		e := v.ledger.Find(o.Key)
		if e == nil || !e.Seen || e.Bytes == journal.Nothing || !v.sampled(o.Key) {
			continue
		}
		if o.Bytes != e.Bytes || o.Sum != e.Sum {
			continue // of several lines with one key the last counts
		}
		e.Seen = false // once
		if err := send(o); err != nil {
			return err
		}
	}
	return nil
}

// sampled reports whether an object is one of the sample. The seed and the key decide.
func (v *verification) sampled(key string) bool {
	if v.result.Sample >= 1 {
		return true
	}
	h := fnv.New64a()
	_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, v.opt.Seed))
	_, _ = h.Write([]byte(key))
	x := h.Sum64()
	x ^= x >> 32
	x *= 0x9e3779b97f4a7c15
	return float64(x>>11)/(1<<53) < v.result.Sample
}

// object reads an object and compares it with the record.
func (v *verification) object(ctx context.Context, o journal.Object) error {
	var d *decoder
	var values *view
	var err error
	array, below, known := v.arrayOf(o.Key)
	if v.opt.Level.includes(Decoded) && known {
		if d, err = v.decoderOf(ctx, array); err != nil {
			return err
		}
		if d != nil && d.chain != nil {
			if values = v.viewOf(d, o.Digest.Behind); values == nil {
				values, o.Digest.Known = &d.view, false
			}
		}
	}
	room := min(o.Bytes, wholeBytes)
	if o.Bytes > wholeBytes {
		room = pieceBytes
	}
	cost := int64(ndarray.Rounded(int(room)))
	if values != nil {
		if cost += int64(values.Memory()); values.variable() && cost < v.job.Run.Memory {
			cost = v.job.Run.Memory // nothing else bounds the elements
		}
	}
	if cost > v.job.Run.Memory {
		return fmt.Errorf("%s: verifying the object takes %d bytes of memory, and run.memory is %d: raise it, or verify with --level stored", o.Key, cost, v.job.Run.Memory)
	}
	if err := v.memory.Acquire(ctx, cost); err != nil {
		return err
	}
	defer v.memory.Release(cost)

	buffer := v.pool.Get(int(room))
	defer buffer.Release()
	sum := uint32(0)
	for at := int64(0); at < o.Bytes && err == nil; at += room {
		part := buffer.Bytes[:min(room, o.Bytes-at)]
		if err = v.target.ReadRange(ctx, o.Key, part, at); err == nil {
			sum = crc32.Update(sum, castagnoli, part)
		}
	}
	v.count(o)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		v.found.add(v.difference(Absent, o.Key, "the object vanished while the target was read: does another program write here?"))
		return nil
	case err != nil:
		return fmt.Errorf("target: %w", err)
	case sum != o.Sum:
		v.found.add(v.difference(Checksum, o.Key, fmt.Sprintf("the CRC-32C of the bytes is %08x, and %08x was written", sum, o.Sum)))
		return nil
	case d == nil:
		return nil
	case values == nil:
		v.found.add(v.difference(Undecodable, o.Key, "the document of its array cannot be used"))
		return nil
	}
	chunk, ok := d.meta.ChunkAt(below)
	if !ok {
		v.found.add(v.difference(Document, o.Key, fmt.Sprintf("the published grid has no chunk of this key: the shape is %v, chunks are %v", d.meta.Grid.Shape, d.meta.Grid.Chunk)))
		return nil
	}
	var in codecs.Input = codecs.InMemory(buffer.Bytes[:o.Bytes:o.Bytes])
	if o.Bytes > room {
		in = object{v, o}
	}
	return v.values(ctx, values, chunk, o, in)
}

// count counts an object that was read.
func (v *verification) count(o journal.Object) {
	v.mu.Lock()
	v.result.Read++
	v.result.Bytes += o.Bytes
	v.mu.Unlock()
	if v.opt.Observe != nil {
		v.opt.Observe(o.Bytes)
	}
}

// values decodes an object and compares the digest of its values with the record.
func (v *verification) values(ctx context.Context, values *view, at ndarray.Region, o journal.Object, in codecs.Input) error {
	var sum digest.Sum
	err := values.Decode(ctx, v.pool, in, v.account, func(box ndarray.Array, start []int) error {
		if o.Digest.Known {
			sum += digest.Within(box, start, at)
		}
		return nil
	})
	if o.Digest.Known {
		v.mu.Lock()
		v.result.ByValues++
		v.mu.Unlock()
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		v.found.add(v.difference(Undecodable, o.Key, "the bytes are those that were written, but they cannot be decoded by the published document: "+err.Error()))
	case o.Digest.Known && sum != o.Digest.Sum:
		v.found.add(v.difference(Values, o.Key, fmt.Sprintf("the digest of the values is %v, and %v was written: the bytes are those that were written, and the published document decodes them to other values", sum, o.Digest.Sum)))
	}
	return nil
}

// account bounds the memory that elements of variable size take.
func (v *verification) account() ndarray.Account { return &room{int(v.job.Run.Memory)} }

// object is an object of the target as [codecs.Input].
type object struct {
	v *verification
	o journal.Object
}

// Size implements [codecs.Input].
func (x object) Size() int64 { return x.o.Bytes }

// ReadAt implements [codecs.Input].
func (x object) ReadAt(ctx context.Context, p []byte, off int64) error {
	return x.v.target.ReadRange(ctx, x.o.Key, p, off)
}

// GapBytes implements [codecs.Gapped].
func (x object) GapBytes() int { return x.v.target.GapBytes() }
