package plan

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources/compare/comparetest"
	"github.com/zmigrate/zmigrate/zarr"
)

// part is a hierarchy with the coordinate t of one value, and beside it an array w.
type part struct {
	t          float64
	kind       dtype.Type
	w          []byte // the one element of w
	dims       string // of w
	attributes zarr.Attributes
}

// write writes the hierarchy into a new folder.
func (p part) write(t *testing.T, env environment.Environment) (folder string) {
	t.Helper()
	folder = t.TempDir()
	group, err := zarr.Document(&zarr.Group{})
	if err != nil {
		t.Fatal(err)
	}
	p.put(t, filepath.Join(folder, zarr.MetadataKey), group)
	time := ndarray.New(dtype.Float64, []int{1})
	list, _ := ndarray.As[float64](time)
	list[0] = p.t
	w := ndarray.New(p.kind, []int{1})
	if err := w.SetItems(func() ([]byte, error) { return p.w, nil }); err != nil {
		t.Fatal(err)
	}
	for _, array := range []struct {
		name, dim  string
		values     ndarray.Array
		attributes zarr.Attributes
	}{{"t", "t", time, nil}, {"w", p.dims, w, p.attributes}} {
		meta := &zarr.Array{
			Type: array.values.Type, Grid: zarr.Grid{Shape: []int{1}, Chunk: []int{1}}, Fill: array.values.Type.Default(),
			Codecs: standard.DefaultChain(array.values.Type), DimensionNames: []string{array.dim}, Attributes: array.attributes,
		}
		text, err := zarr.Document(meta)
		if err != nil {
			t.Fatal(err)
		}
		p.put(t, filepath.Join(folder, array.name, zarr.MetadataKey), text)
		chain, err := env.Codecs.Bind(meta.Codecs, codecs.Chunk{Type: meta.Type, Shape: meta.Grid.Chunk, Fill: meta.Fill})
		if err != nil {
			t.Fatal(err)
		}
		data, buffer, err := chain.Encode(&ndarray.Pool{}, array.values)
		if err != nil {
			t.Fatal(err)
		}
		p.put(t, filepath.Join(folder, array.name, "c", "0"), data)
		if buffer != nil {
			buffer.Release()
		}
	}
	return folder
}

