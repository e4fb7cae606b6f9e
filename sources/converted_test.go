package sources

import (
	"errors"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// narrowing converts float64 to float32. It refuses the number refused.
type narrowing struct{ refused float64 }

func (n narrowing) Encode(dst, src ndarray.Array) error {
	from, _ := ndarray.As[float64](src)
	to, _ := ndarray.As[float32](dst)
	for i, x := range from {
		if x == n.refused {
			return errors.New("refused")
		}
		to[i] = float32(x)
	}
	return nil
}

// TestConverted converts a region of more elements than one piece. The error about an
// element that cannot be converted names its piece.
func TestConverted(t *testing.T) {
	const rows = 2*convertedPiece/8 + 3
	whole := counted(rows, 10)
	c := Converted(whole, narrowing{-1}, dtype.Float32)
	if c.Info().Type != dtype.Float32 || whole.info.Type != dtype.Float64 || c.Info().Memory < 12*convertedPiece {
		t.Errorf("type %s with %d bytes of scratch memory", c.Info().Type.Name(), c.Info().Memory)
	}
	dst := ndarray.New(dtype.Float32, []int{rows - 1, 8})
	if err := c.ReadRegion(t.Context(), dst, []int{1, 1}); err != nil {
		t.Fatal(err)
	}
	got, _ := ndarray.As[float32](dst)
	for i, x := range got {
		if want := float32(10*(i/8+1) + i%8 + 1); x != want {
			t.Fatalf("element %d: %v, want %v", i, x, want)
		}
	}
	err := Converted(whole, narrowing{11}, dtype.Float32).ReadRegion(t.Context(), dst, []int{1, 1})
	if err == nil || !strings.Contains(err.Error(), "elements from [1 1] on: refused") {
		t.Errorf("error %v", err)
	}
	err = Converted(&failing{*whole}, narrowing{-1}, dtype.Float32).ReadRegion(t.Context(), dst, []int{1, 1})
	if err == nil || err.Error() != "damaged" {
		t.Errorf("an array that cannot be read: %v", err)
	}
	if err := c.ReadRegion(t.Context(), dst, []int{2, 1}); err == nil {
		t.Error("a region beyond the array was read")
	}
}
