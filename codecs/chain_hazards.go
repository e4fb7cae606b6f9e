package codecs

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Hazards lists what may happen to values in this chain, in the order of its codecs.
// The list has the hazards that the codecs report, those of inner chains included. It
// also has codecs that may be unable to decode what lossy codecs behind them change, and a
// fill value that does not come back bit for bit.
func (c *Chain) Hazards() []Hazard {
	changes, found := c.fillValueChanges()
	var list []Hazard
	all := c.bound()
	for i, codec := range all {
		if h, ok := codec.(Hazardous); ok {
			for _, h := range h.Hazards() {
				if h.Code == FillValueLost && !found {
					continue // the fill value comes back, because rounding undoes the change
				}
				h.Codec = i
				if h.Name == "" {
					h.Name = c.specs[i].Name
				}
				list = append(list, h)
			}
		}
		if h, ok := c.undecodable(i, all); ok {
			list = append(list, h)
		}
		told := slices.ContainsFunc(list, func(h Hazard) bool {
			return h.Code == FillValueLost || h.Codec == i && h.Fill
		})
		if found && changes.Codec == i && !told {
			list = append(list, changes)
		}
	}
	return list
}

// undecodable returns the hazard that the first lossy codec behind codec i makes elements which
// codec i cannot decode.
func (c *Chain) undecodable(i int, list []any) (Hazard, bool) {
	n, ok := list[i].(Narrow)
	if !ok {
		return Hazard{}, false
	}
	values, wayOut := n.Decodes()
	if values == "" {
		return Hazard{}, false
	}
	for k := i + 1; k < len(list); k++ {
		losses := c.lossesOf(k, list[k])
		if len(losses) == 0 {
			continue
		}
		name := cmp.Or(losses[0].Name, c.specs[k].Name)
		return Hazard{
			Codec: i, Name: c.specs[i].Name, Code: LossyUndecodable,
			Message: fmt.Sprintf("%s changes elements behind this codec, which decodes only %s: if an element leaves this range, no reader can read its chunk", name, values),
			Hint:    wayOut,
		}, true
	}
	return Hazard{}, false
}

// Hazards implements [Hazardous]. It lists the hazards of the inner chain and adds
// ShardedZero. zarr-python, as of 3.4.2, tries the inner codecs with the default value
// of the data type (in ShardingCodec), and not with the array's fill value. It opens no
// array whose inner codecs refuse that default value.
func (s *Shards) Hazards() []Hazard {
	list := s.inner.Hazards()
	trial := s.inner.trial()
	trial.in.Fill = trial.in.Type.Default()
	for i := range trial.arrays {
		if trial.in.Type.Size() == 0 {
			break
		}
		if _, err := trial.thereAndBack(i + 1); err != nil {
			name := trial.in.Type.FormatScalar(dtype.V3, trial.in.Fill)
			list = append(list, Hazard{
				Codec: i, Name: s.inner.specs[i].Name, Code: ShardedZero,
				Message: fmt.Sprintf("%[1]s cannot be encoded (%[2]v): zarr-python tries to encode %[1]s when it opens an array with such codecs inside of shards, whatever the fill value, so it opens neither this array nor the group around it", name, err),
				Hint:    fmt.Sprintf("set out_of_range: clamp, add an entry for %s to scalar_map, or leave out the shards", name),
			})
			break
		}
	}
	for i, h := range list {
		at := fmt.Sprintf("codecs[%d]", h.Codec)
		if h.Field != "" {
			at += "." + h.Field
		}
		list[i].Field = at
	}
	return list
}

// fillValueChanges encodes and decodes the fill value. It returns the hazard of the
// first codec that does not give the value back, if there is such a codec.
func (c *Chain) fillValueChanges() (Hazard, bool) {
	fill := c.in.Fill
	if fill == nil || c.in.Type.Size() == 0 { // elements of variable size are stored as they are
		return Hazard{}, false
	}
	trial := c.trial()
	n := len(trial.arrays)
	if trial.bytes != nil {
		n++
	}
	if n == 0 {
		return Hazard{}, false
	}
	if back, err := trial.thereAndBack(n); err == nil && ndarray.Uniform(back, fill) {
		return Hazard{}, false
	}
	for i := range n {
		back, err := trial.thereAndBack(i + 1)
		if err == nil && ndarray.Uniform(back, fill) {
			continue
		}
		h := Hazard{
			Codec: i, Name: c.specs[i].Name, Code: FillValueChanges,
			Hint: "set a fill_value that the codec keeps, or leave the codec out",
		}
		name := c.in.Type.FormatScalar(dtype.V3, fill)
		if err != nil {
			h.Message = fmt.Sprintf("the fill value %s cannot be encoded: a chunk that holds it beside other values, such as a chunk at an edge, cannot be stored: %v", name, err)
		} else {
			other := otherValue(back, fill)
			h.Message = fmt.Sprintf("the fill value %[1]s comes back as %[2]s: readers see %[2]s in chunks that also hold other values, such as those at the edges, and %[1]s in chunks that are not stored", name, other)
		}
		return h, true
	}
	return Hazard{}, false
}

