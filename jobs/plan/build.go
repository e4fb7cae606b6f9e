package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"runtime"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs/input"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/shapes"
	"github.com/zmigrate/zmigrate/readers"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
	"github.com/zmigrate/zmigrate/stages"
	"github.com/zmigrate/zmigrate/zarr"
)

// build returns the planned array and everything that is wrong with it. The array is nil if
// it cannot be planned.
func (b *builder) build() (*Array, jobfile.Problems) {
	b.notes = append(b.notes, b.info.Notes...)
	b.findings(b.info.Findings)
	if b.info.Packing != nil {
		b.packing()
	}
	meta := &zarr.Array{
		Type:           b.dataType(),
		Grid:           zarr.Grid{Shape: b.info.Shape},
		DimensionNames: b.dimensionNames(),
	}
	target := b.target()
	b.base.fits(b, meta.Type)
	if b.problems.Err() != nil {
		return nil, b.problems
	}
	b.notes = append(b.notes, b.env.Codecs.Types().Notes(meta.Type)...)
	in := codecs.Chunk{Type: meta.Type} // what the chain of the stored elements is bound to
	if b.outcome != nil {
		in.Type = b.info.Type
		meta.Fill, in.Fill = b.packedFill(meta.Type)
	} else {
		meta.Fill = b.fill(meta.Type)
		in.Fill = meta.Fill
	}
	meta.Attributes = b.attributes(meta)
	b.attributesFit(meta.Attributes)
	b.readableAttributes(meta)
	b.shapes().Extents(in.Type)
	b.keepShards()
	inner, differs := b.shapes().Chunks(in.Type)
	b.chose = b.chose || differs
	meta.Grid.Chunk = inner
	if b.options.Shards != nil {
		meta.Grid.Chunk = b.options.Shards
	}
	if err := meta.Grid.Check(); err != nil {
		b.wrong("chunks", err.Error(), "")
	} else if n := meta.Grid.Len(); n > shapes.MaxChunks {
		b.wrong("chunks", fmt.Sprintf("chunks of shape %v make %d objects, and an array can have at most %d", meta.Grid.Chunk, n, shapes.MaxChunks), "choose larger chunks")
	}
	if b.problems.Err() != nil {
		return nil, b.problems
	}
	in.Shape = inner
	chain := b.chain(in)
	if chain != nil && b.outcome != nil {
		meta.Codecs = b.packedSpecs(meta, chain)
	}
	if chain != nil && b.options.Shards != nil {
		chain = b.sharded(chain)
	}
	if chain == nil || b.problems.Err() != nil {
		return nil, b.problems
	}
	if b.outcome == nil {
		meta.Codecs = chain.Specs()
	}
	planned := &Array{
		Source: b.info.Path, Target: target, Type: b.info.Type, Meta: meta, Grid: &meta.Grid, Chain: chain, array: b.array,
		Reading: &Reading{convert: b.convert, removed: b.removed, rebased: b.info.Rebased},
	}
	if b.outcome != nil {
		planned.meaning = len(b.outcome.Codecs)
	}
	b.base.complete(b, planned)
	b.lossyAgain(planned)
	b.readable(planned)
	b.block(planned)
	b.notes = append(b.notes, shapes.ShardNotes(planned.Meta, planned.Chain, planned.stored != nil)...)
	if planned.Existing == nil && b.plan.Job.Target.References == "" { // otherwise the chunks cannot be chosen
		if field, w := b.shapes().Judge(planned.Chain, &planned.Meta.Grid); w.Code != "" {
			b.warn(field, w.Code, w.Message, w.Hint)
		}
	}
	if b.plan.Job.Target.DigestAttribute && !b.plan.Task(planned).Digest {
		b.note("its values get no digest, so it does not have the attribute %s; docs/verify.md says which values have digests", zarr.DigestAttribute)
	}
	planned.Notes = b.notes
	return planned, b.problems
}

