package stages

import (
	"context"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Sample reads and encodes the first, the middle and the last cell of a task, one after
// the other, as Run would. It stores nothing. It returns the error of the first cell that
// cannot be encoded, which names array, chunk and value. It ignores a cell that cannot be
// read at all, or cannot be read within memory bytes, because Run reports both.
func Sample(ctx context.Context, t *Task, memory int) error {
	p := &pipeline{pool: &ndarray.Pool{}}
	cells := t.cells()
	n := cells.Len()
	if n == 0 {
		return nil
	}
	for _, number := range slices.Compact([]int{0, n / 2, n - 1}) {
		index := cells.Index(number)
		l := &load{block: block{first: index, count: ones(len(index))}, allotment: &allotment{}}
		shape := t.bufferShape(l.count)
		size, _ := ndarray.Bytes(t.readType(), shape)
		l.reserved = size
		if t.Variable() {
			l.account = &account{pool: p.pool, limit: memory}
		}
		err := p.fillBuffer(ctx, t, l)
		if err == nil && t.Variable() && l.account.Room() < t.encoding(l.array) {
			err = errOutgrown
		}
		if err == nil {
			u := parcel{load: l, index: index}
			err = p.encodeCell(t, &u)
			if u.buffer != nil {
				u.buffer.Release()
			}
			if err != nil {
				err = t.fail(index, "encode", err)
			}
		} else {
			err = ctx.Err()
		}
		l.buffer.Release()
		if l.account != nil {
			l.account.release()
		}
		p.mustBeBack()
		if err != nil {
			return err
		}
	}
	return nil
}
