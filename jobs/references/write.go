package references

import (
	"context"
	"encoding/json"
	"fmt"
	"path"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sinks/kerchunk"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// Counts are figures of a table that was written.
type Counts struct {
	// Chunks is the number of chunks of all arrays, Inline of which are in the table, and
	// Missing of which are stored nowhere and hold the fill value.
	Chunks, Inline, Missing int
	Bytes                   int64 // of the chunks to which the table refers
}

// write writes all entries. It returns findings that only the chunks tell. An error about the source
// names the array. An error of the table is one of the target: what cannot be written may belong to
// an earlier array.
func (t *Table) write(ctx context.Context, to kerchunk.Table) (c Counts, findings jobfile.Problems, err error) {
	for _, group := range t.plan.GroupPaths() {
		err := to.Document(path.Join(group, zarr.GroupKeyV2), json.RawMessage(zarr.GroupV2))
		if list := t.plan.Groups[group]; err == nil && len(list) > 0 {
			var text []byte
			if text, err = json.Marshal(list); err == nil {
				err = to.Document(path.Join(group, zarr.AttributesKeyV2), text)
			}
		}
		if err != nil {
			return c, nil, ofTarget(err)
		}
	}
	for i := range t.Arrays {
		a := &t.Arrays[i]
		one, err := t.writeArray(ctx, to, a)
		if err != nil {
			return c, nil, err
		}
		c.Chunks, c.Inline, c.Missing, c.Bytes = c.Chunks+one.Chunks, c.Inline+one.Inline, c.Missing+one.Missing, c.Bytes+one.Bytes
		meta := *a.Meta
		if a.Inline {
			meta = inlined(meta)
		}
		if f := setFill(&meta, a.Meta.Fill, one.Missing > 0); f != nil {
			problem := t.plan.Job.Problem("target.references", fmt.Sprintf("array %q: %s", a.Source, f.Message), f.Hint)
			problem.Warning, problem.Code = true, f.Code
			findings = append(findings, problem)
		}
		document, attributes, err := meta.V2(t.env.Codecs)
		if err != nil {
			return c, nil, a.of(err)
		}
		if err = to.Document(path.Join(a.Target, zarr.ArrayKeyV2), document); err == nil {
			err = to.Document(path.Join(a.Target, zarr.AttributesKeyV2), attributes)
		}
		if err != nil {
			return c, nil, ofTarget(err)
		}
	}
	return c, findings, ofTarget(to.Close())
}

// of returns an error about the source of an array.
func (a *Array) of(err error) error { return fmt.Errorf("array %q: %w", a.Source, err) }

// ofTarget returns an error about the table, nil for nil.
func ofTarget(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("target: %w", err)
}

// writeArray writes the chunks of one array.
func (t *Table) writeArray(ctx context.Context, to kerchunk.Table, a *Array) (c Counts, err error) {
	if a.Inline {
		data, err := elements(ctx, t.plan, a.Array, t.env.Codecs)
		if err != nil {
			return c, a.of(err)
		}
		if data == nil {
			return c, nil
		}
		c.Chunks, c.Inline = 1, 1
		if err := to.Array(a.Target, 1); err != nil {
			return c, ofTarget(err)
		}
		return c, ofTarget(to.Chunk(kerchunk.Chunk{Key: zarr.KeysV2.Key(make([]int, len(a.Grid.Shape))), Inline: data}))
	}
	stored := t.plan.Task(a.Array).Stored
	if err := to.Array(a.Target, a.Chunks()); err != nil {
		return c, ofTarget(err)
	}
	var file, url string // of the chunk before
	var fill []byte      // of a chunk that is not stored
	for n := range a.Chunks() {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		c.Chunks++
		index := a.Grid.Index(n)
		in, err := stored.OpenStored(ctx, index)
		if err != nil {
			return c, a.of(err)
		}
		if in == nil {
			if c.Missing++; c.Missing == 1 {
				if fill, err = fillChunk(a); err != nil {
					return c, a.of(err)
				}
			}
			if err := to.Chunk(kerchunk.Chunk{Number: n, Inline: fill, Unstored: true}); err != nil {
				return c, ofTarget(err)
			}
			continue
		}
		at, ok := in.(sources.Located)
		if !ok {
			return c, a.of(fmt.Errorf("the place of chunk %v is not known", index))
		}
		location, offset := at.Locate()
		if location != file || url == "" {
			if url, err = fsspecURL(location); err != nil {
				return c, a.of(fmt.Errorf("%s: %w", store.Shown(location), err))
			}
			file = location
		}
		c.Bytes += in.Size()
		if err := to.Chunk(kerchunk.Chunk{Number: n, Key: zarr.KeysV2.Key(index), URL: url, Offset: offset, Length: in.Size()}); err != nil {
			return c, ofTarget(err)
		}
	}
	return c, nil
}

// mostFill bounds the bytes of an encoded chunk of nothing but the fill value.
const mostFill = 64 << 10

// fillChunk returns an encoded chunk of nothing but the fill value, or nil if it is too large.
func fillChunk(a *Array) ([]byte, error) {
	in := a.Chain.Chunk()
	if n, ok := ndarray.Bytes(in.Type, in.Shape); !ok || n > mostDecodedFill {
		return nil, nil
	}
	chunk := ndarray.New(in.Type, in.Shape)
	ndarray.Fill(chunk, in.Fill)
	data, err := a.Chain.AppendEncode(&ndarray.Pool{}, nil, chunk)
	if err != nil || len(data) > mostFill {
		return nil, err
	}
	return data, nil
}

// mostDecodedFill bounds the bytes of such a chunk before it is encoded.
const mostDecodedFill = 64 << 20