// block chooses which chunks are read together, and checks that they fit run.memory.
func (b *builder) block(a *Array) {
	memory, resident := int(b.plan.Memory()), int(b.plan.Resident())
	task := b.plan.Task(a)
	if task.Cost() > memory {
		others := resident
		if resident > 0 { // of more memory, the source may keep up to three eighths
			others += (task.Cost() - memory) * 3 / 5
		}
		message, hint := task.TooLarge(memory, others)
		message = fmt.Sprintf("%s, run.memory is %s", message, words.Size(b.plan.Job.Run.Memory))
		if resident > 0 {
			message += fmt.Sprintf(", of which the source keeps %s", words.Size(int64(resident)))
		}
		b.wrong("chunks", message, hint)
		return
	}
	if a.stored != nil {
		a.Cost = task.Cost()
		return
	}
	if b.inLayers(a, task, memory/4) {
		return
	}
	// A quarter of the memory leaves room to read blocks while others are encoded and
	// written. A larger block is worth it in two cases: if fewer chunks of the source are
	// decoded several times, or if the units of the smaller block would keep too few
	// encoders and writers busy. In the second case, two blocks must still fit.
	workers := b.plan.Job.Run.Workers
	enough := cmp.Or(workers.Encode, runtime.GOMAXPROCS(0)) + cmp.Or(workers.Write, runtime.GOMAXPROCS(0))
	for _, limit := range []int{memory / 4, memory / 2, memory} {
		wider := task
		wider.Block, wider.AtOnce = task.ReadBlock(limit)
		decodes, chunks := wider.Decodes()
		idle := limit < memory && a.AtOnce > 0 && a.AtOnce < enough && decodes == a.Decodes
		if a.Block == nil || decodes < a.Decodes || idle {
			a.Block, a.AtOnce, a.Cost, a.Decodes, a.SourceChunks = wider.Block, wider.AtOnce, wider.Cost(), decodes, chunks
		}
	}
	if a.Decodes > a.SourceChunks {
		if once, ok := task.DecodeOnce(); ok {
			a.DecodeOnce = once + resident
		}
		a.OnceChunks = shapes.Once(task, b.info.Chunks, int64(memory), b.env.Codecs)
	}
}

// inLayers chooses layers, if the chunks are best written layer by layer. A store behind a
// network wants objects in larger parts.
func (b *builder) inLayers(a *Array, task stages.Task, limit int) bool {
	if !store.Local(b.plan.Job.Target.URL) {
		return false
	}
	writers := cmp.Or(b.plan.Job.Run.Workers.Write, runtime.GOMAXPROCS(0))
	if a.Layer, a.Block = task.InLayers(limit, limits.ShareOfDescriptors()/writers); a.Layer == nil {
		return false
	}
	task.Layer, task.Block = a.Layer, a.Block
	a.Cost = task.Cost()
	a.Decodes, a.SourceChunks = task.Decodes()
	return true
}

func (b *builder) dataType() dtype.Type {
	source := b.info.Type
	if b.outcome != nil {
		return b.outcome.Type
	}
	if b.options.DataType == nil {
		if _, err := source.V3(); err != nil {
			b.wrong("data_type", err.Error(), "")
		}
		return source
	}
	t, err := b.env.Codecs.Types().ParseV3(b.options.DataType)
	if err != nil {
		b.wrong("data_type", err.Error(), "")
		return source
	}
	if jobfile.SameElements(source, t) {
		return t
	}
	convert, problems := b.plan.Job.Conversion(b.env.Codecs, b.field, b.options, source, t)
	b.problems = append(b.problems, problems...)
	if b.otherSign(source) {
		b.wrong("data_type", fmt.Sprintf("the attribute _Unsigned gives the values another sign than that of %s, the type from which data_type converts", source.Name()),
			"attributes: {_Unsigned: null} converts the stored values; to keep their bits, give data_type the other sign and out_of_range: wrap, too")
	}
	if convert != nil {
		b.convert = convert
		b.note("values are converted from %s to %s by the rules of cast_value: %s", source.Name(), t.Name(), convert.Spec().Configuration)
	}
	return t
}

// otherSign reports whether the attribute _Unsigned gives integers of type t the other
// sign. It returns false if the job removes the attribute.
func (b *builder) otherSign(t dtype.Type) bool {
	for _, a := range b.options.Attributes {
		if a.Name == "_Unsigned" && string(a.Value) == "null" {
			return false
		}
	}
	n, ok := t.(dtype.Numeric)
	said := string(b.info.Attributes.Get("_Unsigned"))
	return ok && (n.Kind() == dtype.Int && said == `"true"` || n.Kind() == dtype.Uint && said == `"false"`)
}

