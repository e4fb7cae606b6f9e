package preview

import (
	"maps"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/places"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// Figures are what a plan costs, or one array of a plan. The plan knows them without reading data,
// so most of them are bounds: chunks that hold only the fill value are counted like all others, and
// nothing is known of how well they compress.
type Figures struct {
	Objects int64 `json:"objects"`
	// BytesRead is the size of the elements that are read. ReadAmplification is how many times each of
	// them is read: more than once, if a source chunk is decoded for several blocks.
	BytesRead         int64   `json:"bytes_read"`
	ReadAmplification float64 `json:"read_amplification"`
	// BytesAtMost bounds the bytes of the objects. Unbounded is how many arrays it leaves out, because
	// no bound of their objects is known.
	BytesAtMost int64 `json:"bytes_written_at_most"`
	Unbounded   int   `json:"arrays_without_bound,omitempty"`
	// Memory bounds the chunk data in memory at the same time. If elements are of variable size, it
	// is run.memory, because only a run learns how large they are.
	Memory int64 `json:"memory_at_most"`
	// Source and Target are about how many requests go to each side. They are 0 for a place on this
	// machine. Retries are not included.
	Source RequestKinds `json:"source_requests"`
	Target RequestKinds `json:"target_requests"`
}

// RequestKinds are numbers of requests by their kind, because stores have other prices for each.
// A part of an object that is stored in parts is a put.
type RequestKinds struct {
	Get  int64 `json:"get"`
	Head int64 `json:"head"`
	List int64 `json:"list"`
	Put  int64 `json:"put"`
}

// The requests that a run makes for its checkpoint, its lock and what is around the target, beside
// those for each object and document. A run of more than run.checkpoint.every makes two or three
// more puts in each such interval.
const (
	stateGets  = 4
	stateHeads = 1
	stateLists = 8
	statePuts  = 8
)

// checksOfSource is how often a run asks whether a file of a remote source is the same: when it opens
// the file, and when it has read the last chunk.
const checksOfSource = 2

// listedAtOnce is how many keys a bucket returns for one request.
const listedAtOnce = 1000

// Costs computes the figures of a plan and of its arrays. It has gone through the files of the source,
// of which there may be very many, once.
type Costs struct {
	plan *plan.Plan
	// files is the number of files of a remote source, and documents that of the metadata documents of
	// Zarr or N5 among them. Where there are documents, all chunks are objects.
	files, documents int64
}

// CostsOf returns the costs of a plan.
func CostsOf(p *plan.Plan) *Costs {
	c := &Costs{plan: p}
	if !p.Job.Source.Far() {
		return c // reading costs no requests
	}
	for f := range p.Files() {
		c.files++
		if _, ok := places.HierarchyOf(f.URL); ok {
			c.documents++
		}
	}
	return c
}

// Array returns what one array of the plan costs. The requests are those for its objects and its
// document.
func (c *Costs) Array(a *plan.Array) Figures {
	p := c.plan
	f := Figures{Objects: int64(a.Chunks()), BytesRead: a.Bytes(), ReadAmplification: 1, Memory: p.Memory()}
	if a.Decodes > 0 {
		f.ReadAmplification = float64(a.Decodes) / float64(a.SourceChunks)
	}
	most := a.Chain.Size()
	if most.Unbounded {
		f.Unbounded = 1
	} else {
		f.BytesAtMost = f.Objects * int64(most.Max)
	}
	task := p.Task(a)
	blocks, ranges := reads(a, task.Source.Info())
	if cost := int64(a.Cost); !task.Variable() && (cost == 0 || blocks < f.Memory/cost) {
		f.Memory = blocks * cost
	}
	if p.Job.Source.Far() {
		f.Source.Get = ranges
		if a.SourceChunks > 0 && c.documents > 0 { // other formats have all chunks in one file
			f.Source.List = int64((a.SourceChunks + listedAtOnce - 1) / listedAtOnce)
		}
	}
	if store.Far(p.Job.Target.URL) {
		each := int64(1)
		if parts := (int64(most.Max) + store.PartBytes - 1) / store.PartBytes; !most.Unbounded && parts > 1 {
			each = parts + 2 // an upload in parts is begun and completed
		}
		f.Target.Put = f.Objects*each + 1
	}
	return f
}

// Total returns what the plan costs: the sum over its arrays, and what the documents, the
// checkpoint and the comparisons of the source take.
func (c *Costs) Total() Figures {
	p := c.plan
	var sum Figures
	var read float64
	targets := make([]string, len(p.Arrays))
	for i := range p.Arrays {
		f := c.Array(&p.Arrays[i])
		targets[i] = p.Arrays[i].Target
		sum.Objects += f.Objects
		sum.BytesRead += f.BytesRead
		read += f.ReadAmplification * float64(f.BytesRead)
		sum.BytesAtMost += f.BytesAtMost
		sum.Unbounded += f.Unbounded
		sum.Memory = min(sum.Memory+f.Memory, p.Memory())
		sum.Source.Get += f.Source.Get
		sum.Source.List += f.Source.List
		sum.Target.Put += f.Target.Put
	}
	sum.ReadAmplification = 1
	if sum.BytesRead > 0 {
		sum.ReadAmplification = read / float64(sum.BytesRead)
	}
	if p.Job.Source.Far() {
		sum.Source.Head = checksOfSource * c.files
		switch {
		case len(p.Job.Source.Arrays) > 0: // files with nothing but elements
		case c.documents > 0:
			sum.Source.Get += c.documents // all others are chunks
		default:
			sum.Source.Get += c.files // the metadata in each file
		}
	}
	if store.Far(p.Job.Target.URL) {
		groups := zarr.Parents(slices.AppendSeq(targets, maps.Keys(p.Groups)))
		sum.Target.Put += int64(len(groups)) + statePuts
		sum.Target.Get, sum.Target.Head, sum.Target.List = stateGets, stateHeads, stateLists
	}
	return sum
}

// reads returns in how many blocks an array is read, and at most about how many ranges of the source
// these are: one for each source chunk that is decoded or carried through, and otherwise those of
// [sources.Info.Reads].
func reads(a *plan.Array, info *sources.Info) (blocks, ranges int64) {
	if a.Block == nil || a.Chunks() == 0 {
		return int64(a.Chunks()), int64(a.Chunks())
	}
	cell := a.Grid.Chunk
	if layout, ok := a.Chain.InnerChunks(); ok {
		cell = layout.Inner().Chunk().Shape
	}
	blocks = 1
	extents := make([]int, len(cell)) // of a block, in elements
	for dim, n := range a.Block {
		extents[dim] = min(n*cell[dim], a.Grid.Shape[dim])
		blocks *= int64((a.Grid.Shape[dim] + n*cell[dim] - 1) / (n * cell[dim]))
	}
	if a.Decodes > 0 {
		return blocks, int64(a.Decodes)
	}
	ranges = info.Reads(extents)
	if n, _ := ndarray.Bytes(info.Type, extents); info.Remote && info.LongRun > 0 {
		ranges = max(ranges, int64(n/info.LongRun)) // these are read at the same time
	}
	return blocks, blocks * ranges
}
