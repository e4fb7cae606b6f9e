package dtype

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// MaxSize is the most bytes that an element of this package's types has: 1 MiB. Without
// a limit, a type's name could demand absurd allocations.
const MaxSize = 1 << 20

// opaque is a type whose elements are bytes of no stated meaning.
type opaque struct {
	size    int
	spelled spelling
}

// spelling tells the names of opaque types apart.
type spelling uint8

const (
	coreBits       spelling = iota // "r16", fill value an array of byte values
	rawBytes                       // {"name": "raw_bytes", …}, fill value in base64
	nullTerminated                 // {"name": "null_terminated_bytes", …}, fill value in base64 without the zero bytes at the end
)

var spellings = [...]struct{ name, v2 string }{
	coreBits:       {"r*", "V"},
	rawBytes:       {"raw_bytes", "V"},
	nullTerminated: {"null_terminated_bytes", "S"},
}

// RawBits returns the Zarr v3 core type r* of size bytes: RawBits(2) is "r16".
// It panics where size is not from 1 to [MaxSize].
func RawBits(size int) Type { return &opaque{checkSize("r*", size), coreBits} }

// RawBytes returns raw_bytes, the type that readers in Python know for opaque elements.
// NumPy calls it V2 for size 2. The registry of Zarr extensions does not have it.
// zarr-python and tensorstore read raw_bytes and do not read r*. RawBytes panics where
// size is not from 1 to [MaxSize].
func RawBytes(size int) Type { return &opaque{checkSize("raw_bytes", size), rawBytes} }

// NullTerminated returns the type of byte strings of at most size bytes, filled up with
// zero bytes: NumPy's S5 for size 5. The registry of Zarr extensions does not have it;
// zarr-python writes and reads it. NullTerminated panics where size is not from 1 to
// [MaxSize].
func NullTerminated(size int) Type {
	return &opaque{checkSize("null_terminated_bytes", size), nullTerminated}
}

// checkSize panics for a size that no element has. A caller with a size from outside
// checks it before.
func checkSize(name string, size int) int {
	if size < 1 || size > MaxSize {
		panic(fmt.Sprintf("dtype: data type %s of %d bytes: want 1 to %d", name, size, MaxSize))
	}
	return size
}

// Opaque reports whether t is one of the two types of uninterpreted bytes, r* and
// raw_bytes. Each may stand for the other.
func Opaque(t Type) bool {
	o, ok := t.(*opaque)
	return ok && o.spelled != nullTerminated
}

func (t *opaque) Name() string {
	if t.spelled == coreBits {
		return "r" + strconv.Itoa(t.size*8)
	}
	return spellings[t.spelled].name
}

func (t *opaque) Size() int       { return t.size }
func (t *opaque) Default() Scalar { return make(Scalar, t.size) }

func (t *opaque) String() string {
	text, _ := t.V3()
	return string(text)
}

func (t *opaque) V3() (json.RawMessage, error) {
	if t.spelled == coreBits {
		return json.RawMessage(strconv.Quote(t.Name())), nil
	}
	return fmt.Appendf(nil, `{"name":%q,"configuration":{"length_bytes":%d}}`, t.Name(), t.size), nil
}

func (t *opaque) V2(Order) (json.RawMessage, error) {
	return fmt.Appendf(nil, `"|%s%d"`, spellings[t.spelled].v2, t.size), nil
}

// ParseScalar implements [Type]. In Zarr v2, 0 and "" mean an element of zero bytes.
func (t *opaque) ParseScalar(format Format, text json.RawMessage) (Scalar, error) {
	text = bytes.TrimSpace(text)
	if isZero(format, text) || format == V2 && string(text) == `""` {
		return t.Default(), nil
	}
	s, err := t.parse(format, text)
	if err == nil && len(s) > t.size {
		err = fmt.Errorf("%w: %d bytes, want %d", ErrOutOfRange, len(s), t.size)
	} else if err == nil && len(s) < t.size {
		if t.spelled != nullTerminated {
			err = fmt.Errorf("%d bytes, want %d", len(s), t.size)
		}
		s = append(s, make(Scalar, t.size-len(s))...)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not a %s value: %w", clip(text), t.Name(), err)
	}
	return s, nil
}

