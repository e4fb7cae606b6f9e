package arrow

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/arrow/parquet"
)

// flat reads elements of a column without lists to out, from element at on. It reads no
// more than most elements, and returns how many.
func (r *parquetRows) flat(ctx context.Context, at, most int, out ndarray.Array, null *nulls) (int, error) {
	n, err := r.pages.Values(ctx, most)
	if err != nil {
		return 0, err
	}
	after := func(number int) int { return at + number }
	if n > 0 {
		return n, ofElement(r.values(at, n, out), after)
	}
	var present [presentWords]uint64
	n, values, err := r.pages.Present(ctx, present[:], most)
	switch {
	case err != nil:
		return 0, err
	case values == n:
		return n, ofElement(r.values(at, n, out), after)
	}
	if null.fill == nil {
		set := null.all()[at:][:n]
		for i := range set {
			set[i] = present[i/64]>>(i%64)&1 == 0
		}
	}
	part := ndarray.Array{Type: out.Type, Data: out.Data, Heap: out.Heap, Offset: out.Offset + at*out.Strides[0], Shape: []int{n}, Strides: out.Strides}
	if out.Heap == nil {
		return n, ofElement(r.between(part, present[:], values, null.fill), func(number int) int { return at + nth(present[:], number) })
	}
	next := -1
	return n, part.SetItems(func() ([]byte, error) {
		if next++; present[next/64]>>(next%64)&1 == 0 {
			return null.fill, nil
		}
		return r.item()
	})
}

// nth returns the number of the bit that is set as number n.
func nth(present []uint64, n int) int {
	for i := 0; ; i++ {
		if present[i/64]>>(i%64)&1 == 0 {
			continue
		}
		if n == 0 {
			return i
		}
		n--
	}
}

// between reads values of fixed size to the elements of out that are set in present. It
// writes fill to the others; if fill is nil, they may hold anything.
func (r *parquetRows) between(out ndarray.Array, present []uint64, values int, fill dtype.Scalar) error {
	word := make([]byte, max(8, r.size))
	copy(word, fill)
	done, err := false, error(nil)
	switch r.size {
	case 1:
		done, err = expandTo(r, out, present, values, word[0])
	case 2:
		done, err = expandTo(r, out, present, values, binary.NativeEndian.Uint16(word))
	case 4:
		done, err = expandTo(r, out, present, values, binary.NativeEndian.Uint32(word))
	case 8:
		done, err = expandTo(r, out, present, values, binary.NativeEndian.Uint64(word))
	}
	read := 0
	for i := 0; i < out.Shape[0] && !done && err == nil; i++ {
		to := out.Data[out.Offset+i*r.size:][:r.size]
		if present[i/64]>>(i%64)&1 == 0 {
			copy(to, word)
		} else {
			err = renumbered(r.fixed(to, 1), func(int) int { return read })
			read++
		}
	}
	return err
}

// expandTo is between for elements that are seen as T. It returns false if their memory is
// not aligned for T.
func expandTo[T uint8 | uint16 | uint32 | uint64](r *parquetRows, out ndarray.Array, present []uint64, values int, fill T) (bool, error) {
	to, ok := ndarray.As[T](out)
	if !ok {
		return false, nil
	}
	if r.valid.Data == nil {
		r.valid = ndarray.New(out.Type, []int{64*presentWords + 1})
	}
	if err := r.fixed(r.valid.Data[:values*r.size], values); err != nil {
		return false, err
	}
	from, _ := ndarray.As[T](r.valid)
	expand(to, from, present, fill)
	return true, nil
}

// expand writes values, one after the other, to the elements of out that are set in
// present, and fill to the others. values has one further value, so that no branch
// depends on a bit.
func expand[T uint8 | uint16 | uint32 | uint64](out, values []T, present []uint64, fill T) {
	next := 0
	for len(out) > 0 {
		word, n := present[0], min(64, len(out))
		if word == 1<<n-1 {
			next += copy(out[:n], values[next:])
		} else {
			for i := range out[:n] {
				is := T(word & 1)
				out[i] = fill ^ (fill^values[next])&-is
				next += int(is)
				word >>= 1
			}
		}
		out, present = out[n:], present[1:]
	}
}

// values reads elements from element at on, none of which is null.
func (r *parquetRows) values(at, count int, out ndarray.Array) error {
	if out.Heap == nil {
		return r.fixed(out.Data[out.Offset+at*r.size:][:count*r.size], count)
	}
	return out.Sub(ndarray.Region{Start: []int{at}, Shape: []int{count}}).SetItems(r.item)
}

// orderOf returns the byte order of decimals of a physical type.
func orderOf(p parquet.Physical) dtype.Order {
	if p == parquet.Int32 || p == parquet.Int64 {
		return dtype.Little
	}
	return dtype.Big
}

// item returns the next element of variable size. It is valid until the next call.
func (r *parquetRows) item() ([]byte, error) {
	if !r.decimal {
		return r.pages.Item()
	}
	p, err := r.digitsOf()
	if err != nil {
		return nil, err
	}
	return r.digits.item(p), nil
}

// integers reads decimals that are stored as bytes to elements of type int64.
func (r *parquetRows) integers(p []byte, n int) error {
	for i := range n {
		b, err := r.digitsOf()
		if err != nil {
			return err
		}
		v, err := r.digits.integer(b)
		if err != nil {
			return err
		}
		binary.LittleEndian.PutUint64(p[8*i:], uint64(v))
	}
	return nil
}

// digitsOf returns the bytes of the next decimal. They are valid until the next call.
func (r *parquetRows) digitsOf() ([]byte, error) {
	if r.width == 0 {
		p, err := r.pages.Item()
		if err == nil && len(p) > mostDecimal {
			err = fmt.Errorf("%w: a decimal of %d bytes", parquet.ErrCorrupt, len(p))
		}
		return p, err
	}
	if r.scratch == nil {
		r.scratch = make([]byte, max(convertBytes, r.width))
	}
	p := r.scratch[:r.width]
	return p, r.pages.Fixed(p, 1)
}

// mostDecimal bounds the bytes of a decimal.
const mostDecimal = 1 << 10

// fixed reads elements of fixed size.
func (r *parquetRows) fixed(p []byte, n int) error {
	if r.decimal && (r.leaf.Physical == parquet.ByteArray || r.leaf.Physical == parquet.FixedLenByteArray) {
		return r.integers(p, n)
	}
	if r.convert == nil {
		return r.pages.Fixed(p, n)
	}
	if r.scratch == nil {
		r.scratch = make([]byte, convertBytes)
	}
	for done := 0; n > 0; {
		some := min(n, len(r.scratch)/r.width)
		from := r.scratch[:some*r.width]
		if err := r.pages.Fixed(from, some); err != nil {
			return err
		}
		if err := r.convert(p, from); err != nil {
			return renumbered(err, func(number int) int { return done + number })
		}
		p, n, done = p[some*r.size:], n-some, done+some
	}
	return nil
}
