package jobfile

import (
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
)

// Hazards returns a warning for each thing that may happen to values in a bound
// chain, positioned at the codec, or the field of its configuration, that is the
// reason. field is that of the chain. Errors are a fill value without a way back
// and an inexact cast that nobody has allowed.
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
