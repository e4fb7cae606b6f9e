package standard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

// castMap is one direction of a scalar_map. No two keys are the same number.
type castMap []castEntry

// castEntry maps a number of one type to an element of another.
type castEntry struct {
	key, value dtype.Scalar
	// number is the key: an integer as 64 bits in two's complement, or the bits of a
	// float64.
	number uint64
}

// parseCastMap parses the pairs of one direction of the scalar map. name is that
// direction's field. If several pairs have the same key, the first one counts. Keys are
// compared as numbers: zero equals negative zero, and all NaNs are equal.
func parseCastMap(name string, pairs []json.RawMessage, to, from castForm) (castMap, error) {
	var m castMap
	known := map[uint64]bool{}
	for i, text := range pairs {
		at := fmt.Sprintf("%s[%d]", name, i)
		var pair []json.RawMessage
		if err := json.Unmarshal(text, &pair); err != nil || len(pair) != 2 {
			return nil, codecs.Fieldf(at, "%.60s: want a pair, [from, to]", text)
		}
		var e castEntry
		var err error
		if e.key, err = parseMapped(pair[0], from); err != nil {
			return nil, codecs.InField(at+"[0]", err)
		}
		if e.value, err = parseMapped(pair[1], to); err != nil {
			return nil, codecs.InField(at+"[1]", err)
		}
		if e.number = from.number(e.key); !known[e.number] {
			m = append(m, e)
		}
		known[e.number] = true
	}
	return m, nil
}

// parseMapped parses one side of a pair. It accepts "+Infinity", which the codec's
// specification uses in an example, although data types have no such spelling.
func parseMapped(text json.RawMessage, f castForm) (dtype.Scalar, error) {
	if f.kind == dtype.Float && string(bytes.TrimSpace(text)) == `"+Infinity"` {
		text = json.RawMessage(`"Infinity"`)
	}
	return f.typ.ParseScalar(dtype.V3, text)
}

// number returns the number of an element as castEntry has it. All NaNs have the same
// number, and so have both zeros.
func (f castForm) number(s dtype.Scalar) uint64 {
	switch f.kind {
	case dtype.Int:
		return uint64(wholeOf(f.typ, s).Int64())
	case dtype.Uint:
		return wholeOf(f.typ, s).Uint64()
	}
	switch x := floatOf(f.typ, s); {
	case x != x:
		return math.Float64bits(math.NaN())
	case x == 0:
		return 0
	default:
		return math.Float64bits(x)
	}
}

// castMapsJSON returns a scalar_map without empty parts, or nil if both are empty.
func castMapsJSON(encode, decode castMap, to, from dtype.Type) json.RawMessage {
	if len(encode)+len(decode) == 0 {
		return nil
	}
	pairs := func(m castMap, to, from dtype.Type) [][2]json.RawMessage {
		var list [][2]json.RawMessage
		for _, e := range m {
			list = append(list, [2]json.RawMessage{from.FormatScalar(dtype.V3, e.key), to.FormatScalar(dtype.V3, e.value)})
		}
		return list
	}
	text, err := json.Marshal(struct {
		Encode [][2]json.RawMessage `json:"encode,omitempty"`
		Decode [][2]json.RawMessage `json:"decode,omitempty"`
	}{pairs(encode, to, from), pairs(decode, from, to)})
	if err != nil {
		panic(err) // the data type has written a scalar that is no JSON
	}
	return text
}

// find returns the value of an element that is a key, or nil if it is none.
func (m castMap) find(from castForm, s dtype.Scalar) dtype.Scalar {
	if len(m) == 0 {
		return nil
	}
	number := from.number(s)
	for _, e := range m {
		if e.number == number {
			return e.value
		}
	}
	return nil
}
