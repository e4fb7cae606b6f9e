package dtype

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// ErrOutOfRange is the cause of an error about a value that its type cannot
// hold.
var ErrOutOfRange = errors.New("out of range")

func parseBool(format Format, s Scalar, text []byte) error {
	switch string(text) {
	case "true":
		s[0] = 1
	case "false":
		s[0] = 0
	case "0", "1":
		// Zarr v2 leaves the spelling to NumPy, and stores in the wild have
		// both; v3 allows true and false alone.
		if format == V3 {
			return errors.New(`want true or false`)
		}
		s[0] = text[0] - '0'
	default:
		return errors.New(`want true or false`)
	}
	return nil
}

// integer checks that text is a JSON integer without fraction or exponent.
func integer(text []byte) error {
	if json.Valid(text) && strings.Trim(string(text), "-0123456789") == "" {
		return nil
	}
	return errors.New("want an integer without fraction or exponent")
}

func parseInt(s Scalar, text []byte) error {
	if err := integer(text); err != nil {
		return err
	}
	v, err := strconv.ParseInt(string(text), 10, len(s)*8)
	if err != nil {
		top := int64(math.MaxInt64) >> (64 - len(s)*8)
		return fmt.Errorf("%w: want %d to %d", ErrOutOfRange, -top-1, top)
	}
	putBits(s, uint64(v))
	return nil
}

func parseUint(s Scalar, text []byte) error {
	if err := integer(text); err != nil {
		return err
	}
	digits := string(text)
	if digits == "-0" {
		digits = "0"
	}
	v, err := strconv.ParseUint(digits, 10, len(s)*8)
	if err != nil {
		return fmt.Errorf("%w: want 0 to %d", ErrOutOfRange, uint64(math.MaxUint64)>>(64-len(s)*8))
	}
	putBits(s, v)
	return nil
}

func formatInt(s Scalar) json.RawMessage {
	shift := 64 - len(s)*8
	return strconv.AppendInt(nil, int64(getBits(s)<<shift)>>shift, 10)
}

func formatUint(s Scalar) json.RawMessage { return strconv.AppendUint(nil, getBits(s), 10) }

// parseFloat reads a float of any width: a JSON number rounded half to even to
// the type, one of three names, or (v3) the bit pattern in hex.
func parseFloat(format Format, s Scalar, text []byte) error {
	if text[0] != '"' {
		return parseNumber(s, text)
	}
	var name string
	if err := json.Unmarshal(text, &name); err != nil {
		return err
	}
	width := len(s) * 8
	switch name {
	case "NaN":
		putBits(s, quietNaN(width))
		return nil
	case "Infinity":
		putBits(s, infinity(width))
		return nil
	case "-Infinity":
		putBits(s, infinity(width)|1<<(width-1))
		return nil
	}
	hex, ok := strings.CutPrefix(name, "0x")
	if !ok || format != V3 {
		if format == V2 {
			return errors.New(`want a number, "NaN", "Infinity" or "-Infinity"`)
		}
		return errors.New(`want a number, "NaN", "Infinity", "-Infinity" or "0x…"`)
	}
	v, err := strconv.ParseUint(hex, 16, 64)
	if err != nil || len(hex) != len(s)*2 {
		return fmt.Errorf("want %d hex digits behind 0x", len(s)*2)
	}
	putBits(s, v)
	return nil
}

// parseNumber reads a JSON number. A finite number that would round to
// infinity is refused: it is not a value of the type.
func parseNumber(s Scalar, text []byte) error {
	if !json.Valid(text) || strings.ContainsAny(string(text[:1]), `tfn[{`) {
		return errors.New("want a number")
	}
	parse := 64
	if len(s) == 4 {
		parse = 32 // rounded once, not by way of float64
	}
	v, err := strconv.ParseFloat(string(text), parse)
	switch len(s) {
	case 2:
		putBits(s, uint64(halfFromFloat64(offMidpoint(string(text), v))))
		if getBits(s)&0x7fff == 0x7c00 {
			err = ErrOutOfRange
		}
	case 4:
		putBits(s, uint64(math.Float32bits(float32(v))))
	case 8:
		putBits(s, math.Float64bits(v))
	}
	if err != nil {
		return fmt.Errorf("%w: the number is beyond the largest float%d", ErrOutOfRange, len(s)*8)
	}
	return nil
}

