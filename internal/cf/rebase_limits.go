package cf

import (
	"bytes"
	"encoding/json"
	"math/big"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// IsLimit reports whether an attribute gives limits of the values of its array, in the
// units of the array.
func IsLimit(attribute string) bool {
	switch attribute {
	case validRange, validMin, validMax, "actual_range":
		return true
	}
	return false
}

// Limits returns the value of an attribute for which [IsLimit] is true, as numbers of the
// clock To and of the data type of the results. t is the type of the numbers of value, or nil
// if only their JSON is known. If an integer type does not hold a limit, the limit moves
// outwards to the next integer, but not beyond the type. A value other than one number or two
// stays as it is, and so do NaN and infinities.
func (r *Rebase) Limits(attribute string, value json.RawMessage, t dtype.Type) json.RawMessage {
	list, ok := numbers(value, t)
	if !ok || len(list) > 2 {
		return value
	}
	texts := make([]json.RawMessage, len(list))
	for i, n := range list {
		if n.exact == nil {
			return value
		}
		texts[i] = r.limitText(n.exact, attribute == validMax || i == 1)
	}
	if len(texts) == 1 && !bytes.HasPrefix(bytes.TrimSpace(value), []byte("[")) {
		return texts[0]
	}
	all, err := json.Marshal(texts)
	if err != nil {
		panic(err) // each is the text of a number
	}
	return all
}

// limitText returns a limit in the clock To. upper says that it is an upper limit.
func (r *Rebase) limitText(x *big.Rat, upper bool) json.RawMessage {
	one := ndarray.New(r.dst, []int{1})
	y := r.exact(x)
	if m, ok := floatMover(r.dst); ok {
		f, _ := y.Float64()
		m.store(one, 0, []float64{f})
		return r.dst.FormatScalar(dtype.V3, one.Data)
	}
	whole, rest := new(big.Int).DivMod(y.Num(), y.Denom(), new(big.Int))
	if upper && rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	low, high := big.NewInt(r.low), big.NewInt(r.high)
	switch {
	case whole.Cmp(low) < 0:
		whole = low
	case whole.Cmp(high) > 0:
		whole = high
	}
	m, _ := wholeMover(r.dst)
	m.store(one, 0, []int64{whole.Int64()})
	return r.dst.FormatScalar(dtype.V3, one.Data)
}
