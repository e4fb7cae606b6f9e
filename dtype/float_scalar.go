package dtype

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// floatForm is the format of a float whose scalars are read and written: a
// layout of up to 16 bits, or IEEE 754's of 32 or 64 bits.
type floatForm struct {
	bits   int
	layout *FloatLayout
}

// parse reads a float: a JSON number rounded half to even to the type, one of
// three names, or (v3) the bit pattern in hex, or (v2) a number in quotes.
func (f floatForm) parse(format Format, s Scalar, text []byte) error {
	if text = unquoted(format, text); text[0] != '"' {
		return f.parseNumber(s, text)
	}
	var name string
	if err := json.Unmarshal(text, &name); err != nil {
		return err
	}
	hex, isHex := strings.CutPrefix(name, "0x")
	var v uint64
	var ok bool
	switch {
	case name == "NaN":
		v, ok = f.nan()
	case name == "Infinity":
		v, ok = f.infinity(false)
	case name == "-Infinity":
		v, ok = f.infinity(true)
	case isHex && format == V3:
		v, err := strconv.ParseUint(hex, 16, 64)
		if err != nil || len(hex) != len(s)*2 || v>>f.bits != 0 {
			return fmt.Errorf("want %d hex digits behind 0x, for %d bits", len(s)*2, f.bits)
		}
		putBits(s, v)
		return nil
	default:
		return fmt.Errorf("want %s", f.wanted(format))
	}
	if !ok {
		return fmt.Errorf("%w: the type has no such value, want %s", ErrOutOfRange, f.wanted(format))
	}
	putBits(s, v)
	return nil
}

// summary describes the form in a few words, with an article.
func (f floatForm) summary() string {
	if f.layout == nil || f.layout == Float16Layout {
		return fmt.Sprintf("an IEEE 754 float of %d bits", f.bits)
	}
	lacks := ""
	_, nan := f.nan()
	switch _, infinity := f.infinity(false); {
	case nan && !infinity:
		lacks = ", no infinity"
	case !nan:
		lacks = ", no infinity or NaN"
	}
	return fmt.Sprintf("a float of %d bits%s", f.bits, lacks)
}

