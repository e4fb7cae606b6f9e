package zarr

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
)

// foreign is a document of another program, with unknown fields, another spelling and
// another order.
const foreign = `{"zarr_format":3, "shape": [3,4], "node_type":"array","attributes":{"b":1e+20,"a":[1.0]},
 "storage_transformers":[], "extra":{"must_understand":false,"name":"x"}}`

func TestResized(t *testing.T) {
	got, err := Resized([]byte(foreign), Resizing{Shape: []int{30, 4}})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(foreign, "[3,4]", "[30,4]", 1)
	if diff := cmp.Diff(compact(t, []byte(want)), compact(t, got)); diff != "" {
		t.Error(diff)
	}
}

func FuzzResizedIn(f *testing.F) {
	f.Add([]byte(foreign))
	f.Add([]byte(`{"consolidated_metadata":{"kind":"inline","metadata":{"a":` + foreign + `}}}`))
	f.Add([]byte(`{"consolidated_metadata":null}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		shape := []int{7, 4}
		for _, edit := range []func([]byte) ([]byte, error){
			func(b []byte) ([]byte, error) { return Resized(b, Resizing{Shape: shape}) },
			func(b []byte) ([]byte, error) { return Consolidated(b, nil) },
			func(b []byte) ([]byte, error) { return WithAttributes(b, Attributes{{"b", []byte("7")}}) },
			func(b []byte) ([]byte, error) {
				text, ok, err := UpdatedIn(b, map[string][]byte{"a": []byte(foreign)})
				if err == nil && !ok {
					text = b
				}
				return text, err
			},
			func(b []byte) ([]byte, error) {
				text, ok, err := ResizedIn(b, map[string]Resizing{"a": {Shape: shape}})
				if err == nil && !ok {
					text = b
				}
				return text, err
			},
		} {
			once, err := edit(document)
			if err != nil {
				continue
			}
			if twice, err := edit(once); err != nil || string(compact(t, once)) != string(compact(t, twice)) {
				t.Errorf("%s becomes %s, and then %s, %v", document, once, twice, err)
			}
		}
	})
}

// TestResizedAsWritten grows a document of ours. The result equals, byte for byte, the
// document that is written for the grown array.
func TestResizedAsWritten(t *testing.T) {
	a := &Array{Type: dtype.Float32, Grid: Grid{Shape: []int{2, 3}, Chunk: []int{2, 2}}, Fill: dtype.Float32.Default(),
		Attributes: Attributes{{"units", json.RawMessage(`"m<2"`)}}, DimensionNames: []string{"", "x"}}
	was, err := Document(a)
	if err != nil {
		t.Fatal(err)
	}
	a.Grid.Shape = []int{5, 3}
	want, err := Document(a)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Resized(was, Resizing{Shape: a.Grid.Shape})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestResizedIn(t *testing.T) {
	group := `{"zarr_format":3,"node_type":"group","attributes":{},"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{` +
		`"g":{"zarr_format":3,"node_type":"group"},"g/a":` + foreign + `,"g/b":` + foreign + `}}}`
	got, ok, err := ResizedIn([]byte(group), map[string]Resizing{"g/a": {Shape: []int{7, 4}, Attributes: Attributes{{"b", nil}, {"c", []byte("2")}}}, "elsewhere": {Shape: []int{1}}})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	want := strings.Replace(strings.Replace(group, "[3,4]", "[7,4]", 1), `"b":1e+20,"a":[1.0]`, `"a":[1.0],"c":2`, 1)
	if diff := cmp.Diff(compact(t, []byte(want)), compact(t, got)); diff != "" {
		t.Error(diff)
	}
	for _, same := range []string{`{"zarr_format":3,"node_type":"group"}`, `{"consolidated_metadata": null}`, strings.ReplaceAll(group, "g/a", "g/c")} {
		if _, ok, err := ResizedIn([]byte(same), map[string]Resizing{"g/a": {Shape: []int{7, 4}}}); ok || err != nil {
			t.Errorf("%s: %v, %v", same, ok, err)
		}
	}
	for bad, want := range map[string]string{
		`[]`:                           "not a Zarr v3 document",
		`{"consolidated_metadata": 1}`: "consolidated_metadata: ",
		`{"consolidated_metadata": {"metadata": []}}`:         "consolidated_metadata.metadata: ",
		`{"consolidated_metadata": {"metadata": {"g/a": 3}}}`: "consolidated_metadata.metadata.g/a: ",
	} {
		if _, _, err := ResizedIn([]byte(bad), map[string]Resizing{"g/a": {Shape: []int{7, 4}}}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", bad, err, want)
		}
	}
	for _, bad := range []string{`[]`, ``, `{`} {
		if _, err := Consolidated([]byte(bad), nil); !errors.Is(err, ErrNotZarr) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := Consolidated([]byte(`{}`), map[string]json.RawMessage{"a": json.RawMessage(`{`)}); err == nil {
		t.Error("a node that is no JSON: no error")
	}
	if _, err := WithAttributes([]byte(`[]`), nil); !errors.Is(err, ErrNotZarr) {
		t.Errorf("got %v", err)
	}
	if _, err := WithAttributes([]byte(`{"attributes": 1}`), Attributes{{"a", []byte("1")}}); err == nil {
		t.Error("attributes that are no object: no error")
	}
	if _, err := Resized([]byte(`{"attributes": nan}`), Resizing{}); !errors.Is(err, ErrNotZarr) {
		t.Errorf("got %v", err)
	}
}

// TestNumbersOfPython changes documents with numbers that JSON lacks. They are read,
// and their spelling stays.
func TestNumbersOfPython(t *testing.T) {
	const array = `{"zarr_format":3,"node_type":"array","shape":[3],"attributes":{"missing_value":NaN,"range":[-Infinity,Infinity],"text":"NaN \" NaN"}}`
	const group = `{"zarr_format":3,"node_type":"group","attributes":{"nothing":NaN},"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"a":` + array + `}}}`
	if kind, err := NodeType([]byte(array)); kind != "array" || err != nil {
		t.Errorf("%s, %v", kind, err)
	}
	g, err := ParseGroup([]byte(group))
	if err != nil || string(g.Attributes.Get("nothing")) != `"NaN"` {
		t.Errorf("%+v, %v", g, err)
	}
	spaceless := func(text string) string { return strings.Join(strings.Fields(text), "") }
	for name, test := range map[string]struct {
		edit func() ([]byte, error)
		want string
	}{
		"array": {func() ([]byte, error) { return Resized([]byte(array), Resizing{Shape: []int{7}}) }, strings.Replace(array, "[3]", "[7]", 1)},
		"group": {func() ([]byte, error) {
			text, _, err := ResizedIn([]byte(group), map[string]Resizing{"a": {Shape: []int{7}}})
			return text, err
		}, strings.Replace(group, "[3]", "[7]", 1)},
		"nodes": {func() ([]byte, error) {
			text, _, err := UpdatedIn([]byte(strings.Replace(group, `"nothing":NaN`, `"nothing":1`, 1)), map[string][]byte{"a": []byte(`{"x":NaN}`), "b": []byte(array)})
			return text, err
		}, strings.Replace(strings.Replace(group, `"nothing":NaN`, `"nothing":1`, 1), `{"a":`+array+`}`, `{"a":{"x":NaN},"b":`+array+`}`, 1)},
		"attributes": {func() ([]byte, error) {
			return WithAttributes([]byte(array), Attributes{{"range", nil}, {"missing_value", []byte("1")}, {"more", []byte("2")}})
		}, strings.Replace(strings.Replace(array, `"missing_value":NaN,"range":[-Infinity,Infinity]`, `"missing_value":1`, 1), `NaN"}`, `NaN","more":2}`, 1)},
		"first attribute": {func() ([]byte, error) {
			return WithAttributes([]byte(`{"node_type":"group"}`), Attributes{{"a", []byte("1")}})
		},
			`{"node_type":"group","attributes":{"a":1}}`},
		"consolidated": {func() ([]byte, error) {
			return Consolidated([]byte(strings.Replace(group, "[3]", "[7]", 1)), map[string]json.RawMessage{"a": []byte(array)})
		}, group},
	} {
		got, err := test.edit()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(spaceless(test.want), spaceless(string(got))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestKeyEncodingsParse(t *testing.T) {
	for _, k := range []KeyEncoding{{}, {Name: "default", Separator: "."}, {Name: "v2"}, {Name: "v2", Separator: "/"}} {
		for _, index := range [][]int{{0}, {3, 0, 12}} {
			if got, ok := k.Parse(k.Key(index)); !ok || !cmp.Equal(got, index) {
				t.Errorf("%+v: %q gives %v, %v", k, k.Key(index), got, ok)
			}
		}
		if got, ok := k.Parse("zarr.json"); ok {
			t.Errorf("%+v: zarr.json gives %v", k, got)
		}
	}
}
