package plan

import (
	"bytes"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources/compare"
)

// convertedFill converts the fill value of the source to t. The fill value stands for
// missing data. So it is an error if the conversion clamps or wraps it, or rounds it to an
// integer: it could then equal other data. The job's scalar_map may give another value.
func (b *builder) convertedFill(t dtype.Type) (dtype.Scalar, error) {
	fill, err := convertScalar(b.convert, t, b.info.Type, b.info.Fill)
	if err != nil {
		return nil, err
	}
	name := t.FormatScalar(dtype.V3, fill)
	plain := b.options.Cast
	plain.ScalarMap = nil
	if bound, err := plain.Bind(b.env.Codecs, b.info.Type, t); err != nil {
		return fill, nil // only scalar_map can convert
	} else if same, err := convertScalar(bound, t, b.info.Type, b.info.Fill); err != nil || !bytes.Equal(same, fill) {
		return fill, nil // scalar_map gives this value
	}
	strict, err := jobfile.Cast{}.Bind(b.env.Codecs, b.info.Type, t)
	if err == nil {
		_, err = convertScalar(strict, t, b.info.Type, b.info.Fill)
	}
	if err != nil {
		return nil, fmt.Errorf("it becomes %s, like other values: %w", name, err)
	}
	if n, ok := t.(dtype.Numeric); !ok || n.Kind() == dtype.Float {
		return fill, nil // elements that equal the fill value are rounded in the same way
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

// fill returns the fill value of the array, and notes where it comes from. It is that of the
// existing array if there is one; otherwise it comes from the job, the source or the data
// type, in this order. A fill value of the job that differs from that of an existing array
// is returned, so that agrees refuses it.
func (b *builder) fill(t dtype.Type) dtype.Scalar {
	existing, exists := b.base.fill()
	switch {
	case b.options.FillValue == nil && exists:
		b.note("fill value %s, the target's", t.FormatScalar(dtype.V3, existing))
		return existing
	case b.options.FillValue != nil:
		fill, err := t.ParseScalar(dtype.V3, b.options.FillValue)
		if err != nil {
			b.wrong("fill_value", err.Error(), "")
			return t.Default()
		}
		b.note("fill value %s, from the job", t.FormatScalar(dtype.V3, fill))
		if v := compare.ValuesOf(t); exists && v.Same(fill, existing) {
			return existing // the bits may differ, such as those of 0 and -0
		}
		return fill
	case b.info.Fill != nil && b.convert != nil:
		own := b.info.Type.FormatScalar(dtype.V3, b.info.Fill)
		fill, err := b.convertedFill(t)
		if err != nil {
			b.wrong("data_type", fmt.Sprintf("the fill value %s of the source's %s: %v", own, b.info.FillFrom, err), "give the array another fill_value")
			return t.Default()
		}
		b.note("fill value %s, converted from the source's %s, %s", t.FormatScalar(dtype.V3, fill), b.info.FillFrom, own)
		return fill
	case b.info.Fill != nil:
		b.note("fill value %s, from the source's %s", t.FormatScalar(dtype.V3, b.info.Fill), b.info.FillFrom)
		return b.info.Fill
	default:
		fill := t.Default()
		b.note("fill value %s, the default of %s: neither job nor source names one", t.FormatScalar(dtype.V3, fill), t.Name())
		return fill
	}
}
