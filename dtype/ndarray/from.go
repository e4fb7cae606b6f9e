package ndarray

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/zmigrate/zmigrate/dtype"
)

// From returns an array in C order over the memory of values. Its data type is that of T,
// such as float32 for []float32. From panics if the number of elements of the shape is not
// len(values). [As] is the way back.
func From[T Number](values []T, shape []int) Array {
	if n, ok := Elements(shape); !ok || n != len(values) {
		panic(fmt.Sprintf("ndarray: %d values for an array of shape %v", len(values), shape))
	}
	t := typeOf[T]()
	data := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*t.Size())
	return Array{Type: t, Data: data, Shape: shape, Strides: CStrides(t.Size(), shape)}
}

// typeOf returns the data type of a Go type.
func typeOf[T Number]() dtype.Type {
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Int8:
		return dtype.Int8
	case reflect.Int16:
		return dtype.Int16
	case reflect.Int32:
		return dtype.Int32
	case reflect.Int64:
		return dtype.Int64
	case reflect.Uint8:
		return dtype.Uint8
	case reflect.Uint16:
		return dtype.Uint16
	case reflect.Uint32:
		return dtype.Uint32
	case reflect.Uint64:
		return dtype.Uint64
	case reflect.Float32:
		return dtype.Float32
	case reflect.Float64:
		return dtype.Float64
	case reflect.Complex64:
		return dtype.Complex64
	default:
		return dtype.Complex128
	}
}
