package target

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/sources/compare"
)

const (
	// mostSteps is how many steps of an existing coordinate are examined, counted from
	// its end.
	mostSteps = 1 << 20
	// mostGaps is how many gaps are described one by one.
	mostGaps = 3
)

// Gaps lists the gaps between incoming rows, and the gap between the last existing row
// and the first incoming row. A gap is a step longer than one and a half usual steps.
// The usual step is the one that nine of ten steps of the existing rows do not exceed,
// so months of different lengths, leap years and old holes are not gaps. If there are
// fewer than two existing rows, the usual step is that of the incoming rows. A
// coordinate whose values are neither numbers nor times has no gaps.
func (e *Existing) Gaps(ctx context.Context) (list []string, err error) {
	if numbersOf(e.Incoming.Info().Type) == nil {
		return nil, nil
	}
	c := newCoordinate(e)
	from := max(0, e.Rows-mostSteps)
	old, err := readRows(ctx, e.Array, from, e.Rows-from)
	if err != nil {
		return nil, err
	}
	incoming, err := readRows(ctx, e.Incoming, 0, e.Incoming.Info().Shape[0])
	if err != nil {
		return nil, err
	}
	old, incoming = c.physical(old), c.physical(incoming)
	number := numbersOf(incoming.Type)
	var values []float64
	for item := range old.Items() {
		values = append(values, number(item))
	}
	existing := len(values)
	for item := range incoming.Items() {
		values = append(values, number(item))
	}
	steps := make([]float64, 0, len(values))
	for i := 1; i < len(values); i++ {
		steps = append(steps, math.Abs(values[i]-values[i-1]))
	}
	known := steps[:max(0, existing-1)]
	if len(known) == 0 {
		known = steps[min(existing, len(steps)):]
	}
	if len(known) == 0 {
		return nil, nil
	}
	known = slices.Sorted(slices.Values(known))
	step := known[(9*len(known)+9)/10-1]
	size, gaps := incoming.Type.Size(), 0
	shown := func(i int) string {
		data, row, where := old.Data, i, "target"
		if i >= existing {
			data, row, where = incoming.Data, i-existing, "source"
		}
		at := row
		if where == "target" {
			at += from
		}
		return fmt.Sprintf("%s in row %d of the %s", c.spellPhysical(incoming.Type, data[row*size:(row+1)*size]), at, where)
	}
	for i := max(existing, 1); i < len(values); i++ {
		if steps[i-1] <= 1.5*step {
			continue
		}
		if gaps++; gaps <= mostGaps {
			list = append(list, fmt.Sprintf("from %s to %s is a step of %g, and the step so far is %g: rows seem to be missing", shown(i-1), shown(i), steps[i-1], step))
		}
	}
	if gaps > mostGaps {
		list = append(list, fmt.Sprintf("there are %d more such gaps", gaps-mostGaps))
	}
	return list, nil
}

// numbersOf returns the function that converts elements to numbers. It is nil for a type
// without numbers.
func numbersOf(t dtype.Type) func(item []byte) float64 {
	if _, ok := t.(dtype.Temporal); ok {
		return func(item []byte) float64 { return float64(int64(binary.NativeEndian.Uint64(item))) }
	}
	return compare.NumberOf(t)
}
