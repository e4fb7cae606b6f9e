package sinks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/zarr"
)

// recorder is a store that keeps its objects and the order of the operations.
type recorder struct {
	mu         sync.Mutex
	operations []string // "put KEY" and "sync"
	objects    map[string][]byte
	failAt     int // the operation that fails, counted from 1; 0: none
}

var errStore = errors.New("the store is gone")

func (r *recorder) do(operation string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.operations = append(r.operations, operation)
	if len(r.operations) == r.failAt {
		return errStore
	}
	return nil
}

func (r *recorder) PutVersion(ctx context.Context, key string, data []byte) (string, error) {
	err := r.Put(ctx, key, data)
	return "version of " + key, err
}

func (r *recorder) Put(_ context.Context, key string, data []byte) error {
	if err := r.do("put " + key); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.objects == nil {
		r.objects = map[string][]byte{}
	}
	r.objects[key] = bytes.Clone(data)
	return nil
}

// NewWriter returns a writer to a store that is thrown away: a recorder only records the
// order of the documents.
func (r *recorder) NewWriter(ctx context.Context, key string) (*store.Writer, error) {
	if err := r.do("write " + key); err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, "mem://nowhere", store.Options{})
	if err != nil {
		return nil, err
	}
	return s.NewWriter(ctx, key)
}

func (r *recorder) Sync(context.Context) error { return r.do("sync") }

// sorted returns operations with the puts that may go out at the same time in the order of their keys.
func sorted(operations []string) []string {
	list := slices.Clone(operations)
	for first := 0; first < len(list); first++ {
		end := first
		for end < len(list) && strings.HasPrefix(list[end], "put ") {
			end++
		}
		slices.Sort(list[first:end])
		first = end
	}
	return list
}

// goesOn tells whether a hierarchy does more after an operation has failed than puts that may go out
// at the same time.
func goesOn(after []string) bool {
	return slices.ContainsFunc(after, func(op string) bool { return !strings.HasPrefix(op, "put ") || op == "put zarr.json" })
}

// array is the metadata of a small array.
func array(attributes ...zarr.Attribute) *zarr.Array {
	return &zarr.Array{
		Type: dtype.Uint8, Grid: zarr.Grid{Shape: []int{4}, Chunk: []int{2}}, Fill: dtype.Uint8.Default(),
		Codecs: []codecs.Spec{{Name: "bytes"}}, Attributes: attributes,
	}
}

// hierarchy is a tree with arrays at different depths, a group with attributes, and
// groups that exist only because they have members.
func hierarchy() (map[string]*zarr.Array, map[string]zarr.Attributes) {
	arrays := map[string]*zarr.Array{
		"top":       array(zarr.Attribute{Name: "units", Value: json.RawMessage(`"K"`)}),
		"g/a":       array(),
		"g/h/b":     array(),
		"implied/c": array(),
	}
	groups := map[string]zarr.Attributes{
		"":  {{Name: "title", Value: json.RawMessage(`"all"`)}},
		"g": {{Name: "note", Value: json.RawMessage(`[1,2]`)}},
	}
	return arrays, groups
}

func finish(ctx context.Context, r sinks.Store, consolidated bool) error {
	h := sinks.New(r)
	arrays, groups := hierarchy()
	for _, p := range []string{"g/a", "g/h/b", "implied/c", "top"} {
		if err := h.PutArray(ctx, p, arrays[p]); err != nil {
			return err
		}
	}
	return h.Finish(ctx, arrays, groups, nil, consolidated)
}

func TestOrderOfDocuments(t *testing.T) {
	var r recorder
	if err := finish(t.Context(), &r, true); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"put g/a/zarr.json", "put g/h/b/zarr.json", "put implied/c/zarr.json", "put top/zarr.json",
		"put g/h/zarr.json", "put g/zarr.json", "put implied/zarr.json", "sync",
		"put zarr.json", "sync",
	}
	if diff := cmp.Diff(want, slices.Concat(r.operations[:4], sorted(r.operations[4:]))); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
}

