package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/ndarray/deviation"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/stages"
	"github.com/zmigrate/zmigrate/zarr"
)

// ErrSourceChanged says that the source is no longer the one that was migrated.
var ErrSourceChanged = errors.New("the source has changed since it was migrated")

// source compares every element of the target with the source. If the target has grown, it
// compares only the rows of the last run.
func (v *verification) source(ctx context.Context) (err error) {
	if v.opt.AnyJob {
		return errors.New("the level source needs the job file, which says where the source is")
	}
	p, err := v.plan(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if err := v.memory.Acquire(ctx, p.Resident()); err != nil {
		return err
	}
	defer v.memory.Release(p.Resident())
	text, err := p.Manifest()
	if err != nil {
		return err
	}
	is, err := manifest.Read(text)
	if err != nil {
		return err
	}
	if list := is.Differences(v.record.manifest); len(list) > 0 {
		if is.SameInputs(v.record.manifest) {
			return fmt.Errorf("another version of zmigrate has made the target, and this version makes something else of the same job and source, see its CHANGELOG.md: %s: "+
				"verify with that version, or make the target anew with target.existing: overwrite", strings.Join(list, "; "))
		}
		return fmt.Errorf("%w: %s", ErrSourceChanged, strings.Join(list, "; "))
	}
	v.result.Deviations = []deviation.Deviation{}
	var arrays []*compared
	boxes, bytes := 0, int64(0)
	for i := range p.Arrays {
		a, err := v.newCompared(ctx, p, &p.Arrays[i])
		if err != nil {
			return err
		}
		if a.values == nil || slices.Contains(a.boxes.Shape, 0) {
			continue
		}
		arrays = append(arrays, a)
		a.before, v.end = v.end, v.end+a.boxes.Len()
	}
	v.first, v.end = v.opt.Part.of(v.end)
	for _, a := range arrays {
		for n := range a.boxes.Len() {
			if v.drawn(a, n) {
				boxes, bytes, a.left = boxes+1, bytes+a.bytes(n), a.left+1
			}
		}
	}
	if v.opt.Begin != nil {
		v.opt.Begin(boxes, bytes)
	}
	err = inParallel(ctx, v.workers(), func(send func(*box) error) error {
		for _, a := range arrays {
			v.resumeArray(a)
			for n := range a.boxes.Len() {
				switch {
				case !v.drawn(a, n):
				case a.was.has(n):
					v.observe(a.bytes(n))
				default:
					if err := send(&box{a, n, a.boxes.Region(a.boxes.Index(n))}); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}, func(ctx context.Context, b *box) error {
		if err := v.compare(ctx, b); err != nil {
			return err
		}
		v.observe(b.of.bytes(b.number))
		return v.saveNowAndThen(ctx)
	})
	if v.opt.Part.Of > 0 {
		for _, a := range arrays {
			if a.lossy && a.deviation.Elements > 0 {
				v.deviations = append(v.deviations, a.deviation.Save())
			}
		}
	}
	return err
}

// drawn reports whether a box is in the part that is verified, and in the sample.
func (v *verification) drawn(a *compared, number int) bool {
	if at := a.before + number; at < v.first || at >= v.end {
		return false
	}
	return v.result.Sample >= 1 || v.lotOf(a, number) < max(v.result.Sample, a.least)
}

// drawOneBox sees to it that the sample has at least one box of an array: the one with the
// least lot.
func (v *verification) drawOneBox(a *compared) {
	least := 1.0
	for n := range a.boxes.Len() {
		least = min(least, v.lotOf(a, n))
	}
	a.least = math.Nextafter(least, 2)
}

func (v *verification) lotOf(a *compared, number int) float64 {
	return v.lot(a.Target + " " + strconv.Itoa(number))
}

// resumeArray takes over what an interrupted verification has compared of an array.
func (v *verification) resumeArray(a *compared) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.progress.Source == nil {
		v.progress.Source = map[string]*sourceProgress{}
	}
	was := v.progress.Source[a.Target]
	if was == nil || !slices.Equal(was.Block, a.boxes.Chunk) {
		v.progress.Source[a.Target] = &sourceProgress{Block: a.boxes.Chunk, deviation: a.deviation}
		return
	}
	a.was = slices.Clone(was.Done)
	a.left -= a.was.count()
	v.result.Elements += was.Elements
	if was.Deviation != nil {
		was.deviation.Restore(was.Deviation)
		a.deviation.Restore(was.Deviation)
	}
	v.finishArray(a)
}

// finishArray lists the deviation of a lossy array when all of its boxes are compared. The
// caller holds mu.
func (v *verification) finishArray(a *compared) {
	if a.left > 0 || !a.lossy || v.opt.Part.Of > 0 {
		return
	}
	made := a.deviation
	made.Finish()
	v.result.Deviations = append(v.result.Deviations, made)
}

// plan makes the plan of the run that completed the job.
func (v *verification) plan(ctx context.Context) (*plan.Plan, error) {
	p, err := plan.New(ctx, v.job, v.env)
	if err != nil || p.Growth() == nil || p.Repeats() {
		return p, err
	}
	again, err := plan.Repeat(ctx, v.job, v.env)
	return again, errors.Join(err, p.Close())
}

// compared is an array whose elements are compared with those of the source.
type compared struct {
	*plan.Array
	task      stages.Task
	values    *view     // of the stored elements, as the task's chain takes them; nil: there are none to compare
	boxes     zarr.Grid // the parts that are read together
	least     float64   // boxes with a lesser lot are in the sample
	cost      int64
	lossy     bool
	anything  bool                // a number may also become infinite, or NaN a number
	deviation deviation.Deviation // guarded by the verification's mutex, as is left
	left      int                 // boxes to compare
	before    int                 // boxes of the arrays before this one
	was       marks               // boxes that an interrupted verification has compared
}

// newCompared chooses boxes that fit into run.memory: the blocks of the plan, or else single
// cells.
func (v *verification) newCompared(ctx context.Context, p *plan.Plan, planned *plan.Array) (*compared, error) {
	a := &compared{Array: planned, task: p.Task(planned)}
	d, err := v.decoderOf(ctx, planned.Target)
	if err != nil || d == nil || d.chain == nil {
		return a, err // the document is a difference
	}
	if a.values = v.viewOf(d, uint8(a.task.Behind-a.task.Exact)); a.values == nil {
		return a, nil
	}
	a.deviation.Array = planned.Target
	for _, loss := range planned.Chain.Losses() {
		a.lossy, a.anything = true, a.anything || loss.Anything
		a.deviation.Losses = append(a.deviation.Losses, loss.Name+": "+loss.String())
	}
	a.deviation.Bound = codecs.BoundOf(planned.Chain.Losses())
	cell := planned.Chain.Chunk()
	if s, ok := planned.Chain.InnerChunks(); ok {
		cell = s.Inner().Chunk()
	}
	for _, cells := range [][]int{a.task.Block, slices.Repeat([]int{1}, len(cell.Shape))} {
		if cells == nil {
			continue
		}
		block := slices.Clone(cell.Shape)
		for i, n := range cells {
			block[i] *= n
		}
		a.boxes = zarr.Grid{Shape: a.task.Grid.Shape, Chunk: block}
		read, _ := ndarray.Bytes(a.task.Source.Info().Type, block)
		made, _ := ndarray.Bytes(cell.Type, block)
		a.cost = int64(ndarray.Rounded(read)+2*ndarray.Rounded(made)) + int64(a.task.Source.Info().Memory+a.values.Memory())
		if cell.Type.Size() == 0 {
			a.cost = max(a.cost, p.Memory()) // nothing else bounds the elements
		}
		if a.cost <= p.Memory() {
			if v.result.Sample < 1 {
				v.drawOneBox(a)
			}
			return a, nil
		}
	}
	return nil, fmt.Errorf("array %q: comparing one chunk with the source takes %s of memory, and run.memory is %s: raise it, or verify with --level decoded", planned.Target, words.Size(a.cost+p.Resident()), words.Size(v.job.Run.Memory))
}

// bytes returns the size of the source's elements in a box.
func (a *compared) bytes(number int) int64 {
	n, _ := ndarray.Bytes(a.task.Source.Info().Type, a.boxes.Region(a.boxes.Index(number)).Shape)
	return int64(n)
}

// box is a part of an array.
type box struct {
	of     *compared
	number int
	at     ndarray.Region // in the grid of the task
}

// compare reads a box from the source and from the target, and compares the two.
func (v *verification) compare(ctx context.Context, b *box) error {
	a := b.of
	if err := v.memory.Acquire(ctx, a.cost); err != nil {
		return err
	}
	defer v.memory.Release(a.cost)
	source, buffer, err := v.fromSource(ctx, b)
	if err != nil {
		return fmt.Errorf("array %q: %w", a.Source, err)
	}
	defer buffer.Release()
	target, buffer, err := v.lend(source.Type, source.Shape)
	if err != nil {
		return err
	}
	defer buffer.Release()
	left := 0 // elements that cannot be compared
	err = a.units(b.at, func(unit int, in ndarray.Region, start []int) error {
		decoded, err := v.fromTarget(ctx, a, unit, target.Sub(in), start)
		if !decoded {
			ndarray.Copy(target.Sub(in), source.Sub(in))
			left += source.Sub(in).Len()
		}
		return err
	})
	if err != nil {
		return err
	}
	c, first := deviation.Compare(source, target), a.first()
	c.Elements -= int64(left)
	var differences []Difference
	if !a.within(c) {
		_ = a.units(b.at, func(unit int, in ndarray.Region, _ []int) error {
			ours, theirs := dense(source.Sub(in)), dense(target.Sub(in))
			if c := deviation.Compare(ours, theirs); !a.within(c) {
				at := deviation.IndexIn(ours.Shape, c.At)
				text := fmt.Sprintf("%d of %d elements are not those of the source: element %v is %s, and %s in the source",
					c.Unequal, c.Elements, sum(sum(first, b.at.Start), sum(in.Start, at)), deviation.Shown(theirs, at), deviation.Shown(ours, at))
				switch {
				case a.deviation.Bound > 0:
					text += fmt.Sprintf("; the codecs may change a value by %g: %s", a.deviation.Bound, strings.Join(a.deviation.Losses, "; "))
				case a.lossy:
					text += "; the codecs may change a number, but not to infinity or NaN, nor NaN to a number"
				}
				differences = append(differences, v.difference(OtherValues, a.Key(unit), text))
			}
			return nil
		})
	}
	for _, d := range differences {
		v.found.add(d)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.result.Elements += c.Elements
	done := v.progress.Source[a.Target]
	start := sum(first, b.at.Start)
	if a.lossy {
		a.deviation.Add(c, source, target, start)
	}
	if len(differences) == 0 && left == 0 {
		done.Done.set(b.number)
		done.Elements += c.Elements
		done.deviation.Add(c, source, target, start)
	}
	a.left--
	v.finishArray(a)
	return nil
}

// within reports whether a comparison is as the chain promises: a lossless chain changes no
// value, and a lossy one changes none by more than its bound, if it has a bound.
func (a *compared) within(c deviation.Comparison) bool {
	if !a.lossy || a.exactOnly() {
		return c.Unequal == 0 || a.lossy
	}
	return a.anything || !math.IsInf(c.Max, 0) && (a.deviation.Bound == 0 || c.Max <= a.deviation.Bound+c.Rounding)
}

// exactOnly reports whether a number cannot express the difference of two elements. Then only
// equality counts.
func (a *compared) exactOnly() bool { return !deviation.Measured(a.values.Chain().Chunk().Type) }

// first returns the index in the target's array at which the grid of the task begins.
func (a *compared) first() []int {
	at := make([]int, len(a.task.Grid.Shape))
	for i, n := range a.task.First {
		at[i] = n * a.task.Grid.Chunk[i]
	}
	return at
}

func sum(a, b []int) []int {
	c := slices.Clone(a)
	for i := range c {
		c[i] += b[i]
	}
	return c
}

// units calls f for each unit that a box meets. in is the part of the box that lies in the
// unit, and start is where that part begins in the unit.
func (a *compared) units(at ndarray.Region, f func(unit int, in ndarray.Region, start []int) error) error {
	chunk := a.task.Grid.Chunk
	first, last := make([]int, len(chunk)), make([]int, len(chunk))
	for i, n := range chunk {
		first[i], last[i] = at.Start[i]/n, (at.Start[i]+at.Shape[i]-1)/n
	}
	for index := slices.Clone(first); index != nil; index = ndarray.Next(index, first, last) {
		in, start := ndarray.Region{Start: make([]int, len(chunk)), Shape: make([]int, len(chunk))}, make([]int, len(chunk))
		for i, n := range chunk {
			begin := max(at.Start[i], index[i]*n)
			end := min(at.Start[i]+at.Shape[i], (index[i]+1)*n)
			in.Start[i], in.Shape[i], start[i] = begin-at.Start[i], end-begin, begin-index[i]*n
		}
		if err := f(a.task.Grid.Number(index), in, start); err != nil {
			return err
		}
	}
	return nil
}

// lend lends a zeroed array from the pool. Elements of variable size are counted.
func (v *verification) lend(t dtype.Type, shape []int) (ndarray.Array, *ndarray.Buffer, error) {
	a, buffer, err := v.pool.Array(t, shape)
	if err != nil {
		return a, nil, err
	}
	clear(buffer.Bytes)
	if a.Heap != nil {
		a.Heap.Account = v.account()
	}
	return a, buffer, nil
}

// fromSource reads a box of the source and converts it as a run does.
func (v *verification) fromSource(ctx context.Context, b *box) (ndarray.Array, *ndarray.Buffer, error) {
	t := &b.of.task
	read, buffer, err := v.lend(t.Source.Info().Type, b.at.Shape)
	if err != nil {
		return read, nil, err
	}
	if err = t.Source.ReadRegion(ctx, read, b.at.Start); err == nil && read.Heap != nil {
		err = read.Heap.Err()
	}
	if err != nil || t.Convert == nil {
		if read.Type = b.of.values.Chain().Chunk().Type; err != nil {
			buffer.Release()
		}
		return read, buffer, err
	}
	defer buffer.Release()
	made, buffer2, err := v.lend(b.of.values.Chain().Chunk().Type, b.at.Shape)
	if err != nil {
		return made, nil, err
	}
	if err = t.Convert.Encode(made, read); err != nil {
		buffer2.Release()
	}
	return made, buffer2, err
}

// fromTarget decodes a part of a stored object. A chunk without an object holds the fill
// value. If the object cannot be decoded, fromTarget adds a difference and returns false.
func (v *verification) fromTarget(ctx context.Context, a *compared, unit int, dst ndarray.Array, start []int) (decoded bool, err error) {
	key := a.Key(unit)
	info, err := v.target.Stat(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		ndarray.Fill(dst, a.values.Chain().Chunk().Fill)
		return true, nil
	}
	if err == nil {
		in := object{v.target, key, info.Size}
		err = a.values.Chain().DecodeRegion(ctx, v.pool, dst, start, in)
	}
	if errors.Is(err, codecs.ErrCorrupt) || errors.Is(err, codecs.ErrTooLarge) {
		v.found.add(v.difference(Undecodable, key, err.Error()))
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("target: %s: %w", key, err)
	}
	return true, nil
}

// dense returns a copy of an array in C order.
func dense(a ndarray.Array) ndarray.Array {
	made := ndarray.New(a.Type, a.Shape)
	ndarray.Copy(made, a)
	return made
}
