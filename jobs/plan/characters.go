package plan

import (
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/sources"
)

// takeCharacters turns an array of characters into texts, unless the job has options that
// only numbers can have. It sets the description of the array.
func (b *builder) takeCharacters() {
	texts, ok := sources.Texts(b.array)
	if ok && !b.forNumbers() {
		b.array, b.characters = texts, b.array
	} else {
		b.array = sources.Numbers(b.array)
	}
	b.info = withDimensions(b.array.Info(), b.dimensions)
}

// numbers turns texts of characters into numbers again, because an earlier version of this
// program made them numbers.
func (b *builder) numbers() {
	b.array, b.characters = sources.Numbers(b.characters), nil
	b.info = withDimensions(b.array.Info(), b.dimensions)
	b.options, b.field = b.plan.Job.Options(b.info.Path)
	b.skipOtherRanks()
}

// forNumbers reports whether the job treats an array of characters as one of numbers: by a
// data type of numbers, a fill value that is a number, the codecs of the source, or a list
// for all dimensions of an array whose texts have one dimension less.
func (b *builder) forNumbers() bool {
	o, info := &b.options, b.array.Info()
	if o.DataType != nil {
		t, err := b.env.Codecs.Types().ParseV3(o.DataType)
		_, number := t.(dtype.Numeric)
		return err == nil && number
	}
	if f := o.FillValue; len(f) > 0 && f[0] != '"' {
		return true
	}
	for _, list := range [][]int{explicit(o.Chunks.Shape, o.FromDefaults.Chunks), explicit(o.Shards, o.FromDefaults.Shards)} {
		if list != nil && len(list) == len(info.Shape) && info.Characters == sources.LastDimension {
			return true
		}
	}
	return o.Codecs.Keep || o.DimensionNames != nil && len(o.DimensionNames) == len(info.Shape) && info.Characters == sources.LastDimension
}

// explicit returns a list that the job gives for an array itself, and nil for one of the
// defaults.
func explicit(list []int, fromDefaults bool) []int {
	if fromDefaults {
		return nil
	}
	return list
}