func TestDocuments(t *testing.T) {
	var r recorder
	if err := finish(t.Context(), &r, true); err != nil {
		t.Fatal(err)
	}
	type document struct {
		Format       int            `json:"zarr_format"`
		Kind         string         `json:"node_type"`
		Attributes   map[string]any `json:"attributes"`
		Consolidated *struct {
			Kind           string                     `json:"kind"`
			MustUnderstand *bool                      `json:"must_understand"`
			Metadata       map[string]json.RawMessage `json:"metadata"`
		} `json:"consolidated_metadata"`
	}
	read := func(text []byte) (d document) {
		t.Helper()
		if err := json.Unmarshal(text, &d); err != nil {
			t.Errorf("%v in %s", err, text)
		}
		if d.Format != 3 {
			t.Errorf("zarr_format %d in %s", d.Format, text)
		}
		return d
	}
	kinds := map[string]string{}
	for key, text := range r.objects {
		kinds[key] = read(text).Kind
	}
	want := map[string]string{
		"zarr.json": "group", "g/zarr.json": "group", "g/h/zarr.json": "group", "implied/zarr.json": "group",
		"top/zarr.json": "array", "g/a/zarr.json": "array", "g/h/b/zarr.json": "array", "implied/c/zarr.json": "array",
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"note": []any{1.0, 2.0}}, read(r.objects["g/zarr.json"]).Attributes); diff != "" {
		t.Errorf("attributes of g (-want +got):\n%s", diff)
	}
	root := read(r.objects["zarr.json"])
	if diff := cmp.Diff(map[string]any{"title": "all"}, root.Attributes); diff != "" {
		t.Errorf("attributes of the root (-want +got):\n%s", diff)
	}
	c := root.Consolidated
	if c == nil || c.Kind != "inline" || c.MustUnderstand == nil || *c.MustUnderstand {
		t.Fatalf("consolidated metadata %+v", c)
	}
	for key := range want {
		if key == zarr.MetadataKey {
			continue
		}
		text, ok := c.Metadata[path.Dir(key)]
		if !ok {
			t.Errorf("consolidated metadata lacks %s", path.Dir(key))
			continue
		}
		if diff := cmp.Diff(decode(t, r.objects[key]), decode(t, text)); diff != "" {
			t.Errorf("%s (-alone +consolidated):\n%s", key, diff)
		}
	}
	if len(c.Metadata) != len(want)-1 {
		t.Errorf("consolidated metadata has %d nodes, want %d", len(c.Metadata), len(want)-1)
	}

	var plain recorder
	if err := finish(t.Context(), &plain, false); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(plain.objects["zarr.json"], []byte("consolidated")) {
		t.Errorf("consolidated metadata that nobody asked for: %s", plain.objects["zarr.json"])
	}
}

func decode(t *testing.T, text []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Errorf("%v in %s", err, text)
	}
	return v
}

func TestArrayAtTheRoot(t *testing.T) {
	var r recorder
	if err := sinks.New(&r).Finish(t.Context(), map[string]*zarr.Array{"": array()}, nil, nil, true); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"sync", "put zarr.json", "sync"}, r.operations); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	if !bytes.Contains(r.objects["zarr.json"], []byte(`"node_type": "array"`)) {
		t.Errorf("the root is no array: %s", r.objects["zarr.json"])
	}
	for i := range r.operations {
		failing := recorder{failAt: i + 1}
		err := sinks.New(&failing).Finish(t.Context(), map[string]*zarr.Array{"": array()}, nil, nil, true)
		if !errors.Is(err, errStore) || len(failing.operations) != i+1 {
			t.Errorf("%s failed: %v after %v", r.operations[i], err, failing.operations)
		}
	}
}

// TestFinishBesideOthers finishes a hierarchy that has other nodes already. Their
// documents are not written again. The root's document lists them, but not itself.
func TestFinishBesideOthers(t *testing.T) {
	var r recorder
	others := map[string]json.RawMessage{
		"":      json.RawMessage(`{"zarr_format": 3, "node_type": "group", "attributes": {"kept": 1}}`),
		"g":     json.RawMessage(`{"zarr_format": 3, "node_type": "group", "attributes": {"older": 2}}`),
		"g/old": json.RawMessage(`{"zarr_format": 3, "node_type": "array"}`),
	}
	if err := sinks.New(&r).Finish(t.Context(), map[string]*zarr.Array{"g/a": array()}, nil, others, true); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"sync", "put zarr.json", "sync"}, r.operations); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	var root struct {
		Attributes   map[string]int `json:"attributes"`
		Consolidated struct {
			Metadata map[string]struct {
				Attributes map[string]int `json:"attributes"`
			} `json:"metadata"`
		} `json:"consolidated_metadata"`
	}
	if err := json.Unmarshal(r.objects["zarr.json"], &root); err != nil {
		t.Fatal(err)
	}
	nodes := root.Consolidated.Metadata
	if diff := cmp.Diff([]string{"g", "g/a", "g/old"}, slices.Sorted(maps.Keys(nodes))); diff != "" {
		t.Errorf("consolidated (-want +got):\n%s", diff)
	}
	if root.Attributes["kept"] != 1 || nodes["g"].Attributes["older"] != 2 {
		t.Errorf("attributes: %s", r.objects["zarr.json"])
	}
}

// TestSync: Sync returns the store's errors.
func TestSync(t *testing.T) {
	r := recorder{failAt: 2}
	h := sinks.New(&r)
	if first, second := h.Sync(t.Context()), h.Sync(t.Context()); first != nil || !errors.Is(second, errStore) {
		t.Errorf("%v, then %v", first, second)
	}
}

// TestEveryOperationFails fails each operation in turn. Finish returns the error, and the
// root's document exists only if everything below it does.
func TestEveryOperationFails(t *testing.T) {
	var whole recorder
	if err := finish(t.Context(), &whole, true); err != nil {
		t.Fatal(err)
	}
	for i := range whole.operations {
		r := recorder{failAt: i + 1}
		if err := finish(t.Context(), &r, true); !errors.Is(err, errStore) {
			t.Errorf("%s failed, the error is %v", whole.operations[i], err)
		}
		if goesOn(r.operations[i+1:]) {
			t.Errorf("%s failed, but %v followed", whole.operations[i], r.operations[i+1:])
		}
		if err := finish(t.Context(), &r, true); err != nil { // once more
			t.Errorf("after %s: %v", whole.operations[i], err)
		}
		if diff := cmp.Diff(whole.objects, r.objects); diff != "" {
			t.Errorf("after %s (-undisturbed +repeated):\n%s", whole.operations[i], diff)
		}
	}
}

