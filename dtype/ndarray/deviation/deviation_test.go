package deviation

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestErrors counts errors of known sizes, in two boxes of an array.
func TestErrors(t *testing.T) {
	source := []float64{1, 2, 3, 4, 0, 0, 0, math.NaN(), math.Inf(1), 5}
	target := []float64{1, 2.25, 2.5, 4.3, 1e-300, -1e300, math.Copysign(0, -1), 0, 1, 5.26}
	var d Deviation
	for _, part := range [][2]int{{0, 4}, {4, 10}} {
		a := ndarray.From(source[part[0]:part[1]], []int{part[1] - part[0]})
		b := ndarray.From(target[part[0]:part[1]], []int{part[1] - part[0]})
		d.Add(Compare(a, b), a, b, []int{part[0]})
	}
	want := []Errors{{From: 0x1p-256, Above: 1}, {From: 0.25, Above: 3}, {From: 0.5, Below: 1}, {From: 0x1p255, Below: 1}}
	if diff := cmp.Diff(want, d.spread.counts()); diff != "" {
		t.Error(diff)
	}
	// -0 differs from 0, NaN from a number, and infinity from 1; none has an error of a finite size.
	if d.Unequal != 9 || d.Elements != 10 {
		t.Errorf("%+v", d)
	}
	// What is saved of it and read again goes on as if nothing had happened.
	text, err := json.Marshal(d.Save())
	if err != nil {
		t.Fatal(err)
	}
	var saved Saved
	if err := json.Unmarshal(text, &saved); err != nil {
		t.Fatal(err)
	}
	var again Deviation
	again.Restore(&saved)
	if diff := cmp.Diff(d, again, cmp.AllowUnexported(Deviation{})); diff != "" || !math.IsInf(float64(again.Max), 1) {
		t.Errorf("%s: (-before +after)\n%s", text, diff)
	}
	same := Compare(ndarray.From(source, []int{10}), ndarray.From(source, []int{10}))
	if same.spread.counts() != nil {
		t.Errorf("%+v", same)
	}
}
