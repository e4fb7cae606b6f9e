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
)

// MostTimes is how many times of one variable are converted on trial, before a run writes
// anything. The trial takes about two seconds.
const MostTimes = 64 << 20

// Unchecked is the code of a finding: the times of a variable are too many to be converted
// on trial, so the run converts them for the first time when it copies them.
const Unchecked = "rebase-unchecked"

// rebase brings times that members count from several moments to one clock. It is called
// again after sorting has made another member the first.
func (c *combined) rebase() {
	if c.how.Time.Keep {
		return
	}
	for _, path := range c.paths {
		if v := c.vars[path]; v.stored != nil {
			v.parts, v.stored = v.stored, nil
		}
	}
	for _, path := range c.paths {
		c.findClocks(c.vars[path])
	}
	for _, path := range c.paths {
		c.rebaseVariable(c.vars[path])
	}
}

// findClocks sets the clock of a variable in each member. A variable without times gets no
// clocks. Nor does a variable to which the job gives units, because the job then says that
// the stored numbers of all members mean the same.
func (c *combined) findClocks(v *variable) {
	v.clocks = nil
	at := v.first()
	if at < 0 || len(v.faults) > 0 {
		return
	}
	clocks := make([]sources.Clock, len(v.parts))
	for i, p := range v.parts {
		if p == nil {
			continue
		}
		info := p.Info()
		own := info.Attributes
		by := v
		of := c.boundsOf(v, i)
		if of != nil {
			if own.Get("units") == nil {
				by = c.vars[of.Path]
			}
			own = sources.InheritClock(own, of.Attributes)
		}
		if !cf.IsClock(own.Get("units")) || c.given(by, "units") || sources.IsPacked(info) || by != v && sources.IsPacked(of) {
			return
		}
		clocks[i] = sources.Clock{Attributes: own, Type: info.Type}
	}
	v.clocks = clocks
}

// reference is the clock to which a variable is brought.
func (c *combined) reference(v *variable) sources.Clock {
	to := v.clocks[v.first()]
	if u := c.how.Time.Units; u != "" {
		to.Attributes = to.Attributes.With("units", sources.TextAttribute(u))
	}
	return to
}

// targetClock is the clock of the array to which the rows of a variable are appended; false:
// there is none, or it goes by another calendar than the variable. Bounds inherit what
// they lack from their coordinate.
func (c *combined) targetClock(v *variable) (sources.Clock, bool) {
	if c.how.Time.Clock == nil {
		return sources.Clock{}, false
	}
	to, ok := c.how.Time.Clock(v.path)
	if of := c.bounds[v.path]; ok && of != "" {
		coordinate, _ := c.how.Time.Clock(of)
		to.Attributes = sources.InheritClock(to.Attributes, coordinate.Attributes)
	}
	own := v.clocks[v.first()].Attributes.Get("calendar")
	is := to.Attributes.Get("calendar")
	return to, ok && cf.IsClock(to.Attributes.Get("units")) && (cf.SameMeaning("calendar", is, own) || cf.SameAfterReform(is, own))
}

// differs returns a function that reports whether member i counts in other units than the
// clock to, by a calendar that agrees with that of to.
func (c *combined) differs(v *variable, to sources.Clock) func(i int) bool {
	return func(i int) bool {
		x, y := v.clocks[i].Attributes, to.Attributes
		return v.parts[i] != nil && !cf.SameMeaning("units", y.Get("units"), x.Get("units")) &&
			(cf.SameMeaning("calendar", y.Get("calendar"), x.Get("calendar")) || cf.SameAfterReform(y.Get("calendar"), x.Get("calendar")))
	}
}

func (c *combined) rebaseVariable(v *variable) {
	if v.clocks == nil {
		return
	}
	to := c.reference(v)
	other := c.differs(v, to)
	first := slices.IndexFunc(upTo(len(v.parts)), other)
	if first < 0 {
		return
	}
	if of := c.vars[c.bounds[v.path]]; of != nil && of.clocks != nil {
		to.Attributes = c.reference(of).Attributes // bounds without units have those of their coordinate
	}
	if c.how.Time.Type != nil {
		if t := c.how.Time.Type(v.path); t != nil {
			to.Type = t
		}
	}
	if clock, ok := c.targetClock(v); ok {
		to = clock
	}
	other = c.differs(v, to)
	parts := slices.Clone(v.parts)
	changed := 0
	for i, p := range v.parts {
		differs := other(i)
		if p == nil || !differs && dtype.Same(p.Info().Type, to.Type) {
			continue
		}
		based, err := sources.Rebased(p, v.clocks[i], to, c.names[i])
		if err != nil {
			v.report.Add(c.timeFault(v.clocks[i], to, err))
			continue
		}
		based.(sources.Shared).ShareInfo(&c.infos)
		parts[i] = based
		if differs {
			changed++
		}
	}
	v.stored, v.parts = v.parts, parts
	from := sources.AttributeText(v.clocks[first].Attributes, "units")
	v.rebased = sources.AttributeText(to.Attributes, "units")
	v.rebasing = fmt.Sprintf("times of %d of %d files are brought to one origin, %q, such as those of %s, %q", changed, len(v.parts), v.rebased, c.names[first], from)
}

