package advise

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray/deviation"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/jobs/trial"
	"github.com/zmigrate/zmigrate/readers"
)

// Row is a chain that was tried. Speeds are in bytes of elements a second, of one processor.
type Row struct {
	Codecs []codecs.Spec `json:"codecs"`
	// Ratio is the size of the elements divided by that of the encoded chunks. Uncertainty is
	// its standard error, as a part of it.
	Ratio       float64 `json:"ratio"`
	Uncertainty float64 `json:"uncertainty"`
	Stored      int64   `json:"bytes_stored"` // of the whole array
	EncodeSpeed float64 `json:"encode_bytes_per_second"`
	DecodeSpeed float64 `json:"decode_bytes_per_second"`
	// Deviation says how far decoded values are from those before; nil: the chain is lossless.
	Deviation *deviation.Deviation `json:"deviation,omitempty"`
	// ReadBy are the programs that read the array with this chain, in their newest version
	// that is known.
	ReadBy []string `json:"read_by"`
	// Current is set for the chain that the job has. Front is set for chains of the Pareto
	// front, and Chosen for the one that is recommended. Refused says why a chain cannot be
	// chosen, although it was tried; "": it can.
	Current bool   `json:"current,omitempty"`
	Front   bool   `json:"front,omitempty"`
	Chosen  bool   `json:"chosen,omitempty"`
	Refused string `json:"refused,omitempty"`
}

// carry gives the row of the job's chain the sizes of the objects that are carried through. An
// encoder of another program has made them. The share of the objects that carry looks at is that of
// tried among of chunks. elements is the size of the elements of the array, in bytes.
func (r *Row) carry(ctx context.Context, p *plan.Plan, a *plan.Array, tried, of int, elements int64) error {
	objects := (tried*a.Chunks() + of - 1) / max(of, 1) // shards have many chunks each
	e, err := trial.Array(ctx, p, a, objects)
	if err != nil {
		return err
	}
	r.Ratio, r.Uncertainty, r.Stored, r.Deviation = 0, 0, e.Stored, nil
	if e.Stored > 0 {
		r.Ratio = float64(elements) / float64(e.Stored)
	}
	if e.Uncertainty != nil {
		r.Uncertainty = *e.Uncertainty
	}
	return nil
}

// MaxError returns the greatest error that was measured; 0 for lossless chains.
func (r *Row) MaxError() float64 {
	if r.Deviation == nil {
		return 0
	}
	return float64(r.Deviation.Max)
}

// ReadByText lists the programs that read the chain, or those that do not if they are fewer.
func (r *Row) ReadByText() string {
	var others []string
	for _, reader := range readers.All() {
		if !slices.Contains(r.ReadBy, reader.Name) && !slices.Contains(others, reader.Name) {
			others = append(others, reader.Name)
		}
	}
	switch {
	case len(others) == 0:
		return "all"
	case len(others) < len(r.ReadBy):
		return "all but " + strings.Join(others, ", ")
	case len(r.ReadBy) == 0:
		return "none"
	}
	return strings.Join(r.ReadBy, ", ")
}

// CodecsText spells the chain as a job file has it, in one line.
func (r *Row) CodecsText() string {
	list := make([]any, len(r.Codecs))
	for i, s := range r.Codecs {
		var fields map[string]json.RawMessage
		if list[i] = s.Name; json.Unmarshal(s.Configuration, &fields) == nil && len(fields) > 0 {
			list[i] = map[string]json.RawMessage{s.Name: s.Configuration}
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return "" // a configuration is JSON, so this cannot be
	}
	var n yaml.Node // JSON is YAML
	if yaml.Unmarshal(text, &n) == nil {
		plain(&n)
		if y, err := yaml.Marshal(&n); err == nil {
			text = bytes.TrimSpace(y)
		}
	}
	return string(text)
}

// plain takes the quotes from texts that need none.
func plain(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		n.Style = 0
	} else {
		n.Style = yaml.FlowStyle
	}
	for _, c := range n.Content {
		plain(c)
	}
}

// finite returns x, or 0 if it is infinite or NaN.
func finite(x float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	return x
}
