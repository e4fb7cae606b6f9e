package combine

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
)

// Disordered is the code of the finding that the values by which members are sorted
// neither rise nor fall throughout.
const Disordered = "join-disordered"

// sort sorts the members by the first values of a coordinate. They rise, unless the
// values fall in every member that has several.
func (c *combined) sort(ctx context.Context) error {
	v := c.vars[c.how.Order]
	if v == nil {
		return fmt.Errorf("no file has an array %q to order the files by", c.how.Order)
	}
	var r sources.Report
	for i, p := range v.parts {
		switch fault := v.faults[c.names[i]]; {
		case fault != nil:
			r.Add(fault)
		case p == nil:
			r.Add(fmt.Errorf("%s: no array %q to order the files by", c.names[i], v.path))
		default:
			if err := c.sortable(p.Info()); err != nil {
				r.Add(fmt.Errorf("%s: the files cannot be ordered by array %q: %w", c.names[i], v.path, err))
			}
		}
	}
	if err := r.Err("files cannot be ordered"); err != nil {
		return err
	}
	spans, err := readSpans(ctx, v)
	if err != nil {
		return err
	}
	down := false
	for i, s := range spans {
		if s.N > 0 && !s.valid {
			r.Add(fmt.Errorf("%s: the files cannot be ordered by array %q: it begins with %s", c.names[i], v.path, s.first))
		}
		down = down || s.N > 1 && s.Falling()
	}
	down = down && !slices.ContainsFunc(spans, func(s span) bool { return s.N > 1 && !s.Falling() })
	if err := r.Err("files cannot be ordered"); err != nil {
		return err
	}
	order := make([]int, len(spans))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if down {
			a, b = b, a
		}
		return cmp.Compare(spans[a].from, spans[b].from)
	})
	c.spans = permuted(spans, order)
	c.names, c.groups = permuted(c.names, order), permuted(c.groups, order)
	for _, v := range c.vars {
		v.parts = permuted(v.parts, order)
	}
	return nil
}

// sortable says why members cannot be sorted by an array.
func (c *combined) sortable(info *sources.Info) error {
	if compare.OrderOf(info.Type) == nil {
		return fmt.Errorf("values of %s have no order here", info.Type.Name())
	}
	return c.indexes(info)
}

// indexes says why an array does not have one value for each index of the dimension.
func (c *combined) indexes(info *sources.Info) error {
	n, _ := ndarray.Elements(info.Shape)
	switch {
	case c.how.Stack != "" && n != 1:
		return fmt.Errorf("it has the shape %v, not one value for each file", info.Shape)
	case c.how.Stack == "" && !slices.Equal(info.DimensionNames, []string{c.how.Concat}):
		return fmt.Errorf("it has %s dimensions, not %q alone", compare.DimensionsText(info), c.how.Concat)
	}
	return nil
}

func permuted[T any](list []T, order []int) []T {
	sorted := make([]T, len(list))
	for i, k := range order {
		sorted[i] = list[k]
	}
	return sorted
}

// checkRange checks how the values of a coordinate go on from one member to the next:
// those of the dimension's coordinate, and of the one by which members are sorted.
func (c *combined) checkRange(ctx context.Context, v *variable) error {
	info := v.parts[0].Info()
	ordered := v.path == c.how.Order
	if !ordered && (path.Base(v.path) != c.how.Dimension() || c.indexes(info) != nil || len(v.parts) == 1) {
		return nil
	}
	order := compare.OrderOf(info.Type)
	if order == nil {
		return c.checkLabels(ctx, v)
	}
	spans := c.spans
	if !ordered {
		var err error
		if spans, err = readSpans(ctx, v); err != nil {
			return err
		}
	}
	filled := slices.DeleteFunc(upTo(len(spans)), func(i int) bool { return spans[i].N == 0 })
	up, down := c.steps(v, spans, filled, ordered)
	if ordered || up || down {
		return nil
	}
	elsewhere := func(i int) bool { return spans[i].from != spans[filled[0]].from }
	if !slices.ContainsFunc(filled, elsewhere) && v.beginsAnew(spans[filled[0]].first) {
		return nil
	}
	v.note("the values do not go up or down from each file to the next, as from %s on: order: %s sorts the files", c.names[filled[0]], v.path)
	return checkTwice(ctx, c, v, order)
}

// beginsAnew notes that the values of a coordinate begin with the same one in each
// member, and reports false where its units say that they are the same indexes.
func (v *variable) beginsAnew(first string) bool {
	if v.parts[0].Info().Attributes.Get("units") != nil {
		return false
	}
	v.note("the values begin anew with %s in each file, and have no units that would make them one row: whether files are there twice is not known from them", first)
	return true
}

