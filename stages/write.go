package stages

import (
	"context"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/sinks"
)

// write stores cells and sends the receipts of finished units.
func (p *pipeline) write(ctx context.Context, w *worker) error {
	for u := range p.writes {
		t := u.load.of
		if t.Layer != nil {
			if err := p.writeLayered(ctx, u.load, w); err != nil {
				return err
			}
			continue
		}
		w.begin(t, u.index, 1)
		receipt, err := p.store(ctx, t, u)
		w.wait()
		if err != nil {
			return t.fail(u.index, "write", err)
		}
		sharded := u.load.shard != nil
		if sharded && p.Observe != nil {
			p.Observe(Event{Receipt: sinks.Receipt{Array: u.load.task, Unit: u.load.shard.unit}, Read: t.elements(t.cells(), u.index), Partial: true})
		}
		if receipt == nil {
			continue
		}
		e := Event{Receipt: *receipt}
		if !sharded && u.stored == nil {
			e.Read = t.elements(t.Grid, u.index)
		}
		if err := p.report(e); err != nil {
			return err
		}
	}
	return nil
}

// store takes a cell over. It returns a receipt if the cell completes a unit.
func (p *pipeline) store(ctx context.Context, t *Task, u parcel) (*sinks.Receipt, error) {
	if s := u.load.shard; s != nil {
		receipt, err := s.deliver(ctx, p, u)
		if receipt != nil {
			p.budget.Release(s.held.Load())
			p.mutex.Lock()
			defer p.mutex.Unlock()
			delete(p.shards, s)
		}
		return receipt, err
	}
	defer p.drop(u)
	receipt := sinks.Receipt{Empty: u.empty}
	if !u.empty {
		var err error
		if receipt, err = p.put(ctx, t, &u); err != nil {
			return nil, err
		}
	}
	receipt.Array, receipt.Unit = u.load.task, u.unit
	if t.Digest && !u.empty {
		receipt.Digest = digest.Optional{Sum: u.digest, Known: true, Behind: uint8(t.Behind)}
	}
	return &receipt, nil
}
