package preview

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// Difference says what is at the place of an array of the plan before the run.
type Difference struct {
	Target string `json:"target"` // the path of the array
	// State is [Absent], [Equal] or [Different].
	State string `json:"state"`
	// Fields lists what differs, such as "chunks" or "attributes: units".
	Fields []string `json:"fields,omitempty"`
}

// The states of an array of the target, compared with the plan.
const (
	Absent    = "absent"    // nothing is there
	Equal     = "equal"     // the metadata are those of the plan; the values are not compared
	Different = "different" // an array with other metadata is there, or something else
)

// fieldNames are the names of the fields of an array's document, as a job file has them.
var fieldNames = map[string]string{
	"shape": "shape", "data_type": "data type", "chunk_grid": "chunks", "chunk_key_encoding": "chunk keys",
	"fill_value": "fill value", "codecs": "codecs", "dimension_names": "dimension names",
}

// Differences compares the metadata of the arrays that the target has now with those of the plan.
// It reads the documents of the target, and writes nothing.
func Differences(ctx context.Context, p *plan.Plan, env environment.Environment) (list []Difference, err error) {
	env = env.Complete()
	st, err := store.Open(ctx, p.Job.Target.URL, env.StoreOptions(p.Job, p.Limits.Target))
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	list = make([]Difference, len(p.Arrays))
	err = sources.InParallel(ctx, len(list), func(ctx context.Context, i int) error {
		a := &p.Arrays[i]
		list[i] = Difference{Target: a.Target, State: Absent}
		text, err := st.ReadAll(ctx, path.Join(a.Target, zarr.MetadataKey), zarr.MaxDocument)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("target: array %q: %w", a.Target, err)
		}
		fields, err := differing(p, a, text, env)
		list[i].State, list[i].Fields = Equal, fields
		if len(fields) > 0 {
			list[i].State = Different
		}
		return err
	})
	return list, err
}

// differing lists the fields in which a document of the target differs from that of an array of the
// plan.
func differing(p *plan.Plan, a *plan.Array, text []byte, env environment.Environment) ([]string, error) {
	kind, err := zarr.NodeType(text)
	if err != nil || kind != "array" {
		return []string{"not an array"}, nil
	}
	existing, err := zarr.ParseArray(text, env.Codecs.Types())
	if err != nil {
		return []string{"not readable: " + err.Error()}, nil
	}
	was, err := fieldsOf(existing)
	if err != nil {
		return []string{"not readable: " + err.Error()}, nil
	}
	will, err := fieldsOf(a.Meta)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(fieldNames)) {
		if !reflect.DeepEqual(was[name], will[name]) {
			list = append(list, fieldNames[name])
		}
	}
	before, _ := was["attributes"].(map[string]any)
	after, _ := will["attributes"].(map[string]any)
	if p.Job.Target.DigestAttribute {
		delete(before, zarr.DigestAttribute) // nobody knows that of the plan yet
	}
	var attributes []string
	all := map[string]any{}
	maps.Copy(all, before)
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		x, had := before[name]
		y, has := after[name]
		if had != has || !reflect.DeepEqual(x, y) {
			attributes = append(attributes, name)
		}
	}
	if attributes != nil {
		list = append(list, "attributes: "+strings.Join(attributes, ", "))
	}
	return list, nil
}

// fieldsOf returns the fields of the document of an array, as the program would write it. So two
// spellings of one thing are equal.
func fieldsOf(a *zarr.Array) (fields map[string]any, err error) {
	text, err := a.MarshalJSON()
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return fields, d.Decode(&fields)
}
