package arrowtype

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/zmigrate/zmigrate/dtype"
)

const (
	// maxLayers bounds the lists, dictionaries and extensions around the
	// elements of a column, and so the axes of its rows.
	maxLayers = 32
	// maxStructs bounds structs within structs. At this depth [dtype.Registry.ParseV3]
	// still reads the data_type field of Zarr v3 metadata.
	maxStructs = 24
	// maxRow bounds the elements in a row, so that its bytes can be counted.
	maxRow = math.MaxInt / dtype.MaxSize
)

// Of returns the data type of the elements of Arrow columns of type t, and the shape of
// one row: empty for scalars, [2 3] for a list of two lists of three. See the package
// documentation for the types and their values. The error about a type that is refused,
// malformed or nested too deeply says what to do instead.
func Of(t arrow.DataType) (dtype.Type, []int, error) { return of(t, 0) }

// Zone returns the time zone of a column of timestamps, such as "UTC", "Europe/Berlin"
// or "+01:00"; also for lists and dictionaries of timestamps. It is "" for timestamps
// without a zone, which are local times of an unnamed place, and for columns of other
// types, structs among them. The data type does not have the zone: a source ought to
// note it, for example in an attribute. Whatever the zone, the values are instants in
// UTC.
func Zone(t arrow.DataType) string {
	inner, _, err := unwrap(t)
	if timestamp, ok := inner.(*arrow.TimestampType); ok && err == nil {
		return timestamp.TimeZone
	}
	return ""
}

// Decimal returns the most digits and the scale of a column of decimals, also for lists and
// dictionaries of decimals: the value of an element is its integer divided by 10 to the power
// of the scale. It returns false for columns of other types, structs among them.
func Decimal(t arrow.DataType) (digits, scale int, ok bool) {
	inner, _, err := unwrap(t)
	if decimal, ok := inner.(arrow.DecimalType); ok && err == nil {
		return int(decimal.GetPrecision()), int(decimal.GetScale()), true
	}
	return 0, 0, false
}

// Bounds of decimals. An int64 holds all numbers of shortDigits digits. Arrow has no decimals
// of more digits than mostDigits.
const (
	shortDigits = 18
	mostDigits  = 76
)

// decimalOf returns the type for a type of decimals.
func decimalOf(t arrow.DecimalType) (dtype.Type, error) {
	digits, scale := t.GetPrecision(), t.GetScale()
	switch {
	case digits < 1 || digits > mostDigits || scale > mostDigits || scale < -mostDigits:
		return nil, fmt.Errorf("%d digits with a scale of %d: want 1 to %d digits, and a scale of -%d to %d: cast it to float64", digits, scale, mostDigits, mostDigits, mostDigits)
	case digits <= shortDigits:
		return dtype.Int64, nil
	default:
		return dtype.StringType, nil
	}
}

// of is [Of] for a type that lies within the given number of structs.
func of(t arrow.DataType, structs int) (dtype.Type, []int, error) {
	inner, shape, err := unwrap(t)
	if err != nil {
		return nil, nil, err
	}
	element, err := elementOf(inner, structs)
	if err != nil {
		return nil, nil, fmt.Errorf("arrow type %s: %w", inner.Name(), err)
	}
	return element, shape, nil
}

// unwrap removes the lists, dictionaries, runs and extensions around the elements of a
// column. It returns the type of the elements, which is not nil, and the shape of a
// row.
func unwrap(t arrow.DataType) (inner arrow.DataType, shape []int, err error) {
	row := 1
	for range maxLayers {
		if v := reflect.ValueOf(t); t == nil || v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, nil, errors.New("no arrow type given, or one without the type of its elements: the schema of the column is incomplete")
		}
		switch outer := t.(type) {
		case *arrow.FixedSizeListType:
			n := int(outer.Len())
			if n == 0 {
				return nil, nil, errors.New("arrow type fixed_size_list: its lists have 0 elements, so the column has no values")
			}
			if n < 1 || n > maxRow/row {
				return nil, nil, fmt.Errorf("arrow type fixed_size_list: %d elements in a row of shape %v: want lengths of at least 1, and at most %d elements in all: split the column", n, append(shape, n), maxRow)
			}
			row *= n
			shape = append(shape, n)
			t = outer.Elem()
		case *arrow.DictionaryType:
			t = outer.ValueType
		case *arrow.RunEndEncodedType:
			t = outer.Encoded()
		case arrow.ExtensionType:
			t = outer.StorageType()
		default:
			return t, shape, nil
		}
	}
	return nil, nil, fmt.Errorf("arrow type nested more than %d deep: split the column", maxLayers)
}

