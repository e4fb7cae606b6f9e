package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/jobs/input"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/combine"
	"github.com/zmigrate/zmigrate/zarr"
)

// incomingClock is the clock of an array of the source. It is false for an array without
// times, and for one whose times stay as they are: the job says so, or gives it units,
// or its values are packed. Bounds inherit what they lack from their coordinate. The clock
// of packed bounds without units is true, so that rebaseTo refuses them.
func (b *builder) incomingClock(ctx context.Context) (sources.Clock, bool, error) {
	info := b.array.Info()
	clock := sources.Clock{Attributes: info.Attributes, Type: info.Type}
	given := b.options.Attributes.Get("units") != nil
	stays := sources.IsPacked(info)
	if b.boundsOf != "" {
		of, err := b.plan.source.Array(ctx, b.boundsOf)
		if err != nil {
			return clock, false, err
		}
		if info.Attributes.Get("units") == nil {
			o, _ := b.plan.Job.Options(b.boundsOf)
			given, stays = o.Attributes.Get("units") != nil, sources.IsPacked(of.Info())
		}
		clock.Attributes = sources.InheritClock(info.Attributes, of.Info().Attributes)
	}
	return clock, cf.IsClock(clock.Attributes.Get("units")) && !given && !stays && !b.plan.Job.Source.Time.Keep, nil
}

// rebaseTo brings the times of the array from the clock own to the clock to, if they differ.
// whose names the owner of the clock to in messages. whole says that bounds get the
// attributes of the clock; otherwise they inherit them from their coordinate.
func (b *builder) rebaseTo(ctx context.Context, own, to sources.Clock, whole bool, whose, hint string) error {
	x, y := own.Attributes, to.Attributes
	sameCalendar := cf.SameMeaning("calendar", x.Get("calendar"), y.Get("calendar")) || cf.SameAfterReform(x.Get("calendar"), y.Get("calendar"))
	if !cf.IsClock(y.Get("units")) || !sameCalendar || cf.SameMeaning("units", x.Get("units"), y.Get("units")) {
		return nil
	}
	fail := func(err error) error {
		_, field := b.plan.Job.Options(b.info.Path)
		return jobfile.Problems{b.plan.Job.Problem(field, err.Error(), hint)}
	}
	if sources.IsPacked(b.array.Info()) {
		hint = "cf: unpack unpacks them first, source.time: keep leaves all times as they are"
		return fail(fmt.Errorf("array %q: the times of %q, whose bounds it has, are brought to %s, but packed bounds are not", b.info.Path, b.boundsOf, y.Get("units")))
	}
	array, err := sources.Rebased(b.array, own, to, b.plan.sourceName())
	if err != nil {
		if _, unread := cf.ClockOf(x); unread != nil { // whatever the job says
			return err
		}
		return fail(err)
	}
	info := *array.Info()
	if b.boundsOf != "" && whole { // what the bounds inherit in the source no longer holds
		info.Attributes = info.Attributes.With("units", y.Get("units")).With("calendar", y.Get("calendar"))
	}
	info.DimensionNames = b.info.DimensionNames
	if n, _ := ndarray.Elements(info.Shape); n > combine.MostTimes {
		info.Findings = append(slices.Clip(info.Findings), cf.Finding{Code: combine.Unchecked, Message: fmt.Sprintf("%d times are brought to another origin as they are copied: a time that cannot be exact stops the run", n), Hint: "source.time: keep leaves them as they are"})
	} else if err := sources.ReadThrough(ctx, array); err != nil {
		if _, ok := errors.AsType[*cf.RefusedTime](err); ok {
			return fail(err)
		}
		return err
	}
	b.note("times are brought to the origin of %s, %q; in the source they are %q", whose, info.Rebased, sources.AttributeText(x, "units"))
	b.array, b.info = sources.Described(array, &info), &info
	return nil
}

// sourceName names the source in messages: by its file, if it is one.
func (p *Plan) sourceName() string {
	name := "source"
	files := 0
	for f := range p.source.Files() {
		if files++; files > 1 {
			return "source"
		}
		name = f.URL
	}
	return name
}

// rebaseToUnits gives the times of an array of a new target the units that the job names.
func (b *builder) rebaseToUnits(ctx context.Context, types *dtype.Registry) error {
	units := b.plan.Job.Source.Time.Units
	if units == "" {
		return nil
	}
	own, ok, err := b.incomingClock(ctx)
	if err != nil || !ok {
		return err
	}
	to := sources.Clock{Attributes: own.Attributes.With("units", sources.TextAttribute(units)), Type: own.Type}
	if t := input.TypeOf(b.plan.Job, b.info.Path, types); t != nil {
		to.Type = t
	}
	_, unread := cf.ClockOf(own.Attributes)
	if _, err := cf.ClockOf(to.Attributes); err != nil && unread == nil {
		return jobfile.Problems{b.plan.Job.Problem("source.time.units", fmt.Sprintf("array %q: %v", b.info.Path, err), "")}
	}
	return b.rebaseTo(ctx, own, to, false, "source.time", "name other units in source.time, or data_type: float64 for this array")
}

// rebaseToTarget brings the times of an array to the clock of the existing array, whose
// attributes and data type are given.
func (g *Growth) rebaseToTarget(ctx context.Context, b *builder, attributes zarr.Attributes, t dtype.Type) error {
	own, ok, err := b.incomingClock(ctx)
	if err != nil || !ok {
		return err
	}
	whole := attributes.Get("units") != nil
	if b.boundsOf != "" {
		of, err := b.plan.source.Array(ctx, b.boundsOf)
		if err != nil {
			return err
		}
		coordinate := &builder{plan: b.plan, info: of.Info()}
		coordinate.nameCoordinate(of.Info())
		coordinate.options, _ = b.plan.Job.Options(b.boundsOf)
		existing, err := g.target.Array(ctx, coordinate.path())
		if err != nil {
			return nil // the error is reported with the coordinate
		}
		attributes = sources.InheritClock(attributes, existing.Info().Attributes)
	}
	return b.rebaseTo(ctx, own, sources.Clock{Attributes: attributes, Type: t}, whole, "the target",
		"the units and the type of the target stay: migrate all files to a new target, with finer units in source.time")
}
