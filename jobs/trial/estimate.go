package trial

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/ndarray/deviation"
	"github.com/zmigrate/zmigrate/jobs/plan"
)

// Estimate is what a sample says of an array. Speeds are in bytes of elements a second, of one
// processor.
type Estimate struct {
	Chunks int   `json:"chunks"`    // chunks that were tried; inner chunks, if there are shards
	Of     int   `json:"chunks_of"` // chunks of the array
	Bytes  int64 `json:"bytes"`     // of the elements of the array
	Stored int64 `json:"bytes_stored"`
	// Ratio is Bytes divided by Stored. Uncertainty is its standard error as a part of it. Both
	// are left out if the sample does not tell them.
	Ratio       *float64 `json:"ratio,omitempty"`
	Uncertainty *float64 `json:"uncertainty,omitempty"`
	ReadSpeed   float64  `json:"read_bytes_per_second,omitempty"`
	EncodeSpeed float64  `json:"encode_bytes_per_second,omitempty"`
	DecodeSpeed float64  `json:"decode_bytes_per_second,omitempty"`
	// Read and Encode are the times that one reader, and one encoder, would take for the whole
	// array.
	Read   time.Duration `json:"-"`
	Encode time.Duration `json:"-"`
	// Deviation says how far values were from those of the source. nil: the array is lossless,
	// or carried through.
	Deviation *deviation.Deviation `json:"deviation,omitempty"`
}

// MarshalJSON implements [json.Marshaler]. Times are in seconds.
func (e Estimate) MarshalJSON() ([]byte, error) {
	type fields Estimate
	return json.Marshal(struct {
		fields
		Read   float64 `json:"read_seconds"`
		Encode float64 `json:"encode_seconds"`
	}{fields(e), e.Read.Seconds(), e.Encode.Seconds()})
}

// Array tries n chunks of an array with the codecs of its plan. Chunks that are carried
// through are read, and not decoded.
func Array(ctx context.Context, p *plan.Plan, a *plan.Array, n int) (Estimate, error) {
	t := p.Task(a)
	if t.Stored != nil {
		return carried(ctx, t.Stored, a, n)
	}
	cells, overhead := a.Chain, int64(0)
	if s, ok := a.Chain.InnerChunks(); ok {
		cells, overhead = s.Inner(), int64(s.IndexSize())
	}
	m := NewMeasured(p.Job.Run.Memory)
	reading, err := Read(ctx, &t, cells.Chunk(), t.Block, n, p.Job.Run.Memory, func(c Cell) error {
		return m.Try(cells, c, t.KeepEmpty)
	})
	if err != nil {
		return Estimate{}, err
	}
	e := Estimate{Chunks: m.Chunks, Of: reading.Of, Bytes: m.Whole(a.Grid.Shape, cells.Chunk())}
	if m.Bytes > 0 {
		part := float64(e.Bytes) / float64(m.Bytes)
		// A shard without chunks is not stored, and has no index.
		indexes := float64(overhead) * float64(a.Chunks()) * float64(m.Chunks-m.Empty) / float64(m.Chunks)
		e.Stored = int64(math.Round(float64(m.Stored)*part + indexes))
		e.Encode = time.Duration(float64(m.Encode) * part)
	}
	if reading.Bytes > 0 {
		e.Read = time.Duration(float64(reading.Time) * float64(e.Bytes) / float64(reading.Bytes))
	}
	e.ratio(m.Uncertainty(e.Of))
	e.ReadSpeed, e.EncodeSpeed, e.DecodeSpeed = speed(reading.Bytes, reading.Time), m.EncodeSpeed(), m.DecodeSpeed()
	if losses := a.Chain.Losses(); len(losses) > 0 {
		d := m.Deviation
		d.Finish()
		d.Array = a.Target
		for _, l := range losses {
			d.Losses = append(d.Losses, l.Name+": "+l.String())
		}
		d.Bound = codecs.BoundOf(losses)
		e.Deviation = &d
	}
	return e, nil
}

// ratio sets Ratio and Uncertainty.
func (e *Estimate) ratio(uncertainty float64) {
	if e.Stored > 0 {
		ratio := float64(e.Bytes) / float64(e.Stored)
		e.Ratio = &ratio
		if !math.IsInf(uncertainty, 0) {
			e.Uncertainty = &uncertainty
		}
	}
}

// carried estimates an array whose objects are carried through.
func carried(ctx context.Context, from interface {
	OpenStored(ctx context.Context, index []int) (codecs.Input, error)
}, a *plan.Array, n int) (Estimate, error) {
	m := Measured{}
	in := a.Chain.Chunk()
	piece := make([]byte, 8<<20)
	began := time.Now()
	read := int64(0)
	for _, index := range spread(*a.Grid, n) {
		object, err := from.OpenStored(ctx, index)
		if err != nil {
			return Estimate{}, err
		}
		bytes, _ := ndarray.Bytes(in.Type, a.Grid.Region(index).Shape)
		size := int64(0)
		if object != nil {
			size = object.Size()
		}
		for off := int64(0); off < size; off += int64(len(piece)) {
			if err := object.ReadAt(ctx, piece[:min(int64(len(piece)), size-off)], off); err != nil {
				return Estimate{}, err
			}
		}
		read += size
		m.Chunks, m.Bytes, m.Stored = m.Chunks+1, m.Bytes+int64(bytes), m.Stored+size
		m.sizes = append(m.sizes, sizes{float64(bytes), float64(size)})
	}
	took := time.Since(began)
	e := Estimate{Chunks: m.Chunks, Of: a.Grid.Len(), Bytes: m.Whole(a.Grid.Shape, in)}
	if in.Type.Size() == 0 {
		e.Stored = int64(float64(m.Stored) * float64(e.Of) / float64(max(m.Chunks, 1)))
	} else if m.Bytes > 0 {
		e.Stored = int64(math.Round(float64(m.Stored) * float64(e.Bytes) / float64(m.Bytes)))
		e.ratio(m.Uncertainty(e.Of))
	}
	if read > 0 {
		e.Read = time.Duration(float64(took) * float64(e.Stored) / float64(read))
	}
	e.ReadSpeed = speed(m.Bytes, took)
	return e, nil
}