// wanted lists the spellings that parse takes.
func (f floatForm) wanted(format Format) string {
	list := []string{"a number"}
	if _, ok := f.nan(); ok {
		list = append(list, `"NaN"`)
	}
	if _, ok := f.infinity(true); ok {
		list = append(list, `"Infinity"`, `"-Infinity"`)
	}
	if format == V3 {
		list = append(list, `"0x…"`)
	}
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// parseNumber reads a JSON number. It refuses a finite number that would round to
// infinity, because the type has no such value.
func (f floatForm) parseNumber(s Scalar, text []byte) error {
	if !isNumber(text) {
		return errors.New("want a number")
	}
	parse := 64
	if f.bits == 32 {
		parse = 32 // rounded once, not by way of float64
	}
	digits := shortDecimal(text)
	v, err := strconv.ParseFloat(digits, parse)
	switch {
	case f.layout != nil:
		pattern, fits := f.layout.Round(f.offMidpoint(digits, v), NearestEven)
		if inf, ok := f.infinity(v < 0); !fits || ok && uint64(pattern) == inf {
			err = ErrOutOfRange
		}
		putBits(s, uint64(pattern))
	case f.bits == 32:
		putBits(s, uint64(math.Float32bits(float32(v))))
	default:
		putBits(s, math.Float64bits(v))
	}
	if err != nil {
		return fmt.Errorf("%w: the type has no value near this number", ErrOutOfRange)
	}
	return nil
}

// shortDecimal returns a JSON number that is rounded to the same float as text and has
// few enough digits for strconv, which loses the place of the decimal point behind 800
// digits. No float64, and no middle between two float64s, has more than 768 digits.
// Beyond these, only one thing matters: whether any further digit is not 0.
func shortDecimal(text []byte) string {
	const enough = 780
	if len(text) <= enough {
		return string(text)
	}
	d := splitDecimal(text)
	if more := len(d.digits) - enough; more > 0 {
		d.digits, d.exponent = d.digits[:enough]+"1", d.exponent+more-1
	}
	return d.sign + cmp.Or(d.digits, "0") + "e" + strconv.Itoa(d.exponent)
}

// offMidpoint corrects v, the float64 nearest to the decimal number text, so that
// rounding v is the same as rounding text once. If v is half way between two values of
// the layout and text is not, offMidpoint returns the neighbour of v on the side of
// text. Otherwise it returns v.
func (f floatForm) offMidpoint(text string, v float64) float64 {
	if v == 0 || math.IsInf(v, 0) {
		return v
	}
	up, down := math.Nextafter(v, math.Inf(1)), math.Nextafter(v, math.Inf(-1))
	above, fitsAbove := f.layout.Round(up, NearestEven)
	below, fitsBelow := f.layout.Round(down, NearestEven)
	if above == below && fitsAbove == fitsBelow {
		return v
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		return v // cannot happen: ParseFloat has read the same text
	}
	switch exact.Cmp(new(big.Rat).SetFloat64(v)) {
	case 1:
		return up
	case -1:
		return down
	}
	return v
}

func (f floatForm) parsePair(format Format, s Scalar, text []byte) error {
	if isZero(format, text) {
		return nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil || len(parts) != 2 {
		return errors.New("want [real, imaginary]")
	}
	half := len(s) / 2
	if err := f.parse(format, s[:half], parts[0]); err != nil {
		return fmt.Errorf("real part: %w", err)
	}
	if err := f.parse(format, s[half:], parts[1]); err != nil {
		return fmt.Errorf("imaginary part: %w", err)
	}
	return nil
}

func (f floatForm) format(format Format, s Scalar) json.RawMessage {
	v := getBits(s)
	if nan, ok := f.nan(); ok && v == nan {
		return json.RawMessage(`"NaN"`)
	}
	if inf, ok := f.infinity(false); ok && v == inf {
		return json.RawMessage(`"Infinity"`)
	}
	if inf, ok := f.infinity(true); ok && v == inf {
		return json.RawMessage(`"-Infinity"`)
	}
	if x := f.value(v); !math.IsNaN(x) {
		return AppendFloat(nil, x)
	}
	if format == V2 {
		return json.RawMessage(`"NaN"`) // v2 has no spelling for a payload
	}
	return fmt.Appendf(nil, `"0x%0*x"`, len(s)*2, v)
}

// value returns the float with the given bits, exactly.
func (f floatForm) value(v uint64) float64 {
	switch {
	case f.layout != nil:
		return f.layout.Float64(uint16(v))
	case f.bits == 32:
		return float64(math.Float32frombits(uint32(v)))
	default:
		return math.Float64frombits(v)
	}
}

// nan returns the bit pattern that Zarr v3 calls "NaN". In IEEE 754 the sign is 0, the
// most significant bit of the mantissa is 1, and the others are 0.
func (f floatForm) nan() (uint64, bool) {
	switch {
	case f.layout != nil:
		v, ok := f.layout.NaN()
		return uint64(v), ok
	case f.bits == 32:
		return 0x7fc00000, true
	default:
		return 0x7ff8000000000000, true
	}
}

func (f floatForm) infinity(negative bool) (uint64, bool) {
	if f.layout != nil {
		v, ok := f.layout.Infinity(negative)
		return uint64(v), ok
	}
	v := uint64(0x7ff0000000000000)
	if f.bits == 32 {
		v = 0x7f800000
	}
	if negative {
		v |= 1 << (f.bits - 1)
	}
	return v, true
}

// AppendFloat appends f to dst as JSON, with the fewest digits that read back to the
// same float64. There is always a fraction or an exponent, so that readers which tell
// integers from floats see a float. f is finite: JSON has no NaN and no infinities.
func AppendFloat(dst []byte, f float64) []byte {
	form := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		form = 'e'
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, f, form, -1, 64)
	if !strings.ContainsAny(string(dst[from:]), ".e") {
		dst = append(dst, ".0"...)
	}
	return dst
}
