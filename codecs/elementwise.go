package codecs

import (
	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// EncodeElements is Encode of an elementwise codec.
func EncodeElements(e Elementwise, dst, src ndarray.Array) error {
	if bad := e.EncodeKernel().Run(dst, src); bad >= 0 {
		return e.EncodeError(src, bad)
	}
	return nil
}

// DecodeElements is Decode of an elementwise codec.
func DecodeElements(e Elementwise, dst, src ndarray.Array) error {
	if bad := e.DecodeKernel().Run(dst, src); bad >= 0 {
		return e.DecodeError(src, bad)
	}
	return nil
}

// elementStep is one direction of an elementwise codec, or a change of the
// elements' bytes that comes with storing them.
type elementStep struct {
	kernel elements.Kernel
	to     dtype.Type  // of the results
	codec  Elementwise // nil: none
	// fault makes an error of an element, at which the kernel stopped; nil
	// where it never does.
	fault func(src ndarray.Array, at int) error
}

// sequence is steps that are taken together for one piece of memory after the
// other.
type sequence struct {
	from  dtype.Type
	steps []elementStep
	all   elements.Kernel
}

// join is one of the methods of [Joining].
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

// joined returns the kernel that does the work of two steps in a loop of its own,
// nil where there is none.
func joined(from dtype.Type, first, second elementStep, join join) elements.Kernel {
	j, ok := first.codec.(Joining)
	if !ok || second.codec == nil {
		return nil
	}
	return join(j, second.codec, inSequence(from, []elementStep{first, second}))
}

// run takes the steps for all elements of two arrays of one shape with any
// strides. Its error is that of the first step that has one for any of the
// elements, about the first of these: what one step after the other would give.
func (s *sequence) run(dst, src ndarray.Array) error {
	if s.all.Run(dst, src) < 0 {
		return nil
	}
	for i, last := range s.steps {
		if bad := inSequence(s.from, s.steps[:i+1]).Find(last.to, src); bad >= 0 {
			return last.fault(s.at(i, src, bad), bad)
		}
	}
	panic("codecs: an element stops all steps and none of them")
}

// at is an array like src as step i receives it, of which one element is there.
func (s *sequence) at(i int, src ndarray.Array, at int) ndarray.Array {
	a := ndarray.Array{Type: s.from, Data: elements.Value(src, at), Shape: src.Shape, Strides: make([]int, len(src.Shape))}
	if i > 0 {
		a.Type = s.steps[i-1].to
		a.Data = inSequence(s.from, s.steps[:i]).Scalar(a.Type, s.from, a.Data)
	}
	return a
}

// sequenceElements is how many elements go through all steps together: few
// enough that they stay in the fastest cache on their way.
const sequenceElements = 1024

// inSequence is the kernel of some steps, at least one. It stops at an element
// that some step has no result for.
func inSequence(from dtype.Type, steps []elementStep) elements.Kernel {
	if len(steps) == 1 {
		return steps[0].kernel
	}
	return func(dst, src ndarray.Array) int {
		n := src.Len()
		// Between the steps, two scratches take turns.
		most := 0
		for _, s := range steps[:len(steps)-1] {
			most = max(most, s.to.Size())
		}
		var scratch [2][]byte
		for i := range scratch {
			scratch[i] = make([]byte, min(n, sequenceElements)*most)
		}
		length := []int{0} // of a block in all stages
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
