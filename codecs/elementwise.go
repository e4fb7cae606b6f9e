package codecs

import (
	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// EncodeElements implements Encode for an elementwise codec.
func EncodeElements(e Elementwise, dst, src ndarray.Array) error {
	if bad := e.EncodeKernel().Run(dst, src); bad >= 0 {
		return e.EncodeError(src, bad)
	}
	return nil
}

// DecodeElements implements Decode for an elementwise codec.
func DecodeElements(e Elementwise, dst, src ndarray.Array) error {
	if bad := e.DecodeKernel().Run(dst, src); bad >= 0 {
		return e.DecodeError(src, bad)
	}
	return nil
}

// elementStep is encoding or decoding by one elementwise codec, or the conversion
// between elements in memory and stored elements.
type elementStep struct {
	kernel elements.Kernel
	to     dtype.Type  // the data type of the results
	codec  Elementwise // nil for the conversion of stored elements
	// fault returns the error about the element at which the kernel stopped. It is nil
	// if the kernel never stops.
	fault func(src ndarray.Array, at int) error
}

// sequence is a list of steps. All steps are applied to about a thousand elements, and
// then to the next ones, so that the elements stay in the cache.
type sequence struct {
	from  dtype.Type // the data type of what the first step receives
	steps []elementStep
	all   elements.Kernel // all steps; two steps that can be one loop are one
}

// join is JoinEncode or JoinDecode of [Joining].
type join func(first Joining, next Elementwise, both elements.Kernel) elements.Kernel

func newSequence(from dtype.Type, steps []elementStep, join join) *sequence {
	s := &sequence{from: from, steps: steps}
	var list []elementStep
	for i := 0; i < len(steps); i++ {
		next := steps[i]
		if i+1 < len(steps) {
			if kernel := joined(from, steps[i], steps[i+1], join); kernel != nil {
				i++
				next = elementStep{kernel: kernel, to: steps[i].to}
			}
		}
		list = append(list, next)
		from = next.to
	}
	s.all = inSequence(s.from, list)
	return s
}

// joined returns a kernel that does two steps in one loop, or nil if there is none.
func joined(from dtype.Type, first, second elementStep, join join) elements.Kernel {
	j, ok := first.codec.(Joining)
	if !ok || second.codec == nil {
		return nil
	}
	return join(j, second.codec, inSequence(from, []elementStep{first, second}))
}

// run applies all steps to all elements. dst and src have the same shape and any
// strides.
//
// The error does not depend on how the steps are run. It is the error that the codecs
// would give if each of them did the whole array before the next codec begins. So it is
// an error of the first step that fails for any element, about the first element for
// which that step fails.
func (s *sequence) run(dst, src ndarray.Array) error {
	if s.all.Run(dst, src) < 0 {
		return nil
	}
	for i, last := range s.steps {
		if bad := inSequence(s.from, s.steps[:i+1]).Find(last.to, src); bad >= 0 {
			return last.fault(s.inputOf(i, src, bad), bad)
		}
	}
	panic("codecs: an element stops all steps and none of them")
}

// inputOf returns what a step receives for one element of src, for the error of that
// step. The result has the shape of src, but only one element: all strides are 0.
func (s *sequence) inputOf(step int, src ndarray.Array, element int) ndarray.Array {
	a := ndarray.Array{Type: s.from, Data: elements.Value(src, element), Shape: src.Shape, Strides: make([]int, len(src.Shape))}
	if step > 0 {
		a.Type = s.steps[step-1].to
		a.Data = inSequence(s.from, s.steps[:step]).Scalar(a.Type, s.from, a.Data)
	}
	return a
}

// sequenceElements is how many elements go through all steps together. They are few
// enough to stay in the fastest cache.
const sequenceElements = 1024

// inSequence returns a kernel that applies one or more steps. The kernel stops at the
// first element for which a step has no result.
func inSequence(from dtype.Type, steps []elementStep) elements.Kernel {
	if len(steps) == 1 {
		return steps[0].kernel
	}
	return func(dst, src ndarray.Array) int {
		n := src.Len()
		// Between the steps, two scratch buffers take turns.
		most := 0
		for _, s := range steps[:len(steps)-1] {
			most = max(most, s.to.Size())
		}
		var scratch [2][]byte
		for i := range scratch {
			scratch[i] = make([]byte, min(n, sequenceElements)*most)
		}
		length := []int{0} // of a piece; the arrays of all stages share it
		stages := []ndarray.Array{{Type: from, Shape: length, Strides: []int{from.Size()}}}
		for _, s := range steps {
			stages = append(stages, ndarray.Array{Type: s.to, Shape: length, Strides: []int{s.to.Size()}})
		}
		first, last := &stages[0], &stages[len(steps)]
		for at := 0; at < n; at += sequenceElements {
			end := min(n, at+sequenceElements)
			length[0] = end - at
			for i := 1; i < len(steps); i++ {
				stages[i].Data = scratch[i%2][:length[0]*stages[i].Type.Size()]
			}
			first.Data = src.Data[at*first.Type.Size() : end*first.Type.Size()]
			last.Data = dst.Data[at*last.Type.Size() : end*last.Type.Size()]
			for i, s := range steps {
				if bad := s.kernel(stages[i+1], stages[i]); bad >= 0 {
					return at + bad
				}
			}
		}
		return -1
	}
}
