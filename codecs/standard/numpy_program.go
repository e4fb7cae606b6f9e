package standard

import (
	"math"

	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// operation is a step of arithmetic with the same number for all elements.
type operation uint8

const (
	subtract operation = iota
	add
	multiply
	divide // floats only
	round  // to whole numbers, half to even; it ignores the number
)

// program is arithmetic as NumPy does it on arrays: a list of operations. Each result
// is rounded to the type in which the operation works.
type program struct {
	from, work number
	stages     []stage
}

// stage is a part of a program that works in one type. float16 is computed in float32,
// and each result is rounded to float16.
type stage struct {
	typ   dtype.Type
	load  elements.Kernel
	steps []func(ndarray.Array)
}

func newProgram(from number) *program {
	p := &program{from: from, work: from}
	p.convert(from)
	return p
}

// convert begins a stage in another type.
func (p *program) convert(to number) {
	memory := to
	if to == float16Number {
		memory = float32Number
	}
	before := p.from
	if n := len(p.stages); n > 0 {
		before = numberOf(p.stages[n-1].typ)
	}
	p.work = to
	p.stages = append(p.stages, stage{typ: numpyTypeOf(memory), load: cast(memory, before)})
}

// apply adds an operation to the last stage.
func (p *program) apply(o operation, c constant) {
	if o == round && p.work.integer() {
		return
	}
	s := &p.stages[len(p.stages)-1]
	s.steps = append(s.steps, step(p.work, o, c))
	if p.work == float16Number && o != round {
		s.steps = append(s.steps, keepHalf)
	}
}

// kernel returns the kernel that runs the program and converts its results to a type.
func (p *program) kernel(to number) elements.Kernel {
	stages := p.stages
	if len(stages) > 1 && len(stages[0].steps) == 0 { // there is nothing to do before the first conversion
		stages = stages[1:]
		stages[0].load = cast(numberOf(stages[0].typ), p.from)
	}
	store := cast(to, numberOf(stages[len(stages)-1].typ))
	return func(dst, src ndarray.Array) int {
		n := src.Len()
		scratch := make([][]byte, len(stages))
		for i, s := range stages {
			scratch[i] = make([]byte, min(n, elements.Piece)*s.typ.Size())
		}
		for at := 0; at < n; at += elements.Piece {
			end := min(n, at+elements.Piece)
			block := elements.Span(src, at, end)
			for i, s := range stages {
				next := elements.Line(s.typ, scratch[i][:(end-at)*s.typ.Size()])
				s.load(next, block) // never fails: it converts between integers, or to floats
				for _, step := range s.steps {
					step(next)
				}
				block = next
			}
			if bad := store(elements.Span(dst, at, end), block); bad >= 0 {
				return at + bad
			}
		}
		return -1
	}
}

// numpyTypeOf returns the data type of a number.
func numpyTypeOf(n number) dtype.Type {
	return []dtype.Type{
		boolNumber: dtype.BoolType,
		int8Number: dtype.Int8, int16Number: dtype.Int16, int32Number: dtype.Int32, int64Number: dtype.Int64,
		uint8Number: dtype.Uint8, uint16Number: dtype.Uint16, uint32Number: dtype.Uint32, uint64Number: dtype.Uint64,
		float16Number: dtype.Float16, float32Number: dtype.Float32, float64Number: dtype.Float64,
		complex64Number: dtype.Complex64, complex128Number: dtype.Complex128,
	}[n]
}

// keepHalf rounds each float32 to float16.
func keepHalf(a ndarray.Array) {
	values, _ := ndarray.As[float32](a)
	var halves [2 * 512]byte
	for len(values) > 0 {
		block := values[:min(len(values), 512)]
		dtype.Float16Layout.FromFloat32(halves[:], block, dtype.NearestEven)
		dtype.Float16Layout.ToFloat32(block, halves[:])
		values = values[len(block):]
	}
}

// step returns the loop of an operation in the type of the stage.
func step(work number, o operation, c constant) func(ndarray.Array) {
	switch work {
	case int8Number:
		return integerStep[int8](o, c)
	case int16Number:
		return integerStep[int16](o, c)
	case int32Number:
		return integerStep[int32](o, c)
	case int64Number:
		return integerStep[int64](o, c)
	case uint8Number:
		return integerStep[uint8](o, c)
	case uint16Number:
		return integerStep[uint16](o, c)
	case uint32Number:
		return integerStep[uint32](o, c)
	case uint64Number:
		return integerStep[uint64](o, c)
	case float16Number:
		half, _ := dtype.Float16Layout.Round(c.float, dtype.NearestEven)
		return floatStep(o, float32(dtype.Float16Layout.Float64(half)))
	case float32Number:
		return floatStep(o, float32(c.float))
	default:
		return floatStep(o, c.float)
	}
}

func integerStep[T integer](o operation, c constant) func(ndarray.Array) {
	k := T(c.whole)
	if o == subtract {
		return func(a ndarray.Array) {
			values, _ := ndarray.As[T](a)
			for i := range values {
				values[i] -= k
			}
		}
	}
	return func(a ndarray.Array) {
		values, _ := ndarray.As[T](a)
		for i := range values {
			values[i] *= k
		}
	}
}

// floatStep has a loop for each operation, so that no processor fuses two of them into
// one rounding.
func floatStep[T float](o operation, k T) func(ndarray.Array) {
	return func(a ndarray.Array) {
		values, _ := ndarray.As[T](a)
		switch o {
		case subtract:
			for i := range values {
				values[i] -= k
			}
		case add:
			for i := range values {
				values[i] += k
			}
		case multiply:
			for i := range values {
				values[i] *= k
			}
		case divide:
			for i := range values {
				values[i] /= k
			}
		default:
			for i, v := range values {
				values[i] = T(math.RoundToEven(float64(v)))
			}
		}
	}
}
