package verify

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math"
	"runtime"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources"
)

const (
	// An object of at most wholeBytes, and of at most a quarter of run.memory, is read at once.
	wholeBytes = 64 << 20
	// pieceBytes is the most that is read at once of the rest of a larger object.
	pieceBytes = 8 << 20
	// cachedBytes are still in the processor's cache when their checksum is taken.
	cachedBytes = 256 << 10
)

// objects reads the objects on record that the target has, and compares them with the record.
// It reads several objects at the same time, within run.memory.
func (v *verification) objects(ctx context.Context) error {
	if v.result.Sample < 1 {
		if err := v.drawOne(ctx); err != nil {
			return err
		}
	}
	if v.opt.Begin != nil {
		v.opt.Begin(v.todo())
	}
	return inParallel(ctx, v.workers(), func(send func(listed) error) error { return v.feed(ctx, send) }, func(ctx context.Context, o listed) error {
		if err := v.object(ctx, o); err != nil {
			return err
		}
		return v.saveNowAndThen(ctx)
	})
}

// workers returns how many objects are read at the same time. For a local target, more workers
// are slower, because their objects displace each other from the processor's cache: with two
// processors, 16 workers verify shards at 0.88 of the speed of 3.
func (v *verification) workers() int {
	usual := max(runtime.GOMAXPROCS(0), sources.MostAtOnce)
	if store.Local(v.job.Target.URL) {
		usual = runtime.GOMAXPROCS(0) + 1 // one of them waits for the disk
	}
	return cmp.Or(v.job.Run.Workers.Read, usual)
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

// listed is an object of the record.
type listed struct {
	journal.Object
	number int // in the list of objects
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

// feed sends the objects that are to be read. Objects that an interrupted verification has
// read are not read again, if the list of the target has them with the versions on record.
func (v *verification) feed(ctx context.Context, send func(listed) error) error {
	number, at := -1, int64(0)
	for o, err := range v.record.journal.Objects(ctx) {
		if err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		number++
		mine := at >= v.from && at < v.to
		at += o.Bytes
		e := v.ledger.Find(o.Key)
		if !mine || e == nil || !e.Seen || e.Bytes == journal.Nothing || !v.sampled(o.Key) {
			continue
		}
		if o.Bytes != e.Bytes || o.Sum != e.Sum {
			continue // if several lines have one key, the last one counts
		}
		e.Seen = false // once
		if v.skips(o, number, e.Same) {
			continue
		}
		if err := send(listed{o, number}); err != nil {
			return err
		}
	}
	return nil
}

// skips reports whether an interrupted verification has read an object, and counts the object
// if it has. same is set if the object has the version on record.
func (v *verification) skips(o journal.Object, number int, same bool) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.progress.Done.has(number) {
		return false
	}
	if !same {
		v.progress.Done.clear(number)
		return false
	}
	v.result.Resumed++
	v.result.Read++
	v.result.Bytes += o.Bytes
	v.proved(v.opt.Level.includes(Decoded) && o.Digest.Known)
	v.observe(o.Bytes)
	return true
}

// sampled reports whether an object is in the sample.
func (v *verification) sampled(key string) bool {
	return v.result.Sample >= 1 || v.lot(key) < max(v.result.Sample, v.least)
}

// drawOne sees to it that the sample has at least one object: the one with the least lot.
func (v *verification) drawOne(ctx context.Context) error {
	least := 1.0
	for o, err := range v.record.journal.Objects(ctx) {
		if err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		if e := v.ledger.Find(o.Key); e != nil && e.Seen && e.Bytes != journal.Nothing {
			least = min(least, v.lot(o.Key))
		}
	}
	v.least = math.Nextafter(least, 2)
	return nil
}

// lot returns a number from 0 to 1 by which objects are drawn. It depends on the seed and the
// key alone.
func (v *verification) lot(key string) float64 {
	h := fnv.New64a()
	_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, v.opt.Seed))
	_, _ = h.Write([]byte(key))
	x := h.Sum64()
	x ^= x >> 32
	x *= 0x9e3779b97f4a7c15
	return float64(x>>11) / (1 << 53)
}

