package stages

import (
	"context"
	"errors"
	"time"
)

// read fills the buffers of blocks and sends their cells to the encoders.
func (p *pipeline) read(ctx context.Context, w *worker) error {
	for {
		l, err := p.nextBlock(ctx)
		if l == nil {
			return err
		}
		w.begin(l.of, l.first, len(l.units))
		err = p.readBlock(ctx, l, w)
		w.wait()
		p.window <- struct{}{}
		if err != nil {
			return err
		}
	}
}

// nextBlock takes a token of the window and returns the next block; nil after the last
// one. The token comes first, because a block that waits for a token would hold memory
// that no reader fills. Behind a network there is a token for each reader. There the block
// comes first, so that readers without a block leave their tokens to helpers, see
// readTogether.
func (p *pipeline) nextBlock(ctx context.Context) (*load, error) {
	turn := func() error {
		select {
		case <-p.window:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if !p.Far {
		if err := turn(); err != nil {
			return nil, err
		}
		l := <-p.reads
		if l == nil {
			p.window <- struct{}{}
		}
		return l, nil
	}
	l := <-p.reads
	if l == nil {
		return nil, nil
	}
	if err := turn(); err != nil {
		p.budget.Release(int64(l.reading))
		p.abandon(l, len(l.units))
		return nil, err
	}
	return l, nil
}

// readBlock reads a block and sends its cells. If the run is stopped meanwhile, it drops
// the rest of the block and returns no error: the planner ends the run, and a shard that
// was begun still needs readers. w is told when the buffer is filled.
func (p *pipeline) readBlock(ctx context.Context, l *load, w *worker) error {
	t := l.of
	if t.Stored != nil {
		return p.carry(ctx, t, l, w)
	}
	if t.Layer != nil {
		return p.sendLayered(ctx, l, w)
	}
	began := time.Now()
	var err error
	if l.account != nil {
		err = p.fillVariable(ctx, t, l)
		if o, ok := errors.AsType[*outgrown](err); ok {
			p.abandon(l, len(l.units))
			p.arrive(l, o)
			return nil
		}
	} else {
		err = p.fillBuffer(ctx, t, l)
		p.budget.Release(int64(l.reading))
	}
	if err != nil {
		p.abandon(l, len(l.units))
		return t.fail(l.first, "read", err)
	}
	w.wait()
	if l.account != nil {
		p.arrive(l, nil)
	}
	p.fast.Store(float64(l.reserved) >= fastReader*time.Since(began).Seconds())
	for i, unit := range l.units {
		if i > 0 && l.shard == nil && p.stopping() { // a shard that was begun is finished
			p.abandon(l, len(l.units)-i)
			return nil
		}
		if err := p.send(ctx, parcel{load: l, unit: unit, index: l.cell(t, unit)}); err != nil {
			p.abandon(l, len(l.units)-i)
			return err
		}
	}
	return nil
}

// send waits for the memory to encode a cell, and hands the cell to the encoders.
func (p *pipeline) send(ctx context.Context, u parcel) error {
	if err := u.load.allotment.take(ctx); err != nil {
		return err
	}
	select {
	case p.encodes <- u:
		return nil
	case <-ctx.Done():
		p.giveBack(u.load, u.load.allotment.each)
		return ctx.Err()
	}
}

// abandon gives up the last n cells of a load, which were not sent.
func (p *pipeline) abandon(l *load, n int) {
	p.budget.Release(int64(l.allotment.end()))
	p.leave(l, n)
}