// offMidpoint returns v, the float64 nearest to a decimal number, or, where v is
// half way between two float16 and the number is not, the neighbour of v on the
// number's side: rounding twice is then rounding once.
func offMidpoint(text string, v float64) float64 {
	up, down := math.Nextafter(v, math.Inf(1)), math.Nextafter(v, math.Inf(-1))
	if halfFromFloat64(up) == halfFromFloat64(down) {
		return v
	}
	// Four bits hold a decimal digit; what more than a thousand digits could
	// still say is not heard.
	exact, _, err := big.ParseFloat(text, 10, uint(64+4*min(len(text), 1000)), big.ToNearestEven)
	if err != nil {
		return v
	}
	switch exact.Cmp(big.NewFloat(v)) {
	case 1:
		return up
	case -1:
		return down
	}
	return v
}

func formatFloat(format Format, s Scalar) json.RawMessage {
	width := len(s) * 8
	v := getBits(s)
	switch v {
	case quietNaN(width):
		return json.RawMessage(`"NaN"`)
	case infinity(width):
		return json.RawMessage(`"Infinity"`)
	case infinity(width) | 1<<(width-1):
		return json.RawMessage(`"-Infinity"`)
	}
	var f float64
	switch width {
	case 16:
		f = halfToFloat64(uint16(v))
	case 32:
		f = float64(math.Float32frombits(uint32(v)))
	default:
		f = math.Float64frombits(v)
	}
	if math.IsNaN(f) {
		if format == V2 {
			return json.RawMessage(`"NaN"`) // v2 has no spelling for a payload
		}
		return fmt.Appendf(nil, `"0x%0*x"`, len(s)*2, v)
	}
	return AppendFloat(nil, f)
}

// AppendFloat appends a finite number to dst as JSON, with the fewest digits
// that read back to the same float64, and always with a fraction or an
// exponent, so that readers which tell integers from floats see a float.
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

func parseComplex(format Format, s Scalar, text []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil || len(parts) != 2 {
		return errors.New("want [real, imaginary]")
	}
	half := len(s) / 2
	if err := parseFloat(format, s[:half], parts[0]); err != nil {
		return fmt.Errorf("real part: %w", err)
	}
	if err := parseFloat(format, s[half:], parts[1]); err != nil {
		return fmt.Errorf("imaginary part: %w", err)
	}
	return nil
}

// infinity is the bit pattern of +Infinity.
func infinity(width int) uint64 {
	switch width {
	case 16:
		return 0x7c00
	case 32:
		return 0x7f800000
	default:
		return 0x7ff0000000000000
	}
}

// quietNaN is the bit pattern that Zarr v3 calls "NaN": sign 0, the most
// significant bit of the mantissa 1, all others 0.
func quietNaN(width int) uint64 {
	switch width {
	case 16:
		return 0x7e00
	case 32:
		return 0x7fc00000
	default:
		return 0x7ff8000000000000
	}
}

// getBits and putBits convert a word of 1, 2, 4 or 8 bytes between memory and
// an integer.
func getBits(s []byte) uint64 {
	switch len(s) {
	case 1:
		return uint64(s[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(s))
	case 4:
		return uint64(binary.NativeEndian.Uint32(s))
	default:
		return binary.NativeEndian.Uint64(s)
	}
}

func putBits(s []byte, v uint64) {
	switch len(s) {
	case 1:
		s[0] = byte(v)
	case 2:
		binary.NativeEndian.PutUint16(s, uint16(v))
	case 4:
		binary.NativeEndian.PutUint32(s, uint32(v))
	default:
		binary.NativeEndian.PutUint64(s, v)
	}
}
