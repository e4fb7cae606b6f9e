package arrow

import (
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

// TestDecimals reads integers of every width in both byte orders, as text and as numbers.
func TestDecimals(t *testing.T) {
	for _, text := range []string{
		"0", "1", "-1", "127", "128", "-128", "-129", "255", "256", "9223372036854775807", "-9223372036854775808",
		"9223372036854775808", "-9223372036854775809", "18446744073709551616", "-170141183460469231731687303715884105728",
	} {
		n, _ := new(big.Int).SetString(text, 10)
		for _, width := range []int{1, 2, 4, 8, 9, 16, 32} {
			if bits := n.BitLen(); bits >= 8*width && (bits > 8*width || !strings.HasPrefix(text, "-") || n.TrailingZeroBits() != uint(bits-1)) {
				continue // it needs more bytes
			}
			p := make([]byte, width)
			new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(8*width)), big.NewInt(1))).FillBytes(p)
			for _, order := range []dtype.Order{dtype.Big, dtype.Little} {
				d := &decimals{order: order}
				if order == dtype.Little {
					p = slices.Clone(p)
					slices.Reverse(p)
				}
				if got := string(d.item(p)); got != text {
					t.Errorf("%s in %d bytes: got %s", text, width, got)
				}
				switch got, err := d.integer(p); {
				case n.IsInt64() && (err != nil || got != n.Int64()):
					t.Errorf("%s in %d bytes: got %d, %v", text, width, got, err)
				case !n.IsInt64() && !errors.Is(err, errCorrupt):
					t.Errorf("%s in %d bytes: got %d, %v, want an error", text, width, got, err)
				}
			}
		}
	}
}

// TestDecimalPoint places the point.
func TestDecimalPoint(t *testing.T) {
	for _, test := range []struct {
		number int64
		scale  int
		want   string
	}{
		{0, 0, "0"}, {0, 2, "0.00"}, {5, 2, "0.05"}, {-5, 2, "-0.05"}, {-123, 2, "-1.23"}, {100, 2, "1.00"},
		{0, -3, "0"}, {-7, -3, "-7000"}, {math.MaxInt64, 18, "9.223372036854775807"}, {math.MaxInt64, 19, "0.9223372036854775807"},
	} {
		d := &decimals{order: dtype.Big, scale: test.scale}
		if got := string(d.item(binary.BigEndian.AppendUint64(nil, uint64(test.number)))); got != test.want {
			t.Errorf("%d with scale %d: got %s, want %s", test.number, test.scale, got, test.want)
		}
	}
}
