package combine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
)

// Disordered is the code of the finding that the values of a coordinate neither rise nor
// fall throughout the members.
const Disordered = "join-disordered"

// order brings the members into the order in which they are joined, and finds out which
// rows of members that overlap are taken.
func (c *combined) order(ctx context.Context) error {
	if len(c.names) == 0 {
		return nil
	}
	path, explicit := c.how.Order, c.how.Order != ""
	if !explicit {
		if path = c.coordinate(); path == "" {
			return c.overlapsWithout()
		}
	} else if err := c.canOrder(path); err != nil {
		return err
	}
	v := c.vars[path]
	sorts := len(c.names) > 1 && (explicit || !c.how.Disordered)
	err := c.readSpans(ctx, v)
	finer := false
	if err != nil && sorts { // after sorting, another member may be the first
		if finer, err = c.readFiner(ctx, v, err); err != nil {
			return c.refusedOr(v, err)
		}
	} else if err != nil {
		return c.refusedOr(v, err)
	}
	if sorts {
		first := c.names[0]
		if err := c.sort(v, explicit); err != nil {
			return err
		}
		if finer || c.names[0] != first && c.anyRebased() {
			c.rebase() // to the units of the new first member
			c.spans = map[string][]span{}
			if err := c.readSpans(ctx, v); err != nil {
				return c.refusedOr(v, err)
			}
		}
	}
	return c.overlap(ctx, v)
}

// readFiner reads a coordinate with times that are not whole numbers in the first member's
// units. It chooses units in which all of them are whole numbers, and then returns true. If
// there are no such units, or if the job names the units, it returns refusal.
func (c *combined) readFiner(ctx context.Context, v *variable, refusal error) (bool, error) {
	units := ""
	if time, ok := errors.AsType[*cf.RefusedTime](refusal); ok && time.Reason == cf.Fraction && c.how.Time.Units == "" {
		units = c.finest(v)
	}
	if units == "" {
		return false, refusal
	}
	time := c.how.Time
	c.how.Time.Clock, c.how.Time.Units, c.how.Time.Type = nil, units, func(string) dtype.Type { return dtype.Int64 }
	v.parts, v.stored = v.stored, nil
	c.rebaseVariable(v)
	c.how.Time = time
	return true, c.readSpans(ctx, v)
}

// refusedOr reports a time that cannot be exact as a fault of the variable. It returns any
// other error.
func (c *combined) refusedOr(v *variable, err error) error {
	fault := c.refused(v, err)
	if fault == nil {
		return err
	}
	v.report.Add(fault)
	return nil
}

func (c *combined) anyRebased() bool {
	for _, v := range c.vars {
		if v.stored != nil {
			return true
		}
	}
	return false
}

// canOrder returns an error if members cannot be sorted by a variable.
func (c *combined) canOrder(path string) error {
	v := c.vars[path]
	if v == nil {
		return wrong("order", "no file has an array %q to order the files by", path)
	}
	var r sources.Report
	r.Merge(v.report)
	for i, p := range v.parts {
		switch fault := v.faults[c.names[i]]; {
		case fault != nil:
			r.Add(fault)
		case p == nil:
			r.Add(wrong("order", "%s: no array %q to order the files by", c.names[i], v.path))
		default:
			if err := c.sortable(p.Info()); err != nil {
				r.Add(wrong("order", "%s: the files cannot be ordered by array %q: %w", c.names[i], v.path, err))
			}
		}
	}
	return r.Err("files cannot be ordered")
}

