package plan

import (
	"cmp"
	"fmt"
	"path"

	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/jobs/input"
	"github.com/zmigrate/zmigrate/jobs/shapes"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/combine"
	"github.com/zmigrate/zmigrate/zarr"
)

func (b *builder) wrong(field, message, hint string) {
	b.problems = append(b.problems, b.plan.Job.Problem(b.field+"."+field, fmt.Sprintf("array %q: %s", b.info.Path, message), hint))
}

func (b *builder) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

// findings reports the findings of a source about an array as warnings. It leaves out those
// that the job answers.
func (b *builder) findings(list []cf.Finding) {
	for _, f := range list {
		if f.Code == sources.FillMeaning && b.options.Attributes.Get("_FillValue") != nil {
			continue
		}
		_, field := input.CFMode(b.plan.Job, b.info.Path)
		switch f.Code {
		case combine.Uncompared:
			field = "source.join"
		case combine.Disordered:
			field = "source.order"
		case combine.Unchecked:
			field = "source.time"
		case sources.LeftOut, sources.MissingSources, sources.NotUTF8, sources.NotJSON, sources.Faulty, sources.Renamed:
			field = "source"
		}
		b.problems = append(b.problems, finding(b.plan.Job, field, fmt.Sprintf("array %q", b.info.Path), f))
	}
}

// path returns the path in the target of an array of the source.
func (b *builder) path() string {
	target := zarr.CleanPath(b.info.Path)
	if name := cmp.Or(b.options.Rename, b.name, b.info.Name); name != "" {
		return path.Join(path.Dir(target), name)
	}
	return target
}

func (b *builder) warn(field, code, message, hint string) {
	p := b.plan.Job.Problem(b.field+"."+field, fmt.Sprintf("array %q: %s", b.info.Path, message), hint)
	p.Warning, p.Code = true, code
	b.problems = append(b.problems, p)
}

// shapes returns what chooses the shapes of chunks and shards of the array.
func (b *builder) shapes() *shapes.Chooser {
	return &shapes.Chooser{
		Job: b.plan.Job, Options: &b.options, Source: b.array.Info(), Info: b.info,
		Coordinate: b.coordinate, Times: b.times, Earlier: b.earlier, Files: b.plan.countFiles,
	}
}
