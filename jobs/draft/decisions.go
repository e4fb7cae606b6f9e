package draft

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs/advise"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/readers"
)

// small is the size in bytes below which an array gets no entry of its own.
const small = 256 << 10

// entry is what is decided about one array.
type entry struct {
	name    string // path in the source
	what    string // for a comment
	chunks  string // as YAML
	codecs  string // as YAML; "": those of the defaults
	details string // for a comment behind the codecs
}

// decisions are those about all arrays.
type decisions struct {
	codecs  string // of the defaults, as YAML; "": the usual ones
	ratio   string // for a comment
	entries []entry
	others  int      // arrays without an entry
	packed  []string // arrays with CF packing
	readers []string // programs that read all arrays
	not     []string // why other programs do not
}

// decide tries codecs for the large arrays of a plan, and describes all of them.
func decide(ctx context.Context, p *plan.Plan, env environment.Environment, opt Options) (*decisions, error) {
	d := &decisions{}
	wanted := opt.Readers
	if wanted == nil {
		wanted = []string{"zarr-python", "xarray"}
	}
	advised := map[string]*advise.Advice{}
	for i := range p.Arrays {
		a := &p.Arrays[i]
		for _, name := range []string{"scale_factor", "add_offset"} {
			if a.Meta.Attributes.Get(name) != nil {
				d.packed = append(d.packed, a.Source)
				break
			}
		}
		if a.Bytes() < small || len(advised) >= opt.Trials {
			continue
		}
		advice, err := advise.Array(ctx, p, a, env, advise.Options{Goal: advise.Balanced, Tolerance: opt.Tolerance, Readers: wanted})
		if err != nil {
			return nil, err
		}
		if advice.Chosen() != nil {
			advised[a.Source] = advice
		}
	}
	d.codecs = common(advised, wanted)
	for i := range p.Arrays {
		a := &p.Arrays[i]
		if a.Bytes() < small || len(d.entries) >= 200 {
			d.others++
			continue
		}
		e := entry{name: a.Source, what: describe(a), chunks: chunksText(a)}
		if advice := advised[a.Source]; advice != nil {
			chosen := advice.Chosen()
			if usual := rowOf(advice, d.codecs); usual != nil && chosen.Ratio < 1.15*usual.Ratio {
				chosen = usual // one chain for all is worth more than some bytes
			}
			e.details = fmt.Sprintf("ratio %s; encodes %s/s, decodes %s/s", chosen.RatioText(), words.Size(int64(chosen.EncodeSpeed)), words.Size(int64(chosen.DecodeSpeed)))
			if chosen.Deviation != nil {
				e.details += ", errors up to " + chosen.ErrorText()
			}
			if text := chosen.CodecsText(); text != d.codecs {
				e.codecs = text
			}
		}
		d.entries = append(d.entries, e)
	}
	d.readable(p)
	return d, nil
}

// common returns the chain that is best for all arrays together, as text. It is one that suits
// other data types, too: the array → bytes codec without a configuration, and one codec behind
// it. "": there is none.
func common(advised map[string]*advise.Advice, wanted []string) string {
	scores, counts := map[string]float64{}, map[string]int{}
	for _, a := range advised {
		for i := range a.Rows {
			r := &a.Rows[i]
			if len(r.Codecs) != 2 || len(r.Codecs[0].Configuration) > 0 || r.Refused != "" || slices.ContainsFunc(wanted, func(w string) bool { return !slices.Contains(r.ReadBy, w) }) {
				continue
			}
			scores[r.CodecsText()] += r.Score(advise.Balanced) * float64(a.Bytes)
			counts[r.CodecsText()]++
		}
	}
	best := ""
	for _, text := range slices.Sorted(maps.Keys(counts)) {
		if counts[text] == len(advised) && (best == "" || scores[text] > scores[best]) {
			best = text
		}
	}
	return best
}

// rowOf returns the row of a chain, or nil.
func rowOf(a *advise.Advice, text string) *advise.Row {
	for i := range a.Rows {
		if a.Rows[i].CodecsText() == text && a.Rows[i].Refused == "" {
			return &a.Rows[i]
		}
	}
	return nil
}

// defaultCodecs returns a chain for arrays of all types: the codecs behind the array → bytes
// codec, which each type has its own.
func (d *decisions) defaultCodecs() string {
	_, behind, ok := strings.Cut(d.codecs, ", ")
	if !ok {
		return ""
	}
	return "[" + behind
}

// describe tells type, dimensions and size of an array.
func describe(a *plan.Array) string {
	text := a.Meta.Type.Name()
	if names := a.Meta.DimensionNames; len(names) > 0 && !slices.Contains(names, "") {
		text += ", " + strings.Join(names, " × ")
	}
	return fmt.Sprintf("%s: %s, %s", text, words.Shape(a.Meta.Grid.Shape), words.Size(a.Bytes()))
}

// chunksText returns the chunks of an array as YAML: by the names of its dimensions where each
// has one of its own.
func chunksText(a *plan.Array) string {
	chunk := a.Meta.Grid.Chunk
	if s, ok := a.Chain.InnerChunks(); ok {
		chunk = s.Inner().Chunk().Shape
	}
	names := a.Meta.DimensionNames
	named := len(names) == len(chunk) && len(names) > 0
	for i, name := range names {
		named = named && plainName(name) && !slices.Contains(names[:i], name)
	}
	parts := make([]string, len(chunk))
	for i, n := range chunk {
		if parts[i] = fmt.Sprint(n); named {
			parts[i] = names[i] + ": " + parts[i]
		}
	}
	if named {
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// plainName reports whether a name needs no quotes in YAML.
func plainName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '_'
	}) && !slices.Contains([]string{"true", "false", "null", "True", "False", "Null", "TRUE", "FALSE", "NULL"}, name)
}

// readable finds the programs that read all arrays.
func (d *decisions) readable(p *plan.Plan) {
	for _, name := range []string{"zarr-python", "xarray"} {
		var why string
		var newest *readers.Reader
		for _, r := range readers.All() {
			if r.Name == name {
				newest = r
			}
		}
		for i := range p.Arrays {
			if refused, refuses := newest.Refuses(p.Arrays[i].Meta); refuses && why == "" {
				why = fmt.Sprintf("%s does not read %s: %s", name, p.Arrays[i].Source, refused.What)
			}
		}
		if why == "" {
			d.readers = append(d.readers, name)
		} else {
			d.not = append(d.not, why)
		}
	}
}
