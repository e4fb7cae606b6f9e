package stages

import (
	"context"
	"errors"
	"testing"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestDeliverAfterAFailure: after an inner chunk that could not be written, no later one
// is written, and the shard is never finished.
func TestDeliverAfterAFailure(t *testing.T) {
	for _, location := range []string{"start", "end"} {
		x, w := shardedTask(t, counted(256, 64), location, "bytes")
		writes := 0
		w.piece = func([]int, int) error {
			if writes++; writes == 2 {
				return errTest
			}
			return nil
		}
		layout, _ := x.shardLayout()
		s := newShard(&x, 0, 0, layout)
		p := &pipeline{budget: newBudget(1, new(Monitor)), pool: &ndarray.Pool{}}
		l := &load{allotment: newAllotment(1, 0, s.innerChunks())}
		l.users.Store(int64(s.innerChunks() + 1)) // the test is one of the users
		failed := false
		for unit := range s.innerChunks() {
			receipt, err := s.deliver(context.Background(), p, parcel{load: l, unit: unit, data: []byte{1}})
			if receipt != nil {
				t.Errorf("index at the %s: receipt %+v", location, receipt)
			}
			if err != nil && (failed || !errors.Is(err, errTest)) {
				t.Errorf("index at the %s: error %v", location, err)
			}
			failed = failed || err != nil
		}
		if !failed || writes != 2 || len(w.objects) != 0 {
			t.Errorf("index at the %s: failed is %v, %d writes, %d objects", location, failed, writes, len(w.objects))
		}
	}
}