func (p part) put(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// joinedAndAppended plans to join two hierarchies, and to append the second to the
// first, and returns both errors.
func joinedAndAppended(t *testing.T, env environment.Environment, a, b string) (joined, appended error) {
	t.Helper()
	planned := func(source, target string) error {
		j, err := jobfile.Parse("job.yaml", fmt.Appendf(nil, "zmigrate: 1\nsource: {driver: zarr, %s}\ntarget: {%s}\n", source, target), t.TempDir(), jobfile.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(t.Context(), j, env)
		if err == nil {
			err = p.Close()
		}
		return err
	}
	return planned(fmt.Sprintf("url: [%s, %s], concat: t", a, b), "url: joined.zarr"),
		planned("url: "+b, fmt.Sprintf("url: %s, existing: append, append: t", a))
}

// TestJoiningAndAppendingAgree joins and appends hierarchies with an array that is the
// same in both, or not, of every data type.
func TestJoiningAndAppendingAgree(t *testing.T) {
	env := jobtest.Environment()
	for _, kind := range comparetest.Types(t) {
		groups := comparetest.Samples(t, kind)
		last := groups[len(groups)-1]
		type pair struct {
			x, y []byte
			same bool
		}
		pairs := []pair{{groups[0][0], last[0], false}, {last[0], groups[0][0], false}}
		for _, group := range groups[:2] { // of floats the zeros and the NaNs, where there are such
			if len(group) > 1 {
				pairs = append(pairs, pair{group[0], group[len(group)-1], true})
			}
		}
		for _, p := range pairs {
			a := part{t: 0, kind: kind, w: p.x, dims: "x"}.write(t, env)
			b := part{t: 1, kind: kind, w: p.y, dims: "x"}.write(t, env)
			joined, appended := joinedAndAppended(t, env, a, b)
			if (joined == nil) != p.same || (appended == nil) != p.same {
				t.Errorf("%s, %x and %x:\njoined: %v\nappended: %v\nthe same: %v", kind.Name(), p.x, p.y, joined, appended, p.same)
			}
		}
	}
}

// TestJoiningAndAppendingAgreeOnAttributes joins and appends hierarchies whose arrays
// have attributes that say the same, or not.
func TestJoiningAndAppendingAgreeOnAttributes(t *testing.T) {
	env := jobtest.Environment()
	for _, test := range []struct {
		x, y string // of the first, which stay, and of the second
		same bool
	}{
		{`{"units": "K"}`, `{"units": "K"}`, true},
		{`{"units": "K"}`, `{"units": "degC"}`, false},
		{`{"units": "days since 2000-01-01"}`, `{"units": "days since 2000-1-1 00:00:00 UTC"}`, true},
		{`{"units": "days since 2000-01-01"}`, `{"units": "hours since 2000-01-01"}`, true},
		{`{"units": "days since 2000-01-01"}`, `{"units": "days since 2000-01-01", "calendar": "standard"}`, true},
		{`{"units": "days since 2000-01-01", "calendar": "standard"}`, `{"units": "days since 2000-01-01", "calendar": "proleptic_gregorian"}`, true},
		{`{"units": "days since 1000-01-01", "calendar": "standard"}`, `{"units": "days since 1000-01-01", "calendar": "proleptic_gregorian"}`, false},
		{`{"units": "days since 2000-01-01", "calendar": "standard"}`, `{"units": "days since 2000-01-01", "calendar": "noleap"}`, false},
		{`{"scale_factor": 1}`, `{"scale_factor": 1.0}`, true},
		{`{"scale_factor": 1}`, `{"scale_factor": 2}`, false},
		{`{"valid_range": [0, 1]}`, `{"valid_range": [0.0, 1e0]}`, true},
		{`{"valid_range": [0, 1]}`, `{"valid_range": [0, 2]}`, false},
		{`{"missing_value": "NaN"}`, `{}`, true},
		{`{}`, `{"missing_value": "NaN"}`, true},
		{`{"missing_value": 0}`, `{}`, false},
		{`{"missing_value": -9999}`, `{"missing_value": "AAAAAICHw8A="}`, true},
		{`{"missing_value": -9998}`, `{"missing_value": "AAAAAICHw8A="}`, false},
		{`{"coordinates": "lat lon"}`, `{}`, true},
		{`{}`, `{"coordinates": "lat lon"}`, false},
		{`{"coordinates": "lat lon"}`, `{"coordinates": "lon lat"}`, false},
		{`{"standard_name": "air_temperature"}`, `{}`, false},
		{`{"comment": "a"}`, `{"comment": "b"}`, true},
		{`{"history": "a"}`, `{}`, true},
	} {
		attributes := func(text string) (list zarr.Attributes) {
			if err := json.Unmarshal([]byte(text), &list); err != nil {
				t.Fatal(err)
			}
			return list
		}
		a := part{t: 0, kind: dtype.Float64, w: make([]byte, 8), dims: "t", attributes: attributes(test.x)}.write(t, env)
		b := part{t: 1, kind: dtype.Float64, w: make([]byte, 8), dims: "t", attributes: attributes(test.y)}.write(t, env)
		joined, appended := joinedAndAppended(t, env, a, b)
		if (joined == nil) != test.same || (appended == nil) != test.same {
			t.Errorf("%s and %s:\njoined: %v\nappended: %v\nthe same: %v", test.x, test.y, joined, appended, test.same)
		}
		for _, err := range []error{joined, appended} {
			if err != nil && !strings.Contains(err.Error(), "the attribute ") {
				t.Errorf("%s and %s: %v", test.x, test.y, err)
			}
		}
	}
}

// TestAppendKeepsMissingNaN appends to an array of an earlier version, which has a missing_value
// that new arrays lack. The plan does not say that the source lacks it.
func TestAppendKeepsMissingNaN(t *testing.T) {
	env := jobtest.Environment()
	nan := zarr.Attributes{{Name: "_FillValue", Value: json.RawMessage("0")}, {Name: "missing_value", Value: json.RawMessage(`"NaN"`)}}
	a := part{t: 0, kind: dtype.Int32, w: make([]byte, 4), dims: "t", attributes: nan}.write(t, env)
	b := part{t: 1, kind: dtype.Int32, w: make([]byte, 4), dims: "t", attributes: nan}.write(t, env)
	j, err := jobfile.Parse("job.yaml", fmt.Appendf(nil, "zmigrate: 1\nsource: {driver: zarr, url: %s}\ntarget: {url: %s, existing: append, append: t}\n", b, a), t.TempDir(), jobfile.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, array := range planOf(t, j).Arrays {
		if notes := strings.Join(array.Notes, "; "); strings.Contains(notes, "in the source it is") {
			t.Errorf("%s: %s", array.Target, notes)
		}
	}
}