// trialBytes bounds the chunks that are made only to try a chain.
const trialBytes = 1 << 20

// trial returns a chain of c's codecs up to the array → bytes codec, bound to chunks
// that are as small as possible. A codec may accept no chunk smaller than that of c. If
// that chunk is too large to try, the trial ends in front of the codec. bytes → bytes
// codecs are left out, because they give back what they received. A container is left
// out, because its inner chain reports hazards of its own.
func (c *Chain) trial() *Chain {
	last := len(c.arrays) + 1
	if c.container() != nil {
		last--
	}
	small := &Chain{in: c.in, specs: c.specs}
	small.in.Shape = fewElements(c.in.Shape)
	small.stages = []Chunk{small.in}
	for _, p := range c.list[:last] {
		if small.bind(p) == nil {
			continue
		}
		if n, _ := ndarray.Bytes(c.in.Type, c.in.Shape); n > trialBytes {
			break
		}
		whole := &Chain{in: c.in, specs: c.specs, stages: c.stages, arrays: c.arrays}
		if last > len(c.arrays) {
			whole.bytes = c.bytes
		}
		return whole
	}
	return small
}

// fewElements returns a shape of one element, or of two elements along the longest
// dimension, so that one element has a neighbour in front.
func fewElements(shape []int) []int {
	few, longest := slices.Repeat([]int{1}, len(shape)), 0
	for i, n := range shape {
		if n > shape[longest] {
			longest = i
		}
	}
	if len(few) > 0 {
		few[longest] = min(2, shape[longest])
	}
	return few
}

// thereAndBack encodes a chunk of fill values with the first n codecs and decodes it
// again. The array → bytes codec is the last codec that n may include.
func (c *Chain) thereAndBack(n int) (ndarray.Array, error) {
	blank := func(stage int) ndarray.Array { return ndarray.New(c.stages[stage].Type, c.stages[stage].Shape) }
	a := blank(0)
	ndarray.Fill(a, c.in.Fill)
	arrays := c.arrays[:min(n, len(c.arrays))]
	for i, codec := range arrays {
		next := blank(i + 1)
		if err := codec.Encode(next, a); err != nil {
			return a, err
		}
		a = next
	}
	if n > len(arrays) {
		data, err := c.bytes.AppendEncode(nil, a)
		if err != nil {
			return a, err
		}
		a = blank(len(arrays))
		if err := c.bytes.Decode(a, data); err != nil {
			return a, err
		}
	}
	for i, codec := range slices.Backward(arrays) {
		next := blank(i)
		if err := codec.Decode(next, a); err != nil {
			return a, err
		}
		a = next
	}
	return a, nil
}

// otherValue returns the text of the first element, in C order, that is not the fill
// value.
func otherValue(a ndarray.Array, fill dtype.Scalar) string {
	data := a.Data
	for bytes.HasPrefix(data, fill) {
		data = data[len(fill):]
	}
	value := string(a.Type.FormatScalar(dtype.V3, data[:len(fill)]))
	if isNaN(a.Type, fill) && isNaN(a.Type, data[:len(fill)]) {
		return "another NaN, " + value
	}
	return value
}

// isNaN reports whether a scalar of a float or complex type is NaN. The JSON of a NaN
// is a name or a bit pattern; other numbers have neither.
func isNaN(t dtype.Type, value dtype.Scalar) bool {
	n, ok := t.(dtype.Numeric)
	if !ok || n.Kind() != dtype.Float && n.Kind() != dtype.Complex {
		return false
	}
	text := t.FormatScalar(dtype.V3, value)
	return bytes.Contains(text, []byte(`"NaN"`)) || bytes.Contains(text, []byte(`"0x`))
}

// Refuses reports whether a codec of the chain may refuse some values of its data type.
// Only the data can tell whether there are such values.
func (c *Chain) Refuses() bool {
	return slices.ContainsFunc(c.bound(), func(codec any) bool {
		s, ok := codec.(Selective)
		return ok && s.Refuses()
	})
}

// Refuses implements [Selective].
func (s *Shards) Refuses() bool { return s.inner.Refuses() }