// checkLabels is checkRange for values that have no order, such as texts: members may
// have them in any, and each value once.
func (c *combined) checkLabels(ctx context.Context, v *variable) error {
	values := compare.ValuesOf(v.parts[0].Info().Type)
	firsts, shown, filled := map[string]bool{}, "", 0
	for _, p := range v.parts {
		info := p.Info()
		if slices.Contains(info.Shape, 0) {
			continue
		}
		filled++
		first := ndarray.New(info.Type, slices.Repeat([]int{1}, len(info.Shape)))
		if err := p.ReadRegion(ctx, first, make([]int, len(info.Shape))); err != nil {
			return err
		}
		for item := range first.Items() {
			firsts[values.Key(item)], shown = true, compare.Show(info.Type, item)
		}
	}
	if filled < 2 || len(firsts) == 1 && v.beginsAnew(shown) {
		return nil
	}
	return checkTwice(ctx, c, v, func(item []byte) (string, bool) { return values.Key(item), true })
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// steps reports whether all values rise, or fall, through the members that have any.
// Where members are sorted by them, whatever breaks the order is a problem.
func (c *combined) steps(v *variable, spans []span, filled []int, ordered bool) (up, down bool) {
	up, down = true, true
	rises := slices.IndexFunc(spans, func(s span) bool { return s.N > 1 && s.Rising() })
	for _, i := range filled {
		up, down = up && spans[i].Rising(), down && spans[i].Falling()
		switch s := spans[i]; {
		case !ordered || s.Rising():
		case !s.Falling():
			c.disorder(v, "goes neither up nor down throughout in %s, from %s to %s, as at index %d", c.names[i], s.first, s.last, s.Turn)
		case rises >= 0:
			c.disorder(v, "goes down from index 1 on in %s, from %s to %s, and up in %s", c.names[i], s.first, s.last, c.names[rises])
		}
	}
	falling := down && slices.ContainsFunc(filled, func(i int) bool { return spans[i].N > 1 })
	for k, i := range filled[min(1, len(filled)):] {
		a, b := spans[filled[k]], spans[i]
		up, down = up && a.to < b.from, down && a.to > b.from
		if !ordered || a.to < b.from && !falling || a.to > b.from && falling {
			continue
		}
		what := "they overlap"
		if a.to == b.from {
			what = "both have this index"
		}
		c.disorder(v, "ends with %s in %s and begins with %s in %s: %s", a.last, c.names[filled[k]], b.first, c.names[i], what)
	}
	return up, down
}

// complain reports a problem, which becomes a note with Override.
func (c *combined) complain(v *variable, err error) {
	if !c.how.Override {
		v.report.Add(err)
	} else if len(v.notes) < sources.MostReported {
		v.note("%v", err)
	}
}

// disorder reports where an array breaks the order of the members. The text goes on
// behind the array's name. With Override the problem becomes a finding.
func (c *combined) disorder(v *variable, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !c.how.Override {
		v.report.Add(fmt.Errorf("array %q %s", v.path, text))
	} else if len(v.findings) < sources.MostReported {
		v.findings = append(v.findings, cf.Finding{Code: Disordered, Message: text, Hint: "leave out the files that overlap, or leave order out to join them by their names"})
	}
}

// checkTwice looks for values that two members have. Elements with the same key are one
// value; key returns false for an element that is none, such as NaN.
func checkTwice[K comparable](ctx context.Context, c *combined, v *variable, key func(item []byte) (K, bool)) error {
	total := 0
	for _, p := range v.parts {
		n, _ := ndarray.Elements(p.Info().Shape)
		total += n
	}
	if total > comparedIndexes {
		text := fmt.Sprintf("there are %d values, too many to look for those that two files have", total)
		if c.how.Override {
			v.note("%s", text)
			return nil
		}
		f := cf.Finding{Code: Uncompared, Message: text, Hint: "join fewer files at a time"}
		if compare.OrderOf(v.parts[0].Info().Type) != nil {
			f.Hint = fmt.Sprintf("let order: %s sort the files, so that each is compared with the next", v.path)
		}
		v.findings = append(v.findings, f)
		return nil
	}
	owner := make(map[K]int, total)
	for i, p := range v.parts {
		whole := ndarray.New(p.Info().Type, p.Info().Shape)
		if err := p.ReadRegion(ctx, whole, make([]int, len(whole.Shape))); err != nil {
			return err
		}
		for item := range whole.Items() {
			x, valid := key(item)
			first, taken := owner[x]
			if valid && taken && first != i {
				c.complain(v, fmt.Errorf("array %q has the index %s in %s and in %s: name each file once, exclude it, or set join: override if its values may repeat",
					v.path, compare.Show(p.Info().Type, item), c.names[first], c.names[i]))
			}
			if valid && !taken {
				owner[x] = i
			}
		}
	}
	return nil
}
