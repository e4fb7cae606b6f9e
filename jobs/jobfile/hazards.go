package jobfile

import (
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
)

// Hazards returns a warning for each hazard to values in a bound chain, positioned at
// the codec, or at the field of its configuration, that is the reason. field is the
// field of the chain. A fill value that cannot be decoded again is an error, and so is
// an inexact cast unless it is allowed.
func (j *Job) Hazards(field string, chain *codecs.Chain, allowInexact bool) Problems {
	var ps Problems
	for _, h := range chain.Hazards() {
		at := fmt.Sprintf("%s[%d]", field, h.Codec)
		if h.Field != "" {
			at += "." + h.Field
		}
		p := j.Problem(at, h.Name+": "+h.Message, h.Hint)
		refused := h.Code == codecs.FillValueLost || h.Code == codecs.InexactCast && !allowInexact
		p.Warning, p.Code = !refused, h.Code
		ps = append(ps, p)
	}
	return ps
}
