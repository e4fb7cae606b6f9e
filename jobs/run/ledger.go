package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources"
)

// faults compares the objects of chunks in the target with the expected objects. It takes
// their sizes and versions from a list of the target. If an object has the expected size
// and another version, as in a copy of the target, faults reads the object and compares its
// checksum. If whole is set, objects yields all objects that the target should have, so any
// other object of a chunk of the plan is a fault.
func (r *run) faults(ctx context.Context, objects func() iter.Seq2[journal.Object, error], whole bool) ([]fault, error) {
	target, stop := r.listAhead(ctx)
	defer stop()
	l, err := journal.NewLedger(objects())
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	return r.faultsIn(ctx, target, l, objects, whole)
}

// listAhead begins to list the target. each yields the objects, and stop ends the list.
func (r *run) listAhead(ctx context.Context) (each func(f func(store.Info) error) error, stop func()) {
	const page = 1000 // of most servers
	ctx, cancel := context.WithCancel(ctx)
	objects, ended := make(chan store.Info, page), make(chan error, 1)
	go func() {
		defer close(objects)
		ended <- r.target.List(ctx, "", func(o store.Info) error {
			select {
			case objects <- o:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	each = func(f func(store.Info) error) error {
		for o := range objects {
			if err := f(o); err != nil {
				return err
			}
		}
		return <-ended
	}
	stop = func() {
		cancel()
		for range objects { // until the last request is over
		}
	}
	return each, stop
}

// faultsOf does what faults does, with the expected objects in a ledger. If some of them are not in
// the target, it calls objects, because a ledger has no keys.
func (r *run) faultsOf(ctx context.Context, l journal.Ledger, objects func() iter.Seq2[journal.Object, error], whole bool) ([]fault, error) {
	target, stop := r.listAhead(ctx)
	defer stop()
	return r.faultsIn(ctx, target, l, objects, whole)
}

// faultsIn does what faultsOf does. target yields the objects of the target.
func (r *run) faultsIn(ctx context.Context, target func(func(store.Info) error) error, l journal.Ledger, objects func() iter.Seq2[journal.Object, error], whole bool) ([]fault, error) {
	arrays := r.arraysByPath()
	var found []fault
	var suspects []store.Info
	err := target(func(o store.Info) error {
		f, ok := r.chunkAt(o.Key, arrays)
		e := l.Find(o.Key)
		if !ok {
			if e != nil {
				e.Seen = true // of an array that does not grow
			}
			return nil
		}
		if e == nil && !whole {
			return nil
		}
		if e == nil || e.Bytes == journal.Nothing {
			f.stray = true
			found = append(found, f)
			return nil
		}
		e.Seen, f.bytes = true, e.Bytes
		if o.Size != e.Bytes {
			found = append(found, f)
		} else if !e.OfVersion(r.target.VersionOf(o)) {
			suspects = append(suspects, o)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	unseen := func(e *journal.Entry) bool { return !e.Seen && e.Bytes != journal.Nothing }
	keys := objects
	if !slices.ContainsFunc(l, func(e journal.Entry) bool { return unseen(&e) }) {
		keys = func() iter.Seq2[journal.Object, error] { return func(func(journal.Object, error) bool) {} }
	}
	for o, err := range keys() {
		if err != nil {
			return nil, fmt.Errorf("checkpoint: %w", err)
		}
		e := l.Find(o.Key)
		if e == nil || !unseen(e) {
			continue
		}
		e.Seen = true
		if f, ok := r.chunkAt(o.Key, arrays); ok {
			f.bytes, f.gone = e.Bytes, true
			found = append(found, f)
		}
	}
	changed, err := r.changedBytes(ctx, suspects, l)
	for _, o := range changed {
		f, _ := r.chunkAt(o.Key, arrays)
		f.bytes = o.Size
		found = append(found, f)
	}
	slices.SortFunc(found, func(a, b fault) int { return strings.Compare(a.key, b.key) })
	return found, err
}

// changedBytes reads objects and returns those whose bytes differ from the written ones.
func (r *run) changedBytes(ctx context.Context, suspects []store.Info, l journal.Ledger) (changed []store.Info, err error) {
	var mu sync.Mutex
	err = sources.InParallel(ctx, len(suspects), func(ctx context.Context, i int) error {
		sum, err := sumOf(ctx, r.target, suspects[i])
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("target: %w", err)
		}
		if err == nil && sum.Is(l.Find(suspects[i].Key).Sum) {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		changed = append(changed, suspects[i])
		return nil
	})
	return changed, err
}

// sumOf returns the checksum of an object, which it reads piece by piece.
func sumOf(ctx context.Context, st *store.Store, o store.Info) (sum sinks.Checksum, err error) {
	const piece = 1 << 20
	buffer := make([]byte, min(o.Size, piece))
	for at := int64(0); at < o.Size; at += piece {
		part := buffer[:min(o.Size-at, piece)]
		if err := st.ReadRange(ctx, o.Key, part, at); err != nil {
			return sum, err
		}
		sum.Add(part)
	}
	return sum, nil
}

// recorded yields the objects of the receipts on record.
func (r *run) recorded(ctx context.Context) iter.Seq2[journal.Object, error] {
	return r.objectsOf(r.journal.Receipts(ctx))
}

// objectsOf yields the objects of receipts of the plan. If the target keeps objects of
// earlier runs, objectsOf also yields the chunks that hold only the fill value, with the
// size journal.Nothing. Otherwise they need no entry: any object that is not yielded should
// not exist.
func (r *run) objectsOf(receipts iter.Seq2[sinks.Receipt, error]) iter.Seq2[journal.Object, error] {
	return func(yield func(journal.Object, error) bool) {
		for x, err := range receipts {
			if err != nil {
				yield(journal.Object{}, err)
				return
			}
			if x.Empty && !r.outcome.keepsObjects() {
				continue
			}
			o := journal.Object{Bytes: x.Bytes, Sum: x.Sum, Digest: x.Digest, Version: x.Version}
			if x.Empty {
				o.Bytes = journal.Nothing
			}
			a := &r.plan.Arrays[x.Array]
			for unit := x.Unit; unit <= x.Unit+x.More; unit++ {
				o.Key = a.Key(unit)
				if !yield(o, nil) {
					return
				}
			}
		}
	}
}

// objects yields the objects of the chunks that the target has when this run is over: first
// those of earlier runs whose rows the target keeps, then those of the receipts of this run.
func (r *run) objects(ctx context.Context) iter.Seq2[journal.Object, error] {
	if !r.outcome.keepsObjects() && !r.repeated {
		return r.recorded(ctx)
	}
	return func(yield func(journal.Object, error) bool) {
		emptied := r.expected
		for i := range emptied {
			emptied[i].Seen = false
		}
		if emptied == nil {
			var err error
			if emptied, err = journal.NewLedger(r.recorded(ctx)); err != nil {
				yield(journal.Object{}, err)
				return
			}
		}
		if r.outcome.keepsObjects() {
			for o, err := range r.journal.Objects(ctx) {
				if err == nil && emptied.Find(o.Key) != nil {
					continue
				}
				if !yield(o, err) || err != nil {
					return
				}
			}
		}
		for o, err := range r.recorded(ctx) {
			// If an object is recorded twice, the last record counts.
			if e := emptied.Find(o.Key); err == nil && (e == nil || e.Seen || e.Bytes == journal.Nothing || e.Sum != o.Sum || e.Bytes != o.Bytes) {
				continue
			} else if err == nil {
				e.Seen = true
			}
			if !yield(o, err) || err != nil {
				return
			}
		}
	}
}