// elementOf returns the data type of elements of a type that unwrap returned.
func elementOf(t arrow.DataType, structs int) (dtype.Type, error) {
	for _, p := range plain() {
		if p.arrow.ID() == t.ID() {
			return p.zarr, nil
		}
	}
	switch t := t.(type) {
	case *arrow.FixedSizeBinaryType:
		if t.ByteWidth < 1 || t.ByteWidth > dtype.MaxSize {
			return nil, fmt.Errorf("elements of %d bytes: want 1 to %d: cast it to binary", t.ByteWidth, dtype.MaxSize)
		}
		return dtype.RawBytes(t.ByteWidth), nil
	case *arrow.TimestampType:
		return dtype.Datetime64(unitName(t.Unit), 1)
	case *arrow.Date32Type:
		return dtype.Datetime64("D", 1)
	case *arrow.Date64Type:
		return dtype.Datetime64("ms", 1)
	case *arrow.Time32Type:
		return dtype.Timedelta64(unitName(t.Unit), 1)
	case *arrow.Time64Type:
		return dtype.Timedelta64(unitName(t.Unit), 1)
	case *arrow.DurationType:
		return dtype.Timedelta64(unitName(t.Unit), 1)
	case *arrow.MonthIntervalType:
		return dtype.Timedelta64("M", 1)
	case *arrow.StructType:
		return structOf(t, structs)
	case arrow.DecimalType:
		return decimalOf(t)
	default:
		return nil, errors.New(refusal(t.ID()))
	}
}

// unitName returns NumPy's name of a unit. For a number that is no unit, it returns a
// name that dtype refuses.
func unitName(u arrow.TimeUnit) string {
	if u < arrow.Second || u > arrow.Nanosecond {
		return strconv.Itoa(int(u))
	}
	return u.String()
}

func structOf(t *arrow.StructType, structs int) (dtype.Type, error) {
	if structs == maxStructs {
		return nil, fmt.Errorf("more than %d structs within each other: make the inner ones columns of their own", maxStructs)
	}
	fields := make([]dtype.Field, 0, t.NumFields())
	for i, f := range t.Fields() {
		if !utf8.ValidString(f.Name) {
			return nil, fmt.Errorf("the name of field %d, %.64q, is not UTF-8: rename it", i, f.Name)
		}
		element, shape, err := of(f.Type, structs+1)
		switch {
		case err != nil:
			return nil, fmt.Errorf("field %.64q: %w", f.Name, err)
		case len(shape) > 0:
			return nil, fmt.Errorf("field %.64q holds %v elements of %s, and Zarr has no such fields: make a field for each element, or a column of its own", f.Name, shape, element.Name())
		case element.Size() == 0:
			return nil, fmt.Errorf("field %.64q is a %s, and Zarr has no fields of variable size: cast it to fixed_size_binary, or make it a column of its own", f.Name, element.Name())
		}
		fields = append(fields, dtype.Field{Name: f.Name, Type: element})
	}
	return dtype.Struct(fields...)
}

// refusal says why there is no data type for an Arrow type and what to do.
func refusal(id arrow.Type) string {
	switch id {
	case arrow.NULL:
		return "a column of nothing but nulls has no elements: leave it out, or cast it to the type that it stands for"
	case arrow.LIST, arrow.LARGE_LIST, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW, arrow.MAP:
		return "rows of different lengths make no array: cast it to fixed_size_list where all are of one length, or put the elements into a table of their own"
	case arrow.SPARSE_UNION, arrow.DENSE_UNION:
		return "the elements of an array are all of one type: make a column for each member of the union"
	case arrow.INTERVAL_DAY_TIME, arrow.INTERVAL_MONTH_DAY_NANO:
		return "Zarr counts time in one unit, not in months or days and parts of days: cast it to duration, or make a column for each part"
	default:
		return "not a type that can be read: cast it to a number, utf8 or binary"
	}
}
