package stages

import (
	"context"
	"fmt"
	"hash/crc32"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/sinks"
)

// carry reads an object that is carried through, and hands it to the writers. An object
// that is too large for memory is only opened. The load has reserved the memory.
func (p *pipeline) carry(ctx context.Context, t *Task, l *load, w *worker) error {
	p.widen() // there are no encoders to keep pace with
	u := parcel{load: l, unit: l.units[0], index: t.Grid.Index(l.units[0])}
	err := p.open(ctx, t, &u)
	if err != nil || u.empty {
		p.leave(l, 1)
	}
	if err != nil {
		return t.fail(u.index, "read", err)
	}
	w.wait()
	select {
	case p.writes <- u:
		return nil
	case <-ctx.Done():
		p.drop(u)
		return ctx.Err()
	}
}

// open is openOnce, repeated once if the bytes may have been damaged on the way.
func (p *pipeline) open(ctx context.Context, t *Task, u *parcel) error {
	err := p.openOnce(ctx, t, u)
	if !p.damaged(ctx, err) {
		return err
	}
	if u.load.buffer != nil {
		u.load.buffer.Release()
		u.load.buffer = nil
	}
	u.data, u.stored = nil, nil
	return p.openOnce(ctx, t, u)
}

// openOnce opens an object, reads it if there is room for it, and verifies it.
func (p *pipeline) openOnce(ctx context.Context, t *Task, u *parcel) error {
	in, err := t.Stored.OpenStored(ctx, u.index)
	if err != nil {
		return err
	}
	if u.empty = in == nil; u.empty {
		return nil
	}
	room, _ := t.room()
	data, inMemory := in.(codecs.InMemory)
	switch {
	case inMemory:
		u.data = data
	case in.Size() <= int64(room):
		u.load.buffer = p.pool.Get(int(in.Size()))
		if err := in.ReadAt(ctx, u.load.buffer.Bytes, 0); err != nil {
			return err
		}
		u.data = u.load.buffer.Bytes
		check := newSumCheck(in)
		check.add(u.data)
		if err := check.compare(); err != nil {
			return err
		}
		in = codecs.InMemory(u.data)
	default:
		u.stored, u.load.buffer = in, p.pool.Get(room)
	}
	u.sum = sinks.Checksum{}
	u.sum.Add(u.data)
	if err := t.Stored.VerifyStored(ctx, u.index, in); err != nil {
		return err
	}
	return p.digestStored(ctx, t, u, in)
}

// digestStored decodes an object that is carried through, for the digest of its values.
func (p *pipeline) digestStored(ctx context.Context, t *Task, u *parcel, in codecs.Input) error {
	if t.Decode == nil {
		return nil
	}
	u.digest = 0
	at := t.Grid.Region(u.index)
	return t.Decode.Decode(ctx, p.pool, in, nil, func(box ndarray.Array, start []int) error {
		u.digest += digest.Within(box, start, at)
		return nil
	})
}

// stream reads and writes an object that is too large for memory, piece by piece, and
// tells the observer of each piece.
func (p *pipeline) stream(ctx context.Context, t *Task, u *parcel) (_ sinks.Receipt, err error) {
	stream, err := t.Stream(ctx, u.index)
	if err != nil {
		return sinks.Receipt{}, err
	}
	defer func() {
		if err != nil {
			_ = stream.Abort() // the error that ended the run counts
		}
	}()
	buffer, size := u.load.buffer.Bytes, u.stored.Size()
	check := newSumCheck(u.stored)
	elements, told := t.elements(t.Grid, u.index), int64(0)
	for at := int64(0); at < size; {
		piece := buffer[:min(int64(len(buffer)), size-at)]
		if err := u.stored.ReadAt(ctx, piece, at); err != nil {
			return sinks.Receipt{}, fmt.Errorf("read: %w", err)
		}
		u.sum.Add(piece)
		check.add(piece)
		if _, err := stream.Write(piece); err != nil {
			return sinks.Receipt{}, err
		}
		at += int64(len(piece))
		if p.Observe != nil {
			now := int64(float64(elements) * (float64(at) / float64(size)))
			p.Observe(Event{Receipt: sinks.Receipt{Array: u.load.task, Unit: u.unit}, Read: now - told, Partial: true})
			told = now
		}
	}
	if err := check.compare(); err != nil {
		return sinks.Receipt{}, fmt.Errorf("read: %w", err)
	}
	return stream.Close()
}

// sumCheck compares the bytes of an object with the checksum that its store has, if
// there is one.
type sumCheck struct {
	table     *crc32.Table // nil: there is no checksum
	want, got uint32
}

func newSumCheck(in codecs.Input) *sumCheck {
	c := &sumCheck{}
	if s, ok := in.(codecs.Summed); ok {
		c.table, c.want = s.Sum()
	}
	return c
}

// add takes the next bytes.
func (c *sumCheck) add(data []byte) {
	if c.table != nil {
		c.got = crc32.Update(c.got, c.table, data)
	}
}

// compare is called after the last bytes.
func (c *sumCheck) compare() error {
	if c.table == nil || c.got == c.want {
		return nil
	}
	return fmt.Errorf("%w: the bytes have the CRC %08x, their store or archive has recorded %08x: restore the object", codecs.ErrCorrupt, c.got, c.want)
}

// copied makes the store copy an object that is carried through, if the store can. The
// checksum of the copy is compared with that of the bytes in memory. If the object is
// not in memory, the store's checksum is taken.
func (p *pipeline) copied(ctx context.Context, t *Task, u *parcel) (stored sinks.Receipt, ok bool, err error) {
	if t.Copy == nil {
		return stored, false, nil
	}
	in := u.stored
	if in == nil {
		in = codecs.InMemory(u.data)
	}
	stored, ok, err = t.Copy(ctx, u.index, in)
	if ok && u.stored == nil && !u.sum.Is(stored.Sum) {
		err = fmt.Errorf("the copy that the server made has the checksum %08x, the object had %08x when it was read: has somebody replaced it?", stored.Sum, u.sum.Sum())
	}
	if ok && u.stored != nil && p.Observe != nil {
		p.Observe(Event{Receipt: sinks.Receipt{Array: u.load.task, Unit: u.unit}, Read: t.elements(t.Grid, u.index), Partial: true})
	}
	return stored, ok, err
}

// put stores an object. It fails if a carried object was not stored with the bytes that
// were read.
func (p *pipeline) put(ctx context.Context, t *Task, u *parcel) (stored sinks.Receipt, err error) {
	stored, done, err := p.copied(ctx, t, u)
	switch {
	case done || err != nil:
		return stored, err
	case u.stored != nil:
		stored, err = p.stream(ctx, t, u)
	default:
		stored, err = t.Writer.Put(ctx, u.index, u.data)
	}
	if err == nil && t.Stored != nil && !u.sum.Is(stored.Sum) {
		err = fmt.Errorf("the bytes written have the checksum %08x, those read had %08x: is the memory of this machine sound?", stored.Sum, u.sum.Sum())
	}
	return stored, err
}
