package plan

import (
	"bytes"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// otherSign reports whether the attribute _Unsigned gives integers of a type
// another sign. The job may remove it.
func (b *builder) otherSign(t dtype.Type) bool {
	for _, a := range b.options.Attributes {
		if a.Name == "_Unsigned" && string(a.Value) == "null" {
			return false
		}
	}
	n, ok := t.(dtype.Numeric)
	said := string(b.info.Attributes.Get("_Unsigned"))
	return ok && (n.Kind() == dtype.Int && said == `"true"` || n.Kind() == dtype.Uint && said == `"false"`)
}

// convertedFill converts the fill value of the source to t. It stands for
// missing data, so it is an error when it becomes the value of other data: when
// it is clamped, wrapped or, as an integer, rounded. The job's scalar_map may
// say what becomes of it.
func (b *builder) convertedFill(t dtype.Type) (dtype.Scalar, error) {
	fill, err := convertScalar(b.convert, t, b.info.Type, b.info.Fill)
	if err != nil {
		return nil, err
	}
	name := t.FormatScalar(dtype.V3, fill)
	plain := b.options.Cast
	plain.ScalarMap = nil
	if bound, err := plain.Bind(b.env.Codecs, b.info.Type, t); err != nil {
		return fill, nil // there is no conversion but by the map
	} else if same, err := convertScalar(bound, t, b.info.Type, b.info.Fill); err != nil || !bytes.Equal(same, fill) {
		return fill, nil // the map says so
	}
	strict, err := jobfile.Cast{}.Bind(b.env.Codecs, b.info.Type, t)
	if err == nil {
		_, err = convertScalar(strict, t, b.info.Type, b.info.Fill)
	}
	if err != nil {
		return nil, fmt.Errorf("it becomes %s, like other values: %w", name, err)
	}
	if n, ok := t.(dtype.Numeric); !ok || n.Kind() == dtype.Float {
		return fill, nil // rounded as the missing data are
	}
	back, err := jobfile.Cast{}.Bind(b.env.Codecs, t, b.info.Type)
	if err != nil {
		return nil, err
	}
	if again, err := convertScalar(back, b.info.Type, t, fill); err != nil || !bytes.Equal(again, b.info.Fill) {
		return nil, fmt.Errorf("it becomes %s, like other values", name)
	}
	return fill, nil
}

// convertScalar converts one value.
func convertScalar(convert interface {
	Encode(dst, src ndarray.Array) error
}, to, from dtype.Type, value dtype.Scalar) (dtype.Scalar, error) {
	src, dst := ndarray.New(from, nil), ndarray.New(to, nil)
	copy(src.Data, value)
	if err := convert.Encode(dst, src); err != nil {
		return nil, err
	}
	return dst.Data, nil
}

// IsFill reports whether an element of the source becomes the fill value, bit for bit.
func (a *Array) IsFill(value dtype.Scalar) bool {
	chunk := a.Chain.Chunk()
	if chunk.Fill == nil {
		return false
	}
	if a.convert == nil {
		return bytes.Equal(value, chunk.Fill)
	}
	from, to := ndarray.New(a.array.Info().Type, []int{1}), ndarray.New(chunk.Type, []int{1})
	ndarray.Fill(from, value)
	return a.convert.Encode(to, from) == nil && ndarray.Uniform(to, chunk.Fill)
}
