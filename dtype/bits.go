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

// maxBits bounds the width of one opaque element, so that a type name cannot
// ask for absurd allocations: 64 KiB.
const maxBits = 8 << 16

// opaque is a type whose elements are so many bytes of no stated meaning.
type opaque struct {
	size    int
	spelled spelling
}

// spelling tells the two names of opaque types apart.
type spelling uint8

const (
	coreBits spelling = iota // "r16", fill value an array of byte values
	rawBytes                 // {"name": "raw_bytes", …}, fill value in base64
)

// RawBits returns the Zarr v3 core type r* of size bytes: RawBits(2) is "r16".
func RawBits(size int) Type { return &opaque{size, coreBits} }

// RawBytes returns the type that Python's readers know for opaque elements:
// raw_bytes with a length, what NumPy calls V2. It is not in the registry of
// Zarr extensions; zarr-python and tensorstore read it, and do not read r*.
func RawBytes(size int) Type { return &opaque{size, rawBytes} }

func (t *opaque) Name() string {
	if t.spelled == rawBytes {
		return "raw_bytes"
	}
	return "r" + strconv.Itoa(t.size*8)
}

func (t *opaque) Size() int       { return t.size }
func (t *opaque) Default() Scalar { return make(Scalar, t.size) }
func (t *opaque) String() string  { return string(t.V3()) }

func (t *opaque) V3() json.RawMessage {
	if t.spelled == rawBytes {
		return fmt.Appendf(nil, `{"name":"raw_bytes","configuration":{"length_bytes":%d}}`, t.size)
	}
	return json.RawMessage(strconv.Quote(t.Name()))
}

func (t *opaque) V2(Order) (json.RawMessage, error) {
	return fmt.Appendf(nil, `"|V%d"`, t.size), nil
}

func (t *opaque) ParseScalar(format Format, text json.RawMessage) (Scalar, error) {
	s, err := t.parse(format, bytes.TrimSpace(text))
	if err == nil && len(s) != t.size {
		err = fmt.Errorf("%d bytes, want %d", len(s), t.size)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not a %s value: %w", clip(text), t.Name(), err)
	}
	return s, nil
}

func (t *opaque) parse(format Format, text []byte) (Scalar, error) {
	want := errors.New("want the bytes in base64")
	if format == V3 && t.spelled == coreBits {
		want = errors.New("want an array of byte values")
	} else if len(text) > 0 && text[0] == '"' {
		var digits string
		if err := json.Unmarshal(text, &digits); err != nil {
			return nil, err
		}
		return base64.StdEncoding.DecodeString(digits)
	}
	var values []*uint8
	if err := json.Unmarshal(text, &values); err != nil || values == nil {
		return nil, want
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
	if format == V2 || t.spelled == rawBytes {
		return json.RawMessage(strconv.Quote(base64.StdEncoding.EncodeToString(value)))
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

// parseRawBits reads the name r<bits>.
func parseRawBits(digits string) (Type, error) {
	n, err := strconv.Atoi(digits)
	if err != nil || n <= 0 || n%8 != 0 || n > maxBits || strings.HasPrefix(digits, "0") {
		return nil, fmt.Errorf("data type r%s: want a multiple of 8 from 8 to %d behind the r", clip([]byte(digits)), maxBits)
	}
	return RawBits(n / 8), nil
}

// parseRawBytes reads the configuration of raw_bytes.
func parseRawBytes(configuration json.RawMessage) (Type, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(configuration, &fields); err != nil || fields["length_bytes"] == nil {
		return nil, errors.New("data type raw_bytes: the configuration needs a length_bytes")
	}
	for name := range fields {
		if name != "length_bytes" {
			return nil, fmt.Errorf("data type raw_bytes: unknown configuration field %q", clip([]byte(name)))
		}
	}
	length, err := strconv.Atoi(string(fields["length_bytes"]))
	if err != nil || length < 1 || length > maxBits/8 {
		return nil, fmt.Errorf("data type raw_bytes: length_bytes %s: want 1 to %d", clip(fields["length_bytes"]), maxBits/8)
	}
	return RawBytes(length), nil
}
