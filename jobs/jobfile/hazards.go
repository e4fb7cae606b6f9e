package jobfile

import (
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
)

// Hazards returns a warning for each hazard to values in a bound chain, positioned at
// the codec, or at the field of its configuration, that is the reason. field is the
// field of the chain. A fill value that cannot be decoded again is an error. So are an
// inexact cast and elements that may not be decoded again, unless they are allowed.
func (j *Job) Hazards(field string, chain *codecs.Chain, allowInexact bool) Problems {
	return j.hazards(field, chain, nil, allowInexact)
}

// hazards does what Hazards does for a chain that differs from the chain of the field.
// places has, for each codec of the chain, its index in the field, or -1 if the field does
// not have the codec. If places is nil, the two chains have the same codecs.
func (j *Job) hazards(field string, chain *codecs.Chain, places []int, allowInexact bool) Problems {
	var ps Problems
	for _, h := range chain.Hazards() {
		at := fmt.Sprintf("%s[%d]", field, h.Codec)
		if places != nil && places[h.Codec] < 0 {
			at = field
		} else if places != nil {
			at = fmt.Sprintf("%s[%d]", field, places[h.Codec])
		}
		if h.Field != "" {
			at += "." + h.Field
		}
		p := j.Problem(at, h.Name+": "+h.Message, h.Hint)
		refused := h.Code == codecs.FillValueLost || (h.Code == codecs.InexactCast || h.Code == codecs.LossyUndecodable) && !allowInexact
		p.Warning, p.Code = !refused, h.Code
		ps = append(ps, p)
	}
	return ps
}
