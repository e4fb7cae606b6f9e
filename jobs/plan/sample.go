package plan

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/stages"
)

// sample reads and encodes some chunks of the arrays whose values may be refused. So most
// runs that cannot succeed end here, before anything is written.
func (p *Plan) sample(ctx context.Context) error {
	for i := range p.Arrays {
		a := &p.Arrays[i]
		if a.stored != nil || a.convert == nil && !a.Chain.Refuses() {
			continue
		}
		task := p.Task(a)
		if err := stages.Sample(ctx, &task, int(p.Memory())); err != nil {
			return fmt.Errorf("%w (found in a sample of three chunks: there may be more)", err)
		}
	}
	return nil
}
