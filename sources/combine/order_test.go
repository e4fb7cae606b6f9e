package combine

import (
	"encoding/binary"
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/sources/compare"
)

// TestReadSpan finds out whether values rise or fall. With a value that occurs twice they
// do neither.
func TestReadSpan(t *testing.T) {
	type values struct {
		n               int
		first, last     string
		valid           bool
		rising, falling bool
		turn            int
	}
	for text, want := range map[string]values{
		"":          {rising: true, falling: true},
		"3":         {n: 1, first: "3.0", last: "3.0", valid: true, rising: true, falling: true},
		"1,2,5":     {n: 3, first: "1.0", last: "5.0", valid: true, rising: true},
		"5,2,1":     {n: 3, first: "5.0", last: "1.0", valid: true, falling: true},
		"1,1":       {n: 2, first: "1.0", last: "1.0", valid: true, turn: 1},
		"1,2,2":     {n: 3, first: "1.0", last: "2.0", valid: true, turn: 2},
		"3,2,2,1":   {n: 4, first: "3.0", last: "1.0", valid: true, turn: 2},
		"3,2,1,2":   {n: 4, first: "3.0", last: "2.0", valid: true, turn: 3},
		"1,2,3,2":   {n: 4, first: "1.0", last: "2.0", valid: true, turn: 3},
		"0,-0":      {n: 2, first: "0.0", last: "-0.0", valid: true, turn: 1},
		"-1,0,1":    {n: 3, first: "-1.0", last: "1.0", valid: true, rising: true},
		"1,NaN":     {n: 2, first: "1.0", last: `"0x7ff8000000000001"`, valid: true, turn: 1},
		"NaN,1":     {n: 2, first: `"0x7ff8000000000001"`, last: "1.0", turn: 1},
		"-2,-3,-3":  {n: 3, first: "-2.0", last: "-3.0", valid: true, turn: 2},
		"-Inf,1,2":  {n: 3, first: `"-Infinity"`, last: "2.0", valid: true, rising: true},
		"2,1,-Inf":  {n: 3, first: "2.0", last: `"-Infinity"`, valid: true, falling: true},
		"9,8,7,7,9": {n: 5, first: "9.0", last: "9.0", valid: true, turn: 3},
	} {
		a := file("t(t)=" + text).arrays["t"]
		order := compare.OrderOf(a.info.Type)
		s, err := readSpan(t.Context(), a, order)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(a.values); n > 0 {
			number := func(x float64) uint64 {
				n, _ := order(binary.NativeEndian.AppendUint64(nil, math.Float64bits(x)))
				return n
			}
			if s.from != number(a.values[0]) || s.to != number(a.values[n-1]) {
				t.Errorf("%s: begins with %x and ends with %x", text, s.from, s.to)
			}
		}
		got := values{s.N, s.first, s.last, s.valid, s.Rising(), s.Falling(), s.Turn}
		if got != want {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
}

// TestReadsThatFail lets each read of a joining fail in turn. The joining then fails, too.
func TestReadsThatFail(t *testing.T) {
	failed := errors.New("failed")
	for name, how := range map[string]Options{"concat": {Concat: "t", Wanted: everything}, "in order": {Concat: "t", Order: "t", Wanted: everything}, "stack": {Stack: "run", Wanted: everything}} {
		for at := int64(1); ; at++ {
			var reads atomic.Int64
			members := []*member{file("t(t)=0,2", "x(x)=1,2", "v(t,x)=1,2,3,4"), file("t(t)=3,4", "x(x)=1,2", "v(t,x)=5,6,7,8")}
			if how.Stack != "" {
				members[1] = file("t(t)=0,2", "x(x)=1,2", "v(t,x)=5,6,7,8")
			}
			for _, m := range members {
				for _, a := range m.arrays {
					a.fail = func() error {
						if reads.Add(1) == at {
							return failed
						}
						return nil
					}
				}
			}
			_, err := combineAll(t, how, members...)
			if reads.Load() < at {
				if err != nil || at < 4 {
					t.Errorf("%s: %d reads, %v", name, at-1, err)
				}
				break
			}
			if !errors.Is(err, failed) {
				t.Errorf("%s: read %d failed, the error is %v", name, at, err)
			}
		}
	}
}

// TestMissingNotes has an array that some members lack. It is taken from the first member
// that has it; the notes name one member that lacks it, and count all.
func TestMissingNotes(t *testing.T) {
	with, without := file("t(t)=0", "h(x)=1"), file("t(t)=1")
	for _, test := range []struct {
		members []*member
		want    []string
	}{
		{[]*member{with, without}, []string{"taken from a; b has none"}},
		{[]*member{without, with, file("t(t)=2")}, []string{"taken from b; a has none", "2 files have no such array"}},
	} {
		src, err := combineAll(t, Options{Concat: "t", Override: true, Wanted: everything}, test.members...)
		if err != nil {
			t.Fatal(err)
		}
		a, err := src.Array(t.Context(), "h")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, a.Info().Notes); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
