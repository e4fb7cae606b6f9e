package dtype

import (
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

// integral checks that text is a JSON integer without fraction or exponent.
func integral(text []byte) error {
	if json.Valid(text) && strings.Trim(string(text), "-0123456789") == "" {
		return nil
	}
	return errors.New("want an integer without fraction or exponent")
}

func parseInt(s Scalar, bits int, text []byte) error {
	if err := integral(text); err != nil {
		return err
	}
	v, err := strconv.ParseInt(string(text), 10, bits)
	if err != nil {
		top := int64(math.MaxInt64) >> (64 - bits)
		return fmt.Errorf("%w: want %d to %d", ErrOutOfRange, -top-1, top)
	}
	putBits(s, uint64(v))
	return nil
}

func parseUint(s Scalar, bits int, text []byte) error {
	if err := integral(text); err != nil {
		return err
	}
	digits := string(text)
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
