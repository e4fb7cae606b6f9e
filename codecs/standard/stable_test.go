package standard

import (
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

// TestRoundsAway has arithmetic whose errors rounding removes, and arithmetic whose
// errors it does not remove.
func TestRoundsAway(t *testing.T) {
	for _, c := range []struct {
		in, stored    dtype.Type
		offset, scale float64
		want          bool
	}{
		{dtype.Float32, dtype.Int16, 273.15, 100, true},
		{dtype.Float32, dtype.Int16, 100000, 1000, false},
		{dtype.Float32, dtype.Int32, 0, 1, false},
		{dtype.Float64, dtype.Int32, -1000, 0.01, true},
		{dtype.Float64, dtype.Int64, 0, 1, false},
		{dtype.Float64, dtype.Int16, 0, 1e300, false},
		{dtype.Float64, dtype.Float32, 0, 1, false},
		{dtype.Float16, dtype.Int8, 0, 1, false},
		{dtype.Int32, dtype.Int8, 0, 1, false},
	} {
		if got := roundsAway(c.in, c.stored, c.offset, c.scale); got != c.want {
			t.Errorf("%s as %s, offset %g, scale %g: %v", c.in.Name(), c.stored.Name(), c.offset, c.scale, got)
		}
	}
}
