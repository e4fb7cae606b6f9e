package cf

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
)

// numericType is the type of a number in an attribute. A wider type has a greater value.
type numericType uint8

const (
	integer numericType = iota
	single
	double
)

func (t numericType) String() string { return [...]string{"an integer", "float32", "float64"}[t] }

// number is one value of an attribute.
type number struct {
	typ   numericType
	exact *big.Rat // nil for NaN and infinities
	float float64  // the nearest float64
}

// maxDigits bounds the digits of integers that are read exactly; no real attribute has
// nearly as many.
const maxDigits = 40

// numbers returns the values of an attribute: one value or a list. A value is a JSON
// number, or the name of a number that JSON lacks. t is the type of the values in the
// source, or nil if only their JSON is known. The result is false if any value is something
// else.
func numbers(text json.RawMessage, t dtype.Type) ([]number, bool) {
	var items []json.RawMessage
	if text = bytes.TrimSpace(text); len(text) == 0 || text[0] != '[' {
		items = []json.RawMessage{text}
	} else if err := json.Unmarshal(text, &items); err != nil {
		return nil, false
	}
	list := make([]number, len(items))
	for i, item := range items {
		n, ok := parseNumber(string(bytes.TrimSpace(item)))
		if !ok {
			return nil, false
		}
		switch t {
		case dtype.Float32:
			f := float64(float32(n.float))
			n = number{single, new(big.Rat).SetFloat64(f), f}
		case dtype.Float64:
			n.typ = double
		}
		list[i] = n
	}
	return list, true
}

func parseNumber(text string) (number, bool) {
	switch text {
	case `"NaN"`:
		return number{double, nil, math.NaN()}, true
	case `"Infinity"`:
		return number{double, nil, math.Inf(1)}, true
	case `"-Infinity"`:
		return number{double, nil, math.Inf(-1)}, true
	}
	if text == "" || !strings.ContainsAny(text[:1], "-0123456789") {
		return number{}, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return number{}, false
	}
	if strings.Trim(text, "-0123456789") == "" && len(text) <= maxDigits {
		exact, ok := new(big.Rat).SetString(text)
		return number{integer, exact, f}, ok
	}
	return number{double, new(big.Rat).SetFloat64(f), f}, true
}

// floatFill reads the _FillValue of floats as xarray writes it to Zarr v3: a
// little-endian float64 in base64.
func floatFill(text json.RawMessage) ([]number, bool) {
	var encoded string
	if json.Unmarshal(text, &encoded) != nil {
		return nil, false
	}
	b, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(b) != 8 {
		return nil, false
	}
	f := math.Float64frombits(binary.LittleEndian.Uint64(b))
	return []number{{double, new(big.Rat).SetFloat64(f), f}}, true
}

// show shortens the text of an attribute for a message.
func show(text json.RawMessage) string {
	const most = 60
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}
