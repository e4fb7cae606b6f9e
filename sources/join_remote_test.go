package sources

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// meeting is an array whose reads wait until a given number of reads has begun.
type meeting struct {
	held
	room *room
}

type room struct {
	mu    sync.Mutex
	there int
	seats int
	full  chan struct{}
}

func (m *meeting) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	m.room.mu.Lock()
	if m.room.there++; m.room.there == m.room.seats {
		close(m.room.full)
	}
	m.room.mu.Unlock()
	select {
	case <-m.room.full:
		return m.held.ReadRegion(ctx, dst, start)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestRemoteParts reads parts behind a network at the same time, as many as there is memory
// for. Here, the reads wait for each other.
func TestRemoteParts(t *testing.T) {
	for _, test := range []struct {
		memory, seats, total int // memory of a part, parts at the same time, and their memory
	}{
		{0, 8, 8 << 20}, {2 << 20, 4, 8 << 20}, {5 << 20, 1, 5 << 20}, {100 << 20, 1, 100 << 20},
	} {
		for _, stack := range []bool{false, true} {
			r := &room{seats: test.seats, full: make(chan struct{})}
			var parts []Array
			for i := range 10 {
				info := &Info{Type: dtype.Float64, Shape: []int{2}, Remote: true}
				parts = append(parts, &meeting{held{info: info, values: []float64{float64(i), float64(i)}}, r})
			}
			made := func() (Array, error) { return Join(Info{Memory: test.memory}, 0, parts) }
			if stack {
				made = func() (Array, error) { return Stack(Info{Memory: test.memory}, parts) }
			}
			a, err := made()
			if err != nil {
				t.Fatal(err)
			}
			if info := a.Info(); info.Memory != test.total || !info.Remote {
				t.Errorf("%+v: memory %d, remote %v", test, info.Memory, info.Remote)
			}
			dst := ndarray.New(dtype.Float64, a.Info().Shape)
			if err := a.ReadRegion(t.Context(), dst, make([]int, len(dst.Shape))); err != nil {
				t.Fatal(err)
			}
			got, _ := ndarray.As[float64](dst)
			if want := []float64{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9}; !slices.Equal(got, want) {
				t.Errorf("%+v: %v", test, got)
			}
		}
	}
}

// failing is an array that cannot be read.
type failing struct{ held }

func (f *failing) ReadRegion(context.Context, ndarray.Array, []int) error {
	return errors.New("damaged")
}

// TestRemotePartFails returns the error of a part while reads of other parts wait.
func TestRemotePartFails(t *testing.T) {
	r := &room{seats: 100, full: make(chan struct{})}
	var parts []Array
	for i := range 10 {
		info := &Info{Type: dtype.Float64, Shape: []int{2}, Remote: true}
		parts = append(parts, &meeting{held{info: info}, r})
		if i == 3 {
			parts[i] = &failing{held{info: info}}
		}
	}
	a, err := Join(Info{}, 0, parts)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.ReadRegion(t.Context(), ndarray.New(dtype.Float64, []int{19}), []int{1}); fmt.Sprint(err) != "damaged" {
		t.Errorf("got %v", err)
	}
}
