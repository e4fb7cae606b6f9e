package dtype

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf16"
)

// utf32 is fixed_length_utf32: strings of at most a fixed number of code points, four
// bytes each, filled up with U+0000. NumPy calls the type U.
type utf32 struct{ size int }

// FixedUTF32 returns the type of strings of at most points code points, four bytes
// each. It panics where points is less than 1, or the strings have more than [MaxSize]
// bytes.
func FixedUTF32(points int) Type {
	return &utf32{checkSize("fixed_length_utf32", min(points, MaxSize)*4)}
}

func (t *utf32) Name() string    { return "fixed_length_utf32" }
func (t *utf32) Size() int       { return t.size }
func (t *utf32) Default() Scalar { return make(Scalar, t.size) }

func (t *utf32) V3() (json.RawMessage, error) {
	return fmt.Appendf(nil, `{"name":"fixed_length_utf32","configuration":{"length_bytes":%d}}`, t.size), nil
}

func (t *utf32) V2(order Order) (json.RawMessage, error) {
	mark, err := order.mark(t)
	return fmt.Appendf(nil, `"%sU%d"`, mark, t.size/4), err
}

// SwapInto implements [Ordered].
func (t *utf32) SwapInto(dst, src []byte) { SwapWords(4, dst, src) }

func (t *utf32) words(at int, add func(swap)) { add(swap{offset: at, word: 4, n: t.size / 4}) }

// ParseScalar implements [Type]: a string. A shorter one is filled up with U+0000, a
// longer one refused. In Zarr v2, 0 is the empty string.
func (t *utf32) ParseScalar(format Format, text json.RawMessage) (Scalar, error) {
	text = bytes.TrimSpace(text)
	if isZero(format, text) {
		return t.Default(), nil
	}
	runes, err := parseRunes(text)
	if err == nil && len(runes) > t.size/4 {
		err = fmt.Errorf("%w: %d code points, at most %d fit", ErrOutOfRange, len(runes), t.size/4)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not a %s value: %w", clip(text), t.Name(), err)
	}
	s := make(Scalar, t.size)
	for i, r := range runes {
		binary.NativeEndian.PutUint32(s[4*i:], uint32(r))
	}
	return s, nil
}

// FormatScalar implements [Type]. Numbers that are no code points, which
// ParseScalar never gives, are written as U+FFFD.
func (t *utf32) FormatScalar(_ Format, value Scalar) json.RawMessage {
	runes := make([]rune, len(value)/4)
	used := 0
	for i := range runes {
		if v := binary.NativeEndian.Uint32(value[4*i:]); v != 0 {
			runes[i], used = rune(min(v, 0x110000)), i+1
		}
	}
	return appendRunes(nil, runes[:used])
}

var errLoneSurrogate = errors.New("a surrogate on its own is no text")

// object is a type whose elements are bytes of any number.
type object struct{ name, filter string }

// Types of variable size. A scalar of StringType is UTF-8.
var (
	StringType Object = &object{"string", "vlen-utf8"}
	BytesType  Object = &object{"bytes", "vlen-bytes"}
)

func (t *object) Name() string                      { return t.name }
func (t *object) Size() int                         { return 0 }
func (t *object) Default() Scalar                   { return Scalar{} }
func (t *object) V3() (json.RawMessage, error)      { return json.RawMessage(`"` + t.name + `"`), nil }
func (t *object) V2(Order) (json.RawMessage, error) { return json.RawMessage(`"|O"`), nil }
func (t *object) V2Filter() string                  { return t.filter }

// ParseScalar implements [Type]. In Zarr v2, an integer stands for the string with its
// digits, as in zarr-python 3: zarr-python 2 fills arrays of objects with 0 when nobody chose a
// fill value. For bytes, 0 is the empty element.
func (t *object) ParseScalar(format Format, text json.RawMessage) (Scalar, error) {
	text = bytes.TrimSpace(text)
	if t == StringType && format == V2 && isInteger(text) {
		if string(text) == "-0" {
			text = text[1:]
		}
		return Scalar(text), nil
	}
	if isZero(format, text) {
		return Scalar{}, nil
	}
	s, err := t.parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not a %s value: %w", clip(text), t.name, err)
	}
	return s, nil
}

func (t *object) parse(text []byte) (Scalar, error) {
	if t == BytesType {
		s, err := parseBytes(text)
		return append(Scalar{}, s...), err
	}
	runes, err := parseRunes(text)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(runes, utf16.IsSurrogate) {
		return nil, errLoneSurrogate
	}
	return Scalar(string(runes)), nil
}

// FormatScalar implements [Type].
func (t *object) FormatScalar(_ Format, value Scalar) json.RawMessage {
	if t == BytesType {
		return formatBase64(value)
	}
	return quoted(string(value))
}
