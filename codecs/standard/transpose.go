package standard

import (
	"bytes"
	"encoding/json"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TransposeName is the name of the codec.
const TransposeName = "transpose"

// transposeDefinition is the codec "transpose" of Zarr v3 core, version 1.0. Dimension
// i of the encoded array is dimension order[i] of the decoded array.
func transposeDefinition() codecs.Definition {
	return codecs.Definition{
		Name: TransposeName, Kind: codecs.KindArrayToArray, ByRank: true,
		Summary: "permutes the dimensions",
		Fields: []codecs.Field{{
			Name: "order", Type: `permutation of 0…n−1, "C" or "F"`,
			Doc: `"C" keeps the order and "F" reverses it; both are written as the permutation that they mean`,
		}},
		Example: json.RawMessage(`{"order":[1,0]}`),
		Parse:   parseTranspose,
	}
}

func parseTranspose(text json.RawMessage) (codecs.Codec, error) {
	var c struct {
		Order json.RawMessage `json:"order"`
	}
	if err := codecs.ReadConfiguration(text, &c); err != nil {
		return nil, err
	}
	if c.Order == nil {
		return nil, codecs.Fieldf("order", "missing: want a permutation such as [1, 0]")
	}
	switch string(bytes.TrimSpace(c.Order)) {
	case `"C"`:
		return transposeCodec{name: 'C'}, nil
	case `"F"`:
		return transposeCodec{name: 'F'}, nil
	}
	var entries []*int
	if err := json.Unmarshal(c.Order, &entries); err != nil || entries == nil {
		return nil, codecs.Fieldf("order", `%.80s: want a permutation such as [1, 0], "C" or "F"`, c.Order)
	}
	order := make([]int, len(entries))
	seen := make([]bool, len(entries))
	for i, e := range entries {
		if e == nil || *e < 0 || *e >= len(entries) || seen[*e] {
			return nil, codecs.Fieldf("order", "%.80s is not a permutation of 0…%d", c.Order, len(entries)-1)
		}
		seen[*e] = true
		order[i] = *e
	}
	return transposeCodec{order: order}, nil
}

type transposeCodec struct {
	name  byte // 'C' or 'F'; 0 if order is a list
	order []int
}

func (c transposeCodec) BindArrayToArray(in codecs.Chunk) (codecs.ArrayToArray, error) {
	n := len(in.Shape)
	order := c.order
	if c.name != 0 {
		order = make([]int, n)
		for i := range order {
			order[i] = i
			if c.name == 'F' {
				order[i] = n - 1 - i
			}
		}
	}
	if len(order) != n {
		return nil, codecs.Fieldf("order", "%v permutes %d dimensions, the chunk has %d", order, len(order), n)
	}
	b := &transposeBound{order: order, out: in}
	b.out.Shape = make([]int, n)
	for i, from := range order {
		b.out.Shape[i] = in.Shape[from]
	}
	return b, nil
}

type transposeBound struct {
	order []int
	out   codecs.Chunk
}

func (b *transposeBound) Spec() codecs.Spec {
	text, err := json.Marshal(map[string][]int{"order": append([]int{}, b.order...)})
	if err != nil {
		panic(err) // integers always marshal
	}
	return codecs.Spec{Name: TransposeName, Configuration: text}
}

func (b *transposeBound) Encoded() codecs.Chunk { return b.out }

func (b *transposeBound) EncodeView(src ndarray.Array) ndarray.Array { return src.Transpose(b.order) }
func (b *transposeBound) DecodeView(dst ndarray.Array) ndarray.Array { return dst.Transpose(b.order) }

// EncodedRegion implements [codecs.Regional].
func (b *transposeBound) EncodedRegion(r ndarray.Region) ndarray.Region {
	out := ndarray.Region{Start: make([]int, len(b.order)), Shape: make([]int, len(b.order))}
	for i, from := range b.order {
		out.Start[i], out.Shape[i] = r.Start[from], r.Shape[from]
	}
	return out
}

func (b *transposeBound) Encode(dst, src ndarray.Array) error {
	ndarray.Copy(dst, b.EncodeView(src))
	return nil
}

func (b *transposeBound) Decode(dst, src ndarray.Array) error {
	ndarray.Copy(b.DecodeView(dst), src)
	return nil
}
