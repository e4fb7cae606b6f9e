package stages

import (
	"context"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/words"
)

// The memory of a block of elements of variable size is known only after the block has
// been read. So the block reserves an allowance: for the bytes of its elements, for the
// bytes that the source holds while it reads, and for the encoding of at least one cell.
// The allowance is a little more than the largest block of the array has taken so far. A
// block that outgrows its allowance gives everything back and is read again, alone. Then
// it has all of the budget; what it does not need is given back as soon as the block is
// read. A block that outgrows even the budget is cut in two. A single cell that outgrows
// the budget is refused.
//
// No block waits for more memory while it holds some, so blocks never wait for each other
// in a circle. Only the planner waits for the budget. A block that holds a part of the
// budget has all that it needs, or it outgrows its allowance and gives everything back.
// There is one exception: cells of a shard wait for the cells before them. So the planner
// waits until a block of a shard is read before it begins the next one. If the index of
// the shard is at the start, the planner waits until all cells that were sent are encoded.
// Then it knows how much memory the encoded cells keep, and reserves at most the rest of
// the budget. Blocks that came back are read between two shards. They are never read
// within a shard, because a shard holds a part of the budget to its end.

// leastAllowance is the least allowance of a block before any block of the array was
// read. It is at most an eighth of the budget.
const leastAllowance = 16 << 20

// measure computes the memory that encoding the cells of a block takes. The block has
// been read. measure divides the rest of the block's account among the cells.
func (p *pipeline) measure(t *Task, l *load) error {
	a, chain := l.account, t.cellChain()
	shape := chain.Chunk().Shape
	each := chain.Memory()
	for _, unit := range l.units {
		at := l.cell(t, unit)
		for i, n := range shape {
			at[i] = (at[i] - l.first[i]) * n
		}
		each = max(each, t.encoding(l.array.Sub(ndarray.Region{Start: at, Shape: shape})))
	}
	want := t.atOnce(len(l.units))
	atOnce := min((a.limit-a.held)/each, want)
	p.learn(l.task, max(a.most, a.held+want*each))
	if atOnce == 0 {
		return &outgrown{need: a.held + each, measured: true}
	}
	l.allotment = newAllotment(each, atOnce, len(l.units))
	l.reserved += a.held
	p.budget.Release(int64(a.limit - a.held - each*atOnce))
	return nil
}

// encoding returns the most bytes that encoding a cell takes, with the bytes of an
// encoded inner chunk that has to wait for others.
func (t *Task) encoding(cell ndarray.Array) int {
	n := t.cellChain().MemoryOf(cell)
	if s, ok := t.shardLayout(); ok && s.AtStart() {
		n += ndarray.Rounded(t.cellChain().SizeOf(cell))
	}
	return n
}

// fillVariable is fillBuffer for elements of variable size. Afterwards the cells have
// the memory to be encoded.
func (p *pipeline) fillVariable(ctx context.Context, t *Task, l *load) error {
	a := l.account
	err := a.Take(t.Source.Info().Memory)
	if err == nil {
		err = p.fillBuffer(ctx, t, l)
		a.Give(t.Source.Info().Memory)
	}
	heap := l.array.Heap
	if a.refused > 0 || heap.Err() != nil {
		o := &outgrown{need: a.refused, held: a.most}
		if heap != nil {
			o.read = heap.Put()
		}
		return o
	}
	if err != nil {
		return err
	}
	return p.measure(t, l)
}

// learn remembers how many bytes a block of a task took.
func (p *pipeline) learn(task, need int) {
	p.variable.mutex.Lock()
	defer p.variable.mutex.Unlock()
	n := &p.variable.of[task]
	n.most = max(n.most, need)
}

// allowance returns how many bytes a block of a task reserves, at most room.
func (p *pipeline) allowance(t *Task, b block, room int) int {
	p.variable.mutex.Lock()
	most := p.variable.of[b.task].most
	p.variable.mutex.Unlock()
	cells, _ := ndarray.Elements(b.count)
	n := max(min(leastAllowance, p.Memory/8), t.guess(cells, t.atOnce(cells)))
	if most > 0 {
		n = max(most+most/8, n/4)
	}
	_, unit, reading := t.cost(1)
	return min(max(n, unit+reading), room)
}

// offer sends a block, and then all blocks that have come back. It reports whether the
// run goes on.
func (p *pipeline) offer(ctx context.Context, b block) (bool, error) {
	t := b.of
	p.variable.mutex.Lock()
	cells := p.variable.of[b.task].cells
	p.variable.mutex.Unlock()
	if t.waitsForAll() {
		cells = 1 // an encoded cell keeps memory that the next cell of its block would need
	}
	if n, _ := ndarray.Elements(b.count); cells > 0 && n > cells {
		for _, half := range t.halves(b) {
			if more, err := p.offer(ctx, half); err != nil || !more {
				return more, err
			}
		}
		return true, nil
	}
	more, outgrew, err := p.try(ctx, b, false)
	if outgrew != nil {
		more, err = p.alone(ctx, b)
	}
	if err != nil || !more || b.shard != nil {
		return more, err // blocks that came back have to wait until the shard is finished
	}
	return p.retry(ctx)
}

// retry sends the blocks that have come back, each alone.
func (p *pipeline) retry(ctx context.Context) (bool, error) {
	for {
		p.variable.mutex.Lock()
		list := p.variable.again
		p.variable.again = nil
		p.variable.mutex.Unlock()
		if len(list) == 0 {
			return true, nil
		}
		for _, b := range list {
			if more, err := p.alone(ctx, b); err != nil || !more {
				return more, err
			}
		}
	}
}