func (b *builder) dimensionNames() []string {
	if b.options.DimensionNames == nil {
		if b.ownNames {
			return b.info.OwnNames
		}
		b.chose = b.chose || b.info.Axes
		return b.info.DimensionNames
	}
	if len(b.options.DimensionNames) != len(b.info.Shape) {
		b.wrong("dimension_names", fmt.Sprintf("%d names, the array has %d dimensions", len(b.options.DimensionNames), len(b.info.Shape)), "")
		return nil
	}
	names := make([]string, len(b.info.Shape))
	for i, name := range b.options.DimensionNames {
		if name != nil {
			names[i] = *name
		}
	}
	return names
}

// attributes returns the attributes of the target's array: those of the source, with those
// of the job merged over them.
func (b *builder) attributes(meta *zarr.Array) zarr.Attributes {
	list := b.info.Attributes
	if b.outcome != nil {
		list = b.outcome.Attributes
	}
	list = b.renamedAttributes(list)
	if was := list.Get(zarr.DigestAttribute); was != nil {
		b.note("the attribute %s of the source, %s, is left out: it is the digest of other values as soon as one changes", zarr.DigestAttribute, was)
		list = list.With(zarr.DigestAttribute, nil)
	}
	if fill := list.Get("_FillValue"); !b.keepsFill && noElement(meta.Type, fill) && b.options.Attributes.Get("_FillValue") == nil {
		b.chose = true
		list = list.With("_FillValue", nil)
		b.note("the attribute _FillValue (%s) is left out: no %s is equal to it, and xarray opens no array that has it, or takes another value for missing data", fill, meta.Type.Name())
	}
	if b.convert != nil && list.Get("_FillValue") != nil {
		list = list.With("_FillValue", sources.FillAttribute(meta.Type, meta.Fill))
		b.note("the attribute _FillValue is the fill value, in the type stored")
	}
	for _, a := range b.options.Attributes {
		if was := list.Get(a.Name); was != nil && string(a.Value) == "null" && compare.WeightOf(a.Name) == compare.Meaning {
			b.removed = b.removed.With(a.Name, was)
		}
		list = list.With(a.Name, b.storedFill(a, meta.Type))
		mode, field := input.CFMode(b.plan.Job, b.info.Path)
		if scales := a.Name == "scale_factor" || a.Name == "add_offset"; scales && string(a.Value) != "null" && (mode == cf.Codecs || mode == cf.Unpack) {
			p := b.plan.Job.Problem(b.field+".attributes."+a.Name,
				fmt.Sprintf("array %q: readers that know CF apply %s to values that are physical by %s: %s already", b.info.Path, a.Name, field, mode), "leave the attribute out, or choose cf: keep")
			p.Warning, p.Code = true, "scaled-twice"
			b.problems = append(b.problems, p)
		}
	}
	if missing := list.Get("missing_value"); !b.keepsFill && b.options.Attributes.Get("missing_value") == nil && unwritable(meta.Type, list) {
		b.chose = true
		list = list.With("missing_value", nil)
		b.note("the attribute missing_value (%s) is left out: NaN is missing data without it, and xarray opens the text but cannot write the array again", missing)
	}
	return list
}

// readableTimes notes times that readers cannot decode.
func (b *builder) readableTimes(list zarr.Attributes) {
	if !cf.IsClock(list.Get("units")) {
		return
	}
	if _, err := cf.ClockOf(list); err != nil {
		b.note("readers cannot decode its times, and xarray needs decode_times=False: %v; the job can give the array other units, or another calendar", err)
	}
}

// readableFill warns of an attribute _FillValue of the source in a form that xarray does not
// read. The attributes of an existing array stay as they are.
func (b *builder) readableFill(meta *zarr.Array) {
	if _, exists := b.base.fill(); exists || b.options.Attributes.Get("_FillValue") != nil {
		return
	}
	if refused := readers.UnreadFill(meta); refused.What != "" {
		b.warn("attributes._FillValue", sources.FillMeaning, fmt.Sprintf("xarray does not read %s, and cannot open the target", refused.What), "leave it out, with attributes: {_FillValue: null}")
	}
}

// readableAttributes warns of attributes that xarray does not read, or reads in another way.
func (b *builder) readableAttributes(meta *zarr.Array) {
	b.readableTimes(meta.Attributes)
	b.readableFill(meta)
	b.readableMissing(meta)
}

