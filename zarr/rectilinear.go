package zarr

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// rectilinear reads the configuration of the registered chunk grid "rectilinear" for an
// array of the given shape. Along each dimension, the configuration names one extent
// for all chunks, or lists the extents, where [extent, count] stands for several equal
// ones. Together the chunks must cover the array; chunks beyond it are left out. The
// result takes no more memory than the text.
func rectilinear(configuration json.RawMessage, shape []int) (Grid, error) {
	g := Grid{Shape: shape, Chunk: make([]int, len(shape))}
	fields, err := members(configuration, "kind", "chunk_shapes")
	if err != nil {
		return g, err
	}
	var kind string
	if err := json.Unmarshal(fields["kind"], &kind); err != nil || kind != "inline" {
		return g, fmt.Errorf(`kind: %s, want "inline"`, shown(fields["kind"]))
	}
	var dimensions []json.RawMessage
	if err := json.Unmarshal(fields["chunk_shapes"], &dimensions); err != nil || dimensions == nil {
		return g, fmt.Errorf("chunk_shapes: %s: want an array", shown(fields["chunk_shapes"]))
	}
	if len(dimensions) != len(shape) {
		return g, fmt.Errorf("chunk_shapes: %d dimensions, the array has %d", len(dimensions), len(shape))
	}
	uneven := false
	for k, text := range dimensions {
		runs, err := parseRuns(text, shape[k])
		if err != nil {
			return g, fmt.Errorf("chunk_shapes[%d]: %w", k, err)
		}
		for _, r := range runs {
			g.Chunk[k] = max(g.Chunk[k], r.Extent)
		}
		g.Runs = append(g.Runs, runs)
		uneven = uneven || len(runs) > 1
	}
	if !uneven {
		g.Runs = nil
	}
	return g, nil
}

// parseRuns reads the extents of chunks along a dimension. It returns at least one run,
// and joins neighbours of equal extent.
func parseRuns(text json.RawMessage, extent int) ([]Run, error) {
	if step, err := positive(text); err == nil {
		return []Run{{Extent: step, Count: max(ceil(extent, step), 1)}}, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(text, &items); err != nil || items == nil {
		return nil, fmt.Errorf("%s: want a positive integer, or an array of extents", shown(text))
	}
	var runs []Run
	begin, chunks := 0, 0
	for i, item := range items {
		r, err := parseRun(item)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
		if i > 0 && begin >= extent {
			continue // the run lies beyond the array
		}
		r.First, r.Begin = chunks, begin
		if need := max(ceil(extent-begin, r.Extent), 1); r.Count >= need {
			r.Count, begin = need, extent
		} else {
			begin += r.Count * r.Extent
		}
		chunks += r.Count
		if last := len(runs) - 1; last >= 0 && runs[last].Extent == r.Extent {
			runs[last].Count += r.Count
			continue
		}
		runs = append(runs, r)
	}
	switch {
	case len(runs) == 0:
		return nil, errors.New("no chunks")
	case begin < extent:
		return nil, fmt.Errorf("the chunks hold %d elements, the array has %d", begin, extent)
	}
	return runs, nil
}

// parseRun reads an extent, or an extent with a count.
func parseRun(text json.RawMessage) (Run, error) {
	if extent, err := positive(text); err == nil {
		return Run{Extent: extent, Count: 1}, nil
	}
	var pair []json.RawMessage
	if json.Unmarshal(text, &pair) != nil || len(pair) != 2 {
		return Run{}, fmt.Errorf("%s: want a positive integer, or [extent, count]", shown(text))
	}
	extent, err := positive(pair[0])
	if err != nil {
		return Run{}, err
	}
	count, err := positive(pair[1])
	return Run{Extent: extent, Count: count}, err
}

func positive(text json.RawMessage) (int, error) {
	var n *int
	if err := json.Unmarshal(text, &n); err != nil || n == nil || *n < 1 || *n > math.MaxInt/2 {
		return 0, fmt.Errorf("%s: want a positive integer", shown(text))
	}
	return *n, nil
}
