package parquet

import "testing"

func TestNodeString(t *testing.T) {
	for want, n := range map[string]*Node{
		"required boolean":                         {Physical: Boolean},
		"optional int64 (TIMESTAMP(MICROS,true))":  {Physical: Int64, Repetition: Optional, Logical: Logical{Kind: Timestamp, Unit: Microseconds, UTC: true}},
		"optional int32 (INTEGER(8,false))":        {Physical: Int32, Repetition: Optional, Logical: Logical{Kind: Integer, Bits: 8}},
		"required fixed_len_byte_array(16) (UUID)": {Physical: FixedLenByteArray, Length: 16, Logical: Logical{Kind: UUID}},
		"required group (LIST) = 7 {repeated group list {optional int32 element (DECIMAL(9,2)) = 0}}": {
			Leaf: -1, Logical: Logical{Kind: List}, ID: 7, HasID: true, Children: []*Node{{
				Name: "list", Leaf: -1, Repetition: Repeated, Children: []*Node{{
					Name: "element", Physical: Int32, Repetition: Optional, Logical: Logical{Kind: Decimal, Precision: 9, Scale: 2}, HasID: true,
				}},
			}},
		},
		"required int32 (TIME(number 9,false))": {Physical: Int32, Logical: Logical{Kind: Time, Unit: 9}},
		"number 7 number 12 (UNKNOWN)":          {Physical: 12, Repetition: 7, Logical: Logical{Kind: Unknown}},
	} {
		if got := n.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