// object reads an object and compares it with the record.
func (v *verification) object(ctx context.Context, o listed) error {
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
	room := o.Bytes
	if whole := min(wholeBytes, v.job.Run.Memory/4); o.Bytes > whole {
		room = min(pieceBytes, whole)
	}
	cost := int64(ndarray.Rounded(int(room)))
	if values != nil {
		if cost += int64(values.Memory()); values.variable() && cost < v.job.Run.Memory {
			cost = v.job.Run.Memory // nothing else bounds the elements
		}
	}
	if cost > v.job.Run.Memory {
		return fmt.Errorf("%s: verifying the object takes %s of memory, and run.memory is %s: raise it, or verify with --level stored", o.Key, words.Size(cost), words.Size(v.job.Run.Memory))
	}
	if err := v.memory.Acquire(ctx, cost); err != nil {
		return err
	}
	defer v.memory.Release(cost)

	buffer := v.pool.Get(int(room))
	defer buffer.Release()
	found, err := v.comparedOnce(ctx, o.Object, buffer.Bytes[:room:room], func(in codecs.Input) *Difference {
		switch {
		case d == nil:
			return nil
		case values == nil:
			return new(v.difference(Undecodable, o.Key, "the document of its array cannot be used"))
		}
		chunk, ok := d.meta.ChunkAt(below)
		if !ok {
			return new(v.difference(Document, o.Key, fmt.Sprintf("the published grid has no chunk of this key: the shape is %v, chunks are %v", d.meta.Grid.Shape, d.meta.Grid.Chunk)))
		}
		return v.values(ctx, values, chunk, o.Object, in)
	})
	v.count(o.Object)
	if err != nil && v.opt.Part.Of > 0 {
		found, err = v.otherSize(ctx, o.Object, err)
	}
	if errors.Is(err, fs.ErrNotExist) {
		found, err = new(v.difference(Absent, o.Key, "the object vanished while the target was read: does another program write here?")), nil
	}
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	if found != nil {
		v.found.add(*found)
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.progress.Done.set(o.number)
	v.proved(d != nil && o.Digest.Known)
	return nil
}

// otherSize returns a difference if an object, which could not be read as a whole, has not the size
// on record. A part of a verification has no list of the target, which would tell.
func (v *verification) otherSize(ctx context.Context, o journal.Object, failed error) (*Difference, error) {
	info, err := v.target.Stat(ctx, o.Key)
	if err != nil || info.Size == o.Bytes {
		return nil, failed
	}
	return new(v.difference(Size, o.Key, sizeText(info.Size, o.Bytes))), nil
}

// proved counts an object that is as it was written. The caller holds mu.
func (v *verification) proved(byValues bool) {
	if byValues {
		v.result.ByValues++
	} else {
		v.result.ByChecksums++
	}
}

// comparedOnce reads an object once and compares its bytes with the record. If the bytes are
// those on record, comparedOnce also compares the values. An object that does not fit into
// the buffer is read in pieces.
func (v *verification) comparedOnce(ctx context.Context, o journal.Object, buffer []byte, values func(in codecs.Input) *Difference) (*Difference, error) {
	differs := func(sum sinks.Checksum) *Difference {
		if sum.Is(o.Sum) {
			return nil
		}
		return new(v.difference(Checksum, o.Key, fmt.Sprintf("the checksum of the bytes is %08x, and %08x was written", sum.Sum(), o.Sum)))
	}
	in := object{v.target, o.Key, o.Bytes}
	if o.Bytes > int64(len(buffer)) {
		parts := &pieces{object: in}
		found := values(parts)
		sum, err := parts.finish(ctx, buffer)
		return cmp.Or(differs(sum), found), err
	}
	sum, part := sinks.Checksum{}, len(buffer)
	if store.Local(v.job.Target.URL) {
		part = cachedBytes
	}
	for at := 0; at < len(buffer); at += part {
		b := buffer[at:min(at+part, len(buffer))]
		if err := in.ReadAt(ctx, b, int64(at)); err != nil {
			return nil, err
		}
		sum.Add(b)
	}
	if found := differs(sum); found != nil {
		return found, nil
	}
	found := values(codecs.InMemory(buffer))
	return found, ctx.Err()
}

// count counts an object that was read.
func (v *verification) count(o journal.Object) {
	v.mu.Lock()
	v.result.Read++
	v.result.Bytes += o.Bytes
	v.mu.Unlock()
	v.observe(o.Bytes)
}

func (v *verification) observe(bytes int64) {
	if v.opt.Observe != nil {
		v.opt.Observe(bytes)
	}
}

// values decodes an object and compares the digest of its values with the record.
func (v *verification) values(ctx context.Context, values *view, at ndarray.Region, o journal.Object, in codecs.Input) *Difference {
	var sum digest.Sum
	err := values.Decode(ctx, v.pool, in, v.account, func(box ndarray.Array, start []int) error {
		if o.Digest.Known {
			sum += digest.Within(box, start, at)
		}
		return nil
	})
	switch {
	case err != nil:
		return new(v.difference(Undecodable, o.Key, "the bytes are those that were written, but they cannot be decoded by the published document: "+err.Error()))
	case o.Digest.Known && sum != o.Digest.Sum:
		return new(v.difference(Values, o.Key, fmt.Sprintf("the digest of the values is %v, and %v was written: the bytes are those that were written, and the published document decodes them to other values", sum, o.Digest.Sum)))
	}
	return nil
}

// account bounds the memory that elements of variable size take.
func (v *verification) account() ndarray.Account {
	return codecs.NewAccount(int(v.job.Run.Memory), "run.memory")
}
