package dtype

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ErrOutOfRange is the cause of an error about a value that its type cannot
// hold.
var ErrOutOfRange = errors.New("out of range")

// parseBool reads true or false. In Zarr v2, which leaves the spelling to NumPy, it
// also reads 1 and 0.
func parseBool(format Format, s Scalar, text []byte) error {
	digits, err := integerText(format, text)
	switch {
	case string(text) == "true" || err == nil && format == V2 && digits == "1":
		s[0] = 1
	case string(text) == "false" || err == nil && format == V2 && strings.TrimPrefix(digits, "-") == "0":
		s[0] = 0
	default:
		return errors.New("want true or false")
	}
	return nil
}

// integerText returns the digits of a JSON integer, and the sign of a negative one. In
// Zarr v3 an integer has no fraction or exponent. Zarr v2 leaves the spelling to NumPy,
// so "-9999.0" and "1e3" are integers as well, and true and false are 1 and 0.
func integerText(format Format, text []byte) (string, error) {
	wrong := errors.New("want an integer without fraction or exponent")
	if format == V2 {
		wrong = errors.New("want an integer")
		switch string(text) {
		case "true":
			return "1", nil
		case "false":
			return "0", nil
		}
	}
	if !isNumber(text) {
		return "", wrong
	}
	if strings.Trim(string(text), "-0123456789") == "" {
		return string(text), nil
	}
	d := splitDecimal(text)
	if format == V3 || d.exponent < 0 {
		return "", wrong
	}
	// Any digit with twenty zeros behind it is more than 64 bits hold.
	return d.sign + cmp.Or(d.digits, "0") + strings.Repeat("0", min(d.exponent, 20)), nil
}

// unquoted returns the number in a text such as "0" of Zarr v2, as n5-zarr and early releases of
// bioformats2raw wrote fill values. NumPy makes numbers of such texts. Other text is returned as
// it is.
func unquoted(format Format, text []byte) []byte {
	if n := len(text); format == V2 && n > 2 && text[0] == '"' && text[n-1] == '"' && isNumber(text[1:n-1]) {
		return text[1 : n-1]
	}
	return text
}

// isNumber reports whether text is a JSON number.
func isNumber(text []byte) bool {
	return json.Valid(text) && strings.IndexByte("-0123456789", text[0]) >= 0
}

// isInteger reports whether text is a JSON number without a fraction or an exponent.
func isInteger(text []byte) bool {
	return isNumber(text) && !bytes.ContainsAny(text, ".eE")
}

// isZero reports whether text is the number 0 of Zarr v2. Older stores have this fill
// value for types that are not numbers, where it means an element of zero bytes.
func isZero(format Format, text []byte) bool {
	if format != V2 || !isNumber(text) {
		return false
	}
	d := splitDecimal(text)
	return d.digits == "" && d.sign == ""
}

// decimal is a decimal number: digits times a power of ten. The digits neither begin
// nor end with 0. Zero has no digits and the exponent 0.
type decimal struct {
	sign     string // "-" or ""
	digits   string
	exponent int
}

// splitDecimal parses a JSON number, in time proportional to its length.
func splitDecimal(text []byte) decimal {
	var d decimal
	rest, negative := strings.CutPrefix(string(text), "-")
	if negative {
		d.sign = "-"
	}
	if at := strings.IndexAny(rest, "eE"); at >= 0 {
		exponent, _ := strconv.ParseInt(rest[at+1:], 10, 48) // saturates at 48 bits
		d.exponent, rest = int(exponent), rest[:at]
	}
	whole, fraction, _ := strings.Cut(rest, ".")
	d.exponent -= len(fraction)
	digits := strings.TrimLeft(whole+fraction, "0")
	d.digits = strings.TrimRight(digits, "0")
	d.exponent += len(digits) - len(d.digits)
	if d.digits == "" {
		d.exponent = 0
	}
	return d
}

func parseInt(format Format, s Scalar, bits int, text []byte) error {
	digits, err := integerText(format, unquoted(format, text))
	if err != nil {
		return err
	}
	v, err := strconv.ParseInt(digits, 10, bits)
	if err != nil {
		top := int64(math.MaxInt64) >> (64 - bits)
		return fmt.Errorf("%w: want %d to %d", ErrOutOfRange, -top-1, top)
	}
	putBits(s, uint64(v))
	return nil
}

func parseUint(format Format, s Scalar, bits int, text []byte) error {
	digits, err := integerText(format, unquoted(format, text))
	if err != nil {
		return err
	}
	if digits == "-0" {
		digits = "0"
	}
	v, err := strconv.ParseUint(digits, 10, bits)
	if err != nil {
		return fmt.Errorf("%w: want 0 to %d", ErrOutOfRange, uint64(math.MaxUint64)>>(64-bits))
	}
	putBits(s, v)
	return nil
}

func formatInt(s Scalar) json.RawMessage {
	shift := 64 - len(s)*8
	return strconv.AppendInt(nil, int64(getBits(s)<<shift)>>shift, 10)
}

func formatUint(s Scalar) json.RawMessage { return strconv.AppendUint(nil, getBits(s), 10) }

// getBits and putBits convert a word of 1, 2, 4 or 8 bytes between memory and an
// integer.
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