func TestMetadataThatCannotBeWritten(t *testing.T) {
	bad := array(zarr.Attribute{Name: "broken", Value: json.RawMessage(`{`)})
	h := sinks.New(&recorder{})
	many := map[string]*zarr.Array{"z": bad} // so many that the root's document is streamed
	for i := range 1500 {
		many[fmt.Sprint("a", i)] = array()
	}
	for name, err := range map[string]error{
		"array":  h.PutArray(t.Context(), "g/a", bad),
		"root":   h.Finish(t.Context(), map[string]*zarr.Array{"": bad}, nil, nil, true),
		"finish": h.Finish(t.Context(), map[string]*zarr.Array{"g/a": bad}, nil, nil, true),
		"group":  h.Finish(t.Context(), nil, map[string]zarr.Attributes{"g": bad.Attributes}, nil, true),
		"beside": h.Finish(t.Context(), map[string]*zarr.Array{"g/a": bad}, nil, map[string]json.RawMessage{"": json.RawMessage(`{}`)}, true),
		"many":   h.Finish(t.Context(), many, nil, nil, true),
		"there":  h.Finish(t.Context(), nil, nil, map[string]json.RawMessage{"": json.RawMessage(`"broken"`)}, true),
	} {
		if err == nil || !strings.Contains(err.Error(), "metadata of") || name != "there" && !strings.Contains(err.Error(), `"broken"`) {
			t.Errorf("%s: error %v, want one that names the node and the attribute", name, err)
		}
	}
}

// TestStreamedRootFails fails to begin a streamed document of the root.
func TestStreamedRootFails(t *testing.T) {
	many := map[string]*zarr.Array{}
	for i := range 1500 {
		many[fmt.Sprint("a", i)] = array()
	}
	for failAt, operations := range [][]string{{"sync", "write zarr.json", "sync"}, {"sync"}, {"sync", "write zarr.json"}, {"sync", "write zarr.json", "sync"}} {
		r := recorder{failAt: failAt}
		if err := sinks.New(&r).Finish(t.Context(), many, nil, nil, true); errors.Is(err, errStore) != (failAt > 0) {
			t.Errorf("operation %d fails: %v", failAt, err)
		}
		if diff := cmp.Diff(operations, r.operations); diff != "" {
			t.Errorf("operation %d fails (-want +got):\n%s", failAt, diff)
		}
	}
}

// TestStores writes a hierarchy to real stores. They hold its objects and nothing else.
func TestStores(t *testing.T) {
	for _, url := range []string{t.TempDir() + "/a.zarr", "mem://bucket/deep/a.zarr"} {
		s, err := store.Open(t.Context(), url, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h := sinks.New(s)
		var want []string
		for _, p := range []string{"top", "g/a", "g/h/b", "implied/c"} {
			w := h.Array(p, sinks.Placement{})
			for i := range 2 {
				r, err := w.Put(t.Context(), []int{i}, fmt.Append(nil, p, i))
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, r.Key)
			}
		}
		if err := h.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := finish(t.Context(), s, true); err != nil {
			t.Fatal(err)
		}
		var documents recorder
		if err := finish(t.Context(), &documents, true); err != nil {
			t.Fatal(err)
		}
		for key := range documents.objects {
			want = append(want, key)
		}
		slices.Sort(want)
		var got []string
		err = s.List(t.Context(), "", func(o store.Info) error {
			got = append(got, o.Key)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: keys (-want +got):\n%s", url, diff)
		}
		data, err := s.ReadAll(t.Context(), "g/h/b/c/1", 100)
		if err != nil || string(data) != "g/h/b1" {
			t.Errorf("%s: g/h/b/c/1 holds %q, %v", url, data, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The consolidated metadata of many nodes are written piece by piece. The bytes are the
// same as those of a document that is built in memory.
func TestManyNodes(t *testing.T) {
	s, err := store.Open(t.Context(), "mem://bucket/many.zarr", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	arrays, nodes := map[string]*zarr.Array{}, map[string]json.RawMessage{}
	for i := range 1500 {
		p := fmt.Sprintf("a%d", i)
		arrays[p] = array(zarr.Attribute{Name: "number", Value: json.RawMessage(fmt.Sprint(i))})
		if nodes[p], err = arrays[p].MarshalJSON(); err != nil {
			t.Fatal(err)
		}
	}
	if err := sinks.New(s).Finish(t.Context(), arrays, nil, nil, true); err != nil {
		t.Fatal(err)
	}
	want, err := zarr.Document(&zarr.Group{Consolidated: nodes})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.ReadAll(t.Context(), zarr.MetadataKey, 1<<30)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the root's document of %d bytes is not the one of %d that was wanted (%v)", len(got), len(want), err)
	}
}
