package arrowtype

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/zmigrate/zmigrate/dtype"
)

// pair is a data type and an Arrow type whose elements are the same values.
type pair struct {
	zarr  dtype.Type
	arrow arrow.DataType
}

// plain lists the types without parameters. Where several Arrow types belong to one
// data type, [To] writes the first of them.
func plain() []pair {
	return []pair{
		{dtype.BoolType, arrow.FixedWidthTypes.Boolean},
		{dtype.Int8, arrow.PrimitiveTypes.Int8},
		{dtype.Int16, arrow.PrimitiveTypes.Int16},
		{dtype.Int32, arrow.PrimitiveTypes.Int32},
		{dtype.Int64, arrow.PrimitiveTypes.Int64},
		{dtype.Uint8, arrow.PrimitiveTypes.Uint8},
		{dtype.Uint16, arrow.PrimitiveTypes.Uint16},
		{dtype.Uint32, arrow.PrimitiveTypes.Uint32},
		{dtype.Uint64, arrow.PrimitiveTypes.Uint64},
		{dtype.Float16, arrow.FixedWidthTypes.Float16},
		{dtype.Float32, arrow.PrimitiveTypes.Float32},
		{dtype.Float64, arrow.PrimitiveTypes.Float64},
		{dtype.StringType, arrow.BinaryTypes.String},
		{dtype.StringType, arrow.BinaryTypes.LargeString},
		{dtype.StringType, arrow.BinaryTypes.StringView},
		{dtype.BytesType, arrow.BinaryTypes.Binary},
		{dtype.BytesType, arrow.BinaryTypes.LargeBinary},
		{dtype.BytesType, arrow.BinaryTypes.BinaryView},
	}
}