// finish waits until all blocks are read, also blocks that come back.
func (p *pipeline) finish(ctx context.Context) error {
	for {
		if more, err := p.retry(ctx); err != nil || !more {
			return err
		}
		p.variable.mutex.Lock()
		done := p.variable.unread == 0 && len(p.variable.again) == 0
		p.variable.mutex.Unlock()
		if done {
			return nil
		}
		select {
		case <-p.variable.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// alone reads a block with all of the budget. If the block does not fit, it is cut in
// two, again and again.
func (p *pipeline) alone(ctx context.Context, b block) (bool, error) {
	more, outgrew, err := p.try(ctx, b, true)
	if outgrew == nil || err != nil {
		return more, err
	}
	t := b.of
	cells, _ := ndarray.Elements(b.count)
	if cells == 1 {
		return false, p.refuse(t, b, outgrew)
	}
	p.variable.mutex.Lock()
	p.variable.of[b.task].cells = (cells + 1) / 2
	p.variable.mutex.Unlock()
	for _, half := range t.halves(b) {
		if more, err := p.alone(ctx, half); err != nil || !more {
			return more, err
		}
	}
	return true, nil
}

// refuse returns the error of a cell that does not fit into the budget.
func (p *pipeline) refuse(t *Task, b block, o *outgrown) error {
	index := t.Grid.Index(b.units[0])
	if b.shard != nil {
		index = b.shard.cell(b.units[0])
	}
	buffer, _, _ := t.cost(1)
	need := "at least " + words.Size(int64(o.need+buffer))
	if o.read > 0 {
		all, _ := ndarray.Elements(t.cellChain().Chunk().Shape)
		each := o.need // there is no room for the first
		if o.read > 1 {
			each = o.held / (o.read - 1)
		}
		need += fmt.Sprintf(", about %s if all of its %d elements are like the first %d", words.Size(int64(t.guessAt(1, 1, each))), all, o.read)
	}
	if kept := p.waitingBytes(b.shard); kept > 0 {
		need += fmt.Sprintf(" beside the %s that its shard holds until the index at the start is written,", words.Size(int64(kept)))
	}
	hint := "raise run.memory" + t.cheaper()
	if o.read == 0 && !o.measured {
		hint = "raise run.memory, or write the source in smaller pieces (pages, batches, chunks): this memory is needed before the first element is read"
	}
	return t.fail(index, "read", fmt.Errorf("%w: its elements take %s in flight, the budget is %s: %s", ErrMemory, need, words.Size(int64(p.Memory)), hint))
}

// try sends a block with its allowance, or alone with all of the budget. If the block is
// alone or in a shard, try waits until the block is read. Then outgrew tells whether the
// block has outgrown its account.
func (p *pipeline) try(ctx context.Context, b block, alone bool) (more bool, outgrew *outgrown, err error) {
	t := b.of
	if b.shard == nil && p.stopping() {
		return false, nil, nil
	}
	if t.waitsForAll() {
		if err := b.shard.arrived(ctx); err != nil {
			return false, nil, err
		}
	}
	cells, _ := ndarray.Elements(b.count)
	buffer, _, _ := t.cost(cells)
	room := p.Memory - p.waitingBytes(b.shard) - buffer
	if b.shard != nil {
		room -= b.shard.reserved()
	}
	l := &load{block: b, reserved: buffer}
	limit := room
	if !alone {
		limit = p.allowance(t, b, room)
	}
	if limit < 1 {
		return false, &outgrown{need: 1}, nil
	}
	l.account = &account{pool: p.pool, limit: limit}
	l.allotment = newAllotment(limit, 1, 0)
	l.users.Store(int64(len(b.units)))
	if alone || b.shard != nil {
		l.outcome = make(chan *outgrown, 1)
	}
	if err := p.budget.Acquire(ctx, int64(buffer+limit)); err != nil {
		return false, nil, err
	}
	if l.outcome == nil {
		p.variable.mutex.Lock()
		p.variable.unread++
		p.variable.mutex.Unlock()
	}
	if more, err := p.hand(ctx, l, buffer+limit); err != nil || !more {
		return more, nil, err
	}
	if l.outcome == nil {
		return true, nil, nil
	}
	select {
	case o := <-l.outcome:
		if o == nil && b.shard != nil {
			b.shard.sent += len(b.units)
		}
		return true, o, nil
	case <-ctx.Done():
		return false, nil, ctx.Err()
	}
}

// arrive tells the planner that a block was read, or that it has outgrown its account.
func (p *pipeline) arrive(l *load, o *outgrown) {
	if l.outcome != nil {
		l.outcome <- o
		return
	}
	p.variable.mutex.Lock()
	p.variable.unread--
	if o != nil {
		p.variable.again = append(p.variable.again, l.block)
	}
	p.variable.mutex.Unlock()
	select {
	case p.variable.wake <- struct{}{}:
	default:
	}
}

// halves cuts a block in two along the first dimension in which it has several cells.
// It leaves out a half without units.
func (t *Task) halves(b block) []block {
	dim := slices.IndexFunc(b.count, func(n int) bool { return n > 1 })
	middle := b.first[dim] + b.count[dim]/2
	list := []block{b, b}
	for i := range list {
		list[i].first, list[i].count = slices.Clone(b.first), slices.Clone(b.count)
		list[i].units = nil
	}
	list[0].count[dim] = b.count[dim] / 2
	list[1].first[dim], list[1].count[dim] = middle, b.count[dim]-b.count[dim]/2
	l := &load{block: b}
	for _, unit := range b.units {
		half := &list[0]
		if l.cell(t, unit)[dim] >= middle {
			half = &list[1]
		}
		half.units = append(half.units, unit)
	}
	return slices.DeleteFunc(list, func(b block) bool { return len(b.units) == 0 })
}
