package sinks

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/zarr"
)

// reopened returns a Writer of Open in the place of another Writer.
func reopened(t *testing.T, w *Writer) *Writer {
	t.Helper()
	again, err := existingWriter(t.Context(), w.store, Options{Memory: 2000})
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// must ends a test at an error.
func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// rowSpecs are arrays that grow along their first dimension.
func rowSpecs() map[string]ArraySpec {
	plain := ArraySpec{Type: dtype.Int32, Shape: []int{0, 30}, Chunks: []int{8, 9}, DimensionNames: []string{"time", "x"}}
	sharded := plain
	sharded.Chunks, sharded.Shards = []int{2, 3}, []int{8, 9}
	return map[string]ArraySpec{"chunks": plain, "shards": sharded}
}

// TestOpenAppends appends rows with a new Writer for each step, and writes others again.
// The objects are those of a single Writer.
func TestOpenAppends(t *testing.T) {
	values := countedValues()
	rows := func(from, to int) ndarray.Array {
		return values.Sub(ndarray.Region{Start: []int{from, 0}, Shape: []int{to - from, 30}})
	}
	for name, spec := range rowSpecs() {
		for _, unconsolidated := range []bool{false, true} {
			once := testWriter(t, Options{Unconsolidated: unconsolidated}, nil)
			a := must[*Array](t)(once.CreateArray(t.Context(), "g/a", spec))
			must[[]int](t)(a.Append(t.Context(), values, "time"))
			if err := once.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			w := testWriter(t, Options{Unconsolidated: unconsolidated}, nil)
			must[*Array](t)(w.CreateArray(t.Context(), "g/a", spec))
			if err := w.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, step := range [][2]int{{0, 5}, {5, 6}, {6, 16}, {16, 33}, {33, 40}} {
				w = reopened(t, w)
				a := must[*Array](t)(w.Array(t.Context(), "g/a"))
				before := objectsOf(t, w)["zarr.json"]
				must[[]int](t)(a.Append(t.Context(), rows(step[0], step[1]), "time"))
				// Rows that were there are written again, with other values first.
				for _, again := range []ndarray.Array{ndarray.New(dtype.Int32, []int{3, 30}), rows(step[1]-3, step[1])} {
					if err := a.WriteRegion(t.Context(), again, []int{step[1] - 3, 0}); err != nil {
						t.Fatal(err)
					}
				}
				if objectsOf(t, w)["zarr.json"] != before {
					t.Error("the root's document has changed before Commit")
				}
				if err := w.Commit(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(objectsOf(t, once), objectsOf(t, w)); diff != "" {
				t.Errorf("%s, unconsolidated %v (-once +opened):\n%.1500s", name, unconsolidated, diff)
			}
		}
	}
}

// TestOpenRemains: objects that an interrupted Writer has left beyond the array are never
// read. They are removed where the array gets only the fill value.
func TestOpenRemains(t *testing.T) {
	values := countedValues()
	for name, spec := range rowSpecs() {
		w := testWriter(t, Options{}, nil)
		a := must[*Array](t)(w.CreateArray(t.Context(), "a", spec))
		must[[]int](t)(a.Append(t.Context(), values.Sub(ndarray.Region{Start: []int{0, 0}, Shape: []int{5, 30}}), ""))
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := objectsOf(t, w)
		w = reopened(t, w)
		must[[]int](t)(must[*Array](t)(w.Array(t.Context(), "a")).Append(t.Context(), values, "time"))
		if err := w.sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(objectsOf(t, w)) < len(want)+4 {
			t.Fatalf("%s: the interrupted Writer has left %d objects", name, len(objectsOf(t, w)))
		}
		w = reopened(t, w)
		a = must[*Array](t)(w.Array(t.Context(), "a"))
		must[[]int](t)(a.Append(t.Context(), ndarray.New(dtype.Int32, []int{40, 30}), "time"))
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := objectsOf(t, w)
		for key := range got {
			if want[key] == "" {
				t.Errorf("%s: %s is left", name, key)
			}
		}
		for key, text := range want {
			if strings.Contains(key, "/c/") && got[key] != text {
				t.Errorf("%s: %s has changed", name, key)
			}
		}
	}
}

// theirs is a hierarchy of another program: with unknown fields, numbers of Python, and
// consolidated metadata in two groups.
func theirs(t *testing.T) *store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), "mem://bucket/a.zarr", store.Options{Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	const array = `{"zarr_format":3,"node_type":"array","shape":[3],"data_type":"int16","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},` +
		`"chunk_key_encoding":{"name":"v2","configuration":{"separator":"."}},"fill_value":7,"codecs":[{"name":"bytes","configuration":{"endian":"big"}}],` +
		`"attributes":{"valid_max":NaN,"units":"m"},"dimension_names":["x"],"extra":{"name":"extra","must_understand":false}}`
	const group = `{"zarr_format":3,"node_type":"group","attributes":{"nothing":-Infinity}`
	consolidated := func(nodes string) string {
		return `,"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{` + nodes + `}}}`
	}
	for key, text := range map[string]string{
		"zarr.json":     group + consolidated(`"g/v":`+array+`,"g":`+group+"}"),
		"g/zarr.json":   group + consolidated(`"v":`+array),
		"g/v/zarr.json": array, "g/v/0": "\x00\x01\x00\x02", "g/v/1": "\x00\x03\xff\xff",
	} {
		if err := st.Put(t.Context(), key, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return st
}

// TestOpenTheirs changes a hierarchy of another program: rows, attributes and new nodes.
func TestOpenTheirs(t *testing.T) {
	w := must[*Writer](t)(existingWriter(t.Context(), theirs(t), Options{}))
	before := objectsOf(t, w)
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, objectsOf(t, w)); diff != "" {
		t.Errorf("a Commit without changes (-before +after):\n%s", diff)
	}
	if got := must[[]string](t)(w.Arrays(t.Context())); !slices.Equal(got, []string{"g/v"}) {
		t.Errorf("the arrays are %q", got)
	}
	v := must[*Array](t)(w.Array(t.Context(), "g/v"))
	if v != must[*Array](t)(w.Array(t.Context(), "g/v")) {
		t.Error("a second call gives another Array")
	}
	if m := v.Metadata(); m.Type != dtype.Int16 || m.Grid.Shape[0] != 3 || m.Grid.Chunk[0] != 2 || string(m.Attributes.Get("units")) != `"m"` {
		t.Errorf("metadata %+v", m)
	}
	if start := must[[]int](t)(v.Append(t.Context(), ndarray.From([]int16{4, 5}, []int{2}), "x")); start[0] != 3 {
		t.Errorf("appended at %v", start)
	}
	created := must[*Array](t)(w.CreateArray(t.Context(), "h/i/b", ArraySpec{Type: dtype.Uint8, Shape: []int{1}}))
	for _, err := range []error{
		created.WriteRegion(t.Context(), ndarray.From([]uint8{9}, []int{1}), []int{0}),
		w.CreateGroup(t.Context(), "g/k", zarr.Attributes{}.With("n", []byte("0"))),
		w.SetAttributes(t.Context(), "g/k", zarr.Attributes{}.With("n", []byte("1"))),
		w.SetAttributes(t.Context(), "g/v", zarr.Attributes{{Name: "units", Value: nil}, {Name: "long_name", Value: []byte(`"v"`)}}),
		w.SetAttributes(t.Context(), "", zarr.Attributes{{Name: "title", Value: []byte(`"t"`)}}),
		w.SetAttributes(t.Context(), "g", zarr.Attributes{{Name: "title", Value: []byte(`"g"`)}}),
		w.SetAttributes(t.Context(), "h/i/b", zarr.Attributes{{Name: "new", Value: []byte("true")}}),
		w.Commit(t.Context()),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := must[[]string](t)(w.Arrays(t.Context())); !slices.Equal(got, []string{"g/v", "h/i/b"}) {
		t.Errorf("the arrays are %q", got)
	}
	after := objectsOf(t, w)
	if got := after["g/v/0"] + after["g/v/1"] + after["g/v/2"]; got != "\x00\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x07" {
		t.Errorf("the chunks are %q", got)
	}
	for key, want := range map[string][]string{
		"g/v/zarr.json":   {`"shape":[5]`, `"valid_max":NaN`, `"long_name":"v"`, `"extra":{`},
		"g/zarr.json":     {`"nothing":-Infinity,"title":"g"`, `"shape":[5]`, `"long_name":"v"`, `"k":{`},
		"zarr.json":       {`"nothing":-Infinity,"title":"t"`, `"g/v":{`, `"shape":[5]`, `"long_name":"v"`, `"h/i/b":{`, `"g/k":{`, `"n":1`, `"title":"g"`, `"h":{`, `"h/i":{`},
		"h/zarr.json":     {`"group"`},
		"h/i/zarr.json":   {`"group"`},
		"h/i/b/zarr.json": {`"new":true`},
	} {
		text := strings.Join(strings.Fields(after[key]), "")
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %s: %s", key, part, text)
			}
		}
		if strings.Contains(text, `"units":"m"`) {
			t.Errorf("%s has the attribute that was removed", key)
		}
	}
	root := must[*zarr.Group](t)(zarr.ParseGroup([]byte(after["zarr.json"])))
	if got := slices.Sorted(maps.Keys(root.Consolidated)); !slices.Equal(got, []string{"g", "g/k", "g/v", "h", "h/i", "h/i/b"}) {
		t.Errorf("consolidated are %q", got)
	}
}

// TestOpenWalks lists the arrays of a hierarchy without consolidated metadata, and of one
// that is an array.
func TestOpenWalks(t *testing.T) {
	st := theirs(t)
	if err := st.Put(t.Context(), "zarr.json", []byte(`{"zarr_format":3,"node_type":"group"}`)); err != nil {
		t.Fatal(err)
	}
	w := must[*Writer](t)(existingWriter(t.Context(), st, Options{}))
	if got := must[[]string](t)(w.Arrays(t.Context())); !slices.Equal(got, []string{"g/v"}) {
		t.Errorf("the arrays are %q", got)
	}
	must[*Array](t)(w.Array(t.Context(), "g/v"))
	if err := st.Put(t.Context(), "g/other/zarr.json", []byte(`{"zarr_format":3,"node_type":"x"}`)); err != nil {
		t.Fatal(err)
	}
	if got, err := w.Arrays(t.Context()); err == nil || !strings.Contains(err.Error(), `"g/other"`) {
		t.Errorf("beside a node of another kind: %q, %v", got, err)
	}
	one := testWriter(t, Options{}, nil)
	must[*Array](t)(one.CreateArray(t.Context(), "", ArraySpec{Type: dtype.Int32, Shape: []int{3}}))
	if err := one.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	one = reopened(t, one)
	if got := must[[]string](t)(one.Arrays(t.Context())); !slices.Equal(got, []string{""}) {
		t.Errorf("the arrays are %q", got)
	}
	must[[]int](t)(must[*Array](t)(one.Array(t.Context(), "")).Append(t.Context(), ndarray.From([]int32{1}, []int{1}), "0"))
	if err := errors.Join(one.SetAttributes(t.Context(), "", zarr.Attributes{}.With("a", []byte("1"))), one.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	if text := objectsOf(t, one)["zarr.json"]; !strings.Contains(text, "\"shape\": [\n    4\n  ]") || !strings.Contains(text, `"a": 1`) {
		t.Error(text)
	}
}

// TestOpenRefusals: Open and what follows it refuse what they cannot do.
func TestOpenRefusals(t *testing.T) {
	st := theirs(t)
	w := must[*Writer](t)(existingWriter(t.Context(), st, Options{}))
	rectilinear := strings.NewReplacer("regular", "rectilinear", `"chunk_shape":[2]`, `"kind":"inline","chunk_shapes":[[1,2]]`).Replace(objectsOf(t, w)["g/v/zarr.json"])
	if err := errors.Join(st.Put(t.Context(), "r/zarr.json", []byte(rectilinear)), st.Put(t.Context(), "remains/c/0", nil), st.Put(t.Context(), "odd/zarr.json", []byte("{}"))); err != nil {
		t.Fatal(err)
	}
	empty, err := store.Open(t.Context(), "mem://bucket/empty.zarr", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	array := func(path string) error { _, err := w.Array(t.Context(), path); return err }
	create := func(path string) error {
		_, err := w.CreateArray(t.Context(), path, ArraySpec{Type: dtype.Int8, Shape: []int{1}})
		return err
	}
	open := func(st *store.Store, opt Options) error { _, err := existingWriter(t.Context(), st, opt); return err }
	for _, test := range []struct {
		err  error
		is   error
		want string
	}{
		{open(empty, Options{}), fs.ErrNotExist, "Create makes a new hierarchy"},
		{open(st, Options{Unconsolidated: true}), nil, "use SetAttributes"},
		{array("g"), nil, `array "g": node_type: a group, not an array`},
		{array("none"), fs.ErrNotExist, `array "none" of `},
		{array("r"), errors.ErrUnsupported, "a job can write the array"},
		{create("g/v"), fs.ErrExist, `array "g/v": file already exists: it holds "g/v/`},
		{create("g"), fs.ErrExist, `it holds "g/`},
		{create("remains"), fs.ErrExist, `it holds "remains/c/0"; remove what is there, or choose another path`},
		{create("g/v/w"), nil, `"g/v" is an array and holds no nodes`},
		{create(""), fs.ErrExist, `it is the root`},
		{create("../a"), nil, `array "../a": path "../a"`},
		{w.CreateGroup(t.Context(), "g", nil), fs.ErrExist, `group "g": `},
		{w.SetAttributes(t.Context(), "none", nil), fs.ErrNotExist, `"none" of `},
		{w.SetAttributes(t.Context(), "odd", nil), zarr.ErrNotZarr, `"odd": `},
		{w.SetAttributes(t.Context(), "g", zarr.Attributes{{Name: "a", Value: []byte("x")}}), nil, `the value of the attribute "a" is not JSON`},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) || test.is != nil && !errors.Is(test.err, test.is) {
			t.Errorf("error %v, want %q, which wraps %v", test.err, test.want, test.is)
		}
	}
	// Another program has appended.
	v := must[*Array](t)(w.Array(t.Context(), "g/v"))
	must[[]int](t)(v.Append(t.Context(), ndarray.From([]int16{4}, []int{1}), "x"))
	other := must[*Writer](t)(existingWriter(t.Context(), st, Options{}))
	must[[]int](t)(must[*Array](t)(other.Array(t.Context(), "g/v")).Append(t.Context(), ndarray.From([]int16{5, 6}, []int{2}), "x"))
	if err := other.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); !errors.Is(err, ErrChanged) || !strings.HasPrefix(err.Error(), `array "g/v": `) {
		t.Errorf("after another program: %v", err)
	}
}

// TestOpenFaults lets operation after operation of the store fail while rows are appended.
// Until Commit succeeds, the root's document is the old one. The calls are repeated; in
// the end the objects are those of an undisturbed Writer.
func TestOpenFaults(t *testing.T) {
	values := countedValues()
	var fault func() error
	prepared := func() *Writer {
		fault = func() error { return nil }
		w := testWriter(t, Options{}, func(_, _ string) error { return fault() })
		a := must[*Array](t)(w.CreateArray(t.Context(), "g/a", rowSpecs()["shards"]))
		must[[]int](t)(a.Append(t.Context(), values.Sub(ndarray.Region{Start: []int{0, 0}, Shape: []int{13, 30}}), ""))
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		return reopened(t, w)
	}
	work := func(w *Writer, failing func() error) map[string]string {
		root := objectsOf(t, w)["zarr.json"]
		fault = failing
		again := func(f func() error) {
			for err := f(); err != nil; err = f() {
				if !errors.Is(err, errFault) {
					t.Fatal(err)
				}
			}
		}
		var a *Array
		again(func() (err error) { a, err = w.Array(t.Context(), "g/a"); return err })
		rest := values.Sub(ndarray.Region{Start: []int{13, 0}, Shape: []int{27, 30}})
		start, err := a.Append(t.Context(), rest, "time")
		if err != nil {
			again(func() error { return a.WriteRegion(t.Context(), rest, start) })
		}
		again(func() error { return w.SetAttributes(t.Context(), "g", zarr.Attributes{}.With("rows", []byte("40"))) })
		was := fault
		fault = func() error { return nil }
		if objectsOf(t, w)["zarr.json"] != root {
			t.Error("the root's document has changed before Commit")
		}
		fault = was
		again(func() error { return w.Commit(t.Context()) })
		fault = func() error { return nil }
		return objectsOf(t, w)
	}
	want := work(prepared(), func() error { return nil })
	if !bytes.Contains([]byte(want["zarr.json"]), []byte(`"rows": 40`)) {
		t.Errorf("the root's document: %s", want["zarr.json"])
	}
	for at := int64(1); ; at++ {
		var count atomic.Int64
		got := work(prepared(), func() error {
			if count.Add(1) == at {
				return errFault
			}
			return nil
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("operation %d failed (-want +got):\n%.1500s", at, diff)
		}
		if count.Load() < at {
			break
		}
	}
}
