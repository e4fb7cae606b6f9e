package zarr_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/sources"
)

// TestOutline describes the nodes of a hierarchy by their documents, also those that cannot
// be opened. An array that was opened is described by what is known of it.
func TestOutline(t *testing.T) {
	uneven := map[string]any{"name": "rectilinear", "configuration": map[string]any{"kind": "inline", "chunk_shapes": []any{[]int{1, 3}, []int{4}}}}
	p := newPlace(t, map[string]string{
		"zarr.json": group, "g/zarr.json": `{"zarr_format":3,"node_type":"group","attributes":5}`, "closed/zarr.json": group,
		"a/zarr.json":      v3(t, map[string]any{"dimension_names": []string{"y", "x"}, "attributes": map[string]any{"units": "m"}}),
		"uneven/zarr.json": v3(t, map[string]any{"chunk_grid": uneven}),
		"bad/zarr.json":    v3(t, map[string]any{"shape": nil}),
	})
	p.faults["read closed/zarr.json"] = fs.ErrPermission
	src := open(t, url, p.options())
	format, nodes := src.(sources.Outlined).Outline(t.Context())
	var got []string
	for _, n := range nodes {
		problem := n.Problem != ""
		n.Problem = ""
		text, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		if problem {
			text = append(text, " with a problem"...)
		}
		got = append(got, string(text))
	}
	const array = `"kind":"array","data_type":"uint8","shape":[4,4],`
	const rest = `"fill_value":7,"codecs":["bytes"],`
	want := []string{
		`{"path":"","kind":"group","attributes":{"title":"x"}}`,
		`{"path":"a",` + array + `"chunk_shape":[2,4],` + rest + `"dimension_names":["y","x"],"attributes":{"units":"m"}}`,
		`{"path":"bad","kind":"array","attributes":{}} with a problem`,
		`{"path":"closed","kind":"","attributes":{}} with a problem`,
		`{"path":"g","kind":"","attributes":{}} with a problem`,
		`{"path":"uneven",` + array + rest + `"attributes":{}}`,
	}
	for i := range got { // the specs of codecs may have a configuration
		got[i] = strings.ReplaceAll(got[i], `{"name":"bytes"}`, `"bytes"`)
	}
	if diff := cmp.Diff(want, got); diff != "" || format != "Zarr v3" {
		t.Errorf("%s (-want +got):\n%s", format, diff)
	}
	a, err := src.Array(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	_, nodes = src.(sources.Outlined).Outline(t.Context())
	if diff := cmp.Diff(sources.NodeOf(a.Info()), nodes[1]); diff != "" {
		t.Errorf("an array that is open (-want +got):\n%s", diff)
	}

	// In v2 the arrays are opened.
	p = newPlace(t, map[string]string{".zgroup": groupV2, "a/.zarray": v2(t, nil)})
	src = open(t, url, p.options())
	format, nodes = src.(sources.Outlined).Outline(t.Context())
	if diff := cmp.Diff(sources.Nodes(t.Context(), src), nodes); diff != "" || format != "Zarr" || len(nodes) != 2 {
		t.Errorf("%s (-want +got):\n%s", format, diff)
	}
}

// TestNodesBelowArrays: what lies below an array is no node. A node above an array is a group,
// whatever its document says.
func TestNodesBelowArrays(t *testing.T) {
	nodes := map[string]string{"a": v3(t, nil), "a/b": v3(t, nil), "a/b/c": group, "g": group, "g/d": v3(t, nil), "g/d/e/f": v3(t, nil), "damaged": "{}", "damaged/x/y": v3(t, nil)}
	metadata := map[string]json.RawMessage{}
	for _, path := range slices.Sorted(maps.Keys(nodes)) {
		metadata[path] = json.RawMessage(nodes[path])
	}
	root := document(t, map[string]any{"zarr_format": 3, "node_type": "group"}, map[string]any{
		"consolidated_metadata": map[string]any{"kind": "inline", "must_understand": false, "metadata": metadata},
	})
	p := newPlace(t, map[string]string{"zarr.json": root})
	src := open(t, url, p.options())
	if diff := cmp.Diff([]string{"a", "damaged/x/y", "g/d"}, src.Arrays()); diff != "" {
		t.Errorf("arrays (-want +got):\n%s", diff)
	}
	var groups []string
	for _, g := range src.Groups() {
		groups = append(groups, g.Path)
	}
	if diff := cmp.Diff([]string{"", "damaged", "damaged/x", "g"}, groups); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}

// TestChangedThatFails: Changed tells of a server that does not answer.
func TestChangedThatFails(t *testing.T) {
	p := newPlace(t, map[string]string{"zarr.json": group})
	src := open(t, url, p.options())
	if err := src.Changed(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.faults["stat zarr.json"] = fs.ErrPermission
	if err := src.Changed(t.Context()); err == nil {
		t.Error("a server that does not answer has not changed")
	}
}

// TestChangedLists: only an array of which some chunks are not part of the identity is listed.
func TestChangedLists(t *testing.T) {
	for chunks, want := range map[int]bool{16: false, 17: true} {
		p := newPlace(t, map[string]string{"zarr.json": v3(t, map[string]any{
			"shape": []int{chunks}, "chunk_grid": map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{1}}},
		})})
		src := open(t, url, p.options())
		a, err := src.Array(t.Context(), "")
		if err == nil {
			err = readAt(t.Context(), a, 0, chunks)
		}
		p.taken()
		if err := errors.Join(err, src.Changed(t.Context())); err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(p.taken(), func(r string) bool { return strings.HasPrefix(r, "list ") }); got != want {
			t.Errorf("%d chunks: listed %v", chunks, got)
		}
	}
}

// TestObstacles: an array whose objects no array of Zarr v3 with one chunk shape has says
// why.
func TestObstacles(t *testing.T) {
	uneven := map[string]any{"name": "rectilinear", "configuration": map[string]any{"kind": "inline", "chunk_shapes": []any{[]int{1, 3}, []int{4}}}}
	p := newPlace(t, map[string]string{"zarr.json": group, "a/zarr.json": v3(t, nil), "uneven/zarr.json": v3(t, map[string]any{"chunk_grid": uneven})})
	src := open(t, url, p.options())
	for path, want := range map[string]bool{"a": false, "uneven": true} {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(a.Info().Obstacle, "no Zarr v3 array with a regular chunk grid"); got != want || (sources.AsStored(a) == nil) != want {
			t.Errorf("%s: %q", path, a.Info().Obstacle)
		}
	}
}

// TestKeptCodecs: without codecs that compute values, the stored elements are the values.
func TestKeptCodecs(t *testing.T) {
	p := newPlace(t, map[string]string{"zarr.json": v3(t, nil)})
	opt := p.options()
	opt.Kept = func(string, dtype.Type) bool { return true }
	a, err := open(t, url, opt).Array(t.Context(), "")
	if err != nil || a.Info().Packing != nil {
		t.Errorf("%v, %v", a.Info().Packing, err)
	}
}
