package jobs

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/stages"
)

// sample looks at some chunks of the arrays whose values may be refused: a
// run that cannot succeed ends here, before anything is written.
func (p *Plan) sample(ctx context.Context) error {
	for i := range p.Arrays {
		a := &p.Arrays[i]
		if a.stored != nil || a.convert == nil && !a.Chain.Refuses() {
			continue
		}
		task := p.Job.task(a)
		if err := stages.Sample(ctx, &task, int(p.Job.Run.Memory)); err != nil {
			return fmt.Errorf("%w (found in a sample of three chunks: there may be more)", err)
		}
	}
	return nil
}

// hazards returns a warning for each thing that may happen to values in a bound
// chain, positioned at the codec, or the field of its configuration, that is the
// reason. field is that of the chain. Errors are a fill value without a way back
// and an inexact cast that nobody has allowed.
func (j *Job) hazards(field string, chain *codecs.Chain, allowInexact bool) Problems {
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