// packedBounds reports packed bounds without units whose coordinate was brought to another
// clock: their stored numbers would mean other times.
func (c *combined) packedBounds(v *variable) {
	of := c.vars[c.bounds[v.path]]
	if of == nil || of.stored == nil {
		return
	}
	for i, p := range v.parts {
		if p == nil || of.parts[i] == of.stored[i] || !sources.IsPacked(p.Info()) || p.Info().Attributes.Get("units") != nil {
			continue
		}
		is, was := of.parts[i].Info().Attributes.Get("units"), of.stored[i].Info().Attributes.Get("units")
		if !cf.SameMeaning("units", is, was) {
			v.report.Add(fmt.Errorf("%s: array %q: the times of %q, whose bounds it has, are brought to %q, but packed bounds are not: cf: unpack unpacks them first, source.time: keep leaves all times as they are", c.names[i], v.path, of.path, of.rebased))
		}
	}
}

// timeFault returns the error of times that are not brought to a clock. If the calendar of
// the times does not have the date of source.time.units, the job is at fault.
func (c *combined) timeFault(own, to sources.Clock, err error) error {
	_, unread := cf.ClockOf(own.Attributes)
	if _, wrong := cf.ClockOf(to.Attributes); wrong != nil && unread == nil && sources.AttributeText(to.Attributes, "units") == c.how.Time.Units {
		return &sources.JoinError{Field: "time.units", Err: err}
	}
	return err
}

// checkRebased reads the times that are rebased, unless the check of their order has read
// them, and reports those that cannot be exact.
func (c *combined) checkRebased(ctx context.Context, v *variable) error {
	c.packedBounds(v)
	if v.stored == nil {
		return nil
	}
	v.note("%s", v.rebasing)
	total := 0
	for i, p := range v.parts {
		if p != v.stored[i] {
			n, _ := ndarray.Elements(p.Info().Shape)
			total += n
		}
	}
	switch {
	case c.spans[v.path] != nil:
		return nil
	case total > MostTimes:
		v.findings = append(v.findings, cf.Finding{Code: Unchecked, Message: fmt.Sprintf("%d times are brought to one origin as they are copied: a time that cannot be exact stops the run", total), Hint: "source.time: keep leaves them as they are"})
		return nil
	}
	return sources.InParallel(ctx, len(v.parts), func(ctx context.Context, i int) error {
		if v.parts[i] == v.stored[i] {
			return nil
		}
		return sources.ReadThrough(ctx, v.parts[i])
	})
}

// refused adds to the error about a time that cannot be exact a hint that makes it exact.
// For any other error it returns nil.
func (c *combined) refused(v *variable, err error) error {
	var time *cf.RefusedTime
	if !errors.As(err, &time) {
		return nil
	}
	hint := ""
	switch time.Reason {
	case cf.Fraction:
		hint = c.finer(v, time.Type)
	case cf.Overflow:
		hint = fmt.Sprintf("arrays: {%s: {data_type: int64}} stores larger numbers", v.path)
	case cf.Taken:
		hint = "source.time: {units: …} counts from another moment"
	case cf.Early:
		hint = "give the files one calendar"
	}
	return fmt.Errorf("%w: %s", err, hint)
}

// finer returns a hint for times that type t cannot hold in the units of a variable: how to
// store them.
func (c *combined) finer(v *variable, t dtype.Type) string {
	if units := c.finest(v); units != "" && !floats(t) {
		return fmt.Sprintf("source.time: {units: %q} makes all times whole numbers", units)
	}
	return fmt.Sprintf("arrays: {%s: {data_type: float64}} stores fractions", cmp.Or(v.path, path.Base(v.path)))
}

// finest returns units in which all times of a variable are whole numbers, "" if there are
// none.
func (c *combined) finest(v *variable) string {
	var clocks []*cf.Clock
	if to, err := cf.ClockOf(c.reference(v).Attributes); err == nil {
		clocks = append(clocks, to)
	}
	for i, clock := range v.clocks {
		if v.parts[i] == nil {
			continue
		}
		if floats(clock.Type) {
			return ""
		}
		if one, err := cf.ClockOf(clock.Attributes); err == nil {
			clocks = append(clocks, one)
		}
	}
	return cf.FinestUnit(clocks)
}

func floats(t dtype.Type) bool { return t == dtype.Float32 || t == dtype.Float64 }