// readableMissing warns of an attribute missing_value of numbers with NaN or an infinity, which
// are texts in JSON. xarray then takes no value of the attribute for missing data. If NaN is the
// only value, nothing is lost: NaN is missing data without the attribute, too.
func (b *builder) readableMissing(meta *zarr.Array) {
	n, ok := meta.Type.(dtype.Numeric)
	value := meta.Attributes.Get("missing_value")
	if _, exists := b.base.fill(); exists || !ok || value == nil {
		return
	}
	var list []any
	if json.Unmarshal(value, &list) != nil {
		list = make([]any, 1)
		_ = json.Unmarshal(value, &list[0])
	}
	text, lost := false, false
	for _, x := range list {
		switch x {
		case "NaN":
			text = true
		case "Infinity", "-Infinity":
			text, lost = true, lost || n.Kind() == dtype.Float
		default:
			lost = true
		}
	}
	if text && lost {
		b.warn("attributes.missing_value", sources.FillMeaning, fmt.Sprintf("xarray takes no value of the attribute missing_value (%.80s) for missing data: it reads NaN and infinities as texts", value),
			"leave NaN out, with attributes: {missing_value: …}; an infinity can be _FillValue")
	}
}

// unwritable reports whether xarray reads an array but cannot write it again, because its
// missing_value is NaN alone, a text in JSON. That holds for integers, and beside a _FillValue.
// Without a _FillValue, xarray makes a float of the text.
func unwritable(t dtype.Type, list zarr.Attributes) bool {
	n, ok := t.(dtype.Numeric)
	if !ok || n.Kind() == dtype.Float && list.Get("_FillValue") == nil {
		return false
	}
	missing := list.Get("missing_value")
	return compare.SameJSON(missing, json.RawMessage(`"NaN"`)) || compare.SameJSON(missing, json.RawMessage(`["NaN"]`))
}

// noElement reports whether a _FillValue of integers is NaN, an infinity or a fraction, which
// no integer is equal to.
func noElement(t dtype.Type, fill json.RawMessage) bool {
	n, ok := t.(dtype.Numeric)
	if !ok || n.Kind() != dtype.Int && n.Kind() != dtype.Uint {
		return false
	}
	switch string(fill) {
	case `"NaN"`, `"Infinity"`, `"-Infinity"`:
		return true
	}
	var number float64
	return json.Unmarshal(fill, &number) == nil && number != math.Trunc(number)
}

// storedFill returns the value of an attribute of the job as it is stored. The attribute
// _FillValue of floats is stored in base64, like one from a source; the value of any other
// attribute does not change.
func (b *builder) storedFill(a zarr.Attribute, t dtype.Type) json.RawMessage {
	n, ok := t.(dtype.Numeric)
	if a.Name != "_FillValue" || !ok || n.Kind() != dtype.Float {
		return a.Value
	}
	value, err := t.ParseScalar(dtype.V3, a.Value)
	if err != nil {
		var stored []byte // as encoding/json reads base64
		if json.Unmarshal(a.Value, &stored) != nil || stored != nil && len(stored) != 8 {
			b.wrong("attributes._FillValue", fmt.Sprintf("%s is no %s", a.Value, t.Name()), "a number, \"NaN\", \"Infinity\" or \"-Infinity\"; null removes the attribute")
		}
		return a.Value // null, or the stored form
	}
	b.note("the attribute _FillValue (%s) is written in base64, the form that xarray reads", a.Value)
	return sources.FillAttribute(t, value)
}

func (b *builder) target() string {
	target := b.path()
	switch {
	case b.options.Rename != "":
	case b.name != "":
		b.note("named %s with its dimension", b.name)
	case b.info.Name != "":
		b.note("named %s: names that begin with __ are reserved, and rename gives it another one", b.info.Name)
	case target != "" && path.Base(target) != lastOf(b.info.Path):
		b.problems = append(b.problems, finding(b.plan.Job, "source", fmt.Sprintf("array %q", b.info.Path), renamed(path.Base(target), "rename gives it another name")))
	}
	if err := zarr.CheckPath(target); err != nil {
		b.wrong("rename", err.Error(), "give the array another name with rename")
	} else if err := store.CheckKey(b.plan.Job.Target.URL, path.Join(target, zarr.MetadataKey)); err != nil {
		b.wrong("rename", err.Error(), "give the array another name with rename")
	}
	return target
}