// sort sorts the members by their first values of a coordinate: from the least to the
// greatest or, if the values fall in every member with several values, from the greatest to
// the least. Members that follow each other already stay where they are, unless the job
// names the coordinate. So do all members if one of them begins with a value that has no
// place in an order.
func (c *combined) sort(v *variable, explicit bool) error {
	spans := c.spans[v.path]
	filled := filledOf(spans)
	if up, down := directions(spans, filled); !explicit && (up || down) {
		return nil
	}
	var r sources.Report
	down := false
	for i, s := range spans {
		if s.N > 0 && !s.valid {
			r.Add(fmt.Errorf("%s: the files cannot be ordered by array %q: it begins with %s", c.names[i], v.path, s.first))
		}
		down = down || s.N > 1 && s.Falling()
	}
	if err := r.Err("files cannot be ordered"); err != nil {
		if explicit {
			return err
		}
		return nil // checkRange reports it
	}
	down = down && !slices.ContainsFunc(spans, func(s span) bool { return s.N > 1 && !s.Falling() })
	order := upTo(len(spans))
	slices.SortStableFunc(order, func(a, b int) int {
		if down {
			a, b = b, a
		}
		return cmp.Compare(spans[a].from, spans[b].from)
	})
	if slices.IsSorted(order) {
		return nil
	}
	if !explicit {
		k := slices.IndexFunc(upTo(len(order)), func(i int) bool { return order[i] != i })
		v.note("the files are joined in the order of their values, which is not the order of their names: %s, which begins with %s, comes before %s", c.names[order[k]], spans[order[k]].first, c.names[k])
	}
	for path, list := range c.spans {
		c.spans[path] = permuted(list, order)
	}
	c.names, c.groups = permuted(c.names, order), permuted(c.groups, order)
	for _, v := range c.vars {
		v.parts = permuted(v.parts, order)
		if v.stored != nil {
			v.stored = permuted(v.stored, order)
		}
		if v.clocks != nil {
			v.clocks = permuted(v.clocks, order)
		}
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
	if compare.OrderOf(info.Type) == nil {
		return c.checkLabels(ctx, v)
	}
	if c.spans[v.path] == nil {
		if err := c.readSpans(ctx, v); err != nil {
			return err
		}
	}
	if c.runs == nil {
		c.steps(v)
	}
	return nil
}

// checkLabels looks for values that two members have. The values are of a type without an
// order, such as texts. They may be in any order, but no two members may have the same
// value.
func (c *combined) checkLabels(ctx context.Context, v *variable) error {
	total := 0
	for _, p := range v.parts {
		n, _ := ndarray.Elements(p.Info().Shape)
		total += n
	}
	if total > comparedIndexes {
		v.findings = append(v.findings, cf.Finding{Code: Uncompared, Message: fmt.Sprintf("the array has %d values, which are too many to look for values that two files have", total), Hint: "join fewer files at a time"})
		return nil
	}
	values := compare.ValuesOf(v.parts[0].Info().Type)
	owner := make(map[string]int, total)
	for i, p := range v.parts {
		whole := ndarray.New(p.Info().Type, p.Info().Shape)
		if err := p.ReadRegion(ctx, whole, make([]int, len(whole.Shape))); err != nil {
			return err
		}
		for item := range whole.Items() {
			x := values.Key(item)
			first, taken := owner[x]
			if taken && first != i {
				c.disorder(v, "has the index %s in %s and in %s: name each file once, or exclude the array", compare.Show(p.Info().Type, item), c.names[first], c.names[i])
			}
			if !taken {
				owner[x] = i
			}
		}
	}
	return nil
}

// steps reports whatever breaks the order of the values of a coordinate.
func (c *combined) steps(v *variable) {
	spans := c.spans[v.path]
	filled := filledOf(spans)
	if up, down := directions(spans, filled); up || down {
		return
	}
	rises := slices.IndexFunc(spans, func(s span) bool { return s.N > 1 && s.Rising() })
	falls := slices.IndexFunc(spans, func(s span) bool { return s.N > 1 && s.Falling() })
	for _, i := range filled {
		switch s := spans[i]; {
		case !s.valid:
			c.disorder(v, "begins with %s in %s, which has no place in an order", s.first, c.names[i])
		case !s.Rising() && !s.Falling():
			c.disorder(v, "neither rises nor falls throughout in %s: it goes from %s to %s, with a break at index %d", c.names[i], s.first, s.last, s.Turn)
		case !s.Rising() && rises >= 0:
			c.disorder(v, "falls in %s, from %s to %s, but rises in %s", c.names[i], s.first, s.last, c.names[rises])
		}
	}
	falling := falls >= 0 && rises < 0
	for k, i := range filled[1:] {
		a, b := spans[filled[k]], spans[i]
		if a.to < b.from && !falling || a.to > b.from && falling {
			continue
		}
		what := "they overlap"
		switch {
		case a.to == b.from:
			what = "both have this index"
		case max(a.from, a.to) < min(b.from, b.to) || max(b.from, b.to) < min(a.from, a.to):
			what = "they are not in order"
		}
		c.disorder(v, "ends with %s in %s and begins with %s in %s: %s", a.last, c.names[filled[k]], b.first, c.names[i], what)
	}
}

// disorder reports where an array breaks the order of the members. The text continues after
// the array's name. With Disordered, all breaks become one finding.
func (c *combined) disorder(v *variable, format string, args ...any) {
	text, inRange := fmt.Sprintf(format, args...), c.spans[v.path] != nil
	if !c.how.Disordered {
		hint := "order: allow joins the files as they are"
		if inRange {
			hint = "overlap: first or last takes each value once, " + hint
		}
		v.report.Add(fmt.Errorf("array %q %s; %s", v.path, text, hint))
		return
	}
	if v.breaks = append(v.breaks, text); len(v.breaks) == 1 {
		hint := "without order: allow, this is an error"
		if inRange {
			hint = "without order: allow, the files are joined in the order of their values, and a value that still breaks the order is an error; overlap: first or last takes each value once"
		}
		v.findings = append(v.findings, cf.Finding{Code: Disordered, Message: text, Hint: hint})
		return
	}
	i := slices.IndexFunc(v.findings, func(f cf.Finding) bool { return f.Code == Disordered })
	v.findings[i].Message = fmt.Sprintf("%s; the order breaks %s more", v.breaks[0], times(len(v.breaks)-1))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
