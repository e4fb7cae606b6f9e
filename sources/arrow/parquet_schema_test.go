package arrow

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/zmigrate/zmigrate/sources/arrow/parquet"
)

// TestIntegers finds the types of integers. An annotation of another width than the format
// allows for the stored values does not count, so that no value is cut or extended.
func TestIntegers(t *testing.T) {
	for _, test := range []struct {
		physical parquet.Physical
		bits     int
		signed   bool
		want     arrow.DataType
	}{
		{parquet.Int32, 8, true, arrow.PrimitiveTypes.Int8},
		{parquet.Int32, 16, false, arrow.PrimitiveTypes.Uint16},
		{parquet.Int32, 32, false, arrow.PrimitiveTypes.Uint32},
		{parquet.Int64, 64, false, arrow.PrimitiveTypes.Uint64},
		{parquet.Int32, 64, false, arrow.PrimitiveTypes.Int32},
		{parquet.Int64, 8, true, arrow.PrimitiveTypes.Int64},
		{parquet.Int64, 32, false, arrow.PrimitiveTypes.Int64},
		{parquet.Double, 64, false, arrow.PrimitiveTypes.Float64},
	} {
		n := &parquet.Node{Physical: test.physical}
		n.Logical.Kind, n.Logical.Bits, n.Logical.Signed = parquet.Integer, test.bits, test.signed
		if got := leafType(n); !arrow.TypeEqual(got, test.want) {
			t.Errorf("%d bits, signed %v, of physical type %v: %v, want %v", test.bits, test.signed, test.physical, got, test.want)
		}
	}
}
