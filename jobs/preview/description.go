package preview

import (
	"encoding/json"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/zarr"
)

// CarriedThrough is the path of arrays whose stored objects are copied as they are. Other
// arrays are re-encoded.
const CarriedThrough = "carried through"

// Description is an array of a plan for people and for other programs. Shapes are in
// elements, except ReadBlock, which is in chunks. Memory, BytesRead and BytesAtMost are in
// bytes.
type Description struct {
	Source      string          `json:"source"`
	Target      string          `json:"target"`
	DataType    json.RawMessage `json:"data_type"`
	Shape       []int           `json:"shape"`
	Chunks      []int           `json:"chunk_shape"`
	Shards      []int           `json:"shard_shape,omitempty"`
	Objects     int             `json:"objects"`
	BytesRead   int64           `json:"bytes_read"`
	BytesAtMost int64           `json:"bytes_written_at_most,omitzero"` // 0: no bound is known
	ReadBlock   []int           `json:"read_block"`
	Decodes     int             `json:"source_chunk_decodes,omitempty"`
	Stored      int             `json:"source_chunks,omitempty"`
	DecodeOnce  int             `json:"memory_to_decode_once,omitempty"`
	OnceChunks  []int           `json:"chunk_shape_to_decode_once,omitempty"`
	Memory      int             `json:"memory"`
	Unsized     bool            `json:"memory_without_contents,omitempty"` // Memory leaves out the contents of elements, which have no fixed size
	Path        string          `json:"path"`
	Reason      string          `json:"reason,omitempty"` // why the stored objects are not carried through
	Append      *Appended       `json:"append,omitempty"`
	Losses      []Loss          `json:"losses"`
	ReadBy      []ReadBy        `json:"read_by"`
	Notes       []string        `json:"notes"`
	Metadata    *zarr.Array     `json:"metadata,omitempty"`
	Codecs      []codecs.Spec   `json:"-"` // of the metadata
}

// Loss is a lossy step of an array.
type Loss struct {
	Step   string  `json:"step"` // the name of a codec, or data_type for the conversion of the type
	What   string  `json:"what"`
	AtMost float64 `json:"at_most,omitempty"` // in the values of the array; left out: What says it, or there is no bound
}

// String returns the step in one line.
func (l Loss) String() string {
	return l.Step + ": " + codecs.Loss{What: l.What, AtMost: l.AtMost}.String()
}

// Appended says how an existing array grows.
type Appended struct {
	Dimension string `json:"dimension"`
	Rows      int    `json:"rows"`
	New       int    `json:"new_rows"`
	Rewritten int    `json:"objects_rewritten"`
}

// Describe describes an array, with its metadata document if metadata is set.
func Describe(a *plan.Array, metadata bool) (Description, error) {
	dataType, err := a.Meta.Type.V3()
	if err != nil {
		return Description{}, err
	}
	d := Description{
		Source: a.Source, Target: a.Target, DataType: dataType, Shape: a.Meta.Grid.Shape,
		Chunks: a.Meta.Grid.Chunk, Objects: a.Chunks(), BytesRead: a.Bytes(),
		ReadBlock: a.Block, Decodes: a.Decodes, Stored: a.SourceChunks, DecodeOnce: a.DecodeOnce, OnceChunks: a.OnceChunks,
		Memory: a.Cost, Path: CarriedThrough, Reason: a.Reason, Losses: []Loss{}, ReadBy: ReadersOf(a), Notes: a.Notes,
		Codecs: a.Meta.Codecs,
	}
	for _, l := range a.Losses() {
		d.Losses = append(d.Losses, Loss{l.Name, l.What, l.AtMost})
	}
	if a.Reason != "" {
		d.Path = "re-encoded"
		d.Unsized = a.Chain.Chunk().Type.Size() == 0
	}
	if most := a.Chain.Size(); !most.Unbounded {
		d.BytesAtMost = int64(a.Chunks()) * int64(most.Max)
	}
	if layout, ok := a.Chain.InnerChunks(); ok {
		d.Chunks, d.Shards = layout.Inner().Chunk().Shape, a.Meta.Grid.Chunk
	}
	if metadata {
		d.Metadata = a.Meta
	}
	if to := a.Append; to != nil {
		d.Append = &Appended{to.Dimension, to.Rows, to.New, to.Rewritten}
	}
	return d, nil
}
