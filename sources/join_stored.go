package sources

import (
	"bytes"
	"context"
	"slices"
	"sort"

	"github.com/zmigrate/zmigrate/codecs"
)

// joinedStored is a joined array that implements [Stored].
type joinedStored struct {
	*joined
	stored []Stored // of the parts
}

// withObjects returns an array that is [Stored] and gives the objects of the parts, if one
// grid and one chain for the whole array would make the same objects. Otherwise it returns
// j, and Obstacle says why.
func (j *joined) withObjects() Array {
	first := j.parts[0].Info()
	if j.info.Codecs == nil || j.info.Obstacle != "" || AsStored(j.parts[0]) == nil {
		return j
	}
	s := &joinedStored{joined: j}
	for i, p := range j.parts {
		info := p.Info()
		switch {
		case info.Obstacle != "":
			j.info.Obstacle = info.Obstacle
		case !slices.Equal(info.object(), first.object()):
			j.info.Obstacle = "the parts have chunks of different shapes"
		case !slices.EqualFunc(info.Codecs, first.Codecs, sameSpec):
			j.info.Obstacle = "the parts have different codecs"
		case !bytes.Equal(info.Fill, first.Fill):
			j.info.Obstacle = "the parts have different fill values"
		case i < len(j.parts)-1 && j.ends[i]%first.object()[j.dim] != 0:
			j.info.Obstacle = "not all parts end where a chunk ends"
		}
		if s.stored = append(s.stored, AsStored(p)); j.info.Obstacle != "" || s.stored[i] == nil {
			return j
		}
	}
	return s
}

// object is the shape of stored objects.
func (i *Info) object() []int {
	if i.Shards != nil {
		return i.Shards
	}
	return i.Chunks
}

func sameSpec(a, b codecs.Spec) bool {
	return a.Name == b.Name && bytes.Equal(a.Configuration, b.Configuration)
}

// find returns the part that has the object at index, and the object's index in that part.
func (s *joinedStored) find(index []int) (Stored, []int) {
	extent := s.parts[0].Info().object()[s.dim]
	begin := index[s.dim] * extent
	part := sort.SearchInts(s.ends, begin+1)
	if part > 0 {
		index = slices.Clone(index)
		index[s.dim] = (begin - s.ends[part-1]) / extent
	}
	return s.stored[part], index
}

// OpenStored implements [Stored].
func (s *joinedStored) OpenStored(ctx context.Context, index []int) (codecs.Input, error) {
	part, at := s.find(index)
	return part.OpenStored(ctx, at)
}

// VerifyStored implements [Stored].
func (s *joinedStored) VerifyStored(ctx context.Context, index []int, in codecs.Input) error {
	part, at := s.find(index)
	return part.VerifyStored(ctx, at, in)
}
