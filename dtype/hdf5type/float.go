package hdf5type

import (
	"github.com/zmigrate/zmigrate/dtype"
)

// floatFormat describes a float type by its size, precision and bit fields, and names
// the complex type of a pair of such floats.
type floatFormat struct {
	Type, Pair dtype.Type
	Size       int // bytes
	Precision  int // bits
	Fields     FloatFields
	Note       string // what the bit fields do not tell, or ""
}

// binaryFloat lays out a float as IEEE 754 does: from the least significant bit, the
// mantissa, the exponent, the sign.
func binaryFloat(t, pair dtype.Type, exponent, mantissa int, note string) floatFormat {
	return floatFormat{
		Type: t, Pair: pair, Size: t.Size(), Precision: 1 + exponent + mantissa,
		Fields: FloatFields{
			Sign:             exponent + mantissa,
			ExponentLocation: mantissa, ExponentSize: exponent,
			MantissaSize: mantissa,
			Bias:         1<<(exponent-1) - 1,
			Norm:         NormImplied,
		},
		Note: note,
	}
}

// floatFormats lists the formats that bit fields can describe. HDF5 does not say
// whether the largest exponent is reserved for infinities and NaN. The library's own
// conversions reserve it, so it is reserved here in formats of 8 and more bits. The
// formats of 4 and 6 bits have no such values.
func floatFormats() []floatFormat {
	const finite = "bits of the largest exponent are taken for finite numbers, as in the format that HDF5 names"
	return []floatFormat{
		binaryFloat(dtype.Float64, dtype.Complex128, 11, 52, ""),
		binaryFloat(dtype.Float32, dtype.Complex64, 8, 23, ""),
		binaryFloat(dtype.Float16, dtype.ComplexFloat16, 5, 10, ""),
		binaryFloat(dtype.BFloat16, dtype.ComplexBFloat16, 8, 7, ""),
		binaryFloat(dtype.Float8E5M2, dtype.ComplexFloat8E5M2, 5, 2, ""),
		binaryFloat(dtype.Float8E4M3, dtype.ComplexFloat8E4M3, 4, 3,
			"bits of the largest exponent are taken for infinities and NaN, as HDF5 converts them; the format that is also called float8_e4m3fn has numbers there"),
		binaryFloat(dtype.Float8E3M4, dtype.ComplexFloat8E3M4, 3, 4, ""),
		binaryFloat(dtype.Float6E2M3FN, dtype.ComplexFloat6E2M3FN, 2, 3, finite),
		binaryFloat(dtype.Float6E3M2FN, dtype.ComplexFloat6E3M2FN, 3, 2, finite),
		binaryFloat(dtype.Float4E2M1FN, dtype.ComplexFloat4E2M1FN, 2, 1, finite),
	}
}

// format finds the format of a FloatingPoint.
func (d *Datatype) format() (floatFormat, error) {
	if d.Order == dtype.Mixed {
		return floatFormat{}, unsupported("VAX floats of %d bytes: rewrite the data as IEEE floats, such as H5T_IEEE_F64LE", d.Size)
	}
	fields := d.Float
	fields.InnerPad = false // there are no bits between the parts
	for _, f := range floatFormats() {
		if f.Size == d.Size && f.Precision == d.Precision && d.BitOffset == 0 && f.Fields == fields {
			return f, nil
		}
	}
	return floatFormat{}, unsupported("floats of %d bytes with %d exponent bits, %d mantissa bits and bias %d: rewrite the data as float64, or a float of its size that Zarr has",
		d.Size, d.Float.ExponentSize, d.Float.MantissaSize, d.Float.Bias)
}

func (d *Datatype) float() (Native, error) {
	f, err := d.format()
	if err != nil {
		return Native{}, err
	}
	n := d.simple(f.Type)
	if f.Precision < 8*d.Size { // the bits above are padding, and zeros in memory
		n.Moves[0].Precision = f.Precision // the element is a single byte
	}
	if f.Note != "" {
		n.note("%s", f.Note)
	}
	return n, nil
}

// complexPair reports whether a compound is two floats of one type called r and
// i, which h5py writes and reads for a complex number.
func (d *Datatype) complexPair() bool {
	if len(d.Members) != 2 || d.Members[0].Name != "r" || d.Members[1].Name != "i" {
		return false
	}
	re, im := d.Members[0].Type, d.Members[1].Type
	if re.Class != FloatingPoint || im.Class != FloatingPoint {
		return false
	}
	first, err := re.format()
	if err != nil {
		return false
	}
	second, err := im.format()
	return err == nil && first == second
}

// complexOf makes a complex number of two floats of one type, which lie at reAt and
// imAt in an element.
func complexOf(re *Datatype, reAt int, im *Datatype, imAt int) (Native, error) {
	f, err := re.format()
	if err != nil {
		return Native{}, err
	}
	first, err := re.float()
	if err != nil {
		return Native{}, err
	}
	second, err := im.float()
	if err != nil {
		return Native{}, err
	}
	if first.Order != second.Order {
		return Native{}, unsupported("a complex number with a %v-endian real and a %v-endian imaginary part: rewrite the data with both in one order, or with members called otherwise than r and i", first.Order, second.Order)
	}
	n := Native{Type: f.Pair, Order: first.Order, Notes: first.Notes}
	a, b := first.Moves[0], second.Moves[0]
	a.From = reAt
	b.From, b.To = imAt, f.Size
	n.Moves = appendMove([]Move{a}, b)
	return n, nil
}