func (t *opaque) parse(format Format, text []byte) (Scalar, error) {
	if format == V3 && t.spelled == coreBits {
		return parseByteValues(text, errors.New("want an array of byte values"))
	}
	s, err := parseBytes(text)
	var plain string
	if err != nil && t.spelled == nullTerminated && json.Unmarshal(text, &plain) == nil && plain != "" {
		err = fmt.Errorf("%w: want base64, in which these bytes are %s", err, clip(formatBase64([]byte(plain))))
	}
	return s, err
}

// parseBytes reads bytes, in base64 or as an array of their values.
func parseBytes(text []byte) (Scalar, error) {
	if len(text) == 0 || text[0] != '"' {
		return parseByteValues(text, errors.New("want the bytes in base64"))
	}
	var digits string
	if err := json.Unmarshal(text, &digits); err != nil {
		return nil, err
	}
	return base64.StdEncoding.Strict().DecodeString(digits)
}

// parseByteValues reads an array of numbers from 0 to 255. If text is not an array, it
// returns the error otherwise.
func parseByteValues(text []byte, otherwise error) (Scalar, error) {
	var values []*uint8
	if err := json.Unmarshal(text, &values); err != nil || values == nil {
		return nil, otherwise
	}
	s := make(Scalar, len(values))
	for i, v := range values {
		if v == nil {
			return nil, fmt.Errorf("entry %d is null", i)
		}
		s[i] = *v
	}
	return s, nil
}

func (t *opaque) FormatScalar(format Format, value Scalar) json.RawMessage {
	switch {
	case t.spelled == nullTerminated:
		return formatBase64(bytes.TrimRight(value, "\x00"))
	case format == V2 || t.spelled == rawBytes:
		return formatBase64(value)
	}
	text := []byte{'['}
	for i, b := range value {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendUint(text, uint64(b), 10)
	}
	return append(text, ']')
}

func formatBase64(value []byte) json.RawMessage {
	return json.RawMessage(strconv.Quote(base64.StdEncoding.EncodeToString(value)))
}

// parseRawBits reads the name r<bits>.
func parseRawBits(name string) (Type, bool, error) {
	digits, ok := strings.CutPrefix(name, "r")
	if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return nil, false, nil
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n <= 0 || n%8 != 0 || n > MaxSize*8 || strings.HasPrefix(digits, "0") {
		return nil, true, fmt.Errorf("data type r%s: want a multiple of 8 from 8 to %d behind the r", clip([]byte(digits)), MaxSize*8)
	}
	return RawBits(n / 8), true, nil
}

// sized completes a family of types whose v3 configuration has a length_bytes and whose
// v2 name is a letter and a count. The count is in units of unit bytes.
func sized(f Family, letter string, unit int, build func(bytes int) Type) Family {
	f.SizeVaries = true
	f.ParseV3 = func(configuration json.RawMessage) (Type, error) {
		fields, err := readConfiguration(f.Name, configuration, "length_bytes")
		if err != nil {
			return nil, err
		}
		length := fields["length_bytes"]
		n, err := strconv.Atoi(string(length))
		if err != nil || n < 1 || n > MaxSize || n%unit != 0 {
			return nil, fmt.Errorf("data type %s: length_bytes %s: want a multiple of %d from %d to %d", f.Name, clip(length), unit, unit, MaxSize)
		}
		return build(n), nil
	}
	f.ParseV2 = func(code string) (Type, bool, error) {
		digits, ok := strings.CutPrefix(code, letter)
		if !ok {
			return nil, false, nil
		}
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || n > MaxSize/unit || strings.Trim(digits, "0123456789") != "" {
			return nil, true, fmt.Errorf("%w %q: want a length from 1 to %d", ErrUnknown, letter+clip([]byte(digits)), MaxSize/unit)
		}
		return build(n * unit), true, nil
	}
	return f
}
