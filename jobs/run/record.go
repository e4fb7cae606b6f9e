package run

import (
	"fmt"

	"github.com/zmigrate/zmigrate/sinks"
)

// belongs returns an error if the plan does not have what a receipt names.
func (r *run) belongs(x sinks.Receipt) error {
	if x.Array < 0 || x.Array >= len(r.plan.Arrays) || x.Unit < 0 || x.Unit >= r.plan.Arrays[x.Array].Chunks()-x.More {
		return fmt.Errorf("a receipt names chunk %d of array %d, which the plan does not have", x.Unit+x.More, x.Array)
	}
	// Receipts of earlier versions of the program, and those of chunks without an object,
	// have no key.
	if x.Key != "" {
		if key := r.plan.Arrays[x.Array].Key(x.Unit); x.Key != key {
			return fmt.Errorf("a receipt of chunk %d of array %d names the object %s, which is %s by the plan", x.Unit, x.Array, x.Key, key)
		}
	}
	return nil
}

// record counts the units of a receipt that is in the journal.
func (r *run) record(x sinks.Receipt) error {
	if err := r.belongs(x); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	r.count(x)
	return nil
}

// countFromZero prepares the run for counting the units that are done: so far, none of them is.
func (r *run) countFromZero() {
	r.arrays = make([]progress, len(r.plan.Arrays))
	for i := range r.arrays {
		a := &r.plan.Arrays[i]
		r.arrays[i] = progress{done: newBitset(a.Chunks()), left: a.Chunks()}
		r.result.Chunks += a.Chunks()
		r.result.BytesIn += a.Bytes()
	}
}

// count counts the units of a receipt that belongs to the plan.
func (r *run) count(x sinks.Receipt) {
	a := &r.arrays[x.Array]
	for unit := x.Unit; unit <= x.Unit+x.More; unit++ {
		if a.done.has(unit) {
			r.repeated = true
			continue // the same job gives the same object
		}
		a.done.set(unit)
		a.left--
		a.bytes += x.Bytes
		r.result.BytesOut += x.Bytes
		if x.Empty {
			a.empty++
			r.result.Empty++
		}
	}
}

// completedArrays returns how the arrays have come out.
func (r *run) completedArrays() []CompletedArray {
	list := make([]CompletedArray, len(r.arrays))
	for i, a := range r.arrays {
		list[i] = CompletedArray{Empty: a.empty, BytesOut: a.bytes, Document: a.digest, Digest: a.values}
	}
	return list
}
